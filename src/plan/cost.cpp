#include "plan/cost.hpp"

#include "model/strategy.hpp"

#include <algorithm>
#include <cstdint>

namespace nestbed
{

namespace
{

// On a GPU. Fitted to wall_us of results/h200/*.csv (medians of a case), and to what `utc` leaves between the rows for all that is untimed.
namespace cuda
{
constexpr double kRow = 150;                       // untimed, whatever the case: depth, hazard, hello
constexpr double kCall = 15;                       // one kernel of the host, waited for: baselines, 2048 numbers
constexpr double kNumberOfSum = 2.5e-6;            // baselines, 2^24 and 10^9: 0.9 (last_block) to 15 (neighbored)
constexpr double kNumberOfSumRestored = 1.7e-6;    // untimed: library, best, 2^32
constexpr double kNumberOfMatrix = 4e-6;           // transpose, 16384 x 16384: 2.2 (shared_tile) to 16 (naive_row)
constexpr double kNumberOfMatrixVerified = 5.5e-6; // untimed: transpose, 16384 x 16384
constexpr double kNumberOnHost = 0.8e-3;           // host: baselines
constexpr double kNumberOnHosts = 0.07e-3;         // host_parallel: baselines, on 16 cores
constexpr double kNumberMade = 1.5e-3;             // of an input: what passes between the groups of library, best
constexpr double kLevel = 11;                      // launch: chain
constexpr double kLevelOfGraph = 4.4;              // launch: chain by graph_tail
constexpr double kLaunch = 0.45;                   // ways, grid, hello: a child a block a level
constexpr double kLaunchThatIsWaitedFor = 1.3;     // grid: synced
constexpr double kLaunchInTurn = 0.35;             // depth: tail
constexpr double kRootInTurn = 1.6;                // depth: tail; launch: fanout by tail
constexpr double kLaunchOfOneBlock = 9;            // transpose: recursive_transpose by null, tail
constexpr double kLaunchByHost = 3.3;              // launch: chain, fanout by host
constexpr double kNodeOfGraph = 1.1;               // launch: chain, fanout by host_graph
constexpr double kNodeOfGraphMade = 12;            // untimed: launch, fanout by host_graph
constexpr double kLevelOfGrid = 1.05;              // launch: chain by grid_sync
constexpr double kDeviceGraphMade = 700;           // untimed: launch, chain with 64 graphs
constexpr double kLimitSet = 2500;                 // untimed: pending, waves
constexpr double kRaised = 2.3;                    // times as slow, launches under a raised limit: pending, launch
constexpr double kSecondRun = 2.5;                 // chain, fanout: once more, with timestamps: launch
constexpr double kWaitingAtOnce = 14;              // what plan_launches() comes to: synced_waves
constexpr unsigned kStreamsInTurn = 64;            // likewise: tail_streams
constexpr double kDefaultLimit = 2048;
} // namespace cuda

// On the executor. User time of `nestbed run --workers 1 --repeat 4` with 256 blocks of 512 threads, 1024 x 1024 numbers, 2^24 numbers of
// `host`, 16384 grids of `fanout`, and 10000 rows of a case of one block, on a Xeon at 2.6 GHz.
namespace cpu
{
constexpr double kRow = 60;
constexpr double kThread = 0.25;             // 0.03 (last_block) to 0.8 (neighbored): by its barriers
constexpr double kThreadThatLaunches = 0.06; // 0.02 (tail) to 0.14 (barrier), of the root grid and the levels below
constexpr double kThreadThatWaits = 0.5;     // synced
constexpr double kLaunch = 1.5;              // chain, fanout
constexpr double kNumber = 1.5e-3;           // restored and verified
constexpr double kNumberOfMatrix = 0.03;     // 0.015 (naive_row) to 0.17 (blobs)
constexpr double kNumberMade = 0.01;
} // namespace cpu

constexpr std::uint32_t kFullChain = 1024; // nested/chain.cu

bool runs_on_host(const Case& point)
{
    return point.strategy == "host" || point.strategy == "host_parallel";
}

// By the host, or by a grid-wide barrier: what the launches of a chain and a fan-out are then.
double host_launches(const StrategyInfo& info, const Case& point)
{
    if (info.workload == "fanout")
        return point.grid;
    if (info.workload == "chain")
        return point.depth.value_or(kFullChain);
    return halving_levels(point);
}

bool limit_is_raised(const Case& point, const ExpectedLaunches& form)
{
    if (point.pending_limit)
        return *point.pending_limit > cuda::kDefaultLimit;
    return point.wave && static_cast<double>(*point.wave) * form.levels() > cuda::kDefaultLimit;
}

// Chains whose parents wait.
double waiting_at_once(const Case& point)
{
    if (!point.wave && !point.streams)
        return cuda::kWaitingAtOnce;
    return static_cast<double>(point.wave.value_or(1)) * point.streams.value_or(1);
}

double device_launches_us(const Case& point, Mechanism mechanism, const ExpectedLaunches& form)
{
    const auto launches = static_cast<double>(form.total());
    double us = form.levels() * (mechanism == Mechanism::graph_tail ? cuda::kLevelOfGraph : cuda::kLevel);
    const bool in_turn = mechanism == Mechanism::tail || mechanism == Mechanism::null_stream;
    if (form.parent_waits)
        us += launches * std::max(cuda::kLaunchThatIsWaitedFor, cuda::kLevel / waiting_at_once(point));
    else if (form.per_root_block() && mechanism == Mechanism::tail)
        us += form.root_blocks * cuda::kRootInTurn +
              launches * std::max(cuda::kLaunchInTurn, cuda::kLevel / point.streams.value_or(cuda::kStreamsInTurn));
    else if (!form.per_root_block() && in_turn)
        us += (launches - form.levels()) * cuda::kLaunchOfOneBlock;
    else
        us += launches * cuda::kLaunch;
    us += 2.0 * point.delay_us * form.levels();
    return us * (form.per_root_block() && limit_is_raised(point, form) ? cuda::kRaised : 1);
}

double launches_us(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form)
{
    const Mechanism mechanism = mechanism_of(info, point);
    const double by_host = host_launches(info, point);
    switch (mechanism) {
    case Mechanism::none:
        return 0;
    case Mechanism::host:
        return by_host * cuda::kLaunchByHost;
    case Mechanism::host_graph:
        return by_host * cuda::kNodeOfGraph;
    case Mechanism::grid_sync:
        return info.workload == "fanout" ? 0 : by_host * cuda::kLevelOfGrid;
    default:
        return device_launches_us(point, mechanism, form);
    }
}

double sample_on_gpu(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form)
{
    const auto elements = static_cast<double>(point.elements);
    if (runs_on_host(point))
        return cuda::kRow + elements * (cuda::kNumberOfSumRestored +
                                        (point.strategy == "host" ? cuda::kNumberOnHost : cuda::kNumberOnHosts));
    const double launches = launches_us(info, point, form);
    double us = cuda::kRow + cuda::kCall + launches;
    if (info.over_matrix())
        us += elements * (cuda::kNumberOfMatrix + cuda::kNumberOfMatrixVerified);
    else
        us += elements * (cuda::kNumberOfSum + cuda::kNumberOfSumRestored);
    if (info.workload == "chain" || info.workload == "fanout") {
        us += (cuda::kSecondRun - 1) * launches;
        us += (point.graphs - 1) * cuda::kDeviceGraphMade;
        if (mechanism_of(info, point) == Mechanism::host_graph)
            us += host_launches(info, point) * cuda::kNodeOfGraphMade;
    }
    if (limit_is_raised(point, form) || point.pending_limit)
        us += cuda::kLimitSet;
    return us;
}

double sample_on_executor(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form)
{
    const auto elements = static_cast<double>(point.elements);
    const double launches_us = static_cast<double>(form.total()) * cpu::kLaunch;
    if (info.over_matrix())
        return cpu::kRow + elements * cpu::kNumberOfMatrix + launches_us;
    const double thread = runs_on_host(point) ? 0
                          : form.parent_waits ? cpu::kThreadThatWaits
                          : form.levels() > 0 ? cpu::kThreadThatLaunches
                                              : cpu::kThread;
    return cpu::kRow + elements * cpu::kNumber + static_cast<double>(point.grid) * point.block * thread + launches_us;
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
        return cpu::kRow;
    return point.backend == BackendKind::cuda ? sample_on_gpu(info, point, form)
                                              : sample_on_executor(info, point, form);
}

double input_us(const Case& point)
{
    if (!Registry::find_anywhere(point.strategy)->info().drawn())
        return 0;
    return static_cast<double>(point.elements) *
           (point.backend == BackendKind::cuda ? cuda::kNumberMade : cpu::kNumberMade);
}

double cost_us(const Plan& plan, const Case& point)
{
    const bool once = !is_run(Registry::find_anywhere(point.strategy)->info(), point);
    const unsigned samples = once ? 1 : plan.repeat.at(point.backend) + plan.warmup.at(point.backend);
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
