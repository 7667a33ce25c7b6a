#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/standard_streams.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/trace_program.hpp"
#include "cli/watched_case.hpp"
#include "device/backends.hpp"
#include "inspect/timeline.hpp"
#include "inspect/tree.hpp"
#include "plan/axis.hpp"
#include "plan/plan.hpp"
#include "run/executor_times.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>
#include <unistd.h>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kDefaultGrids = 65536;
constexpr std::uint64_t kMaxGrids = 1U << 20U; // 120 MiB of marks, and about 500 MB of text
constexpr unsigned kDefaultRepeat = 15;        // the executor uses a third of it
constexpr unsigned kWarmUps = 3;

Options trace_options()
{
    return {
        {.name = "from", .value = "FILE", .help = "run nothing: read the trace of a user's program (JSON or CSV)"},
        {.name = "grids",
         .value = "N",
         .help = "grids that the trace can hold; further grids are only counted",
         .default_text = std::to_string(kDefaultGrids)}};
}

Options trace_settings()
{
    Options settings = axis_options(Values::one);
    const Options others =
        key_options(Values::one, {{"backend"}, {"repeat", "cuda 15, cpu 5"}, {"schedule"}, {"workers"}});
    settings.insert(settings.end(), others.begin(), others.end());
    return settings;
}

// Lists the settings with several values: " (--grid 64,128)".
std::string several_in(const Settings& settings)
{
    std::vector<std::string> several;
    for (const Key& key : all_keys())
        for (const Setting& setting : settings.of(key.name))
            if (key.axis && (setting.value.find_first_of(",:") != std::string::npos || setting.value == "all" ||
                             settings.of(key.name).size() > 1))
                several.push_back(setting.place());
    return several.empty() ? "" : fmt::format(" ({})", fmt::join(several, ", "));
}

double time_of(const Sample& sample)
{
    return sample.gpu_us.value_or(sample.wall_us.value_or(0));
}

// Runs the one case of the options with and without tracing in turn. Returns the traced run with the median time, or the
// first that is not ok.
Trace run_traced(const Given& given, std::string_view command)
{
    Settings settings;
    if (const auto& files = given.at("argument"); !files.empty())
        settings.read_file(files.front());
    set_from(settings, given);
    const auto grids = static_cast<std::uint32_t>(parse_number(
        {"grids", only_value(given, "grids", std::to_string(kDefaultGrids), "a number"), "", 0, ""}, 1, kMaxGrids));
    const LocalSessions sessions = open_sessions(settings, why_not_cuda, open_session);
    const Plan plan = make_plan(settings, facts_of(sessions));
    refuse_programs(plan, "trace", "nestbed cpu --trace FILE my.cu");
    if (plan.case_count() != 1)
        throw UsageError(fmt::format("{} is about one case, not {}{}; allowed: one value per option", command,
                                     plan.case_count(), several_in(settings)));
    Case point = plan.groups.front().cases.front();
    point.graphs = 1; // otherwise each instance would run and be traced
    const unsigned default_repeat = point.backend == BackendKind::cuda ? kDefaultRepeat : kDefaultRepeat / 3;
    const unsigned repeat = settings.of("repeat").empty() ? default_repeat : plan.repeat.at(point.backend).least;
    LocalSession& session = *sessions.at(point.backend);
    std::vector<Trace> traces;
    TraceOverhead overhead;
    for (unsigned run = 0; run < kWarmUps + repeat; ++run) {
        const Sample untraced = session.sample(point, 0);
        if (untraced.device_lost)
            throw RunError(fmt::format("the device was lost: {}", untraced.detail));
        Trace traced = session.trace(point, 0, grids);
        if (traced.sample.status != Status::ok)
            return traced;
        if (run < kWarmUps || untraced.status != Status::ok)
            continue;
        overhead.untraced_us.push_back(time_of(untraced));
        overhead.traced_us.push_back(*traced.run_us);
        traces.push_back(std::move(traced));
    }
    if (traces.empty())
        throw RunError("no run without tracing was ok, so there is none to compare with");
    const auto middle = traces.begin() + static_cast<std::ptrdiff_t>((traces.size() - 1) / 2);
    std::ranges::nth_element(traces, middle, {}, &Trace::run_us);
    middle->overhead = overhead;
    return std::move(*middle);
}

// The heading: the traced case, the device, and the overhead of tracing.
std::string heading(const Trace& trace)
{
    std::string text = folded(heading(trace.point), 0);
    text += fmt::format("{}, kernels' timer in steps of {} ns\n", trace.device.name, trace.timer_step_ns);
    if (trace.point.backend == BackendKind::cpu)
        text += folded(kExecutorTimes, 0);
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
    for (const TracedGrid& grid : trace.grids)
        if (grid.ended_ns) {
            first = std::min(first, *grid.begun_ns);
            last = std::max(last, *grid.ended_ns);
        }
    if (last > first)
        text += fmt::format("{} grids, {} from the first instruction to the last\n", trace.grids.size(),
                            format_us(static_cast<double>(last - first) / 1000.0));
    if (!trace.overhead.traced_us.empty())
        text +=
            fmt::format("{} with tracing, {} without: {:+.1f} % (medians of {})\n",
                        format_us(trace.overhead.median_traced_us()), format_us(trace.overhead.median_untraced_us()),
                        100 * trace.overhead.share(), trace.overhead.traced_us.size());
    if (trace.lost != 0)
        text +=
            fmt::format("{} more grids did not fit in the trace; allowed: --grids up to {}\n", trace.lost, kMaxGrids);
    if (trace.unmarked != 0)
        text += fmt::format("{} grids have no times because the trace is too small; allowed: --grids up to {}\n",
                            trace.unmarked, kMaxGrids);
    return text;
}

