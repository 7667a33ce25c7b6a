#include "workloads/mandelbrot/descriptor.hpp"

#include "model/estimate.hpp"
#include "model/strategy.hpp"
#include "workloads/mandelbrot/picture.hpp"

#include <array>

namespace nestbed
{

namespace
{

constexpr std::array kInputs{MandelbrotInput::set, MandelbrotInput::interior, MandelbrotInput::exterior,
                             MandelbrotInput::dust};
constexpr AxisMeaning kMeanings[]{{axis::input, "the window: all of the set, its inside, its outside, or fine dust"},
                                  {axis::elements, "pixels", 0, "nx x ny"},
                                  {axis::nx, "columns of the image"},
                                  {axis::ny, "rows of the image"},
                                  {axis::block, "threads per block, a power of two", 256}};
constexpr std::string_view kFigures[]{"against-flat", "threshold", "by-launches", "by-size",
                                      "by-input",     "study",     "ways"};

std::uint64_t bytes_moved(const Case& point)
{
    constexpr std::uint64_t kDwellBytes = 4;
    return point.elements * kDwellBytes;
}

// The image, and the one that it is compared with: on the device, or on the host.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    return bytes_moved(point) * (point.backend == BackendKind::cpu ? 3 : 2);
}

// Most of a pixel's time is the part of it that does not iterate, until the dwell is a few hundred. A launch has about so
// many pixels at 16384 x 16384: regions that are filled are larger, and the others smaller.
Work work(const StrategyInfo& /*info*/, const Case& point)
{
    constexpr double kIterationsPerItem = 500;
    constexpr double kPixelsPerLaunch = 8192;
    const auto pixels = static_cast<double>(point.elements);
    const double items = pixels * (1 + point[MandelbrotParameter::dwell] / kIterationsPerItem);
    return {.input_items = items,
            .items = items,
            .launches = launches_of_items(
                point, pixels / kPixelsPerLaunch,
                static_cast<double>(point[MandelbrotParameter::fanout] * point[MandelbrotParameter::fanout]),
                kEstimatedLevels)};
}

} // namespace

constinit const WorkloadInfo workloads::mandelbrot{
    .name = "mandelbrot",
    .summary = "computes an image of the Mandelbrot set; regions with a border of one dwell are filled",
    .axes = {axis::block, axis::elements, axis::nx, axis::ny, axis::depth, MandelbrotParameter::dwell,
             MandelbrotParameter::division, MandelbrotParameter::fanout, MandelbrotParameter::grain},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .bytes_moved = bytes_moved,
    .memory_bytes = memory_bytes,
    .work = work,
    .picture = &kMandelbrotPicture,
};

} // namespace nestbed
