// The descriptors of the workloads `bfs` and `sssp`: shortest paths in a graph, without and with weights.
#pragma once

#include "model/workload.hpp"

#include <cstdint>

namespace nestbed
{

struct GraphInput {
    static constexpr InputKind uniform{"uniform"}, rmat{"rmat"}, rmat_relabelled{"rmat_relabelled"}, zipf{"zipf"},
        path{"path"}, star{"star"}, grid2d{"grid2d"}, file = kFileInput;
};

// Edges of the graph of a case, roughly.
std::uint64_t graph_edges(const Case& point);

namespace workloads
{

extern const WorkloadInfo bfs;
extern const WorkloadInfo sssp;

} // namespace workloads

} // namespace nestbed
