#include "base/error.hpp"
#include "base/new_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "device/backends.hpp"
#include "inspect/quadtree_picture.hpp"
#include "model/strategy.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <ostream>

namespace nestbed
{

namespace
{

// Few points, so that each is seen.
constexpr std::string_view kTreeStrategy = "quadtree_children";
constexpr std::string_view kPoints = "2000";
constexpr std::string_view kCap = "8";
constexpr std::string_view kTreeBlock = "32";
constexpr std::uint32_t kPictureSide = 1024;

Case tree_to_draw(const Plan& plan)
{
    const Case& point = plan.groups.front().cases.front();
    if (Registry::find_anywhere(point.strategy)->info().workload != "quadtree")
        throw UsageError(fmt::format("--strategy {}: it does not build a quadtree; allowed: a strategy of the "
                                     "workload quadtree (nestbed list 'quadtree_*')",
                                     point.strategy));
    if (plan.case_count() != 1)
        throw UsageError(
            fmt::format("quadtree draws one tree, not {}; allowed: one value per option", plan.case_count()));
    constexpr std::uint64_t kMostDrawn = 1ULL << 24;
    if (point.elements > kMostDrawn)
        throw UsageError(fmt::format("--elements {}: too many points for a picture; allowed: at most {}",
                                     point.elements, kMostDrawn));
    return point;
}

// Builds a quadtree by one strategy, and draws it over its points. The picture shows the canonical tree, which the
// strategy's equals if its sample is right.
int quadtree(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    Settings settings;
    settings.set("strategy", {std::string(kTreeStrategy)});
    settings.set("elements", {std::string(kPoints)});
    settings.set("grain", {std::string(kCap)});
    settings.set("block", {std::string(kTreeBlock)});
    set_from(settings, given);
    const Sessions sessions = open_sessions(settings, why_not_cuda, open_session);
    const Case point = tree_to_draw(make_plan(settings, facts_of(sessions)));
    const std::string path = only_value(given, "output", "quadtree.png", "a file's name");
    check_new_file(path);
    const Sample sample = sessions.at(point.backend)->sample_aloud(point);
    if (sample.status != Status::ok) {
        err << fmt::format("nestbed: {}\n", why_not_ok(sample));
        return exit_rows_bad;
    }
    const QuadTree tree = make_quadtree(quad_points(point), limits_of(point));
    write_png(path, quadtree_picture(tree, kPictureSide), kPictureSide);
    const std::uint64_t launches = sample.launches ? sample.launches->attempted : 0;
    out << fmt::format("{}: {} points in {} nodes by {}{}\n", path, point.elements, tree.nodes.size(), point.strategy,
                       launches == 0 ? "" : fmt::format(", {} device launches", launches))
        << quadtree_table(tree, limits_of(point));
    return exit_ok;
}

} // namespace

Command quadtree_command()
{
    return {.name = "quadtree",
            .arguments = "[--strategy NAME] [-o FILE.png]",
            .summary = "draw a quadtree over its points",
            .text = "Builds a quadtree by one strategy, checks it, and draws its squares, coloured by\n"
                    "their level, under its points. Lists the nodes of each level.\n",
            .options = {{.name = "output",
                         .value = "FILE",
                         .help = "the image, a new PNG",
                         .otherwise = "quadtree.png",
                         .letter = 'o'}},
            .settings = key_options(Values::one, {{"strategy", kTreeStrategy, "a strategy of the workload quadtree"},
                                                  {"backend"},
                                                  {"mechanism"},
                                                  {"input", "uniform", "uniform, clustered, line or coincident"},
                                                  {"elements", kPoints},
                                                  {"grain", kCap},
                                                  {"levels"},
                                                  {"block", kTreeBlock},
                                                  {"aggregate"},
                                                  {"overflow"},
                                                  {"pending-limit"},
                                                  {"seed"},
                                                  {"schedule"},
                                                  {"workers"}}),
            .call = quadtree};
}

} // namespace nestbed
