#include "workloads/bfs/graph_cost.hpp"

#include "model/child_requests.hpp"
#include "workloads/bfs/descriptor.hpp"
#include "workloads/bfs/graph_file.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <string>

namespace nestbed
{

namespace
{

constexpr double kEdgeOnGpu = 1e-5;
constexpr double kVertexOnGpu = 1e-5; // of a round with a thread per vertex
constexpr double kRoundOnGpu = 15;    // that the host launches and waits for
constexpr double kStepOnGpu = 3;      // in a grid that goes on with the next level

// The executor, on a Xeon at 2.6 GHz, for paths of 4000 to 16000 vertices.
constexpr double kEdgeExecuted = 0.3;
constexpr double kThreadOfARound = 0.15; // 0.09 in a round of every vertex, 0.2 in one of a queue with its children
constexpr double kThreadOfAGroup = 1;    // the same where warps, blocks or grids share launches, which need barriers
constexpr double kThreadOfAStep = 0.5;   // of one block, with its barriers
constexpr double kStepsOfNearFar = 8;    // per level, most of which look for near vertices
constexpr double kGridExecuted = 1.5;

struct GraphSize {
    double vertices, levels; // levels of a breadth-first search
};

// Of a graph whose distances grow with the logarithm of its size.
GraphSize with_few_levels(double vertices)
{
    return {.vertices = vertices, .levels = 1 + std::log2(std::max(1.0, vertices))};
}

// Of a file with about so many edges. Counted only if that takes milliseconds.
GraphSize size_of_file(const Case& point, double edges)
{
    constexpr double kMaxCounted = 1e6;
    static std::mutex mutex;
    static std::map<std::string, GraphSize> known; // by Case::graph_file, which has the hash of the content
    const std::scoped_lock lock(mutex);
    const auto [found, is_new] = known.try_emplace(point.graph_file, with_few_levels(edges));
    if (!is_new || edges > kMaxCounted)
        return found->second;
    try {
        const CsrGraph graph = graph_of_case(point);
        const auto levels = levels_of(graph, bfs_distances(graph, graph.source()));
        found->second = {static_cast<double>(graph.vertices()), static_cast<double>(levels.size())};
    } catch (const std::exception&) { // the row of the case says why the file cannot be read
    }
    return found->second;
}

GraphSize size_of(const Case& point, double edges)
{
    const auto vertices = static_cast<double>(point.elements);
    if (point.input == GraphInput::path)
        return {vertices, vertices};
    if (point.input == GraphInput::grid2d)
        return {vertices, 2 * std::sqrt(vertices)};
    if (point.input == GraphInput::star)
        return {vertices, 2};
    return point.input == GraphInput::file ? size_of_file(point, edges) : with_few_levels(vertices);
}

} // namespace

double graph_launches(const StrategyInfo& info, const Case& point, double edges)
{
    constexpr double kLargeLevels = 8;
    constexpr double kWarp = 32;
    if (!info.requests && !info.has(axis::threshold)) // one per large level
        return kLargeLevels;
    const auto [vertices, levels] = size_of(point, edges);
    if (!info.requests || point.aggregate == Aggregate::none)
        return vertices;
    if (blocks_per_group(point.aggregate) == 0)
        return levels;
    const double group = point.aggregate == Aggregate::warp
                             ? kWarp
                             : static_cast<double>(point.block) * blocks_per_group(point.aggregate);
    return std::max(levels, vertices / group);
}

double graph_work_us(const StrategyInfo& info, const Case& point, double edges)
{
    const GraphSize size = size_of(point, edges);
    const bool has_levels =
        info.requests || !info.has(axis::threshold); // other forms launch for one vertex after another
    const double levels = has_levels ? size.levels : with_few_levels(size.vertices).levels;
    if (point.backend == BackendKind::cuda) {
        const bool by_host = info.requests || !from_device(mechanism_of(info, point));
        return edges * kEdgeOnGpu +
               levels * ((by_host ? kRoundOnGpu : kStepOnGpu) + (info.per_vertex ? size.vertices * kVertexOnGpu : 0));
    }
    const double threads = info.per_vertex ? std::max<double>(size.vertices, point.block) : point.block;
    const double thread_us = !info.requests ? kThreadOfAStep * (info.has(axis::delta) ? kStepsOfNearFar : 1)
                             : point.aggregate == Aggregate::none ? kThreadOfARound
                                                                  : kThreadOfAGroup;
    return edges * kEdgeExecuted + levels * (kGridExecuted + threads * thread_us);
}

} // namespace nestbed
