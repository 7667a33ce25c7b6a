// The oracles of `bfs` and `sssp`: how many launches a form makes, where that is a function of the graph. Pure.
#pragma once

#include "graphs/csr_graph.hpp"
#include "model/request_oracle.hpp"
#include "workloads/bfs/graph_distances.hpp"
#include "workloads/bfs/graph_step.hpp"

#include <cstdint>
#include <vector>

namespace nestbed
{

enum class GraphForm : std::uint8_t {
    flat,     // no launch from the device
    children, // a child for every vertex that changed in the last round, round by round; a thread per vertex
    levels,   // a grid for every step that needs more than one block, but the first
    graph,    // the same; a whole grid does the first level in any case
    waiting, // a grid for every step that needs far more blocks than are there: they wait for each other (graph_step.hpp)
    by_order, // the order of execution decides
    queue,    // as children, but a thread for each vertex that changed: their order in the queue is not known
};

// Grids that follow each other at most where their number depends on the order.
inline constexpr std::uint32_t kMaxStepsByOrder = 4096;

// Blocks of a grid with a thread per vertex.
std::uint32_t graph_roots(std::uint32_t vertices, std::uint32_t block);

// What changes in each round of a search in which all vertices that changed in the last round request a child for their edges at once:
// the vertices with edges, in the order of their numbers. For bfs (no weights) these are its levels.
std::vector<std::vector<std::uint32_t>> rounds_of(const CsrGraph& graph, std::uint32_t source, bool weighted);

// Launches of the form in a graph with these rounds. `levels`: of a breadth-first search.
RequestOracle count_graph(const Case& point, GraphForm form, const CsrGraph& graph,
                          const std::vector<GraphLevel>& levels,
                          const std::vector<std::vector<std::uint32_t>>& rounds);

} // namespace nestbed
