#include "plan/cost.hpp"

#include "model/graph_file.hpp"
#include "model/launch_plan.hpp"
#include "model/offers.hpp"
#include "model/strategy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace nestbed
{

namespace
{

// What a mechanism costs on a GPU: a launch while many others run at the same time, and a level that starts after the
// previous one has ended.
struct Rate {
    double launch_us = 0;
    double level_us = 0;
};

// By mechanism. From wall_us in results/h200/launch.csv (chain: levels; fanout: launches), ways.csv and grid.csv
// (launches).
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
constexpr double kRaised = 2.3;  // slowdown of launches under a raised limit: pending.csv
constexpr double kWave = 3.3;    // a host launch of one wave, if there are several: fanout with tail
constexpr double kCall = 15;     // one kernel that the host launches and waits for
constexpr double kRow = 150;     // untimed, for any case: from the gaps in `utc` between the rows of short cases
constexpr double kByte = 0.6e-6; // 1.6 TB/s; kernels reach a fifth of it to twice as much
constexpr double kByteUntimed = 0.5e-6;    // to restore or to verify a byte
constexpr double kLimitSet = 2500;         // untimed
constexpr double kGraphMade = 700;         // untimed, for a device graph
constexpr double kNodeMade = 12;           // untimed, for a node of a graph
constexpr double kMarkedRun = 1.5;         // chain, fanout: a second, untimed run with timestamps
constexpr double kNumberOnHost = 0.8e-3;   // `host`
constexpr double kNumberOnHosts = 0.07e-3; // `host_parallel`, on 16 cores
constexpr double kNumberMade = 1.5e-3;     // for a number of the input

// The executor, on a Xeon at 2.6 GHz: user time with --workers 1.
constexpr double kRowExecuted = 60;
constexpr double kThreadExecuted = 0.15; // 0.02 (tail) to 0.8 (neighbored), depending on the barriers
constexpr double kLaunchExecuted = 1.5;
constexpr double kByteExecuted = 4e-3; // 0.4e-3 (a sum: restored and verified) to 20e-3 (blobs)
constexpr double kNumberMadeExecuted = 0.01;

// Irregular workloads: an exhaustive image of 16384 x 16384 at dwell 4096 takes 79 ms, its recursion about 0.1 of that.
constexpr double kIteration = 79e3 / (16384.0 * 16384 * 4096); // per pixel and unit of the largest dwell
constexpr double kPartDivided = 0.12;
constexpr double kIterationOnHosts = 20e-6;   // the reference, on 16 cores
constexpr double kIterationExecuted = 0.5e-3; // the kernels and the reference
constexpr double kPixelExecuted = 0.5;
constexpr double kPointUntimed = 2e-5; // to compare it, on the device
constexpr double kPointMade = 10e-3;
constexpr double kPointExecuted = 0.3;
constexpr double kKeyMade = 0.1; // drawn, and sorted on the host
constexpr double kKeyExecuted = 0.9;
constexpr double kKeyPasses = 4;       // over the keys
constexpr double kNodeSearched = 2e-4; // on a GPU that is full; a tree of few nodes per level takes longer
constexpr double kNodeOnHost = 0.02;   // on 16 cores
constexpr double kNodeExecuted = 1;
constexpr double kQuadPointMade = 0.3; // drawn, and sorted on the host
constexpr double kQuadPointExecuted = 2;

constexpr double kEdgeMade = 0.15; // drawn, sorted by its vertex, and followed by the host
constexpr double kEdgeOnGpu = 1e-5;
constexpr double kEdgeExecuted = 0.3;

// The GPU for which the estimates hold: an H200.
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

// Launches by the host, or levels inside one grid.
double launches_by_host(const StrategyInfo& info, const Case& point)
{
    if (info.workload == "chain")
        return point.depth.value_or(kChainLevels);
    return info.workload == "fanout" ? point.grid : halving_levels(point);
}

// The number of levels that run one after another. The chains of one wave run at the same time. Tail launches run one
// by one. The subtrees that a block launches into one stream run one after another.
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

// Rough sizes of a search: its nodes; its levels, and those of its nodes that a block may leave to others: above the cutoff.
struct SearchEstimate {
    double nodes, levels, offered;
};
SearchEstimate search_estimate(const Case& point)
{
    constexpr double kMostEstimated = 1e11;
    constexpr double kNodesOfAChild = 2056; // t3, of 2000 children of the root; t3l has 27 times as many
    constexpr double kLevelsOfAChild = 0.79;
    constexpr double kQueensGrowth = 7; // nodes for each further queen
    const auto size = static_cast<double>(point.elements);
    SearchEstimate estimate{};
    switch (point.input) {
    case InputKind::t1:
        estimate = {std::min(kMostEstimated, std::pow(4.0, size)), size, 0};
        break;
    case InputKind::t3:
        estimate = {size * kNodesOfAChild, size * kLevelsOfAChild, 0};
        break;
    case InputKind::t3l:
        estimate = {size * kNodesOfAChild * 27, size * kLevelsOfAChild * 11, 0};
        break;
    case InputKind::path:
        estimate = {size, size, 0};
        break;
    default: // 5.7e8 nodes for 16 queens
        estimate = {std::min(kMostEstimated, 5.7e8 * std::pow(kQueensGrowth, size - 16)), size, 0};
    }
    const double depth = point.cutoff == 0 ? estimate.levels : std::min<double>(estimate.levels, point.cutoff);
    estimate.offered = point.input == InputKind::queens ? std::min(estimate.nodes, std::pow(size * 0.55, depth))
                       : depth < estimate.levels        ? std::min(estimate.nodes, size * std::pow(4.0, depth))
                                                        : estimate.nodes;
    estimate.levels = depth;
    return estimate;
}

// A rough number of launches by need, which depend on the input: of an image by the figures of 16384 x 16384 pixels,
// one launch per 8192 pixels, or per 32768 if blocks fill and compute. A threshold has fewer.
double launches_by_need(const StrategyInfo& info, const Case& point)
{
    constexpr double kPixelsALaunch = 8192;
    constexpr double kLevels = 8;
    if (!from_device(mechanism_of(info, point)) || (point.depth && *point.depth == 0))
        return 0;
    if (info.workload == "search") { // of a search by levels or rounds; of others, a fifth of the nodes have children
        const SearchEstimate tree = search_estimate(point);
        const double rounds = tree.levels / (info.budget ? point.budget : 1);
        return blocks_a_group(point.aggregate) == 0 ? rounds
                                                    : tree.offered / (info.budget ? 5.0 * point.budget : 5.0);
    }
    if (info.workload == "sort") {
        // Leaves, which are a half to the whole of the grain; with `grid` two grids per level.
        const double leaves = 1.5 * static_cast<double>(point.elements) / point.grain;
        return point.aggregate == Aggregate::grid ? std::min(kLevels, leaves) : leaves;
    }
    if (info.workload == "quadtree") { // the same, of leaves that a block can hold
        constexpr double kPointsALeaf = 1000;
        const double leaves = 1 + static_cast<double>(point.elements) / kPointsALeaf;
        return point.aggregate == Aggregate::grid ? std::min(kLevels, leaves) : leaves;
    }
    if (info.over_graph() && !info.offers && !info.threshold) // one per large level
        return kLevels;
    const bool image = info.workload == "mandelbrot";
    const double items = image ? static_cast<double>(point.elements) / kPixelsALaunch *
                                     (point.strategy == "mandelbrot_naive" ? 1 : 0.25)
                               : static_cast<double>(point.elements);
    if (blocks_a_group(point.aggregate) == 0)
        return image ? kLevels : 1;
    if (point.aggregate == Aggregate::none)
        return items;
    const double a_block = image ? static_cast<double>(point.fanout * point.fanout) : point.block;
    const double a_group =
        point.aggregate == Aggregate::warp ? std::min(a_block, 32.0) : a_block * blocks_a_group(point.aggregate);
    return std::max(1.0, items / a_group);
}

// The work of an irregular workload, without its launches.
double irregular_work_us(const StrategyInfo& info, const Case& point)
{
    const bool gpu = point.backend == BackendKind::cuda;
    if (info.workload == "bezier")
        return bezier_points(point) * (gpu ? kPointUntimed : kPointExecuted);
    if (info.workload == "search") {
        constexpr double kBoard = 0.05; // of a hash
        const SearchEstimate tree = search_estimate(point);
        const double of_hash = point.input == InputKind::queens ? kBoard : 1;
        const double level = gpu ? kCall : 0;
        return tree.nodes * of_hash * (gpu ? kNodeSearched : kNodeExecuted) +
               (from_device(mechanism_of(info, point)) ? 0 : tree.levels * level);
    }
    if (info.workload == "sort")
        return gpu ? static_cast<double>(bytes_moved(info, point)) * kKeyPasses * kByte
                   : static_cast<double>(point.elements) * kKeyExecuted;
    if (info.workload == "quadtree")
        return gpu ? static_cast<double>(bytes_moved(info, point)) * kKeyPasses * kByte
                   : static_cast<double>(point.elements) * kQuadPointExecuted;
    if (info.over_graph())
        return static_cast<double>(graph_edges(point)) * (gpu ? kEdgeOnGpu : kEdgeExecuted);
    const auto pixels = static_cast<double>(point.elements);
    const double part = point.strategy == "mandelbrot_exhaustive" ? 1 : kPartDivided;
    return pixels * point.dwell * part * (gpu ? kIteration : kIterationExecuted) +
           (gpu ? 0 : pixels * kPixelExecuted);
}

double irregular_sample_us(const StrategyInfo& info, const Case& point)
{
    const double launches = launches_by_need(info, point);
    const double work = irregular_work_us(info, point);
    if (point.backend == BackendKind::cpu)
        return kRowExecuted + work + launches * (kLaunchExecuted + point.block * kThreadExecuted);
    const Rate& rate = kRates.at(static_cast<std::size_t>(mechanism_of(info, point)));
    const bool in_turn = mechanism_of(info, point) == Mechanism::tail;
    constexpr double kRuns = 2; // held, and not held
    return kRow + static_cast<double>(bytes_moved(info, point)) * 2 * kByteUntimed +
           kRuns * (kCall + work + launches * (in_turn ? rate.level_us : rate.launch_us));
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
    return point.backend == BackendKind::cuda ? sample_on_gpu(info, point, form)
                                              : sample_on_executor(info, point, form);
}

double bezier_points(const Case& point)
{
    constexpr double kOfCurves = 18; // evenly from 4 to 32
    constexpr double kOfZipf = 590;  // (4096 - 4) / log(4096 / 4)
    return static_cast<double>(point.elements) * (point.input == InputKind::zipf ? kOfZipf : kOfCurves);
}

std::uint64_t graph_edges(const Case& point)
{
    constexpr std::uint64_t kBytesAnEdge = 12; // of text
    if (point.input == InputKind::file) {
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(path_in(point.graph_file), unknown);
        return unknown ? 0 : bytes / kBytesAnEdge;
    }
    const bool both_ways = point.input != InputKind::uniform && point.input != InputKind::zipf;
    constexpr std::uint64_t kOfGrid = 2; // per vertex; a path and a star have one
    return point.elements * (draws_edges(point.input) ? point.edge_factor : kOfGrid) * (both_ways ? 2 : 1);
}

double input_us(const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const auto elements = static_cast<double>(point.elements);
    if (point.dwell != 0)
        return point.backend == BackendKind::cuda ? elements * point.dwell * kIterationOnHosts : 0;
    if (info.workload == "bezier")
        return bezier_points(point) * kPointMade;
    if (info.workload == "sort")
        return elements * kKeyMade;
    if (info.workload == "search")
        return search_estimate(point).nodes * (point.input == InputKind::queens ? 0.1 : 1) * kNodeOnHost;
    if (info.workload == "quadtree")
        return elements * kQuadPointMade;
    if (info.over_graph())
        return static_cast<double>(graph_edges(point)) * kEdgeMade;
    if (!info.drawn())
        return 0;
    return elements * (point.backend == BackendKind::cuda ? kNumberMade : kNumberMadeExecuted);
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
