#include "cli.hpp"

#include "../cpu/executor.hpp"
#include "arguments.hpp"
#include "axis.hpp"
#include "error.hpp"
#include "expectation.hpp"
#include "image.hpp"
#include "plan.hpp"
#include "progress.hpp"
#include "record.hpp"
#include "runner.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "strategy.hpp"
#include "summary.hpp"
#include "text.hpp"
#include "version.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>

namespace nestbed
{

namespace
{

namespace po = boost::program_options;

constexpr unsigned kProbedLevels = 1024;

constexpr std::string_view kHelp = R"(nestbed: recursion by dynamic parallelism, measured.

Usage:
  nestbed run [EXPERIMENT.cfg] [options]  measure, log to a CSV, print a table
  nestbed list                            strategies, sources, hazards
  nestbed info                            the device, its limits, this build
  nestbed hello [--grid N] [--block N]    nested hello world, printed
  nestbed blobs -o FILE.png               an image through shared memory
  nestbed COMMAND --help                  the options of a command
  nestbed --version

Examples:
  nestbed run experiments/book.cfg -o book.csv
  nestbed run --strategy nosync --grid 64 --block 128,256
  nestbed run experiments/grid.cfg --backend cpu --grid 1:64:*2 --dry-run

Exit: 0 all rows ok, or as `expect` says; 1 it could not run; 2 a bad option or
experiment file; 3 some rows are wrong, failed or unsupported.
)";

po::options_description run_options()
{
    po::options_description options("Options", 80);
    options.add_options()("output,o", po::value<std::vector<std::string>>()->value_name("FILE"),
                          "the CSV; rows are appended; - for standard output (results/local/EXPERIMENT.csv)");
    options.add_options()("dry-run", po::bool_switch(), "print the plan, measure nothing");
    options.add_options()("help,h", po::bool_switch(), "print this");
    return options;
}

SessionOptions session_options(const Settings& settings)
{
    SessionOptions options;
    if (const auto schedule = settings.one("schedule")) {
        try {
            static_cast<void>(cpu::parse_schedule(schedule->value));
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("{}: {}", schedule->place(), error.what()));
        }
        options.schedule = schedule->value;
    }
    if (const auto workers = settings.one("workers"))
        options.workers = static_cast<unsigned>(parse_number(*workers, 1, cpu::kMaxWorkers));
    return options;
}

using Sessions = std::map<BackendKind, std::unique_ptr<Session>>;

Sessions open_sessions(const Settings& settings)
{
    Sessions sessions;
    const SessionOptions options = session_options(settings);
    for (const BackendKind backend : chosen_backends(settings))
        sessions.emplace(backend, open_session(backend, options));
    return sessions;
}

std::map<BackendKind, DeviceFacts> facts_of(const Sessions& sessions)
{
    std::map<BackendKind, DeviceFacts> facts;
    for (const auto& [backend, session] : sessions)
        facts.emplace(backend, session->facts());
    return facts;
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

std::size_t rows_of(const std::vector<CaseResult>& results)
{
    std::size_t rows = 0;
    for (const CaseResult& result : results)
        rows += result.samples.size();
    return rows;
}

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err)
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

    const Sessions sessions = open_sessions(settings);
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
    CsvLog log(path);
    std::map<BackendKind, RunFacts> runs;
    std::map<BackendKind, DepthProbe> probes;
    const std::string run_id = new_run_id();
    for (const auto& [backend, session] : sessions) {
        runs[backend] = {.experiment = plan.experiment,
                         .run_id = run_id,
                         .schedule = session->schedule(),
                         .floor_us = session->null_kernel_us(),
                         .timer_step_ns = session->timer_step_ns(),
                         .bandwidth = session->bandwidth(),
                         .device = session->facts()};
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
    table << summary_table(plan, results, runs);
    if (manifest)
        table << fmt::format("\n{} rows: {}\nmanifest: {}\n", rows_of(results), path, manifest_path(path));
    const std::vector<std::string> surprises = surprises_in(plan.expect, results);
    for (const std::string& surprise : surprises)
        err << fmt::format("nestbed: {}\n", surprise);
    return surprises.empty() ? exit_ok : exit_rows_bad;
}

