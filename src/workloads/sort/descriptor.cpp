#include "workloads/sort/descriptor.hpp"

#include "model/estimate.hpp"
#include "model/strategy.hpp"

#include <array>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kKeyBytes = 4;

constexpr std::array kInputs{SortInput::uniform, SortInput::sorted, SortInput::reversed, SortInput::organ_pipe,
                             SortInput::equal,   SortInput::few,    SortInput::zipf};
constexpr AxisMeaning kMeanings[]{{axis::input, "how the keys are distributed and ordered"},
                                  {axis::elements, "keys"}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size",
                                      "by-input",     "depths",    "study",       "ways"};

// Keys, and values.
std::uint64_t bytes_moved(const Case& point)
{
    return 2 * point.elements * kKeyBytes * (has_values(point) ? 2 : 1);
}

// The input, the spare memory, the output and the reference; the host has two copies.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kArrays = 4;
    return bytes_moved(point) / 2 * kArrays +
           (point.backend == BackendKind::cpu ? 2 * point.elements * kKeyBytes : 0);
}

Work work(const StrategyInfo& /*info*/, const Case& point)
{
    const auto keys = static_cast<double>(point.elements);
    return {.input_items = items_to_sort(keys),
            .items = keys,
            .launches = launches_of_leaves(point, 1 + keys / point[SortParameter::grain])};
}

} // namespace

constinit const WorkloadInfo workloads::sort{
    .name = "sort",
    .summary = "sorts keys, with or without values",
    .axes = {axis::type, axis::block, axis::elements, axis::depth, SortParameter::values, axis::seed},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .bytes_moved = bytes_moved,
    .memory_bytes = memory_bytes,
    .work = work,
};

} // namespace nestbed
