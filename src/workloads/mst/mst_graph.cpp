#include "workloads/mst/mst_graph.hpp"

#include <algorithm>
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

} // namespace

MstGraph mst_graph(const CsrGraph& graph)
{
    constexpr std::uint64_t kMaxEdges = std::uint64_t{1} << 31;
    MstGraph made;
    made.vertices = graph.vertices();
    made.no_weights = graph.no_weights;
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge) {
            const std::uint32_t end = graph.ends[edge];
            if (graph.both_ways ? end <= vertex : end == vertex)
                continue;
            made.from.push_back(vertex);
            made.to.push_back(end);
            made.weights.push_back(graph.weights[edge]);
        }
    if (made.from.size() >= kMaxEdges)
        throw std::invalid_argument(std::to_string(made.from.size()) +
                                    " edges are too many for a spanning forest; allowed: fewer than " +
                                    std::to_string(kMaxEdges));
    return made;
}

MstHalves halves_of(const MstGraph& graph)
{
    MstHalves halves;
    std::vector<std::uint32_t>& starts = halves.starts;
    starts.assign(std::size_t{graph.vertices} + 2, 0); // one more, which the placing below uses up
    for (std::uint32_t edge = 0; edge < graph.edges(); ++edge) {
        ++starts[graph.from[edge] + 2];
        ++starts[graph.to[edge] + 2];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    halves.edges.resize(2 * std::size_t{graph.edges()});
    for (std::uint32_t edge = 0; edge < graph.edges(); ++edge) {
        const std::uint32_t from = graph.from[edge];
        const std::uint32_t to = graph.to[edge];
        halves.edges[starts[from + 1]++] = {from, to, graph.weights[edge], edge};
        halves.edges[starts[to + 1]++] = {to, from, graph.weights[edge], edge};
    }
    starts.pop_back();
    return halves;
}

std::vector<std::uint32_t> minimum_forest(const MstGraph& graph)
{
    std::vector<std::uint64_t> keys;
    keys.reserve(graph.edges());
    for (std::uint32_t edge = 0; edge < graph.edges(); ++edge)
        keys.push_back(mst_key(graph.weights[edge], edge));
    std::ranges::sort(keys);
    std::vector<std::uint32_t> parents(graph.vertices);
    std::iota(parents.begin(), parents.end(), 0U);
    std::vector<std::uint32_t> chosen(graph.edges(), 0);
    for (const std::uint64_t key : keys) {
        const auto edge = static_cast<std::uint32_t>(key);
        const std::uint32_t one = root_of(parents, graph.from[edge]);
        const std::uint32_t other = root_of(parents, graph.to[edge]);
        if (one == other)
            continue;
        parents[std::max(one, other)] = std::min(one, other);
        chosen[edge] = 1;
    }
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
