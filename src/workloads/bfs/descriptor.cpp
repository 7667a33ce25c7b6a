// Tidied file by file: a name of one file of this folder would hide that of another.
#include "workloads/bfs/descriptor.hpp"

#include "graphs/graph_file.hpp"
#include "graphs/graph_input.hpp"
#include "model/strategy.hpp"
#include "workloads/bfs/graph_cost.hpp"
#include "workloads/bfs/graph_distances.hpp"

namespace nestbed
{

namespace
{

constexpr AxisMeaning kMeanings[]{{axis::input, "how the edges are drawn, or file: a graph of your own"},
                                  {axis::elements, "vertices"},
                                  {axis::threshold, "edges that a vertex must have for a launch of its own"}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size",
                                      "by-input",     "teps",      "study",       "ways"};

// Starts, ends and weights, also backwards; the host has the list of edges too.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kEdgeBytes = 8;
    constexpr std::uint64_t kEdgeBytesOnHost = 12;
    constexpr std::uint64_t kVertexBytes = 60;
    const std::uint64_t copies = point.backend == BackendKind::cpu ? 2 : 1;
    return point.elements * kVertexBytes * copies +
           graph_edges(point) * (2 * kEdgeBytes + (copies - 1) * (kEdgeBytes + kEdgeBytesOnHost));
}

Work work(const StrategyInfo& info, const Case& point)
{
    return graph_work(info, point, static_cast<double>(graph_edges(point)));
}

GraphFacts graph_facts(const Case& point)
{
    const CsrGraph graph = graph_of_case(point);
    GraphFacts facts{.edges = graph.edges()};
    for (const GraphLevel& level : levels_of(graph, bfs_distances(graph, graph.source())))
        facts.levels.push_back({.vertices = level.vertices, .edges = level.edges});
    return facts;
}

constexpr WorkloadInfo a_search(std::string_view name, std::string_view summary)
{
    return {.name = name,
            .summary = summary,
            .axes = {axis::block, axis::elements, axis::depth, GraphParameter::edge_factor, GraphParameter::file,
                     axis::seed},
            .inputs = kGraphInputs,
            .meanings = kMeanings,
            .figures = kFigures,
            .irregular = true,
            .has_ratio = true,
            .memory_bytes = memory_bytes,
            .complete = complete_graph,
            .work = work,
            .graph_facts = graph_facts};
}

} // namespace

constinit const WorkloadInfo workloads::bfs =
    a_search("bfs", "finds the distance of every vertex of a graph, in edges");
constinit const WorkloadInfo workloads::sssp =
    a_search("sssp", "finds the distance of every vertex of a graph, by the weights of its edges");

} // namespace nestbed
