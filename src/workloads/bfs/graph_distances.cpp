#include "workloads/bfs/graph_distances.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace nestbed
{

std::vector<std::uint32_t> bfs_distances(const CsrGraph& graph, std::uint32_t source)
{
    std::vector<std::uint32_t> distances(graph.vertices(), kUnreached);
    std::vector<std::uint32_t> queue;
    if (graph.vertices() != 0) {
        queue.push_back(source);
        distances[source] = 0;
    }
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const std::uint32_t vertex = queue[next];
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
            if (std::uint32_t& distance = distances[graph.ends[edge]]; distance == kUnreached) {
                distance = distances[vertex] + 1;
                queue.push_back(graph.ends[edge]);
            }
    }
    return distances;
}

std::vector<std::uint32_t> shortest_distances(const CsrGraph& graph, std::uint32_t source)
{
    std::vector<std::uint32_t> distances(graph.vertices(), kUnreached);
    using Entry = std::pair<std::uint64_t, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::vector<std::uint32_t> too_far; // by some path; another one may be short enough
    if (graph.vertices() != 0) {
        queue.emplace(0, source);
        distances[source] = 0;
    }
    while (!queue.empty()) {
        const auto [distance, vertex] = queue.top();
        queue.pop();
        if (distance != distances[vertex])
            continue; // a shorter path was found since
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge) {
            const std::uint64_t longer = distance + graph.weights[edge];
            if (longer >= kUnreached)
                too_far.push_back(graph.ends[edge]);
            else if (longer < distances[graph.ends[edge]]) {
                distances[graph.ends[edge]] = static_cast<std::uint32_t>(longer);
                queue.emplace(longer, graph.ends[edge]);
            }
        }
    }
    for (const std::uint32_t vertex : too_far)
        if (distances[vertex] == kUnreached)
            throw std::invalid_argument("the shortest path to vertex " + std::to_string(vertex) +
                                        " is longer than 4294967294; allowed: smaller weights");
    return distances;
}

std::vector<GraphLevel> levels_of(const CsrGraph& graph, const std::vector<std::uint32_t>& distances)
{
    std::vector<GraphLevel> levels;
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
        if (distances[vertex] == kUnreached)
            continue;
        if (levels.size() <= distances[vertex])
            levels.resize(std::size_t{distances[vertex]} + 1);
        GraphLevel& level = levels[distances[vertex]];
        const std::uint64_t edges = graph.degree(vertex);
        ++level.vertices;
        level.with_edges += edges == 0 ? 0 : 1;
        level.edges += edges;
        level.most_edges = std::max(level.most_edges, edges);
    }
    return levels;
}

} // namespace nestbed
