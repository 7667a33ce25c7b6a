#include "base/error.hpp"
#include "base/new_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "device/backends.hpp"
#include "inspect/dwell_picture.hpp"
#include "model/strategy.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <ostream>

namespace nestbed
{

namespace
{

// Unlike those of an experiment, these divide a small image several times.
constexpr std::string_view kStrategy = "mandelbrot_split";
constexpr std::string_view kSide = "1024";
constexpr std::string_view kDivision = "4";
constexpr std::string_view kGrain = "8";
constexpr std::string_view kBlock = "64";

Case case_to_draw(const Plan& plan)
{
    const Case& point = plan.groups.front().cases.front();
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    if (info.workload != "mandelbrot")
        throw UsageError(fmt::format("--strategy {}: it does not draw the Mandelbrot set; allowed: a strategy of the "
                                     "workload mandelbrot (nestbed list 'mandelbrot_*')",
                                     point.strategy));
    if (plan.case_count() != 1)
        throw UsageError(
            fmt::format("mandelbrot draws one image, not {}; allowed: one value per option", plan.case_count()));
    constexpr std::uint64_t kMostPixels = 1ULL << 28;
    if (point.elements > kMostPixels)
        throw UsageError(fmt::format("--nx {} --ny {}: {} pixels; allowed: nx x ny up to {}", point.nx, point.ny,
                                     point.elements, kMostPixels));
    return point;
}

// Draws the Mandelbrot set by one strategy and, if asked, the tree of its regions over it.
int mandelbrot(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    Settings settings;
    settings.set("strategy", {std::string(kStrategy)});
    for (const char* side : {"nx", "ny"})
        settings.set(side, {std::string(kSide)});
    settings.set("division", {std::string(kDivision)});
    settings.set("grain", {std::string(kGrain)});
    settings.set("block", {std::string(kBlock)});
    set_from(settings, given);
    const Sessions sessions = open_sessions(settings, why_not_cuda, open_session);
    const Case point = case_to_draw(make_plan(settings, facts_of(sessions)));
    const bool tree = given.contains("tree");
    if (tree && !Registry::find_anywhere(point.strategy)->info().offers)
        throw UsageError(
            fmt::format("--tree: {} launches nothing from a kernel, so there is no launch tree; allowed: "
                        "mandelbrot_split, mandelbrot_naive, mandelbrot_graph",
                        point.strategy));
    const std::string path = only_value(given, "output", "mandelbrot.png", "a file's name");
    check_new_file(path);
    const Sample sample = sessions.at(point.backend)->sample_aloud(point);
    if (!sample.image.empty()) {
        std::vector<Rgb> picture = coloured_dwells(sample.image, point.nx, point.dwell);
        std::string table;
        if (tree) {
            const std::vector<RegionNode> nodes = mandelbrot_reference(point).nodes;
            draw_tree(picture, point.nx, nodes);
            table = tree_table(levels_of(nodes));
        }
        write_png(path, picture, point.nx);
        const std::uint64_t launches = sample.launches ? sample.launches->attempted : 0;
        out << fmt::format("{}: {} x {} pixels by {}{}\n", path, point.nx, point.ny, point.strategy,
                           launches == 0 ? "" : fmt::format(", {} device launches", launches))
            << table;
    }
    if (sample.status != Status::ok) {
        err << fmt::format("nestbed: {}\n", why_not_ok(sample));
        return exit_rows_bad;
    }
    return exit_ok;
}

} // namespace

Command mandelbrot_command()
{
    return {.name = "mandelbrot",
            .arguments = "[--strategy NAME] [--tree] [-o FILE.png]",
            .summary = "draw the Mandelbrot set and its launch tree",
            .text = "Draws the Mandelbrot set by one strategy, in colour. With --tree the outlines of\n"
                    "all regions are drawn over it, coloured by their depth in the launch tree.\n",
            .options = {{.name = "output",
                         .value = "FILE",
                         .help = "the image, a new PNG",
                         .otherwise = "mandelbrot.png",
                         .letter = 'o'},
                        {.name = "tree", .value = "", .help = "draw the regions of the launch tree over the image"}},
            .settings = key_options(Values::one, {{"strategy", kStrategy, "a strategy of the workload mandelbrot"},
                                                  {"backend"},
                                                  {"mechanism"},
                                                  {"input", "set", "the window: set, interior, exterior or dust"},
                                                  {"nx", kSide},
                                                  {"ny", kSide},
                                                  {"dwell"},
                                                  {"division", kDivision},
                                                  {"fanout"},
                                                  {"grain", kGrain},
                                                  {"block", kBlock},
                                                  {"aggregate"},
                                                  {"overflow"},
                                                  {"pending-limit"},
                                                  {"schedule"},
                                                  {"workers"}}),
            .call = mandelbrot};
}

} // namespace nestbed
