#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/help.hpp"
#include "commands/commands.hpp"
#include "commands/profile_program.hpp"
#include "device/backends.hpp"
#include "inspect/profile_run.hpp"
#include "inspect/reconcile_tables.hpp"
#include "model/strategy.hpp"
#include "plan/axis.hpp"
#include "plan/plan.hpp"
#include "run/progress.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <unistd.h>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;
constexpr std::uint64_t kDefaultTimeout = 300;
constexpr std::uint64_t kMaxTimeout = 86'400;

// Each case runs once, on the GPU. Settings in a file that concern a whole run apply only to `nestbed run`.
Settings profile_settings(const Given& given)
{
    Settings settings;
    if (const auto& files = given.at("argument"); !files.empty())
        settings.read_file(files.front());
    for (const char* key : {"repeat", "precision", "max-repeat", "warmup", "timeout", "retries", "expect", "schedule",
                            "workers", "backend"})
        settings.set(key, {});
    set_from(settings, given);
    settings.set("backend", {"cuda"});
    return settings;
}

// The facts of the GPU. To print commands without a GPU, the facts of the executor are sufficient.
DeviceFacts device_facts(const Settings& settings, bool print, std::ostream& err)
{
    const std::string reason = why_not(BackendKind::cuda);
    if (reason.empty())
        return facts_of(open_sessions(settings, why_not_cuda, open_session)).at(BackendKind::cuda);
    if (!print)
        throw RunError(fmt::format("nothing can be profiled: there is no usable GPU here ({}); allowed: --print, to "
                                   "see the commands",
                                   reason));
    err << fmt::format("nestbed: there is no usable GPU here ({}): planned with the limits of the CPU executor\n",
                       reason);
    return open_session(BackendKind::cpu, {})->facts();
}

std::vector<Case> cases_of(const Plan& plan)
{
    std::vector<Case> cases;
    for (const Group& group : plan.groups)
        cases.insert(cases.end(), group.cases.begin(), group.cases.end());
    return cases;
}

std::chrono::seconds timeout_of(const Given& given)
{
    const std::string text = only_value(given, "timeout", std::to_string(kDefaultTimeout), "a number");
    return std::chrono::seconds(parse_number({"timeout", text, "", 0, ""}, 1, kMaxTimeout));
}

// If ncu is not found, returns the name as given, which is sufficient for printing.
std::string ncu_path(const Given& given, bool print)
{
    const std::string name = only_value(given, "ncu", "ncu", "a program");
    const std::string path = find_program(name);
    if (!path.empty() || print)
        return path.empty() ? name : path;
    throw UsageError(
        given.contains("ncu")
            ? fmt::format("--ncu {}: it is not a program that can be run; allowed: the path of "
                          "Nsight Compute's ncu, or --print to see the commands",
                          name)
            : "ncu (Nsight Compute) was not found on the PATH; allowed: --ncu PATH, or --print to see the "
              "commands");
}

// Prints a script that runs the same commands.
void print_commands(const std::vector<Case>& cases, const ProfileOptions& options, std::ostream& out)
{
    const std::vector<std::string> stems = stems_of(cases, options.folder);
    out << shell_text({"mkdir", "-p", options.folder}) << '\n';
    for (std::size_t index = 0; index < cases.size(); ++index) {
        const Case& point = cases[index];
        const std::string& stem = stems[index];
        out << fmt::format("\n# {}\n", fs::path(stem).filename().string());
        if (launches_graphs(mechanism_of(Registry::find_anywhere(point.strategy)->info(), point))) {
            out << "# not run: " << kNoGraphLaunches << '\n';
            continue;
        }
        const ProfileCommands commands = profile_commands(point, options.experiment, stem, options.programs);
        out << shell_text(commands.collect) << '\n'
            << shell_text(commands.source) << " > " << shell_text({stem + kSourceEnding}) << '\n'
            << shell_text(commands.raw) << " > " << shell_text({stem + kRawEnding}) << '\n';
    }
    out << '\n' << shell_text({options.programs.nestbed, "reconcile", options.folder}) << '\n';
}

int verdict_of(const std::vector<Reconciled>& cases)
{
    const bool equal =
        std::ranges::all_of(cases, [](const Reconciled& one) { return one.verdict == Verdict::equal; });
    return equal ? exit_ok : exit_rows_bad;
}

int profile_experiment(const Given& given, std::ostream& out, std::ostream& err)
{
    const bool print = given.contains("print");
    const Settings settings = profile_settings(given);
    const Plan plan = make_plan(settings, {{BackendKind::cuda, device_facts(settings, print, err)}});
    const std::vector<Case> cases = cases_of(plan);
    const ProfileOptions how{
        .programs = {.ncu = ncu_path(given, print), .nestbed = fs::read_symlink("/proc/self/exe").string()},
        .experiment = plan.experiment,
        .folder = only_value(given, "output", fmt::format("results/local/profile-{}", plan.experiment)),
        .timeout = timeout_of(given),
        .keep_reports = given.contains("keep-reports")};
    if (print) {
        print_commands(cases, how, out);
        return exit_ok;
    }
    check_no_file_of(stems_of(cases, how.folder));
    std::error_code error;
    fs::create_directories(how.folder, error);
    if (error || !fs::is_directory(how.folder))
        throw UsageError(fmt::format("--output {}: the folder could not be made: {}", how.folder,
                                     error ? error.message() : "a file is there"));
    std::vector<Reconciled> results;
    {
        ProgressReport line(err, isatty(STDERR_FILENO) == 1);
        results = profile_cases(cases, how, [&](const Progress& progress) { line.show(progress); });
    }
    out << printable(reconcile_text(results)) << fmt::format("\nfiles: {}\n", how.folder);
    return verdict_of(results);
}