int list(const std::vector<std::string>& arguments, std::ostream& out)
{
    po::options_description options("Options", 80);
    options.add_options()("help,h", po::bool_switch(), "print this");
    if (parse_arguments(arguments, options, 0).contains("help")) {
        out << "nestbed list\n\n" << options;
        return exit_ok;
    }
    for (const std::string_view name : Registry::names()) {
        const StrategyInfo& info = Registry::find_anywhere(name)->info();
        std::vector<std::string_view> mechanisms;
        for (const Mechanism mechanism : info.mechanisms)
            mechanisms.push_back(name_of(mechanism));
        out << fmt::format("{}  ({}; {})\n", name, info.workload, info.cuda_only ? "cuda" : "cuda, cpu");
        for (const std::string& line :
             {std::string(info.summary), fmt::format("launches: {}", fmt::join(mechanisms, ", ")),
              fmt::format("hazards: {}", info.hazards), fmt::format("source: {}", info.source)})
            out << folded(line, 4);
    }
    return exit_ok;
}

int info(const std::vector<std::string>& arguments, std::ostream& out)
{
    po::options_description options("Options", 80);
    options.add_options()("help,h", po::bool_switch(), "print this");
    if (parse_arguments(arguments, options, 0).contains("help")) {
        out << "nestbed info\n\n" << options;
        return exit_ok;
    }
    const auto line = [&](std::string_view what, const auto& value) {
        out << fmt::format("  {:<24}{}\n", what, value);
    };
    out << fmt::format("nestbed {} ({}, {})\n", kVersion, kGit, kBuild);
    line("compiler", kCompiler);
    line("nvcc", std::string_view(kNvcc).empty() ? "none: CPU-only build" : kNvcc);
    for (const BackendKind backend : {BackendKind::cuda, BackendKind::cpu}) {
        const std::string reason = why_not(backend);
        out << fmt::format("{}{}\n", name_of(backend), backend == default_backend() ? " (default)" : "");
        if (!reason.empty()) {
            line("not usable", reason);
            continue;
        }
        const std::unique_ptr<Session> session = open_session(backend, {});
        const DeviceFacts& facts = session->facts();
        line(backend == BackendKind::cuda ? "device" : "executor on", facts.name);
        if (backend == BackendKind::cuda) {
            line("compute capability", facts.compute_capability);
            line("driver, CUDA runtime", facts.driver + ", " + facts.runtime);
            line("multiprocessors", facts.multiprocessors);
            line("resident grids", facts.resident_grids);
            const MeasuredBandwidth measured = session->bandwidth();
            line("bandwidth", fmt::format("{:.0f} GB/s by its data; {:.0f} read, {:.0f} copied",
                                          facts.peak_bandwidth_gb_s, measured.read_gb_s, measured.copy_gb_s));
        } else {
            line("workers", facts.multiprocessors);
            line("schedule", session->schedule());
        }
        line("memory, free", format_bytes(static_cast<double>(facts.memory_bytes)) + ", " +
                                 format_bytes(static_cast<double>(facts.free_memory_bytes)));
        line("threads a block", fmt::format("at most {}", facts.max_threads_per_block));
        line("pending launches", fmt::format("{} by default", facts.default_pending_limit));
        line("null kernel", format_us(session->null_kernel_us()));
        line("kernels' timer", fmt::format("steps of {} ns", session->timer_step_ns()));
        const DepthProbe probe = session->probe_depth(kProbedLevels);
        line("nesting depth", probe.error.empty()
                                  ? fmt::format("{} levels ran, none was refused", probe.reached)
                                  : fmt::format("{} levels ran, then {}", probe.reached, probe.error));
    }
    return exit_ok;
}

