#include "plan/cost.hpp"

#include "model/estimate.hpp"
#include "model/roofline_file.hpp"
#include "model/strategy.hpp"

#include <algorithm>
#include <cstdint>

namespace nestbed
{

namespace
{

constexpr double kRow = 150; // untimed, for any case: from the gaps in `utc` between the rows of short cases
constexpr double kByteUntimed = 0.5e-6;    // to restore or to verify a byte
constexpr double kLimitSet = 2500;         // untimed
constexpr double kRaised = 2.5;            // 1.4 to 4.7 times as long above the default limit (pending.csv)
constexpr double kTailInTurn = 3.1;        // tail launches of the blocks of one grid, which run one after another
constexpr double kGraphMade = 700;         // untimed, for a device graph
constexpr double kNodeMade = 12;           // untimed, for a node of a graph
constexpr double kMarkedRun = 1.5;         // a second, untimed run with timestamps
constexpr double kNumberOnHost = 0.8e-3;   // `host`
constexpr double kNumberOnHosts = 0.07e-3; // `host_parallel`, on 16 cores
constexpr double kNumberMade = 1.5e-3;     // for a number of the input

// The executor, on a Xeon at 2.6 GHz: user time with --workers 1.
constexpr double kRowExecuted = 60;
constexpr double kThreadExecuted = 0.15; // 0.02 (tail) to 0.8 (neighbored), depending on the barriers
constexpr double kLaunchExecuted = 1.5;
constexpr double kByteExecuted = 4e-3; // 0.4e-3 (a sum: restored and verified) to 20e-3 (blobs)
constexpr double kNumberMadeExecuted = 0.01;

// The GPU for which the estimates hold.
const DeviceFacts& gpu()
{
    return default_roofline().facts;
}

double number_on_host_us(const Case& point)
{
    return point.strategy == "host" ? kNumberOnHost : point.strategy == "host_parallel" ? kNumberOnHosts : 0;
}

// The GPU time by the model of an H200; and what the model leaves out: the time of the host, which submits launches.
double gpu_us(const Demand& demand)
{
    double us = predict(default_roofline(), demand).us;
    if (demand.mechanism == Mechanism::host)
        us = std::max(us, demand.host_launches * parameter_of(default_roofline(), "rate", Mechanism::host));
    if (demand.mechanism == Mechanism::tail && demand.form.per_root_block() && !demand.form.one_by_one)
        us += static_cast<double>(demand.form.total()) / demand.plan.streams * kTailInTurn;
    if (raises_limit(demand, gpu()))
        us *= kRaised;
    return us + 2.0 * demand.point.delay_us * demand.form.levels();
}

// Of so many launches that the input decides: levels of a device graph, or launches from one grid.
double launches_by_need_us(const StrategyInfo& info, const Case& point, double launches)
{
    constexpr double kMostLevels = 1e6;
    if (launches < 1)
        return 0;
    Demand demand{.mechanism = mechanism_of(info, point), .point = point};
    demand.point.delay_us = 0;
    if (demand.mechanism == Mechanism::graph_tail) {
        demand.form = ExpectedLaunches::chain_per_grid(static_cast<unsigned>(std::min(launches, kMostLevels)));
    } else {
        const auto roots = static_cast<std::uint32_t>(std::min<double>(launches, INT32_MAX));
        demand.form = ExpectedLaunches::chain_per_block(roots, 1);
        demand.plan = {.roots = roots, .pending_limit = gpu().default_pending_limit, .wave = roots};
    }
    return gpu_us(demand);
}

// A rough number of launches by need, which depend on the input.
double launches_by_need(const StrategyInfo& info, const Case& point)
{
    if (!from_device(mechanism_of(info, point)) || (point.depth && *point.depth == 0))
        return 0;
    return info.workload->cost.launches == nullptr ? 0 : info.workload->cost.launches(info, point);
}

double irregular_sample_us(const StrategyInfo& info, const Case& point)
{
    const double launches = launches_by_need(info, point);
    const double work = info.workload->cost.work_us == nullptr ? 0 : info.workload->cost.work_us(info, point);
    if (point.backend == BackendKind::cpu)
        return kRowExecuted + work + launches * (kLaunchExecuted + point.block * kThreadExecuted);
    constexpr double kRuns = 2; // held, and not held
    return kRow + static_cast<double>(bytes_moved(info, point)) * 2 * kByteUntimed +
           kRuns * (kKernelCallUs + work + launches_by_need_us(info, point, launches));
}

double sample_on_gpu(const Strategy& strategy, const Case& point)
{
    const StrategyInfo& info = strategy.info();
    const Demand demand = demand_of(strategy, point, gpu());
    const double launches = gpu_us(demand);
    double us = kRow + kKernelCallUs + launches + demand.bytes * kByteUntimed +
                static_cast<double>(point.elements) * number_on_host_us(point);
    if (info.keeps_timestamps())
        us += kMarkedRun * launches + (point.graphs - 1) * kGraphMade;
    if (demand.mechanism == Mechanism::host_graph)
        us += demand.host_launches * kNodeMade;
    return demand.plan.pending_limit == gpu().default_pending_limit ? us : us + kLimitSet;
}

double sample_on_executor(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form)
{
    const double threads = number_on_host_us(point) > 0 ? 0 : static_cast<double>(point.grid) * point.block;
    return kRowExecuted + threads * kThreadExecuted + static_cast<double>(form.total()) * kLaunchExecuted +
           static_cast<double>(bytes_moved(info, point)) * kByteExecuted;
}

// Whether the case runs. Otherwise it has a single row, which says why not.
bool is_run(const StrategyInfo& info, const Case& point)
{
    return point.backend == BackendKind::cuda || !(info.cuda_only || cuda_only(mechanism_of(info, point)));
}

} // namespace

double sample_us(const Case& point)
{
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    const StrategyInfo& info = strategy.info();
    const ExpectedLaunches form = strategy.launches(point);
    if (!is_run(info, point))
        return kRowExecuted;
    if (info.irregular())
        return irregular_sample_us(info, point);
    return point.backend == BackendKind::cuda ? sample_on_gpu(strategy, point)
                                              : sample_on_executor(info, point, form);
}

double input_us(const Case& point)
{
    const WorkloadInfo& workload = *Registry::find_anywhere(point.strategy)->info().workload;
    if (workload.cost.input_us != nullptr)
        return workload.cost.input_us(point);
    return !workload.drawn() ? 0
                             : static_cast<double>(point.elements) *
                                   (point.backend == BackendKind::cuda ? kNumberMade : kNumberMadeExecuted);
}

double cost_us(const Plan& plan, const Case& point)
{
    const bool once = !is_run(Registry::find_anywhere(point.strategy)->info(), point);
    const unsigned samples = once ? 1 : plan.repeat.at(point.backend).least + plan.warmup.at(point.backend);
    return samples * sample_us(point);
}

double cost_us(const Plan& plan)
{
    double us = 0;
    for (const Group& group : plan.groups) {
        us += input_us(group.cases.front());
        for (const Case& point : group.cases)
            us += cost_us(plan, point);
    }
    return us;
}

} // namespace nestbed
