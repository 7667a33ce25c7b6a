#include "workloads/mst/descriptor.hpp"

#include "graphs/graph_input.hpp"
#include "model/estimate.hpp"
#include "model/strategy.hpp"

#include <algorithm>
#include <cmath>

namespace nestbed
{

namespace
{

constexpr AxisMeaning kMeanings[]{
    {axis::input, "how the edges are drawn, or file: a graph of your own"},
    {axis::elements, "vertices"},
    {axis::threshold, "edges that a vertex or component must have for a launch of its own"}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size",
                                      "by-input",     "study",     "ways"};

// Ends, weight, mark and reference of each edge, two lists of edges, and both lists that it is in; the host has some of them
// too.
std::uint64_t memory_bytes(const StrategyInfo& info, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kEdgeBytes = 52;
    constexpr std::uint64_t kEdgeBytesOfRounds = 100;
    constexpr std::uint64_t kEdgeBytesOnHost = 64;
    constexpr std::uint64_t kVertexBytes = 60;
    const bool on_executor = point.backend == BackendKind::cpu;
    return point.elements * kVertexBytes * (on_executor ? 2 : 1) +
           graph_edges(point) *
               (kEdgeBytes + (info.requests ? kEdgeBytesOfRounds : 0) + (on_executor ? kEdgeBytesOnHost : 0));
}

// Components become at least half as many in each round; most rounds leave far fewer.
Work work(const StrategyInfo& info, const Case& point)
{
    constexpr double kVerticesPerRound = 8; // that become one component
    const auto edges = static_cast<double>(graph_edges(point));
    const double vertices = point.input == GraphInput::file ? edges : static_cast<double>(point.elements);
    const double rounds = 2 + std::log2(std::max(1.0, vertices)) / std::log2(kVerticesPerRound);
    const double threads = std::max<double>(vertices, point.block);
    Work work{.input_items = items_to_sort(edges),
              .items = rounds * (info.requests ? edges + threads : edges),
              .rounds = 3 * rounds};
    work.launches =
        info.requests ? rounds * std::max(1.0, launches_of_items(point, vertices, point.block, 1)) : 2 * rounds;
    return work;
}

} // namespace

constinit const WorkloadInfo workloads::mst{
    .name = "mst",
    .summary = "finds the minimum spanning forest of a graph",
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
