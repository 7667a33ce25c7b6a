// The inputs of workloads over graphs, by name, and what they have in common in descriptors. csr_graph.hpp says how each is
// drawn. Pure, but for the size of a file.
#pragma once

#include "model/workload.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace nestbed
{

struct GraphInput {
    static constexpr InputKind uniform{"uniform"}, rmat{"rmat"}, rmat_relabelled{"rmat_relabelled"}, zipf{"zipf"},
        path{"path"}, star{"star"}, grid2d{"grid2d"}, road{"road"}, file = kFileInput;
};

inline constexpr std::array kGraphInputs{GraphInput::uniform, GraphInput::rmat, GraphInput::rmat_relabelled,
                                         GraphInput::zipf,    GraphInput::path, GraphInput::star,
                                         GraphInput::grid2d,  GraphInput::road, GraphInput::file};

struct GraphParameter {
    static constexpr Parameter edge_factor{.name = "edge-factor",
                                           .help = "edges per vertex that a generator draws",
                                           .most = 1U << 20,
                                           .default_value = 16,
                                           .place = 8};
    static constexpr Parameter file{.name = "graph-file",
                                    .help = "the file of input `file`: .mtx, .gr, or a list of edges",
                                    .file = true,
                                    .place = 9};
};
// The file of a case of input `file` (model/input_file.hpp).
const std::string& graph_file_of(const Case& point);

// Whether the input is drawn, with edge_factor edges per vertex.
constexpr bool draws_edges(InputKind input)
{
    return input == GraphInput::uniform || input == GraphInput::zipf || input == GraphInput::rmat ||
           input == GraphInput::rmat_relabelled;
}

// WorkloadInfo::complete: the file decides the number of vertices, and some graphs have as many edges as they have.
void complete_graph(Case& point, const Asked& asked);

// Edges of the graph of a case, roughly.
std::uint64_t graph_edges(const Case& point);

} // namespace nestbed
