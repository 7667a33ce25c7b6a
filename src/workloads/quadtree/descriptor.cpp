#include "workloads/quadtree/descriptor.hpp"

#include "model/estimate.hpp"
#include "model/strategy.hpp"
#include "workloads/quadtree/picture.hpp"

#include <array>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kWordBytes = 4;

constexpr std::array kInputs{QuadInput::uniform, QuadInput::clustered, QuadInput::line, QuadInput::coincident};
constexpr AxisMeaning kMeanings[]{{axis::input, "where the points are"}, {axis::elements, "points"}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size",
                                      "by-input",     "depths",    "study",       "ways"};

// Points; their codes and places.
std::uint64_t bytes_moved(const Case& point)
{
    return 3 * point.elements * kWordBytes;
}

// The points, two arrays of codes and places, and the canonical ones; and the nodes, which the host has too.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kWords = 1 + 3 * 2;
    return kWords * kWordBytes * point.elements * (point.backend == BackendKind::cpu ? 2 : 1);
}

// A point has two coordinates. A block processes a part of about so many points without another launch.
Work work(const StrategyInfo& /*info*/, const Case& point)
{
    constexpr double kPointsPerLaunch = 1000;
    const auto points = static_cast<double>(point.elements);
    return {.input_items = 2 * items_to_sort(points),
            .items = 2 * points,
            .launches = launches_of_leaves(point, 1 + points / kPointsPerLaunch)};
}

} // namespace

constinit const WorkloadInfo workloads::quadtree{
    .name = "quadtree",
    .summary = "builds a quadtree over points",
    .axes = {axis::block, axis::elements, axis::depth, QuadParameter::grain, QuadParameter::levels, axis::seed},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .bytes_moved = bytes_moved,
    .memory_bytes = memory_bytes,
    .work = work,
    .picture = &kQuadtreePicture,
};

} // namespace nestbed