// With "--" a program of the user's is profiled, else an experiment.
int profile(const Arguments& arguments, const Given& /*given*/, std::ostream& out, std::ostream& err)
{
    const Command command = profile_command();
    const SplitArguments split = split_at_dashes(arguments);
    const Given given = parse_arguments(split.before, options_of(command), command.operands, usage_of(command));
    if (!split.after)
        return profile_experiment(given, out, err);
    for (const auto& [option, values] : given)
        if (option == "argument" ? !values.empty() : option != "ncu" && option != "print")
            throw UsageError(fmt::format("profile: {} is for experiments; allowed before -- PROGRAM: --ncu, --print",
                                         option == "argument" ? fmt::format("'{}'", values.front()) : "--" + option));
    return profile_program(*split.after, ncu_path(given, given.contains("print")), given.contains("print"), out, err);
}

std::string csv_text(const std::vector<Reconciled>& cases)
{
    std::string text = csv_line(reconcile_columns());
    for (const Reconciled& one : cases)
        text += csv_line(reconcile_cells(one));
    return text;
}

int reconcile(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    const std::string csv = only_value(given, "csv", "");
    if (given.at("argument").empty())
        throw UsageError(
            "nothing to reconcile was named; allowed: folders that nestbed profile wrote, ledgers of them");
    if (csv != "-")
        check_new_file(csv, "--csv");
    std::vector<Reconciled> cases;
    bool lost = false;
    for (const std::string& path : given.at("argument")) {
        for (const std::string& ledger : ledgers_in(path))
            cases.push_back(reconcile_files(ledger));
        for (const std::string& log : logs_without_ledger(path)) {
            err << fmt::format("nestbed: {}: this case wrote no ledger\n", printable(log));
            lost = true;
        }
    }
    const int verdict = lost ? exit_rows_bad : verdict_of(cases);
    if (csv == "-") {
        const std::string text = csv_text(cases);
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
            throw RunError(fmt::format("standard output: {}", std::strerror(errno)));
        return verdict;
    }
    if (!csv.empty())
        write_new_file(csv, csv_text(cases), "the CSV", "--csv");
    out << printable(reconcile_text(cases));
    return verdict;
}

} // namespace

Command profile_command()
{
    return {
        .name = "profile",
        .arguments = "[EXPERIMENT.cfg] [options] | -- PROGRAM [ARGUMENT...]",
        .summary = "count launches with Nsight Compute",
        .text = "Runs each case once under Nsight Compute, untimed, and prints the device\n"
                "launches that it counted beside those of the closed form and of the ledger.\n"
                "\n"
                "With -- PROGRAM it runs any CUDA program, as it is, and prints for each kernel\n"
                "that the host launched how many launches its grids and their descendants made,\n"
                "refused ones included:\n"
                "\n"
                "  nestbed profile -- ./my 1000\n",
        .files = "cfg",
        .operands = 1,
        .options = {{.name = "output",
                     .value = "FOLDER",
                     .help = "the folder for its files",
                     .default_text = "results/local/profile-EXPERIMENT",
                     .letter = 'o'},
                    {.name = "ncu", .value = "PATH", .help = "path of ncu (Nsight Compute)", .default_text = "ncu"},
                    {.name = "timeout",
                     .value = "SECONDS",
                     .help = "time limit for each run of ncu",
                     .default_text = std::to_string(kDefaultTimeout)},
                    {.name = "keep-reports", .value = "", .help = "keep the .ncu-rep files"},
                    {.name = "print", .value = "", .help = "print the commands and run nothing"}},
        .settings = axis_options(Values::several),
        .raw = true,
        .call = profile};
}

Command reconcile_command()
{
    return {.name = "reconcile",
            .arguments = "PATH... [--csv FILE]",
            .summary = "compare launch counts in files that profile wrote",
            .text = "PATH is a folder that `nestbed profile` wrote, or one of its ledgers, X.csv,\n"
                    "beside X.source.csv and X.raw.csv. Needs neither a GPU nor Nsight Compute.\n",
            .files = "csv",
            .operands = SIZE_MAX,
            .options = {{.name = "csv",
                         .value = "FILE",
                         .help = "write all columns to a new CSV; - for standard output, without the tables"}},
            .call = [](const Arguments& arguments, const Given& given, std::ostream& out, std::ostream& err) {
                return reconcile(arguments, given, out, err); // there are others of this name
            }};
}

} // namespace nestbed
