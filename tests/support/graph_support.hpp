// The graphs with which every search must be right.
#pragma once

#include "graphs/graph_file.hpp"
#include "graphs/graph_input.hpp"
#include "model/input_file.hpp"
#include "model/text_numbers.hpp"
#include "support/forms_support.hpp"
#include "support/support.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

struct GraphShape {
    const char* name;
    InputKind input = InputKind("uniform");
    std::uint64_t elements = 0;
    std::uint32_t edge_factor = 0;
    const char* file = ""; // the text of a list of edges, or of a Matrix Market file
};

inline const std::vector<GraphShape>& small_graphs()
{
    static const std::vector<GraphShape> graphs{
        {"one_vertex_with_loops", InputKind("uniform"), 1, 3},
        {"one_vertex", InputKind("path"), 1},
        {"one_edge", InputKind("path"), 2},
        {"path", InputKind("path"), 97},
        {"star_of_one", InputKind("star"), 2},
        {"star", InputKind("star"), 333},
        {"grid", InputKind("grid2d"), 400},
        {"not_a_square", InputKind("grid2d"), 143},
        {"uniform", InputKind("uniform"), 300, 4},
        {"zipf", InputKind("zipf"), 300, 8},
        {"rmat", InputKind("rmat"), 256, 8},
        {"rmat_no_power_of_two", InputKind("rmat"), 300, 8},
        {"rmat_relabelled", InputKind("rmat_relabelled"), 256, 8},
        {"no_edges", InputKind("file"), 0, 0, "%%MatrixMarket matrix coordinate pattern general\n7 7 0\n"},
        {"two_components", InputKind("file"), 0, 0, "0 1\n1 2\n2 0\n5 6\n6 7\n9 5\n"},
        {"self_loops", InputKind("file"), 0, 0, "0 0\n0 1\n1 1\n1 2 \n2 2\n3 3\n"},
        {"parallel_edges", InputKind("file"), 0, 0, "0 1 9\n0 1 3\n0 1 7\n1 2 5\n1 2 5\n0 2 9\n"},
        {"first_vertex_has_no_edge", InputKind("file"), 0, 0, "3 4\n4 5\n5 3\n4 1\n"},
        {"a_longer_path_is_shorter", InputKind("file"), 0, 0,
         "0 1 200\n0 2 1\n2 3 1\n3 1 1\n1 4 1\n4 5 1000000\n0 5 4000000000\n"},
        {"both_ways", InputKind("file"), 0, 0,
         "%%MatrixMarket matrix coordinate integer symmetric\n4 4 4\n2 1 5\n3 2 70\n3 1 100\n4 4 1\n"},
    };
    return graphs;
}

// With levels that are too large for one block.
inline const std::vector<GraphShape>& large_graphs()
{
    static const std::vector<GraphShape> graphs{
        {"large_uniform", InputKind("uniform"), 9000, 5},
        {"large_rmat", InputKind("rmat"), 8192, 8},
        {"large_rmat_relabelled", InputKind("rmat_relabelled"), 6000, 8},
        {"large_zipf", InputKind("zipf"), 9000, 4},
        {"large_star", InputKind("star"), 9000},
        {"large_grid", InputKind("grid2d"), 2500},
    };
    return graphs;
}

// Where tests try few inputs, two of the large ones: with few large levels, and with all edges at one vertex.
inline std::vector<GraphShape> every_graph()
{
    std::vector<GraphShape> graphs = small_graphs();
    for (const GraphShape& graph : large_graphs())
        if (!tries_few() || graph.name == std::string_view("large_uniform") ||
            graph.name == std::string_view("large_star"))
            graphs.push_back(graph);
    return graphs;
}

// Without a bound, and with bounds below the levels of a case.
inline std::array<std::string, 2> some_depths()
{
    return {"", all_or_few<std::string>("depth 0 1 3", "depth 1")};
}

// Of 3000 vertices on a level, one has an edge. It is not too large for one block.
inline GraphShape wide_level_of_one_edge()
{
    static const std::string list = [] {
        std::string text;
        for (int vertex = 1; vertex <= 3000; ++vertex)
            text += "0 " + std::to_string(vertex) + "\n";
        return text + "1 3001\n";
    }();
    return {"wide_level_of_one_edge", InputKind("file"), 0, 0, list.c_str()};
}

inline void set_graph_file(Case& point, const std::string& file)
{
    point["graph-file"] = static_cast<std::uint32_t>(number_of_text(file));
}

// Of a list in memory, written to the folder.
inline Case graph_case(const std::string& strategy, const GraphShape& graph, const ScratchFolder& folder,
                       BackendKind backend = BackendKind::cpu)
{
    Case point = case_of(backend, strategy, {"", 1, 64, std::max<std::uint64_t>(1, graph.elements)});
    point.input = graph.input;
    point.elements = graph.elements;
    point["edge-factor"] = graph.edge_factor;
    if (graph.input == InputKind("file")) {
        const bool matrix = std::string_view(graph.file).starts_with("%%");
        set_graph_file(point,
                       graph_file_id(folder.write(std::string(graph.name) + (matrix ? ".mtx" : ".txt"), graph.file)));
    }
    return point;
}

inline std::vector<std::string> graph_strategies(BackendKind backend, std::string_view workload)
{
    std::vector<std::string> names;
    for (const Strategy* strategy : Registry::of(backend))
        if (strategy->info().workload->name == workload &&
            (backend == BackendKind::cuda || !strategy->info().cuda_only))
            names.emplace_back(strategy->info().name);
    return names;
}

// Depth first, a recursion without levels finds most distances many times: too many in a large graph.
inline bool takes_long(const std::string& strategy, const char* schedule, const GraphShape& graph)
{
    return Registry::find_anywhere(strategy)->info().has(axis::threshold) && std::string_view(schedule) == "eager" &&
           graph.elements > 1000;
}

// Expects every form of a workload to be right on these graphs under every schedule, but for what `leaves_out`. On a large graph
// under fifo and, without a thorough run, half of the forms under the others.
template <class LeavesOut>
void expect_right_on(const std::vector<GraphShape>& graphs, std::string_view workload, const ScratchFolder& folder,
                     const LeavesOut& leaves_out)
{
    for (const char* schedule : every_schedule()) {
        const auto session = session_of(schedule);
        for (std::size_t graph_at = 0; const GraphShape& graph : graphs) {
            std::size_t at = graph_at++;
            for (const std::string& strategy : graph_strategies(BackendKind::cpu, workload)) {
                SCOPED_TRACE(std::string(schedule) + " " + graph.name);
                const bool half = graph.elements > 1000 && std::string_view(schedule) != "fifo" && !is_thorough();
                if (!leaves_out(strategy, schedule, graph) && !(half && ++at % 2 == 0))
                    expect_right(*session, graph_case(strategy, graph, folder));
            }
        }
    }
}

} // namespace nestbed
