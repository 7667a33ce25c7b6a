#include "plan/cost.hpp"

#include "model/graph_file.hpp"
#include "model/offers.hpp"
#include "model/roofline_file.hpp"
#include "model/strategy.hpp"
#include "plan/graph_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace nestbed
{

namespace
{

constexpr double kCall = 15; // one kernel that the host launches and waits for
constexpr double kRow = 150; // untimed, for any case: from the gaps in `utc` between the rows of short cases
constexpr double kByteUntimed = 0.5e-6;    // to restore or to verify a byte
constexpr double kLimitSet = 2500;         // untimed
constexpr double kRaised = 2.5;            // 1.4 to 4.7 times as long above the default limit (pending.csv)
constexpr double kTailInTurn = 3.1;        // tail launches of the blocks of one grid, which run one after another
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
constexpr double kKeyPasses = 9;       // over the keys, at the model's bandwidth
constexpr double kNodeSearched = 2e-4; // on a GPU that is full; a tree of few nodes per level takes longer
constexpr double kNodeOnHost = 0.02;   // on 16 cores
constexpr double kNodeExecuted = 1;
constexpr double kQuadPointMade = 0.3; // drawn, and sorted on the host
constexpr double kQuadPointExecuted = 2;

constexpr double kEdgeMade = 0.15; // drawn, sorted by its vertex, and followed by the host

// The GPU for which the estimates hold.
const DeviceFacts& gpu()
{
    return default_roofline().facts;
}

double number_on_host_us(const Case& point)
{
    return point.strategy == "host" ? kNumberOnHost : point.strategy == "host_parallel" ? kNumberOnHosts : 0;
}

// Of a copy.
double byte_us()
{
    constexpr double kBytesPerUsInGb = 1e3;
    return 1 / (parameter_of(default_roofline(), "copy") * kBytesPerUsInGb);
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
    if (info.over_graph())
        return graph_launches(info, point, static_cast<double>(graph_edges(point)));
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
        return gpu ? static_cast<double>(bytes_moved(info, point)) * kKeyPasses * byte_us()
                   : static_cast<double>(point.elements) * kKeyExecuted;
    if (info.workload == "quadtree")
        return gpu ? static_cast<double>(bytes_moved(info, point)) * kKeyPasses * byte_us()
                   : static_cast<double>(point.elements) * kQuadPointExecuted;
    if (info.over_graph())
        return graph_work_us(info, point, static_cast<double>(graph_edges(point)));
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
    constexpr double kRuns = 2; // held, and not held
    return kRow + static_cast<double>(bytes_moved(info, point)) * 2 * kByteUntimed +
           kRuns * (kCall + work + launches_by_need_us(info, point, launches));
}

double sample_on_gpu(const Strategy& strategy, const Case& point)
{
    const StrategyInfo& info = strategy.info();
    const Demand demand = demand_of(strategy, point, gpu());
    const double launches = gpu_us(demand);
    double us = kRow + kCall + launches + demand.bytes * kByteUntimed +
                static_cast<double>(point.elements) * number_on_host_us(point);
    if (info.workload == "chain" || info.workload == "fanout")
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
