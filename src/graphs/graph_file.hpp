// Graphs from files: Matrix Market (.mtx), the shortest path format of DIMACS (.gr), and lists of edges.
//
// .mtx: "%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric"; symmetric: edges lead both ways. Values
// are weights, whole numbers from 1. If some of a `real` matrix are not, CsrGraph::no_weights says so: a search without weights
// can still use the graph. .gr: "p sp VERTICES EDGES", then "a FROM TO WEIGHT". Any other name: one edge a line, "FROM TO" or
// "FROM TO WEIGHT", vertices from 0; comments begin with # or %. A file without weights gets them from the seed (weight_of()).
// Words of a header and ends of names may be in any case. A .gz after them is left out.
// A graph has at least one vertex, and at most 64 for each edge and 2^20 more: otherwise one large number in a small file would
// take all memory. A file has at most 8 GiB, and may be compressed by gzip.
// Source: https://math.nist.gov/MatrixMarket/formats.html; http://www.diag.uniroma1.it/challenge9/format.shtml
#pragma once

#include "graphs/csr_graph.hpp"

#include <string>
#include <string_view>

namespace nestbed
{

// Throws RunError with path, line and reason; a graph is never half read.
CsrGraph parse_graph(std::string_view text, const std::string& path, std::uint64_t seed);

// Throws RunError, also if the content has changed.
CsrGraph read_graph(const std::string& graph_file_id, std::uint64_t seed);
// The graph of a case, from its file or made. Throws RunError, or std::invalid_argument if it is too large.
CsrGraph graph_of_case(const Case& point);

} // namespace nestbed
