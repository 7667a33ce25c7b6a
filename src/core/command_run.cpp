#include "arguments.hpp"
#include "commands.hpp"
#include "error.hpp"
#include "expectation.hpp"
#include "manifest.hpp"
#include "plan.hpp"
#include "profiler.hpp"
#include "progress.hpp"
#include "record.hpp"
#include "runner.hpp"
#include "sessions.hpp"
#include "subprocess.hpp"
#include "summary.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <ostream>

namespace nestbed
{

namespace
{

namespace po = boost::program_options;

constexpr std::chrono::minutes kPlotTimeout{30}; // packages may have to be installed

po::options_description run_options()
{
    po::options_description options("Options", 80);
    options.add_options()("output,o", po::value<std::vector<std::string>>()->value_name("FILE"),
                          "the CSV; rows are appended; - for standard output (results/local/EXPERIMENT.csv)");
    options.add_options()("experiment", po::value<std::vector<std::string>>()->value_name("NAME"),
                          "the experiment's name in rows and manifest (the file's stem, or adhoc)");
    options.add_options()("untimed", po::bool_switch(),
                          "leave all times empty: for a run under a profiler, which would spoil them");
    options.add_options()("plot", po::bool_switch(),
                          "draw the figures of the log when it is done (experiments/plot.sh)");
    options.add_options()("no-nvtx", po::bool_switch(),
                          "no NVTX ranges round the timed regions: to measure what they cost");
    options.add_options()("dry-run", po::bool_switch(), "print the plan, measure nothing");
    options.add_options()("help,h", po::bool_switch(), "print this");
    return options;
}

// The default goes into a folder that is made; one that the user names must be there.
std::string output_path(const Given& given, const Plan& plan)
{
    const std::string usual = fmt::format("results/local/{}.csv", plan.experiment);
    std::string path = only_value(given, "output", usual);
    if (path == usual) {
        std::error_code error;
        std::filesystem::create_directories("results/local", error);
    }
    return path;
}

// A name that can be a file's: the log is called by it.
std::string experiment_name(const Given& given, const std::string& usual)
{
    const auto found = given.find("experiment");
    if (found == given.end())
        return usual;
    std::string name = found->second.size() == 1 ? found->second.front() : "";
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
        throw UsageError(fmt::format("--experiment {}: it is no name; allowed: one that a file can have",
                                     fmt::join(found->second, " --experiment ")));
    return name;
}

// The script beside the build folder that this program lies in.
std::string plot_script()
{
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    return (program.parent_path().parent_path().parent_path() / "experiments" / "plot.sh").string();
}

// Throws UsageError where nothing could be drawn, and RunError when what draws could not be set up: before hours of measuring.
void prepare_plot(const std::string& path)
{
    if (!has_manifest(path))
        throw UsageError(fmt::format("--plot: {} is no file; allowed: with an --output that is one", path));
    const std::string script = plot_script();
    if (find_program(script).empty())
        throw UsageError(
            fmt::format("--plot: there is no {}; allowed: in a build folder of nestbed's repository", script));
    const ProgramEnd end = run_program({script, "--setup"}, {"/dev/stderr", "/dev/stderr"}, kPlotTimeout);
    if (!end.good())
        throw RunError(fmt::format("--plot: {} --setup: {}", script, end.text()));
}

void plot(const std::string& path)
{
    const std::string script = plot_script();
    const ProgramEnd end = run_program({script, path}, {"/dev/stdout", "/dev/stderr"}, kPlotTimeout);
    if (!end.good())
        throw RunError(fmt::format("the figures could not be drawn ({}), but the log is whole; again: {}", end.text(),
                                   shell_text({script, path})));
}

RunFacts facts_of_run(Session& session, const Plan& plan, const std::string& run_id, bool untimed)
{
    RunFacts run{.experiment = plan.experiment,
                 .run_id = run_id,
                 .schedule = session.schedule(),
                 .untimed = untimed,
                 .device = session.facts()};
    if (!untimed) {
        run.floor_us = session.null_kernel_us();
        run.timer_step_ns = session.timer_step_ns();
        run.bandwidth = session.bandwidth();
    }
    return run;
}

std::size_t rows_of(const std::vector<CaseResult>& results)
{
    std::size_t rows = 0;
    for (const CaseResult& result : results)
        rows += result.samples.size();
    return rows;
}

} // namespace

int run(const Arguments& arguments, std::ostream& out, std::ostream& err)
{
    po::options_description options = run_options();
    options.add(key_options());
    const Given given = parse_arguments(arguments, options, 1);
    if (given.contains("help")) {
        out << "nestbed run [EXPERIMENT.cfg] [options]\n\n"
            << "AXIS: 64,256,2048 or 1:8 or 0:100:10 or 1:65536:*2, several by comma.\n\n"
            << options;
        return exit_ok;
    }
    Settings settings;
    if (const auto& files = given.at("argument"); !files.empty())
        settings.read_file(files.front());
    set_from(settings, given);
    settings.name_experiment(experiment_name(given, settings.experiment()));
    const bool untimed = given.contains("untimed");

    const Sessions sessions =
        open_sessions(settings, {.untimed = given.contains("untimed"), .ranges = !given.contains("no-nvtx")});
    const std::map<BackendKind, DeviceFacts> facts = facts_of(sessions);
    const Plan plan = make_plan(settings, facts);
    if (given.contains("dry-run")) {
        out << describe(plan, facts);
        return exit_ok;
    }

    const std::string path = output_path(given, plan);
    const bool manifest = has_manifest(path);
    if (manifest)
        check_manifest(path);
    if (given.contains("plot") && untimed)
        throw UsageError("--plot: an untimed run has nothing to draw; allowed: without --untimed");
    if (given.contains("plot"))
        prepare_plot(path);
    CsvLog log(path);
    std::map<BackendKind, RunFacts> runs;
    std::map<BackendKind, DepthProbe> probes;
    const std::string run_id = new_run_id();
    for (const auto& [backend, session] : sessions) {
        runs[backend] = facts_of_run(*session, plan, run_id, untimed);
        if (!untimed)
            probes[backend] = session->probe_depth(kProbedLevels);
    }
    std::vector<std::string> command{"nestbed", "run"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (manifest)
        write_manifest(path, plan, runs, probes, command);

    std::vector<CaseResult> results;
    {
        ProgressLine line;
        results = run_plan(plan, sessions, runs, log, [&](const Progress& progress) { line.show(progress); });
    }
    std::ostream& table = path == "-" ? err : out;
    table << summary_table(plan, results, runs, bars_of_terminal());
    if (manifest)
        table << fmt::format("\n{} rows: {}\nmanifest: {}\n", rows_of(results), path, manifest_path(path));
    const std::vector<std::string> surprises = surprises_in(plan.expect, results);
    for (const std::string& surprise : surprises)
        err << fmt::format("nestbed: {}\n", surprise);
    out << std::flush;
    if (manifest)
        finish_manifest(path, run_id, rows_of(results), surprises);
    if (given.contains("plot"))
        plot(path);
    return surprises.empty() ? exit_ok : exit_rows_bad;
}

} // namespace nestbed
