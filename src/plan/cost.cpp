#include "plan/cost.hpp"

#include "model/launch_plan.hpp"
#include "model/strategy.hpp"

#include <array>
#include <cstdint>

namespace nestbed
{

namespace
{

// What a mechanism takes on a GPU: one launch of many that are under way at once, and one behind another from level to level.
struct Rate {
    double launch_us = 0;
    double level_us = 0;
};

// By mechanism. From wall_us of results/h200/launch.csv (chain: levels; fanout: launches), ways.csv and grid.csv (launches).
constexpr std::array<Rate, kMechanisms.size()> kRates{{
    {},         // none
    {0.45, 11}, // null_stream
    {0.45, 11}, // named_stream
    {0.35, 10}, // fire_and_forget
    {0.4, 7},   // tail
    {0, 4.4},   // graph_tail
    {3.3, 0},   // host
    {1.1, 0},   // host_graph
    {0, 1.05},  // grid_sync
}};
constexpr double kRaised = 2.3;  // times as slow, launches under a raised limit: pending.csv
constexpr double kWave = 3.3;    // a launch by the host of one wave of several: fanout by tail
constexpr double kCall = 15;     // one kernel of the host, waited for
constexpr double kRow = 150;     // untimed, whatever the case: what `utc` leaves between the rows of short ones
constexpr double kByte = 0.6e-6; // 1.6 TB/s: from a fifth to twice of it, by the kernel
constexpr double kByteUntimed = 0.5e-6;    // restored, or verified
constexpr double kLimitSet = 2500;         // untimed
constexpr double kGraphMade = 700;         // untimed, of a device graph
constexpr double kNodeMade = 12;           // untimed, of a graph
constexpr double kMarkedRun = 1.5;         // chain, fanout: once more, with timestamps, untimed
constexpr double kNumberOnHost = 0.8e-3;   // `host`
constexpr double kNumberOnHosts = 0.07e-3; // `host_parallel`, on 16 cores
constexpr double kNumberMade = 1.5e-3;     // of an input

// The executor, on a Xeon at 2.6 GHz: user time with --workers 1.
constexpr double kRowExecuted = 60;
constexpr double kThreadExecuted = 0.15; // 0.02 (tail) to 0.8 (neighbored): by its barriers
constexpr double kLaunchExecuted = 1.5;
constexpr double kByteExecuted = 4e-3; // 0.4e-3 (a sum: restored and verified) to 20e-3 (blobs)
constexpr double kNumberMadeExecuted = 0.01;

// The GPU that the estimates are of: an H200.
const DeviceFacts& gpu()
{
    static const DeviceFacts facts{.multiprocessors = 132,
                                   .max_threads_per_multiprocessor = 2048,
                                   .max_blocks_per_multiprocessor = 32,
                                   .resident_grids = 128};
    return facts;
}

double number_on_host_us(const Case& point)
{
    return point.strategy == "host" ? kNumberOnHost : point.strategy == "host_parallel" ? kNumberOnHosts : 0;
}

// Launches that no kernel makes, or levels of one grid.
double launches_by_host(const StrategyInfo& info, const Case& point)
{
    if (info.workload == "chain")
        return point.depth.value_or(kChainLevels);
    return info.workload == "fanout" ? point.grid : halving_levels(point);
}

// Levels that run one after another: of a wave's chains at once, of tail launches one by one, and of what a block launches into one
// stream one subtree after another.
double levels_in_turn(const ExpectedLaunches& form, const LaunchPlan& plan, Mechanism mechanism)
{
    const bool tail = mechanism == Mechanism::tail;
    if (form.per_root_block())
        return static_cast<double>(tail ? plan.roots : plan.waves()) / plan.streams * form.levels();
    const bool ordered = tail || mechanism == Mechanism::null_stream;
    return ordered && form.levels() > 0 ? static_cast<double>(form.total() - form.by_depth.back()) + 1
                                        : form.levels();
}

double launches_us(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form, const LaunchPlan& plan)
{
    const Mechanism mechanism = mechanism_of(info, point);
    const Rate& rate = kRates.at(static_cast<std::size_t>(mechanism));
    if (!from_device(mechanism))
        return launches_by_host(info, point) * (rate.launch_us + (info.workload == "fanout" ? 0 : rate.level_us));
    const double us = static_cast<double>(form.total()) * rate.launch_us +
                      levels_in_turn(form, plan, mechanism) * rate.level_us + (plan.waves() - 1) * kWave +
                      2.0 * point.delay_us * form.levels();
    const bool raised = form.per_root_block() && plan.pending_limit >= 2 * gpu().default_pending_limit;
    return raised ? us * kRaised : us;
}

double sample_on_gpu(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form)
{
    const LaunchPlan plan = plan_launches(point, form, gpu());
    const auto bytes = static_cast<double>(bytes_moved(info, point));
    const double launches = launches_us(info, point, form, plan);
    double us = kRow + kCall + launches + bytes * (kByte + kByteUntimed) +
                static_cast<double>(point.elements) * number_on_host_us(point);
    if (info.workload == "chain" || info.workload == "fanout")
        us += kMarkedRun * launches + (point.graphs - 1) * kGraphMade;
    if (mechanism_of(info, point) == Mechanism::host_graph)
        us += launches_by_host(info, point) * kNodeMade;
    return plan.pending_limit == gpu().default_pending_limit ? us : us + kLimitSet;
}

double sample_on_executor(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form)
{
    const double threads = number_on_host_us(point) > 0 ? 0 : static_cast<double>(point.grid) * point.block;
    return kRowExecuted + threads * kThreadExecuted + static_cast<double>(form.total()) * kLaunchExecuted +
           static_cast<double>(bytes_moved(info, point)) * kByteExecuted;
}

// Else its only row says so.
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
    return point.backend == BackendKind::cuda ? sample_on_gpu(info, point, form)
                                              : sample_on_executor(info, point, form);
}

double input_us(const Case& point)
{
    if (!Registry::find_anywhere(point.strategy)->info().drawn())
        return 0;
    return static_cast<double>(point.elements) *
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
