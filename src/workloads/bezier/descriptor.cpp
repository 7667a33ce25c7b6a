#include "workloads/bezier/descriptor.hpp"

#include "model/estimate.hpp"
#include "model/strategy.hpp"

#include <array>

namespace nestbed
{

namespace
{

constexpr std::array kInputs{BezierInput::curves, BezierInput::zipf};
constexpr AxisMeaning kMeanings[]{
    {axis::input, "points per line: curves: 4 to 32, by the curvature; zipf: up to 4096, few lines have many"},
    {axis::elements, "lines"}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size",
                                      "by-input",     "study",     "ways"};

// About how many points the lines have in all. The memory that they need depends on it too.
double estimated_points(const Case& point)
{
    constexpr double kOfCurves = 18; // evenly from 4 to 32
    constexpr double kOfZipf = 590;  // (4096 - 4) / log(4096 / 4)
    return static_cast<double>(point.elements) * (point.input == BezierInput::zipf ? kOfZipf : kOfCurves);
}

// The reference is on the device, or on the host, with the items that are requested.
std::uint64_t memory_bytes(const StrategyInfo& info, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kLineBytes = 32;
    constexpr std::uint64_t kPointBytes = 8;
    constexpr std::uint64_t kItemBytes = 12; // with its start
    const std::uint64_t copies = point.backend == BackendKind::cpu ? 2 : 1;
    return point.elements * (kLineBytes + (info.requests ? kItemBytes : 0)) * copies +
           static_cast<std::uint64_t>(estimated_points(point)) * kPointBytes * copies;
}

Work work(const StrategyInfo& /*info*/, const Case& point)
{
    const double points = estimated_points(point);
    return {.input_items = points,
            .items = points,
            .launches = launches_of_items(point, static_cast<double>(point.elements), point.block, 1)};
}

} // namespace

constinit const WorkloadInfo workloads::bezier{
    .name = "bezier",
    .summary = "computes the points of Bezier curves, of which each needs another number",
    .axes = {axis::grid, axis::block, axis::elements, axis::depth, axis::seed},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .memory_bytes = memory_bytes,
    .work = work,
};

} // namespace nestbed
