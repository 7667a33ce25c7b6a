#include "predict/case_time.hpp"

#include "model/estimate.hpp"
#include "model/strategy.hpp"
#include "predict/roofline_file.hpp"

#include <algorithm>
#include <cstdint>

namespace nestbed
{

namespace
{

// Untimed, on a machine with an H200; of what the launch model does not describe.
constexpr double kRow = 150;           // of any row: the gaps in `utc` between the rows of short cases
constexpr double kLimitSet = 2500;     // to set another pending limit: the same in results/h200/pending.csv
constexpr double kGraphMade = 700;     // to instantiate a device graph: the same in launch.csv
constexpr double kNodeMade = 12;       // to add a node to a graph of the host: the same
constexpr double kNumberMade = 1.5e-3; // to draw a number of the input
constexpr double kByteUntimed = 2 * kCopiedByteUs; // to restore a byte, and to verify it
constexpr double kRaised = 2.5; // a case above the default limit takes 1.4 to 4.7 times as long (pending.csv)

// The executor, on a Xeon at 2.6 GHz: user time with --workers 1.
constexpr double kRowExecuted = 60;
constexpr double kThreadExecuted = 0.15; // 0.02 (tail) to 0.8 (neighbored), depending on the barriers
constexpr double kLaunchExecuted = 1.5;
constexpr double kByteExecuted = 4e-3; // 0.4e-3 (a sum: restored and verified) to 20e-3 (blobs)

// The GPU for which the estimates hold.
const DeviceFacts& gpu()
{
    return default_roofline().facts;
}

// The GPU time by the launch model; and what the model leaves out: the time of the host, which submits launches.
double gpu_us(Demand demand)
{
    demand.mechanism = info_of(demand.mechanism).nearest;
    double us = predict(default_roofline(), demand).us;
    if (demand.mechanism == Mechanism::host)
        us = std::max(us, demand.host_launches * parameter_of(default_roofline(), "rate", Mechanism::host));
    if (demand.mechanism == Mechanism::tail && demand.form.per_root_block() && !demand.form.one_by_one)
        us += static_cast<double>(demand.form.total()) / demand.plan.streams *
              parameter_of(default_roofline(), "lane", Mechanism::tail); // one after another
    if (raises_limit(demand, gpu()))
        us *= kRaised;
    return us + 2.0 * demand.point.delay_us * demand.form.levels();
}

double work_us(const StrategyInfo& info, const Case& point)
{
    return info.workload->cost.work_us == nullptr ? 0 : info.workload->cost.work_us(info, point);
}

// Of so many launches that the input decides: levels of a device graph, or launches from one grid.
double data_dependent_us(const StrategyInfo& info, const Case& point, double launches)
{
    constexpr double kMaxLevels = 1e6;
    if (launches < 1)
        return 0;
    Demand demand{.mechanism = mechanism_of(info, point), .point = point};
    demand.point.delay_us = 0;
    if (demand.mechanism == Mechanism::graph_tail) {
        demand.form = ExpectedLaunches::chain_per_grid(static_cast<unsigned>(std::min(launches, kMaxLevels)));
    } else {
        const auto roots = static_cast<std::uint32_t>(std::min<double>(launches, INT32_MAX));
        demand.form = ExpectedLaunches::chain_per_block(roots, 1);
        demand.plan = {.roots = roots, .pending_limit = gpu().default_pending_limit, .wave = roots};
    }
    return gpu_us(demand);
}

// A rough number of data-dependent launches, which depend on the input.
double data_dependent_launches(const StrategyInfo& info, const Case& point)
{
    if (!from_device(mechanism_of(info, point)) || (point.depth && *point.depth == 0))
        return 0;
    return info.workload->cost.launches == nullptr ? 0 : info.workload->cost.launches(info, point);
}

double irregular_sample_us(const StrategyInfo& info, const Case& point)
{
    const double launches = data_dependent_launches(info, point);
    const double work = work_us(info, point);
    if (point.backend == BackendKind::cpu)
        return kRowExecuted + work + launches * (kLaunchExecuted + point.block * kThreadExecuted);
    constexpr double kRuns = 2; // held, and not held
    return kRow + static_cast<double>(bytes_moved(info, point)) * 2 * kByteUntimed +
           kRuns * (kKernelCallUs + work + data_dependent_us(info, point, launches));
}

double sample_on_gpu(const Strategy& strategy, const Case& point)
{
    const StrategyInfo& info = strategy.info();
    const Demand demand = demand_of(strategy, point, gpu());
    const double launches = gpu_us(demand);
    double us = kRow + kKernelCallUs + launches + demand.bytes * kByteUntimed + work_us(info, point);
    if (info.keeps_timestamps()) // a second, untimed run records them
        us += launches + (point.graphs - 1) * kGraphMade;
    if (demand.mechanism == Mechanism::host_graph)
        us += demand.host_launches * kNodeMade;
    return demand.plan.pending_limit == gpu().default_pending_limit ? us : us + kLimitSet;
}

double sample_on_executor(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form)
{
    const double threads = info.on_host ? 0 : static_cast<double>(point.grid) * point.block;
    return kRowExecuted + threads * kThreadExecuted + static_cast<double>(form.total()) * kLaunchExecuted +
           static_cast<double>(bytes_moved(info, point)) * kByteExecuted;
}

} // namespace

double sample_us(const Case& point)
{
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    const StrategyInfo& info = strategy.info();
    if (!is_run(point))
        return kRowExecuted;
    if (info.irregular())
        return irregular_sample_us(info, point);
    return point.backend == BackendKind::cuda ? sample_on_gpu(strategy, point)
                                              : sample_on_executor(info, point, strategy.launches(point));
}

double input_us(const Case& point)
{
    const WorkloadInfo& workload = *Registry::find_anywhere(point.strategy)->info().workload;
    if (workload.cost.input_us != nullptr)
        return workload.cost.input_us(point);
    return workload.drawn() ? static_cast<double>(point.elements) * kNumberMade : 0;
}

} // namespace nestbed
