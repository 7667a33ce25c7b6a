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
                                  {axis::block, "threads per block, a power of two", 256},
                                  {axis::dwell, "maximum iterations per pixel"},
                                  {axis::division, "parts per side of the image: root blocks"},
                                  {axis::fanout, "parts per side of a divided region", 2},
                                  {axis::grain, "longest side of a region that is not divided", 32}};
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

double input_us(const Case& point)
{
    constexpr double kIterationOnHosts = 20e-6; // the reference, on 16 cores
    return point.backend == BackendKind::cuda ? static_cast<double>(point.elements) * point.dwell * kIterationOnHosts
                                              : 0;
}

// An exhaustive image of 16384 x 16384 at dwell 4096 takes 79 ms, its recursion about 0.1 of that.
double work_us(const StrategyInfo& /*info*/, const Case& point)
{
    constexpr double kIteration = 79e3 / (16384.0 * 16384 * 4096); // per pixel and unit of the largest dwell
    constexpr double kPartDivided = 0.12;
    constexpr double kIterationExecuted = 0.5e-3; // the kernels and the reference
    constexpr double kPixelExecuted = 0.5;
    const bool gpu = point.backend == BackendKind::cuda;
    const auto pixels = static_cast<double>(point.elements);
    const double part = point.strategy == "mandelbrot_exhaustive" ? 1 : kPartDivided;
    return pixels * point.dwell * part * (gpu ? kIteration : kIterationExecuted) +
           (gpu ? 0 : pixels * kPixelExecuted);
}

// By the figures of 16384 x 16384 pixels: one launch per 8192 pixels, or per 32768 if blocks fill and compute. A
// threshold has fewer.
double launches(const StrategyInfo& /*info*/, const Case& point)
{
    constexpr double kPixelsPerLaunch = 8192;
    const double items =
        static_cast<double>(point.elements) / kPixelsPerLaunch * (point.strategy == "mandelbrot_naive" ? 1 : 0.25);
    return launches_of_items(point, items, static_cast<double>(point.fanout * point.fanout), kEstimatedLevels);
}

} // namespace

constinit const WorkloadInfo workloads::mandelbrot{
    .name = "mandelbrot",
    .summary = "computes an image of the Mandelbrot set; regions with a border of one dwell are filled",
    .axes = {axis::block, axis::elements, axis::nx, axis::ny, axis::depth, axis::dwell, axis::division, axis::fanout,
             axis::grain},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .bytes_moved = bytes_moved,
    .memory_bytes = memory_bytes,
    .cost = {.input_us = input_us, .work_us = work_us, .launches = launches},
    .picture = &kMandelbrotPicture,
};

} // namespace nestbed
