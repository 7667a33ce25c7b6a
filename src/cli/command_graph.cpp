// `nestbed info graph`: the levels of a breadth-first search of the graphs that `bfs` and `sssp` measure.
#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "device/backends.hpp"
#include "model/axis_table.hpp"
#include "model/modules.hpp"
#include "plan/plan.hpp"
#include "plan/plan_description.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::string_view kVertices = "2^20";

// Any strategy of a workload with such graphs: it decides how a case is made.
const StrategyInfo& search()
{
    for (const Strategy* const one : Registry::all())
        if (one->info().workload->graph_facts != nullptr && !one->info().cuda_only)
            return one->info();
    throw RunError("no workload that searches a graph has been built; " + missing_modules_text());
}

// The axes that decide the graph.
std::vector<const Axis*> graph_axes()
{
    const WorkloadInfo& workload = *search().workload;
    std::vector<const Axis*> axes;
    for (const Axis& axis : plain_axes())
        if (axis.id == axis::input || axis.id == axis::elements || axis.id == axis::seed ||
            (axis.parameter != nullptr && is_in(workload.axes, axis)))
            axes.push_back(&axis);
    return axes;
}

std::string header()
{
    std::vector<std::string> cells;
    for (const Axis* const axis : graph_axes())
        cells.push_back(axis->column);
    cells.insert(cells.end(), {"edges", "level", "vertices", "edges_of_level"});
    return csv_line(cells);
}

// A line for each level of the search from the source of the case's graph.
std::string level_lines(const Case& point)
{
    const GraphFacts graph = Registry::find_anywhere(point.strategy)->info().workload->graph_facts(point);
    std::vector<std::string> cells;
    for (const Axis* const axis : graph_axes())
        cells.push_back(cell_of(*axis, point));
    cells.push_back(std::to_string(graph.edges));
    const std::size_t same = cells.size();
    std::string text;
    std::uint32_t number = 0;
    for (const GraphFacts::Level& level : graph.levels) {
        cells.resize(same);
        for (const std::uint64_t value : {std::uint64_t{number++}, level.vertices, level.edges})
            cells.push_back(std::to_string(value));
        text += csv_line(cells);
    }
    return text;
}

// The graphs of the settings, as a run on the executor plans them. Throws UsageError.
std::vector<Case> graphs_of(const Given& given)
{
    Settings settings;
    settings.set("strategy", {std::string(search().name)});
    settings.set("backend", {"cpu"});
    settings.set("elements", {std::string(kVertices)});
    set_from(settings, given);
    const std::map<BackendKind, DeviceFacts> facts = facts_of(open_sessions(settings, why_not_cuda, open_session));
    std::vector<Case> points;
    for (const Group& group : make_plan(settings, facts).groups)
        for (const Case& point : group.cases) {
            if (const std::string why = why_too_large(point, facts.at(BackendKind::cpu)); !why.empty())
                throw UsageError(fmt::format("--elements {}: {}", point.elements, why));
            points.push_back(point);
        }
    return points;
}

int graph(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& /*err*/)
{
    const std::string path = only_value(given, "output", "-");
    std::optional<OutputFile> file;
    if (path != "-")
        file.emplace(path, given.contains("overwrite"));
    std::string text = header();
    try {
        for (const Case& point : graphs_of(given))
            text += level_lines(point);
    } catch (const std::invalid_argument& error) {
        throw UsageError(fmt::format("graph: {}", error.what()));
    }
    if (file)
        file->write(text, "the CSV");
    else
        out << text;
    return exit_ok;
}

} // namespace

Command graph_command()
{
    return {.name = "info graph",
            .arguments = "[--input LIST] [--elements LIST] [-o FILE.csv]",
            .summary = "describe the input graphs of bfs and sssp",
            .text = "Writes a CSV with a line for each level of a breadth-first search from the\n"
                    "vertex where bfs and sssp start: the vertices of the level, and the edges that\n"
                    "leave them. The graphs are those that `nestbed run` makes or reads for the same\n"
                    "options. Needs no GPU.\n",
            .options = {{.name = "output",
                         .value = "FILE",
                         .help = "the CSV, a new file; - for standard output",
                         .default_text = "-",
                         .letter = 'o'},
                        overwrite_option()},
            .settings = key_options(
                Values::several,
                {{"input", "uniform", "uniform, zipf, rmat, rmat_relabelled, path, star, grid2d, road or file"},
                 {"elements", kVertices, "vertices"},
                 {"edge-factor", {}, "edges per vertex that uniform, zipf and rmat draw"},
                 {"graph-file", {}, "the files of input `file`: .mtx, .gr, or lists of edges"},
                 {"seed", {}, "seed of the graph"}}),
            .call = graph};
}

} // namespace nestbed
