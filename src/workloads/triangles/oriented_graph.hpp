// The graph of the workload `triangles`, its number of triangles, and the launches of the nested forms. Pure.
//
// Of the input, loops are dropped, and edges between the same two vertices, whichever way they lead, are one. Vertices get the
// numbers of their places in the order of falling degree (ties: the lower number first), and each edge leads to the vertex with
// more edges, which is the lower number. So every triangle is found once: at its edge u -> v between the two higher numbers,
// as a vertex w < v to which both lead. No vertex has more than sqrt(2 * edges) edges that leave it.
// All of this is done once per input, before anything is timed, and is the same for all forms.
// Source: Chiba, Nishizeki, "Arboricity and subgraph listing algorithms", SIAM J. Comput. 1985; Schank, Wagner, "Finding,
// counting and listing all triangles in large graphs", WEA 2005 (forward).
#pragma once

#include "graphs/csr_graph.hpp"
#include "model/request_oracle.hpp"

#include <cstdint>
#include <vector>

namespace nestbed
{

// Edge `at` (u -> v) leads to v after the edges `first` to `at` - 1 of u, which lead to the vertices below v.
// Aligned so that one instruction reads it.
struct alignas(8) InEdge {
    std::uint32_t first = 0;
    std::uint32_t at = 0;

    friend bool operator==(const InEdge&, const InEdge&) = default;
};

struct OrientedGraph {
    std::vector<std::uint32_t> starts{0};    // the edges of v are starts[v] to starts[v + 1] - 1
    std::vector<std::uint32_t> ends;         // rising, for each vertex
    std::vector<std::uint32_t> in_starts{0}; // of in_edges, for each v to which they lead
    std::vector<InEdge> in_edges;            // without those that can have no triangle: an empty list at either end

    std::uint32_t vertices() const { return static_cast<std::uint32_t>(starts.size() - 1); }
    std::uint32_t edges() const { return static_cast<std::uint32_t>(ends.size()); }
};

OrientedGraph orient(const CsrGraph& graph);

std::uint64_t count_triangles(const OrientedGraph& graph);

// Pairs of edges u -> v, u -> w of which a form must find out whether an edge closes them.
std::uint64_t edge_pairs(const OrientedGraph& graph);

// The launches of a root grid with a thread for each vertex, or for each of in_edges, that requests its edges or pairs.
std::uint32_t triangle_roots(const OrientedGraph& graph, bool per_edge, std::uint32_t block);
RequestOracle count_launches(const Case& point, const OrientedGraph& graph, bool per_edge);

} // namespace nestbed
