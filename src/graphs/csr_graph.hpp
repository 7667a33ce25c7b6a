// Graphs as the edges of each vertex in a row (CSR), made by name and seed of their input (graph_input.hpp). Pure.
//
// uniform: every vertex has `edge_factor` edges to vertices drawn evenly. zipf: the vertex of rank r has a number of
// edges in proportion to 1 / r, to vertices drawn evenly; ranks are drawn. These edges have one direction.
// rmat: elements * edge_factor edges by R-MAT with .57, .19, .19, .05; low numbers have most edges. rmat_relabelled: the
// same graph with vertices numbered at random. path, star (its centre is vertex 0), grid2d (a square of 4-neighbours; if
// the number of vertices is not a square, the next smaller one), road (a random part of that grid, like a network of roads: connected,
// planar, 2.25 edges per vertex, with ways round). These edges lead both ways.
// Self-loops and parallel edges stay in. A search starts at the first vertex that has an edge.
// Source: Chakrabarti, Zhan, Faloutsos, "R-MAT", SDM 2004; the Graph500 benchmark has these parameters.
#pragma once

#include "model/case.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{

struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t weight = 0;

    friend bool operator==(const Edge&, const Edge&) = default;
};

// The edges of vertex v are starts[v] to starts[v + 1] - 1.
struct CsrGraph {
    std::vector<std::uint32_t> starts{0};
    std::vector<std::uint32_t> ends;    // the vertex to which each edge leads
    std::vector<std::uint32_t> weights; // at least 1
    bool both_ways = false;             // every edge has its reverse, with the same weight
    std::string no_weights;             // why the values in a file cannot be weights; then `weights` are drawn

    std::uint32_t vertices() const { return static_cast<std::uint32_t>(starts.size() - 1); }
    std::uint32_t edges() const { return static_cast<std::uint32_t>(ends.size()); }
    std::uint32_t degree(std::uint32_t vertex) const { return starts[vertex + 1] - starts[vertex]; }
    // Where a search starts: the first vertex that has an edge, else 0.
    std::uint32_t source() const;
    // The same edges backwards.
    CsrGraph reversed() const;

    void make_room(std::size_t edges);
    void put(std::size_t edge, std::uint32_t end, std::uint32_t weight);
};

// Throws std::invalid_argument if the graph is too large: at most 2^30 vertices, and fewer than 2^32 edges. both_ways: each
// edge stands for itself and its reverse.
CsrGraph graph_of(std::uint64_t vertices, const std::vector<Edge>& edges, bool both_ways);

// The graph of a case whose input is not a file. Throws std::invalid_argument.
CsrGraph make_graph(const Case& point);

// The weight of edge `index` of a graph that has none of its own: 1 to 255.
std::uint32_t weight_of(std::uint64_t seed, std::uint64_t index);

} // namespace nestbed
