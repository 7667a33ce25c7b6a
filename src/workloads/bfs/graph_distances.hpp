// The distances in a graph that every form must find. Pure.
#pragma once

#include "graphs/csr_graph.hpp"

#include <cstdint>
#include <vector>

namespace nestbed
{

inline constexpr std::uint32_t kUnreached = UINT32_MAX;

// Edges on a shortest path from `source`, or kUnreached.
std::vector<std::uint32_t> bfs_distances(const CsrGraph& graph, std::uint32_t source);
// The least sum of weights on a path, by Dijkstra. Throws std::invalid_argument if that of a vertex is 2^32 - 1 or
// more.
std::vector<std::uint32_t> shortest_distances(const CsrGraph& graph, std::uint32_t source);

// The vertices of one level of a search.
struct GraphLevel {
    std::uint64_t vertices = 0;
    std::uint64_t with_edges = 0;
    std::uint64_t edges = 0;
    std::uint64_t max_edges = 0; // of one vertex

    friend bool operator==(const GraphLevel&, const GraphLevel&) = default;
};
std::vector<GraphLevel> levels_of(const CsrGraph& graph, const std::vector<std::uint32_t>& distances);

} // namespace nestbed
