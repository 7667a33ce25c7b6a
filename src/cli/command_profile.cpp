#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/subprocess.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "device/backends.hpp"
#include "inspect/profile.hpp"
#include "plan/axis.hpp"
#include "plan/plan.hpp"
#include "run/progress.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
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

// Prints the commands as lines for a shell.
void print_commands(const NcuCommands& commands, const std::string& stem, std::ostream& out)
{
    out << shell_text(commands.collect) << '\n'
        << shell_text(commands.source) << " > " << shell_text({stem + kSourceEnding}) << '\n'
        << shell_text(commands.raw) << " > " << shell_text({stem + kRawEnding}) << '\n';
}

// Prints the table. Returns an exit code.
int show(const std::vector<Profiled>& cases, const std::string& csv, std::ostream& out)
{
    if (csv == "-") {
        out << profile_csv(cases);
    } else {
        if (!csv.empty())
            write_new_file(csv, profile_csv(cases), "the CSV", "--csv");
        out << printable(profile_text(cases));
    }
    return std::ranges::all_of(cases, [](const Profiled& one) { return one.detail.empty(); }) ? exit_ok
                                                                                              : exit_rows_bad;
}

int profile_experiment(const Given& given, const std::string& csv, std::ostream& out, std::ostream& err)
{
    const bool print = given.contains("print");
    const Settings settings = profile_settings(given);
    const Plan plan = make_plan(settings, {{BackendKind::cuda, device_facts(settings, print, err)}});
    refuse_programs(plan, "profile", "nestbed profile -- ./my");
    const ProfileOptions how{.ncu = ncu_path(given, print),
                             .nestbed = fs::read_symlink("/proc/self/exe").string(),
                             .experiment = plan.experiment,
                             .timeout = timeout_of(given),
                             .keep_reports = given.contains("keep-reports")};
    const std::string folder = only_value(given, "output", fmt::format("results/local/profile-{}", plan.experiment));
    std::vector<Case> cases;
    std::vector<std::string> stems;
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases) {
            cases.push_back(point);
            stems.push_back(stem_of(folder, cases.size(), point));
            if (!print)
                check_new_stem(stems.back());
        }
    if (print) {
        out << shell_text({"mkdir", "-p", folder}) << '\n';
        for (std::size_t index = 0; index < cases.size(); ++index)
            if (const std::string why = why_not_counted(cases[index]); why.empty())
                print_commands(profile_commands(cases[index], stems[index], how), stems[index], out);
            else
                out << fmt::format("# {}: not run: {}\n", stems[index], why);
        out << shell_text({how.nestbed, "profile", folder}) << '\n';
        return exit_ok;
    }
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_directory(folder))
        throw UsageError(fmt::format("--output {}: the folder could not be made: {}", folder,
                                     error ? error.message() : "a file is there"));
    std::vector<Profiled> results;
    {
        ProgressReport line(err, isatty(STDERR_FILENO) == 1);
        for (std::size_t index = 0; index < cases.size(); ++index) {
            line.show({.done = index, .all = cases.size(), .present = &cases[index]});
            results.push_back(profile_case(cases[index], stems[index], how));
        }
    }
    const int code = show(results, csv, out);
    if (csv != "-")
        out << fmt::format("files: {}\n", folder);
    return code;
}