int hello(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err)
{
    po::options_description options("Options", 80);
    options.add_options()("help,h", po::bool_switch(), "print this");
    options.add(key_options({"backend", "grid", "block", "depth", "schedule", "workers"}));
    const Given given = parse_arguments(arguments, options, 0);
    if (given.contains("help")) {
        out << "nestbed hello [--grid N] [--block N]\n\n" << options;
        return exit_ok;
    }
    Settings settings;
    settings.set("strategy", {"hello"});
    settings.set("grid", {"1"}); // the book's
    settings.set("block", {"8"});
    set_from(settings, given);
    const Sessions sessions = open_sessions(settings);
    const Plan plan = make_plan(settings, facts_of(sessions));
    if (plan.case_count() != 1)
        throw UsageError(
            fmt::format("hello prints one case, not {}; allowed: one value an option", plan.case_count()));
    const Case& point = plan.groups.front().cases.front();
    const Session& session = *sessions.at(point.backend);
    constexpr std::uint64_t kMostLines = 1'000'000;
    if (2 * std::uint64_t{point.grid} * point.block > kMostLines)
        throw UsageError(fmt::format("--grid {} --block {}: some {} lines; allowed: grid x block up to {}",
                                     point.grid, point.block, 2 * std::uint64_t{point.grid} * point.block,
                                     kMostLines / 2));
    out << fmt::format("Execution Configuration: grid {} block {} on {}\n", point.grid, point.block,
                       session.facts().name)
        << std::flush;
    const Sample sample = sessions.at(point.backend)->sample_aloud(point);
    if (sample.status != Status::ok) {
        err << fmt::format("nestbed: {}: {}\n", name_of(sample.status), sample.detail);
        return exit_rows_bad;
    }
    out << fmt::format("{} threads greeted, {} device launches\n", sample.answer, sample.launches->attempted);
    return exit_ok;
}

// An image drawn through shared memory; without the barrier that this needs, where asked.
int blobs(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err)
{
    po::options_description options("Options", 80);
    options.add_options()("output,o", po::value<std::vector<std::string>>()->value_name("FILE"),
                          "the image, a PNG; a new file (blobs.png)");
    options.add_options()("help,h", po::bool_switch(), "print this");
    options.add(key_options({"strategy", "backend", "nx", "ny", "block-shape", "schedule", "workers"}));
    const Given given = parse_arguments(arguments, options, 0);
    if (given.contains("help")) {
        out << "nestbed blobs [--strategy blobs|blobs_wrong] [-o FILE.png]\n\n" << options;
        return exit_ok;
    }
    Settings settings;
    settings.set("strategy", {"blobs"});
    for (const char* side : {"nx", "ny"})
        settings.set(side, {"1024"});
    set_from(settings, given);
    const Sessions sessions = open_sessions(settings);
    const Plan plan = make_plan(settings, facts_of(sessions));
    const Case& point = plan.groups.front().cases.front();
    const std::string path = only_value(given, "output", "blobs.png");
    if (Registry::find_anywhere(point.strategy)->info().workload != "blobs")
        throw UsageError(fmt::format(
            "--strategy {}: it draws no image; allowed for nestbed blobs: blobs, blobs_wrong", point.strategy));
    if (plan.case_count() != 1)
        throw UsageError(
            fmt::format("blobs draws one image, not {}; allowed: one value an option", plan.case_count()));
    check_image_path(path);
    const Sample sample = sessions.at(point.backend)->sample_aloud(point);
    if (!sample.image.empty()) {
        constexpr float kWhite = 4; // the most that a pixel can be
        write_png(path, sample.image, point.nx, 0, kWhite);
        out << fmt::format("{}: {} x {} pixels by {}, blocks of {}\n", path, point.nx, point.ny, point.strategy,
                           name_of(point.shape));
    }
    if (sample.status != Status::ok) {
        err << fmt::format("nestbed: {}: {}\n", name_of(sample.status), sample.detail);
        return exit_rows_bad;
    }
    return exit_ok;
}

int dispatch(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err)
{
    const std::string command = arguments.empty() ? "--help" : arguments.front();
    const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
    if (command == "run")
        return run(rest, out, err);
    if (command == "list")
        return list(rest, out);
    if (command == "info")
        return info(rest, out);
    if (command == "hello")
        return hello(rest, out, err);
    if (command == "blobs")
        return blobs(rest, out, err);
    if (command == "--help" || command == "-h" || command == "help") {
        out << kHelp;
        return exit_ok;
    }
    if (command == "--version") {
        out << fmt::format("nestbed {} ({})\n", kVersion, kGit);
        return exit_ok;
    }
    constexpr std::array<std::string_view, 7> kCommands{"run",   "list",   "info",     "hello",
                                                        "blobs", "--help", "--version"};
    throw UsageError(fmt::format("there is no command '{}'{}; allowed: {}", command, did_you_mean(command, kCommands),
                                 fmt::join(kCommands, ", ")));
}

} // namespace

int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err)
{
    try {
        return dispatch(arguments, out, err);
    } catch (const UsageError& error) {
        err << "nestbed: " << error.what() << '\n';
        return exit_usage;
    } catch (const std::exception& error) {
        err << "nestbed: " << error.what() << '\n';
        return exit_could_not;
    }
}

} // namespace nestbed
