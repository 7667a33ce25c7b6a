#include "workloads/bfs/graph_cost.hpp"

#include "graphs/graph_file.hpp"
#include "graphs/graph_input.hpp"
#include "model/estimate.hpp"
#include "workloads/bfs/graph_distances.hpp"

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
    static std::map<std::string, GraphSize> known; // by file, whose name has the hash of the content
    const std::scoped_lock lock(mutex);
    const auto [found, is_new] = known.try_emplace(graph_file_of(point), with_few_levels(edges));
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
    if (point.input == GraphInput::road)
        return {vertices, 4 * std::sqrt(vertices)};
    if (point.input == GraphInput::star)
        return {vertices, 2};
    return point.input == GraphInput::file ? size_of_file(point, edges) : with_few_levels(vertices);
}

} // namespace

Work graph_work(const StrategyInfo& info, const Case& point, double edges)
{
    constexpr double kStepsOfNearFar = 8; // per level: most of them look for near vertices
    const GraphSize size = size_of(point, edges);
    const bool has_rounds = info.requests || !info.has(axis::threshold); // others launch for one vertex after another
    const double levels = has_rounds ? size.levels : with_few_levels(size.vertices).levels;
    const double threads = info.per_vertex ? std::max<double>(size.vertices, point.block) : point.block;
    const double steps = levels * (info.has(BfsParameter::bucket_width) ? kStepsOfNearFar : 1);
    Work work{.input_items = items_to_sort(edges), .items = edges + steps * threads, .rounds = levels};
    if (info.requests)
        work.launches = std::max(levels, launches_of_items(point, size.vertices, point.block, levels));
    else
        work.launches = has_rounds ? levels : size.vertices;
    return work;
}

} // namespace nestbed