int judged(const Sample& sample, std::ostream& err)
{
    if (sample.status == Status::ok)
        return exit_ok;
    err << fmt::format("nestbed: {}\n", why_not_ok(sample));
    return exit_rows_bad;
}

int trace(const Arguments& arguments, const Given& given, std::ostream& out, std::ostream& err)
{
    if (given.contains("from"))
        return trace_from(given, out);
    if (given.contains("csv"))
        throw UsageError("--csv requires --from, or a CUDA file");
    const std::string named = only_value(given, "output", "trace.json");
    const std::string path = is_open_on(STDOUT_FILENO, named) ? "-" : named;
    std::optional<OutputFile> file;
    if (path != "-")
        file.emplace(path, given.contains("overwrite"));
    const Trace traced = run_traced(given, "trace");
    if (traced.grids.empty())
        return judged(traced.sample, err);
    Arguments command{"nestbed", "trace"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (!file) {
        out << trace_json(traced, command);
        return judged(traced.sample, err);
    }
    file->write(trace_json(traced, command), "the trace");
    out << heading(traced) << fmt::format(kHowToOpen, path);
    return judged(traced.sample, err);
}

constexpr std::string_view kTreeLegend =
    "(latency: from the launch to the child's first instruction, median; at most: the\n"
    "longest; busy: the time in which at least one of the grids ran)\n";

int tree(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    if (given.contains("from")) {
        out << tree_text(trace_of_program(given, {})) << kTreeLegend;
        return exit_ok;
    }
    const Trace traced = run_traced(given, "tree");
    if (!traced.grids.empty())
        out << heading(traced) << tree_text(traced);
    if (traced.grids.size() > 1)
        out << kTreeLegend;
    return judged(traced.sample, err);
}

} // namespace

Command trace_command()
{
    Options options = trace_options();
    options.push_back(csv_option());
    options.push_back({.name = "output",
                       .value = "FILE",
                       .help = "the trace, a new file; - for standard output",
                       .default_text = "trace.json",
                       .letter = 'o'});
    options.push_back(overwrite_option());
    return {.name = "trace",
            .arguments = "[EXPERIMENT.cfg] [options] [-o FILE.json]",
            .summary = "write a timeline of every launch of one case",
            .text = "Runs one case with and without tracing and writes when each grid was launched,\n"
                    "began and ended. Open the file in ui.perfetto.dev or chrome://tracing.\n"
                    "\n"
                    "The same of a CUDA program of your own: `nestbed trace` builds it as `nestbed\n"
                    "count` does, and the program writes nestbed-trace.json when it ends, prints its\n"
                    "table of launches, and for what the GPU waited.\n"
                    "\n"
                    "  nestbed trace my.cu -Iinclude -- 1000    # without a GPU: on the executor\n"
                    "  nestbed trace -- make -B && ./my\n"
                    "  nestbed trace --from nestbed-trace.json  # the same text again\n"
                    "\n"
                    "Environment of the program: NESTBED_TRACE=FILE, a name that ends in .csv for\n"
                    "rows; NESTBED_TRACE_GRIDS=N, grids that fit, by default 1048576 from kernels\n"
                    "and as many from the host; and that of `nestbed count`.\n",
            .files = "cfg",
            .operands = 1,
            .options = std::move(options),
            .settings = trace_settings(),
            .call = trace,
            .of_program = trace_program_command};
}

namespace
{

// Of a CUDA file: what `nestbed cpu --tree` does.
Command tree_program_command()
{
    Command command = cpu_command();
    command.call = [call = command.call](const Arguments& arguments, const Given& given, std::ostream& out,
                                         std::ostream& err) {
        Arguments words{"--tree"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return call(words, given, out, err);
    };
    return command;
}

} // namespace

Command tree_command()
{
    return {.name = "tree",
            .arguments = "[EXPERIMENT.cfg] [options] | FILE.cu... [options of nvcc] [-- ARGUMENT...]",
            .summary = "print the launches of one case by depth",
            .text = "Runs one case as `nestbed trace` does and prints its grids and their times by\n"
                    "depth.\n"
                    "\n"
                    "  nestbed tree my.cu -- 1000                # of a CUDA program of your own,\n"
                    "                                            # as nestbed cpu --tree\n"
                    "  nestbed tree --from nestbed-trace.json    # of one that was traced\n",
            .files = "cfg",
            .operands = 1,
            .options = trace_options(),
            .settings = trace_settings(),
            .call = tree,
            .of_program = tree_program_command};
}

} // namespace nestbed
