#include "workloads/search/descriptor.hpp"

#include "model/child_requests.hpp"
#include "model/estimate.hpp"
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
    {axis::elements, "t1: levels; t3, t3l: children of the root; path: nodes; queens: the side of the board", 0,
     "by the input"},
    {axis::block, "threads per block, a power of two", kSearchBlock},
    {axis::cutoff, "depth from which a thread searches alone", 0, "6 of queens, none of trees"},
    {axis::budget, "nodes that a thread visits before its block leaves the rest", kDefaultBudget}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size", "by-input",
                                      "by-budget",    "by-cutoff", "study",       "ways"};

// A search has its own size, which depends on its input.
void complete(Case& point, const Asked& asked)
{
    if (!asked.elements)
        point.elements = default_search_size(point.input);
    if (!asked.block)
        point.block = kSearchBlock;
    if (point.cutoff == 0)
        point.cutoff = default_cutoff(point.input);
}

// Rough sizes of a search: its nodes; its levels, and those of its nodes that a block may leave to others: above the
// cutoff.
struct Estimated {
    double nodes, levels, requested;
};
Estimated estimated(const Case& point)
{
    constexpr double kMaxEstimated = 1e11;
    constexpr double kNodesOfAChild = 2056; // t3, of 2000 children of the root; t3l has 27 times as many
    constexpr double kLevelsOfAChild = 0.79;
    constexpr double kQueensGrowth = 7; // nodes for each further queen
    const auto size = static_cast<double>(point.elements);
    Estimated estimate{size, size, 0}; // a path
    if (point.input == SearchInput::t1)
        estimate.nodes = std::min(kMaxEstimated, std::pow(4.0, size));
    else if (point.input == SearchInput::t3)
        estimate = {size * kNodesOfAChild, size * kLevelsOfAChild, 0};
    else if (point.input == SearchInput::t3l)
        estimate = {size * kNodesOfAChild * 27, size * kLevelsOfAChild * 11, 0};
    else if (point.input == SearchInput::queens) // 5.7e8 nodes for 16 queens
        estimate.nodes = std::min(kMaxEstimated, 5.7e8 * std::pow(kQueensGrowth, size - 16));
    const double depth = point.cutoff == 0 ? estimate.levels : std::min<double>(estimate.levels, point.cutoff);
    estimate.requested = point.input == SearchInput::queens ? std::min(estimate.nodes, std::pow(size * 0.55, depth))
                         : depth < estimate.levels          ? std::min(estimate.nodes, size * std::pow(4.0, depth))
                                                            : estimate.nodes;
    estimate.levels = depth;
    return estimate;
}

// The nodes that wait, of which the session knows the number; here, the widest level of t3.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kWaiting = 100'000;
    constexpr std::uint64_t kNodeBytes = 32;
    return kWaiting * kNodeBytes * (point.backend == BackendKind::cpu ? 2 : 1);
}

double input_us(const Case& point)
{
    constexpr double kNodeOnHost = 0.02; // on 16 cores
    return estimated(point).nodes * (point.input == SearchInput::queens ? 0.1 : 1) * kNodeOnHost;
}

double work_us(const StrategyInfo& info, const Case& point)
{
    constexpr double kNodeSearched = 2e-4; // on a GPU that is full; a tree of few nodes per level takes longer
    constexpr double kNodeExecuted = 1;
    constexpr double kBoard = 0.05; // of a hash
    const bool gpu = point.backend == BackendKind::cuda;
    const Estimated tree = estimated(point);
    const double of_hash = point.input == SearchInput::queens ? kBoard : 1;
    const double level = gpu ? kKernelCallUs : 0;
    return tree.nodes * of_hash * (gpu ? kNodeSearched : kNodeExecuted) +
           (from_device(mechanism_of(info, point)) ? 0 : tree.levels * level);
}

// Of a search by levels or rounds; of others, a fifth of the nodes have children.
double launches(const StrategyInfo& info, const Case& point)
{
    const Estimated tree = estimated(point);
    const double budget = info.has(axis::budget) ? point.budget : 1;
    return blocks_per_group(point.aggregate) == 0 ? tree.levels / budget : tree.requested / (5.0 * budget);
}

} // namespace

constinit const WorkloadInfo workloads::search{
    .name = "search",
    .summary = "searches trees whose shape is known only by searching them, and places n queens",
    .axes = {axis::block, axis::elements, axis::depth},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .memory_bytes = memory_bytes,
    .complete = complete,
    .cost = {.input_us = input_us, .work_us = work_us, .launches = launches},
};

} // namespace nestbed