// Runs a program of the user's under Nsight Compute and prints its launches. Returns the exit code of the program.
int profile_program(Arguments words, const Given& given, std::ostream& out, std::ostream& err)
{
    for (const auto& [option, values] : given)
        if (option == "argument" ? !values.empty() : option != "ncu" && option != "print")
            throw UsageError(fmt::format("profile: {} is for experiments; allowed before -- PROGRAM: --ncu, --print",
                                         option == "argument" ? fmt::format("'{}'", values.front()) : "--" + option));
    if (words.empty())
        throw UsageError("profile: no program was given after --; allowed: nestbed profile -- ./my");
    const std::string name = words.front();
    words.front() = find_program(name);
    if (words.front().empty())
        throw UsageError(fmt::format("profile: there is no program '{}'", name));
    const std::string ncu = ncu_path(given, given.contains("print"));
    const auto commands_at = [&](const std::string& stem) {
        return ncu_commands(ncu, stem, {"--target-processes", "all", "--log-file", stem + kLogEnding}, words);
    };
    if (given.contains("print")) {
        print_commands(commands_at("my"), "my", out);
        return exit_ok;
    }
    const HeldSignals signals; // until the folder has been removed
    const TemporaryFolder folder;
    const std::string stem = (folder.path() / "my").string();
    const NcuCommands commands = commands_at(stem);
    out.flush();
    const ProgramEnd end = run_child({.arguments = commands.collect, .own_group = false}, signals);
    const auto refuse = [&](const std::string& path) {
        const std::string reason = ncu_reason(path);
        throw RunError(fmt::format("ncu counted no launch of {}: {}", name,
                                   reason.empty() ? "it wrote no report" : printable(reason)));
    };
    if (!fs::exists(stem + kReportEnding))
        refuse(stem + kLogEnding);
    for (const auto& [command, page] : {std::pair{commands.source, kSourceEnding}, {commands.raw, kRawEnding}})
        if (!run_program(command, {stem + page, stem + page}, std::chrono::seconds(kMaxTimeout)).good())
            refuse(stem + page);
    out << printable(ncu_text(read_ncu_pages(stem + kSourceEnding, stem + kRawEnding)));
    if (end.good())
        return exit_ok;
    err << fmt::format("nestbed: {}: {}\n", name, end.text());
    return end.signal != 0 ? exit_could_not : end.exit_code;
}

// With "--" a program of the user's is profiled; with a folder, its tables are printed again; else an experiment is profiled.
int profile(const Arguments& arguments, const Given& /*given*/, std::ostream& out, std::ostream& err)
{
    const Command command = profile_command();
    const SplitArguments split = split_at_dashes(arguments);
    const Given given = parse_arguments(split.before, options_of(command), command.operands, usage_of(command));
    if (split.after)
        return profile_program(*split.after, given, out, err);
    const std::string csv = only_value(given, "csv", "", "a file's name");
    if (!csv.empty() && csv != "-")
        check_new_file(csv, "--csv");
    const std::vector<std::string>& named = given.at("argument");
    if (named.empty() || !fs::is_directory(named.front())) {
        if (named.size() > 1)
            throw UsageError(fmt::format("'{}' was not expected; allowed: one experiment, or folders", named[1]));
        return profile_experiment(given, csv, out, err);
    }
    for (const auto& [option, values] : given)
        if (option != "argument" && option != "csv")
            throw UsageError(fmt::format("profile {}: --{} is for experiments; allowed with folders: --csv",
                                         named.front(), option));
    std::vector<Profiled> cases;
    for (const std::string& folder : named)
        std::ranges::move(read_profile(folder), std::back_inserter(cases));
    return show(cases, csv, out);
}

} // namespace

Command profile_command()
{
    return {
        .name = "profile",
        .arguments = "[EXPERIMENT.cfg] [options] | FOLDER... [--csv FILE] | -- PROGRAM [ARGUMENT...]",
        .summary = "count launches with Nsight Compute",
        .text = "Runs each case once under Nsight Compute, untimed, and prints the device\n"
                "launches that it counted beside those of the closed form and of the ledger.\n"
                "For FOLDERs that it wrote it prints the table again; that needs no GPU.\n"
                "\n"
                "With -- PROGRAM it runs any CUDA program, as it is, and prints for each kernel\n"
                "that the host launched how many launches its grids and their descendants made,\n"
                "refused ones included:\n"
                "\n"
                "  nestbed profile -- ./my 1000\n",
        .files = "cfg",
        .operands = SIZE_MAX,
        .options = {{.name = "output",
                     .value = "FOLDER",
                     .help = "the folder for its files",
                     .default_text = "results/local/profile-EXPERIMENT",
                     .letter = 'o'},
                    {.name = "csv", .value = "FILE", .help = "write all columns to a new CSV; - prints them"},
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

} // namespace nestbed
