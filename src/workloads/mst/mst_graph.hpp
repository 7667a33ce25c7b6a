// The graph of a spanning forest: undirected edges with a number each, and the one minimum spanning forest that it has. Pure.
//
// Every edge of the input joins its two vertices, whatever its direction; an edge of a graph whose edges lead both ways counts
// once with its reverse. Loops are left out. Parallel edges stay: each is an edge of its own.
// Edges are compared by their key: the weight, then the number. No two keys are equal, so there is one minimum spanning forest.
// Numbers follow the order of the input's adjacency lists.
// Source: Kruskal, "On the shortest spanning subtree of a graph", Proceedings of the AMS 7, 1956.
#pragma once

#include "graphs/csr_graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{

// An edge as seen from one of its ends, or from one of the components that it joins.
struct alignas(16) MstEdge {
    std::uint32_t one = 0; // vertex, or component
    std::uint32_t other = 0;
    std::uint32_t weight = 0;
    std::uint32_t number = 0;

    friend bool operator==(const MstEdge&, const MstEdge&) = default;
};

constexpr std::uint64_t mst_key(std::uint32_t weight, std::uint32_t number)
{
    return std::uint64_t{weight} << 32 | number;
}
inline constexpr std::uint64_t kNoMstKey = UINT64_MAX; // weights are less than 2^32 - 1

struct MstGraph {
    std::uint32_t vertices = 0;
    std::vector<std::uint32_t> from, to, weights; // of each edge, by its number
    std::string no_weights;                       // CsrGraph::no_weights

    std::uint32_t edges() const { return static_cast<std::uint32_t>(from.size()); }
};

// Throws std::invalid_argument if there are 2^31 edges or more.
MstGraph mst_graph(const CsrGraph& graph);

// Every edge twice, once in the list of each of its vertices.
struct MstHalves {
    std::vector<std::uint32_t> starts; // of the list of each vertex, and the end
    std::vector<MstEdge> edges;
};
MstHalves halves_of(const MstGraph& graph);

// 1 for the edges of the minimum spanning forest, else 0: by Kruskal.
std::vector<std::uint32_t> minimum_forest(const MstGraph& graph);

// The sum of the weights of the edges that are marked by 1.
std::uint64_t weight_of_forest(const MstGraph& graph, const std::vector<std::uint32_t>& chosen);

// The weight up to which edges are light: about three times as many edges as vertices, by a sample. UINT32_MAX: all are,
// because there are so few that it does not pay to look at them twice.
// Source: Fallin, Gonzalez, Seo, Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023.
std::uint32_t light_weight(const MstGraph& graph);

} // namespace nestbed
