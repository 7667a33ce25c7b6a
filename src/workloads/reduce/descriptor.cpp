#include "workloads/reduce/descriptor.hpp"

#include "model/strategy.hpp"

#include <array>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kElementBytes = 4;

constexpr std::array kInputs{ReduceInput::random, ReduceInput::index};
constexpr AxisMeaning kMeanings[]{{axis::elements, "numbers to add"},
                                  {axis::op, "what the sum is: sum, max or min; few strategies have max and min"}};
constexpr std::string_view kFigures[]{"by-depth", "by-grid",   "by-block", "launches", "hazard", "pending",
                                      "cub",      "bandwidth", "rates",    "waves",    "book",   "ways"};

// The input, its working copy, and one sum and its completion flags per block; the host has the input and the right
// sums.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& form)
{
    constexpr std::uint64_t kFlagBytes = 4;
    constexpr std::uint64_t kReferenceBytes = 16; // correct sum and magnitude of a block
    const std::uint64_t padded = std::uint64_t{point.grid} * point.block;
    std::uint64_t bytes = 2 * padded * kElementBytes + point.grid * kElementBytes;
    if (form.parent_waits)
        bytes += std::uint64_t{form.root_blocks} * form.levels() * kFlagBytes;
    if (point.backend == BackendKind::cpu)
        bytes += padded * kElementBytes + point.grid * (kReferenceBytes + kElementBytes);
    return bytes;
}

} // namespace

constinit const WorkloadInfo workloads::reduce{
    .name = "reduce",
    .summary = "adds many numbers, or finds the largest or the smallest",
    .axes = {axis::type, axis::op, axis::grid, axis::block, axis::elements, axis::depth, axis::seed},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .grid_per_level = true,
    .has_ratio = true,
    .calibrates = Calibrates::read,
    .bytes_moved = [](const Case& point) { return point.elements * kElementBytes; },
    .memory_bytes = memory_bytes,
};

} // namespace nestbed
