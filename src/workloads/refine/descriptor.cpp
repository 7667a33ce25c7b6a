#include "workloads/refine/descriptor.hpp"

#include "model/estimate.hpp"
#include "model/strategy.hpp"
#include "workloads/refine/refine_reference.hpp"

#include <array>
#include <cmath>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kRefineBlock = 128; // the four cells of an item

constexpr std::array kInputs{RefineInput::front, RefineInput::rings};
constexpr AxisMeaning kMeanings[]{
    {axis::input, "the field: one sharp front on a circle that moves, or many around it"},
    {axis::block, "threads per block, a power of two", kRefineBlock}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size",
                                      "by-input",     "by-work",   "study",       "ways"};

void complete(Case& point, const Asked& asked)
{
    if (!asked.block)
        point.block = kRefineBlock;
}

std::uint64_t bytes_of_cells(const Case& point)
{
    constexpr std::uint64_t kCellBytes = 4;
    return RefineShape::of(point).cells() * kCellBytes;
}

// The cells of all time steps, and those that they are compared with: on the device, or on the host.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    return bytes_of_cells(point) * (point.backend == BackendKind::cpu ? 3 : 2);
}

// A front is a line through the field: about so many cells of the deepest level are beside it per cell of its length, and half as
// many on every level before.
Work work(const StrategyInfo& /*info*/, const Case& point)
{
    constexpr double kStepsPerItem = 500;
    constexpr double kFrontLength = 4;
    constexpr double kRings = 8;
    const auto steps = static_cast<double>(point[RefineParameter::time_steps]);
    const double tiles = static_cast<double>(point[RefineParameter::division]) * point[RefineParameter::division];
    const double front =
        kFrontLength * (point.input == RefineInput::rings ? kRings : 1) * point[RefineParameter::division];
    const double refined = std::min(front * std::exp2(point[RefineParameter::levels] - 1),
                                    tiles * std::exp2(2.0 * (point[RefineParameter::levels] - 1)));
    const double items =
        steps * 4 * (tiles + refined) * kSamples * (1 + point[RefineParameter::cell_work] / kStepsPerItem);
    return {.input_items = items,
            .items = items,
            .rounds = steps * point[RefineParameter::levels],
            .launches = launches_of_items(point, steps * refined, 4, steps * (point[RefineParameter::levels] - 1))};
}

} // namespace

constinit const WorkloadInfo workloads::refine{
    .name = "refine",
    .summary = "refines the cells of a moving field where it changes most, time step by time step",
    .axes = {axis::block, axis::depth, RefineParameter::time_steps, RefineParameter::cell_work,
             RefineParameter::division, RefineParameter::levels},
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
