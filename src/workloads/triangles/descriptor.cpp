#include "workloads/triangles/descriptor.hpp"

#include "graphs/graph_input.hpp"
#include "model/estimate.hpp"
#include "model/strategy.hpp"

namespace nestbed
{

namespace
{

constexpr AxisMeaning kMeanings[]{
    {axis::input,
     "how the edges are drawn, or file: a graph of your own. Directions, loops and parallel edges are dropped"},
    {axis::elements, "vertices"},
    {axis::threshold,
     "edges (triangles_edges: pairs of edges) that a vertex (an edge) must have for a launch of its own"}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size",
                                      "by-input",     "study",     "ways"};

// Each edge leads one way: its end, and where it is among those that lead to a vertex. The host has a list to sort too.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kEdgeBytes = 12;
    constexpr std::uint64_t kEdgeBytesOnHost = 32;
    constexpr std::uint64_t kVertexBytes = 24;
    const std::uint64_t copies = point.backend == BackendKind::cpu ? 2 : 1;
    return point.elements * kVertexBytes * copies +
           graph_edges(point) * (kEdgeBytes + (copies - 1) * (kEdgeBytes + kEdgeBytesOnHost));
}

// A list has about as many ends before one of its edges as a generator draws for a vertex.
Work work(const StrategyInfo& info, const Case& point)
{
    const auto edges = static_cast<double>(graph_edges(point));
    Work work{.input_items = items_to_sort(edges), .items = edges * (1 + point[GraphParameter::edge_factor])};
    if (info.requests)
        work.launches =
            launches_of_items(point, info.per_vertex ? static_cast<double>(point.elements) : edges, point.block, 1);
    return work;
}

} // namespace

constinit const WorkloadInfo workloads::triangles{
    .name = "triangles",
    .summary = "counts the triangles of a graph",
    .axes = {axis::block, axis::elements, axis::depth, GraphParameter::edge_factor, GraphParameter::file, axis::seed},
    .inputs = kGraphInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .memory_bytes = memory_bytes,
    .complete = complete_graph,
    .work = work,
};

} // namespace nestbed
