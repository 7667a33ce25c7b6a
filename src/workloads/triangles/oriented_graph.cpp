#include "workloads/triangles/oriented_graph.hpp"

#include <algorithm>
#include <numeric>

namespace nestbed
{

namespace
{

constexpr unsigned kHalf = 32; // bits of a vertex in a pair of them

// The edges as pairs of numbers, the first one lower, each once.
std::vector<std::uint64_t> pairs_of(const CsrGraph& graph)
{
    std::vector<std::uint64_t> pairs;
    pairs.reserve(graph.both_ways ? graph.edges() / 2 : graph.edges());
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge) {
            const std::uint32_t end = graph.ends[edge];
            if (vertex < end)
                pairs.push_back(std::uint64_t{vertex} << kHalf | end);
            else if (end < vertex && !graph.both_ways) // otherwise its reverse is there
                pairs.push_back(std::uint64_t{end} << kHalf | vertex);
        }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

// The place of each vertex in the order of falling degree.
std::vector<std::uint32_t> places_by_degree(std::uint32_t vertices, const std::vector<std::uint64_t>& pairs)
{
    std::vector<std::uint32_t> degrees(vertices);
    for (const std::uint64_t pair : pairs) {
        ++degrees[pair >> kHalf];
        ++degrees[static_cast<std::uint32_t>(pair)];
    }
    std::vector<std::uint32_t> order(vertices);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t one, std::uint32_t other) { return degrees[one] > degrees[other]; });
    std::vector<std::uint32_t> places(vertices);
    for (std::uint32_t place = 0; place < vertices; ++place)
        places[order[place]] = place;
    return places;
}

// Calls visit(v, in-edge) for every edge u -> v that can have a triangle, by rising u.
template <class Visit>
void for_each_in_edge(const OrientedGraph& graph, const Visit& visit)
{
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
        for (std::uint32_t at = graph.starts[vertex] + 1; at < graph.starts[vertex + 1]; ++at)
            if (const std::uint32_t end = graph.ends[at]; graph.starts[end] < graph.starts[end + 1])
                visit(end, InEdge{graph.starts[vertex], at});
}

} // namespace

OrientedGraph orient(const CsrGraph& graph)
{
    std::vector<std::uint64_t> pairs = pairs_of(graph);
    const std::vector<std::uint32_t> places = places_by_degree(graph.vertices(), pairs);
    for (std::uint64_t& pair : pairs) {
        const auto [low, high] = std::minmax(places[pair >> kHalf], places[static_cast<std::uint32_t>(pair)]);
        pair = std::uint64_t{high} << kHalf | low;
    }
    std::sort(pairs.begin(), pairs.end());
    OrientedGraph oriented;
    oriented.starts.assign(std::size_t{graph.vertices()} + 1, 0);
    oriented.ends.reserve(pairs.size());
    for (const std::uint64_t pair : pairs) {
        ++oriented.starts[(pair >> kHalf) + 1];
        oriented.ends.push_back(static_cast<std::uint32_t>(pair));
    }
    std::partial_sum(oriented.starts.begin(), oriented.starts.end(), oriented.starts.begin());
    oriented.in_starts.assign(std::size_t{graph.vertices()} + 2, 0); // one more, which the placing below uses up
    for_each_in_edge(oriented, [&](std::uint32_t end, const InEdge& /*edge*/) { ++oriented.in_starts[end + 2]; });
    std::partial_sum(oriented.in_starts.begin(), oriented.in_starts.end(), oriented.in_starts.begin());
    oriented.in_edges.resize(oriented.in_starts.back());
    for_each_in_edge(oriented, [&](std::uint32_t end, const InEdge& edge) {
        oriented.in_edges[oriented.in_starts[end + 1]++] = edge;
    });
    oriented.in_starts.pop_back();
    return oriented;
}

std::uint64_t count_triangles(const OrientedGraph& graph)
{
    std::uint64_t triangles = 0;
    std::vector<std::uint8_t> marked(graph.vertices());
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
        if (graph.in_starts[vertex] == graph.in_starts[vertex + 1])
            continue;
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
            marked[graph.ends[edge]] = 1;
        for (std::uint32_t in = graph.in_starts[vertex]; in < graph.in_starts[vertex + 1]; ++in)
            for (std::uint32_t edge = graph.in_edges[in].first; edge < graph.in_edges[in].at; ++edge)
                triangles += marked[graph.ends[edge]];
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
            marked[graph.ends[edge]] = 0;
    }
    return triangles;
}

std::uint64_t edge_pairs(const OrientedGraph& graph)
{
    std::uint64_t pairs = 0;
    for (const InEdge& edge : graph.in_edges)
        pairs += edge.at - edge.first;
    return pairs;
}

std::uint32_t triangle_roots(const OrientedGraph& graph, bool per_edge, std::uint32_t block)
{
    const std::uint64_t threads = per_edge ? graph.in_edges.size() : graph.vertices();
    return threads == 0 ? 1 : static_cast<std::uint32_t>((threads - 1) / block + 1);
}

RequestOracle count_launches(const Case& point, const OrientedGraph& graph, bool per_edge)
{
    const std::uint32_t roots = triangle_roots(graph, per_edge, point.block);
    return count_requests(point, roots, [&](const ItemBlock& block, std::vector<ChildRequest>& requests) {
        if (block.depth != 0)
            return;
        for (std::uint32_t thread = 0; thread < point.block; ++thread) {
            const std::uint64_t item = block.item * point.block + thread;
            std::uint64_t threads = 0;
            if (per_edge && item < graph.in_edges.size())
                threads = graph.in_edges[item].at - graph.in_edges[item].first;
            else if (!per_edge && item < graph.vertices())
                threads = graph.in_starts[item + 1] - graph.in_starts[item];
            if (threads != 0)
                requests.push_back({thread, item, threads});
        }
    });
}

} // namespace nestbed
