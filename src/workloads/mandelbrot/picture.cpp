#include "workloads/mandelbrot/picture.hpp"

#include "workloads/mandelbrot/dwell_picture.hpp"

#include <fmt/format.h>

namespace nestbed
{

namespace
{

// Unlike those of an experiment, these divide a small image several times.
constexpr PictureSetting kSettings[]{{"strategy", "mandelbrot_split", "a strategy of the workload mandelbrot"},
                                     {"backend"},
                                     {"mechanism"},
                                     {"input", "", "the window: set, interior, exterior or dust", "set"},
                                     {"nx", "1024"},
                                     {"ny", "1024"},
                                     {"dwell"},
                                     {"division", "4"},
                                     {"fanout", "", "parts per side of a divided region", "2"},
                                     {"grain", "8", "longest side of a region that is not divided"},
                                     {"block", "64"},
                                     {"aggregate"},
                                     {"overflow"},
                                     {"pending-limit"},
                                     {"schedule"},
                                     {"workers"}};

std::string why_not(const StrategyInfo& info, const Case& point, bool with_tree)
{
    constexpr std::uint64_t kMaxPixels = 1ULL << 28;
    if (point.elements > kMaxPixels)
        return fmt::format("--nx {} --ny {}: {} pixels; allowed: nx x ny up to {}", point.nx, point.ny,
                           point.elements, kMaxPixels);
    if (with_tree && !info.requests)
        return fmt::format("--tree: {} launches nothing from a kernel, so there is no launch tree; allowed: "
                           "mandelbrot_split, mandelbrot_naive, mandelbrot_graph",
                           info.name);
    return "";
}

Drawing draw(const Case& point, const Sample& sample, bool with_tree)
{
    if (sample.image.empty())
        return {};
    Drawing drawing{
        .pixels = coloured_dwells(sample.image, point.nx, point[MandelbrotParameter::dwell]),
        .width = point.nx,
        .text = fmt::format("{} x {} pixels by {}{}\n", point.nx, point.ny, point.strategy, launches_text(sample))};
    if (with_tree) {
        const std::vector<RegionNode> nodes = mandelbrot_reference(point).nodes;
        draw_tree(drawing.pixels, point.nx, nodes);
        drawing.text += tree_table(levels_of(nodes));
    }
    return drawing;
}

} // namespace

constinit const Picture kMandelbrotPicture{
    .arguments = "[--strategy NAME] [--tree] [-o FILE.png]",
    .summary = "draw the Mandelbrot set and its launch tree",
    .text = "Draws the Mandelbrot set by one strategy, in colour. With --tree the outlines of\n"
            "all regions are drawn over it, coloured by their depth in the launch tree.\n",
    .file = "mandelbrot.png",
    .draws = "draws one image",
    .refusal = "it does not draw the Mandelbrot set; allowed: a strategy of the workload mandelbrot (nestbed list "
               "'mandelbrot_*')",
    .settings = kSettings,
    .flag = "tree",
    .flag_help = "draw the regions of the launch tree over the image",
    .why_not = why_not,
    .draw = draw,
};

} // namespace nestbed
