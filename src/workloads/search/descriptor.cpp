#include "workloads/search/descriptor.hpp"

#include "model/estimate.hpp"
#include "model/request_oracle.hpp"
#include "workloads/search/search_nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kSearchBlock = 32; // small, because nodes have few children

constexpr std::array kInputs{SearchInput::t1, SearchInput::t3, SearchInput::t3l, SearchInput::path,
                             SearchInput::queens};
constexpr AxisMeaning kMeanings[]{
    {axis::input, "t1: a tree of a given depth; t3, t3l: trees of unknown depth; path; queens: n queens"},
    {axis::block, "threads per block, a power of two", kSearchBlock}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size", "by-input",
                                      "by-budget",    "by-cutoff", "study",       "ways"};

// The size of a search is the parameter of its input.
void complete(Case& point, const Asked& asked)
{
    const Parameter& size = search_size_of(point.input);
    for (const Parameter* const one : workloads::search.axes.parameters())
        if (one->size && one->name != size.name)
            point[*one] = 0;
    if (!asked.block)
        point.block = kSearchBlock;
    if (point[SearchParameter::cutoff] == 0)
        point[SearchParameter::cutoff] = default_cutoff(point.input);
}

// The nodes that wait, of which the session knows the number; here, the widest level of t3.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kWaiting = 100'000;
    constexpr std::uint64_t kNodeBytes = 32;
    return kWaiting * kNodeBytes * (point.backend == BackendKind::cpu ? 2 : 1);
}

// Only a search counts its nodes. These are about those of the published trees, and of queens.
double estimated_nodes(const Case& point)
{
    constexpr double kNodesPerChild = 2056; // t3, of the 2000 children of its root; t3l has 27 times as many
    constexpr double kQueensGrowth = 7;     // with each queen; 16 have 5.7e8 nodes
    const auto size = static_cast<double>(search_size(point));
    if (point.input == SearchInput::t1)
        return std::pow(4.0, size);
    if (point.input == SearchInput::queens)
        return 5.7e8 * std::pow(kQueensGrowth, size - 16);
    if (point.input == SearchInput::path)
        return size;
    return size * kNodesPerChild * (point.input == SearchInput::t3l ? 27 : 1);
}

// A node of a tree is a hash of its parent; that of queens is a few comparisons. Blocks leave nodes above the cutoff to
// others. A fifth of the nodes of a tree have children.
Work work(const StrategyInfo& info, const Case& point)
{
    constexpr double kItemsPerHash = 5;
    constexpr double kNodesPerLevel = 4000; // of t3 and t3l
    const auto size = static_cast<double>(search_size(point));
    const bool queens = point.input == SearchInput::queens;
    const double nodes = estimated_nodes(point);
    double levels = point.input == SearchInput::t3 || point.input == SearchInput::t3l ? nodes / kNodesPerLevel : size;
    double requested = nodes;
    if (point[SearchParameter::cutoff] != 0 && point[SearchParameter::cutoff] < levels) {
        levels = point[SearchParameter::cutoff];
        requested = std::min(nodes, queens ? std::pow(size / 2, levels) : size * std::pow(4.0, levels));
    }
    const double budget = info.has(SearchParameter::budget) ? point[SearchParameter::budget] : 1;
    const double items = nodes * (queens ? 1 / kItemsPerHash : kItemsPerHash);
    return {.input_items = items,
            .items = items,
            .rounds = levels,
            .launches = (blocks_per_group(point.aggregate) == 0 ? levels : requested / 5) / budget};
}

} // namespace

constinit const WorkloadInfo workloads::search{
    .name = "search",
    .summary = "searches trees whose shape is known only by searching them, and places n queens",
    .axes = {axis::block, axis::depth, SearchParameter::tree_levels, SearchParameter::root_children,
             SearchParameter::path_nodes, SearchParameter::queens},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .memory_bytes = memory_bytes,
    .complete = complete,
    .work = work,
};

} // namespace nestbed
