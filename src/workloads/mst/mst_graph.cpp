#include "workloads/mst/mst_graph.hpp"

#include "base/parallel_sort.hpp"
#include "graphs/edge_lists.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>

namespace nestbed
{

namespace
{

std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t vertex)
{
    while (parents[vertex] != vertex) {
        parents[vertex] = parents[parents[vertex]];
        vertex = parents[vertex];
    }
    return vertex;
}

// The keys of the edges for which takes(edge) is true, sorted.
template <class Takes>
std::vector<std::uint64_t> sorted_keys(const MstGraph& graph, const Takes& takes)
{
    std::vector<std::uint64_t> keys;
    std::mutex mutex;
    for_ranges(graph.edges(), [&](std::size_t first, std::size_t end) {
        std::vector<std::uint64_t> own;
        for (auto edge = static_cast<std::uint32_t>(first); edge < end; ++edge)
            if (takes(edge))
                own.push_back(mst_key(graph.weights[edge], edge));
        const std::scoped_lock lock(mutex);
        keys.insert(keys.end(), own.begin(), own.end());
    });
    sort_on_all_cores(keys);
    return keys;
}

} // namespace

MstGraph mst_graph(const CsrGraph& graph)
{
    constexpr std::uint64_t kMaxEdges = std::uint64_t{1} << 31;
    MstGraph made;
    made.vertices = graph.vertices();
    made.no_weights = graph.no_weights;
    const auto for_each = [&](std::uint32_t vertex, const auto& act) {
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
            if (const std::uint32_t end = graph.ends[edge]; graph.both_ways ? end > vertex : end != vertex)
                act(edge);
    };
    std::vector<std::uint32_t> starts(std::size_t{graph.vertices()} + 1); // of the edges of each vertex
    for_lists(graph.starts, [&](std::uint32_t first, std::uint32_t end) {
        for (std::uint32_t vertex = first; vertex < end; ++vertex)
            for_each(vertex, [&](std::uint32_t /*edge*/) { ++starts[vertex + 1]; });
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    if (starts.back() >= kMaxEdges)
        throw std::invalid_argument(std::to_string(starts.back()) +
                                    " edges are too many for a spanning forest; allowed: fewer than " +
                                    std::to_string(kMaxEdges));
    made.from.resize(starts.back());
    made.to.resize(starts.back());
    made.weights.resize(starts.back());
    for_lists(graph.starts, [&](std::uint32_t first, std::uint32_t end) {
        std::uint32_t at = starts[first];
        for (std::uint32_t vertex = first; vertex < end; ++vertex)
            for_each(vertex, [&](std::uint32_t edge) {
                made.from[at] = vertex;
                made.to[at] = graph.ends[edge];
                made.weights[at++] = graph.weights[edge];
            });
    });
    return made;
}

MstHalves halves_of(const MstGraph& graph)
{
    MstHalves halves;
    halves.starts = into_lists(
        graph.vertices, graph.edges(),
        [&](std::size_t first, std::size_t end, const auto& act) {
            for (auto edge = static_cast<std::uint32_t>(first); edge < end; ++edge) {
                const std::uint32_t from = graph.from[edge];
                const std::uint32_t to = graph.to[edge];
                act(from, MstEdge{from, to, graph.weights[edge], edge});
                act(to, MstEdge{to, from, graph.weights[edge], edge});
            }
        },
        [&](std::size_t entries) { halves.edges.resize(entries); },
        [&](std::size_t place, const MstEdge& edge) { halves.edges[place] = edge; });
    return halves;
}

// First the light edges. Of the others only those count that still join two trees then.
// Source: Osipov, Sanders, Singler, "The Filter-Kruskal Minimum Spanning Tree Algorithm", ALENEX 2009.
std::vector<std::uint32_t> minimum_forest(const MstGraph& graph)
{
    std::vector<std::uint32_t> parents(graph.vertices);
    std::iota(parents.begin(), parents.end(), 0U);
    std::vector<std::uint32_t> chosen(graph.edges(), 0);
    const auto join = [&](const std::vector<std::uint64_t>& keys) {
        for (const std::uint64_t key : keys) {
            const auto edge = static_cast<std::uint32_t>(key);
            const std::uint32_t one = root_of(parents, graph.from[edge]);
            const std::uint32_t other = root_of(parents, graph.to[edge]);
            if (one == other)
                continue;
            parents[std::max(one, other)] = std::min(one, other);
            chosen[edge] = 1;
        }
    };
    const std::uint32_t light = light_weight(graph);
    join(sorted_keys(graph, [&](std::uint32_t edge) { return graph.weights[edge] <= light; }));
    if (light == UINT32_MAX)
        return chosen;
    for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex)
        parents[vertex] = root_of(parents, vertex);
    join(sorted_keys(graph, [&](std::uint32_t edge) {
        return graph.weights[edge] > light && parents[graph.from[edge]] != parents[graph.to[edge]];
    }));
    return chosen;
}

std::uint64_t weight_of_forest(const MstGraph& graph, const std::vector<std::uint32_t>& chosen)
{
    std::uint64_t sum = 0;
    for (std::uint32_t edge = 0; edge < graph.edges(); ++edge)
        sum += chosen[edge] == 0 ? 0 : graph.weights[edge];
    return sum;
}

std::uint32_t light_weight(const MstGraph& graph)
{
    constexpr std::uint64_t kLightPerVertex = 3;
    constexpr std::uint64_t kSample = 1024;
    const std::uint64_t light = kLightPerVertex * graph.vertices;
    if (graph.edges() <= 4 * std::uint64_t{graph.vertices})
        return UINT32_MAX;
    const std::uint64_t count = std::min<std::uint64_t>(kSample, graph.edges());
    std::vector<std::uint32_t> sample;
    for (std::uint64_t index = 0; index < count; ++index)
        sample.push_back(graph.weights[index * graph.edges() / count]);
    std::ranges::sort(sample);
    return sample[light * count / graph.edges()];
}

} // namespace nestbed
