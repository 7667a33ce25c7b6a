#include "base/build_line.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/finding_options.hpp"
#include "cli/help.hpp"
#include "cli/program_request.hpp"
#include "cli/run_options.hpp"
#include "cli/sass_check.hpp"
#include "cli/watched_case.hpp"
#include "device/backends.hpp"
#include "device/cpu/observer.hpp"
#include "model/modules.hpp"
#include "plan/axis.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

// The defaults of this command. They are small, because it looks at the order of accesses, not at times.
constexpr std::array<std::pair<const char*, const char*>, 5> kSmall{
    {{"grid", "4"}, {"block", "64"}, {"depth", "8"}, {"nx", "70"}, {"ny", "50"}}};

// Calls the program that records the memory accesses of kernels. It is beside this one and has the same command.
int call_watching_program(const Arguments& arguments, std::ostream& out)
{
    namespace fs = std::filesystem;
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "nestbed_races";
    if (!fs::exists(program))
        throw RunError(fmt::format("{} does not exist; it records the memory accesses of kernels; to build it, by "
                                   "GCC (CXX=g++) and with elfutils (libdw-dev): {}",
                                   program.string(), build_line(program.parent_path())));
    Arguments words{program.string(), "races"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    out.flush();
    const HeldSignals signals;
    const ProgramEnd end = run_child({.arguments = words}, signals);
    if (end.signal != 0)
        throw RunError(fmt::format("{}: {}", program.string(), end.text()));
    return end.exit_code;
}

// What a wrong answer without a race may come from.
std::string_view why_wrong(const std::vector<BadAccess>& bad)
{
    if (bad.empty())
        return "; the answer is wrong without a race: the kernel computes something else";
    const auto is = [&](BadAccess::Kind kind) { return std::ranges::find(bad, kind, &BadAccess::kind) != bad.end(); };
    using enum BadAccess::Kind;
    return is(out_of_bounds)   ? "; the answer is wrong, and an access was out of bounds"
           : is(uninitialized) ? "; the answer is wrong, and a read was of memory that nothing has written"
                               : "; the answer is wrong, and there were bad accesses";
}

// Prints the races of a case. Returns whether the result is as expected.
bool is_as_expected(RaceDetection& detector, const WatchedCase& now, bool expect_race, bool strict)
{
    Races races = [&] {
        const TimeLimit limit(now);
        return detector.races(now.point, 0);
    }();
    if (strict)
        races.take_warnings_for_errors();
    print_races(now, races);
    const Status status = races.sample.status;
    const bool found = !races.races.empty();
    const bool bad = !races.bad_accesses.empty(); // no case may have those
    const auto say = [&](std::string_view more) {
        now.err << fmt::format("nestbed: {}: {}{}\n", heading(now.point), why_not_ok(races.sample), more);
    };
    switch (status) {
    case Status::ok:
        if (!races.incomplete.empty())
            return now.err << fmt::format("nestbed: {}: {}\n", heading(now.point), races.incomplete), false;
        return found == expect_race && !bad;
    case Status::wrong:
        if (found)
            return expect_race && !bad;
        say(why_wrong(races.bad_accesses));
        return false;
    case Status::unsupported:
        say(expect_race ? "; the case did not run, and a race was expected" : "");
        return !expect_race;
    case Status::count_mismatch:
        say("");
        return false;
    default:
        say(bad ? "; the report has the lines of such accesses; the run failed, so that there may be more races than "
                  "those in what ran"
                : "; the run failed, so that there may be more races than those in what ran");
        return false;
    }
}

// A new process that goes on as this one does, and ends with it: 0 in it. What was printed is not printed by both.
pid_t new_process(std::ostream& out, std::ostream& err)
{
    out.flush();
    err.flush();
    const pid_t process = fork();
    if (process < 0)
        throw RunError(fmt::format("a process for a case could not be started: {}", std::strerror(errno)));
    if (process == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return process;
}

// Options that the strategies' cases do not have.
constexpr std::array<std::string_view, 5> kForPrograms{"suppressions", "zero-memory", "sarif", "baseline",
                                                       "overwrite"};

// A file that is neither an experiment nor CUDA code, such as hello.txt, would give an error about its first line.
void check_experiment(const std::string& path)
{
    if (!path.ends_with(".cfg") && std::filesystem::path(path).has_extension())
        throw UsageError(
            fmt::format("races: {} is neither an experiment nor a CUDA file; allowed: FILE.cfg, or FILE.cu, .cuh, "
                        ".cpp, .cc, .cxx",
                        path));
}

// The races of nestbed's own strategies.
int races_of_cases(const Arguments& arguments, const Given& given, std::ostream& out, std::ostream& err)
{
    if (given.contains("sass"))
        return check_sass(given, out);
    if (given.contains("report"))
        return report_findings(given, err);
    for (const std::string_view name : kForPrograms)
        if (given.contains(std::string(name)))
            throw UsageError(
                fmt::format("--{} is for a user's program; allowed: nestbed races FILE.cu --{} …", name, name));
    const std::vector<std::string>& files = given.at("argument");
    if (!files.empty())
        check_experiment(files.front());
    if (cpu::observer == nullptr)
        return call_watching_program(arguments, out);
    Settings settings;
    if (!files.empty())
        settings.read_file(files.front());
    set_from(settings, given);
    for (const auto& [key, value] : kSmall)
        if (settings.of(key).empty() && !(key == std::string_view("grid") && !settings.of("elements").empty()))
            settings.set(key, {value}); // elements decide the grid
    settings.set("backend", {"cpu"});
    settings.set("workers", {"1"});
    const std::chrono::milliseconds timeout = timeout_of(settings, BackendKind::cpu);
    const LocalSessions sessions = open_sessions(settings, why_not_cuda, open_session, {.untimed = true});
    const Plan plan = make_plan(settings, facts_of(sessions));
    refuse_programs(plan, "races", "nestbed races my.cu");
    bool as_expected = true;
    bool first = true;
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases) {
            if (!given.contains("json") && !std::exchange(first, false))
                out << "\n";
            const WatchedCase now{point, timeout, given.contains("json"), out, err};
            const auto is_this_as_expected = [&] {
                return is_as_expected(*sessions.at(point.backend), now, plan.expect_race, given.contains("strict"));
            };
            if (&out != &std::cout) { // a test wants the texts
                as_expected = is_this_as_expected() && as_expected;
                continue;
            }
            const pid_t process = new_process(out, err); // what ends one case leaves the others
            if (process == 0)
                return is_this_as_expected() ? exit_ok : exit_rows_bad;
            const ProgramEnd end = end_of(process);
            if (end.signal != 0) {
                Races races;
                races.sample = {.status = Status::crashed, .detail = end.text()};
                if (now.as_json)
                    print_races(now, races);
                err << fmt::format("nestbed: {}: {}; the report of this case is lost\n", heading(point),
                                   why_not_ok(races.sample));
            } else if (!end.good() && end.exit_code != exit_rows_bad) {
                return end.exit_code;
            }
            as_expected = as_expected && end.good();
        }
    return as_expected ? exit_ok : exit_rows_bad;
}

// What a program that was watched has reported. Null if it wrote nothing, or was ended while it did.
Json read_report(const std::filesystem::path& report)
{
    if (!std::filesystem::exists(report))
        return {};
    Json json = parsed_json(read_text_file(report.string()));
    return json.is_discarded() ? Json() : json;
}

bool has_findings(const Json& report)
{
    return !report.at("races").empty() || !report.at("bad_accesses").empty();
}

int races_of_program(const Arguments& arguments, const Given& /*given*/, std::ostream& out, std::ostream& err)
{
    const Command command = races_command();
    const ProgramRequest request = read_request(command, arguments);
    if (request.given.contains("sass"))
        throw UsageError("--sass does not go with a program; allowed: nestbed races --sass FILE [--strict]");
    if (request.given.contains("report"))
        throw UsageError(std::string(kReportUsage));
    const HeldSignals signals;
    if (!request.has_source) {
        if (!request.nvcc.empty())
            throw UsageError(
                fmt::format("races: '{}' is not a CUDA file; allowed: {}", request.nvcc.front(), usage_of(command)));
        if (!request.given.empty() && !(request.given.size() == 1 && request.given.contains("argument")))
            throw UsageError("races: options are for `nestbed races my.cu`; a program that `nestbed races -- make` "
                             "builds takes them "
                             "from its environment: nestbed help nvcc");
        return run_build(request.after.value_or(Arguments{}), true, signals, err);
    }
    const bool as_json = request.given.contains("json");
    const FindingOptions options(request.given);
    std::map<std::string, std::string> environment = program_environment(request.given);
    const std::chrono::milliseconds timeout = program_timeout(request.given);
    const TemporaryFolder folder;
    const std::filesystem::path report = folder.path() / "report.json";
    environment["NESTBED_REPORT"] = report.string();
    const std::filesystem::path path = build_program(request, true, folder, signals, out, err);
    if (path.empty())
        return exit_could_not;
    out.flush();
    const ProgramEnd end = run_program_of_user(path, request.after.value_or(Arguments{}), environment, timeout,
                                               signals, as_json ? STDERR_FILENO : STDOUT_FILENO);
    const Json found = read_report(report);
    if (as_json && !found.is_null())
        out << json_text(found) << "\n";
    const std::string name = path.filename().string();
    std::string problem;
    if (end.timed_out)
        problem = fmt::format("{} did not end within {} and was ended; --timeout S gives it more time", name,
                              duration_text(timeout));
    else if (end.signal != 0)
        problem = fmt::format("{}: {}", name, end.text());
    else if (found.is_null())
        problem = fmt::format("{} ended without its report ({}): it ended by _exit() or abort(), or before main()",
                              name, end.text());
    if (!problem.empty())
        err << "nestbed: " << problem << "\n";
    const bool is_searched = !found.is_null() && found.contains("races"); // else the detector has said why
    const int code = !problem.empty()                           ? exit_rows_bad
                     : !is_searched && end.exit_code == exit_ok ? exit_could_not
                     : is_searched && has_findings(found)       ? exit_rows_bad
                                                                : end.exit_code;
    if (!is_searched && problem.empty())
        problem = name + " was not searched for races";
    return options.report(found, problem, code, err);
}

} // namespace

Command races_command()
{
    Options settings = axis_options(Values::several);
    for (Option& option : settings)
        for (const auto& [name, value] : kSmall)
            if (option.name == name)
                option.default_text = value;
    const Options others = key_options(
        Values::several, {{"schedule"}, {"expect", "ok", "ok: no case has a race; race: every case has one"}});
    settings.insert(settings.end(), others.begin(), others.end());
    // Remove the options for times and for the backend.
    std::erase_if(settings, [](const Option& option) {
        return option.name == "backend" || option.name == "submit" || option.name == "l2" || option.name == "graphs";
    });
    Options options{
        {.name = "json", .value = "", .help = "print JSON: of cases one object per line; of a program its report"},
        {.name = "sass",
         .value = "FILE",
         .help = "run nothing: loads before griddepcontrol.wait in what nvcc built, or in what `cuobjdump -sass` "
                 "printed; with --strict the exit code is 3 if there is one"}};
    std::ranges::move(finding_options(), std::back_inserter(options));
    Options more = program_options({"timeout", "suppressions", "strict", "zero-memory"});
    more.front().help = "end the program (0: never) or a case after S seconds";
    more.front().default_text += "; a case: 600";
    options.insert(options.end(), more.begin(), more.end());
    return {.name = "races",
            .arguments = "[EXPERIMENT.cfg] [options] | FILE.cu... [options] [-- ARGUMENT...] | -- COMMAND...",
            .summary = "find memory accesses of kernels that CUDA does not order",
            .text = "Runs each case once on the executor, records every memory access of its kernels\n"
                    "and prints the pairs that nothing orders: on a GPU their order can differ from\n"
                    "run to run. Small cases suffice: where no size is given, they are smaller than\n"
                    "those of nestbed run (the defaults of --grid, --block, --depth, --nx and --ny\n"
                    "below). The exit code is 0 if every case ran and has no race (with --expect\n"
                    "race: has a race) and no other error, else 3.\n"
                    "\n"
                    "A CUDA program of yours is built and run, as it is, with nvcc's options:\n"
                    "\n"
                    "  nestbed races my.cu -Iinclude --schedule eager -- 1000\n"
                    "\n"
                    "Its races have its lines. The exit code is 3 if there are any (with --baseline:\n"
                    "new ones), else the program's own. Comments `// nestbed: benign REASON` mark\n"
                    "races that are meant. Of the settings, --schedule and --pending-limit apply.\n"
                    "After -- alone stands a command that builds a program; the program then prints\n"
                    "its races when it runs:\n"
                    "\n"
                    "  nestbed races -- make && NESTBED_REPORT=my.json ./my\n"
                    "  nestbed races --report my.json --sarif my.sarif --baseline old.json\n",
            .files = "cfg",
            .operands = 1,
            .options = std::move(options),
            .settings = std::move(settings),
            .call = races_of_cases,
            .of_program = [] {
                Command command = races_command();
                command.raw = true;
                command.call = races_of_program;
                return command;
            }};
}

} // namespace nestbed
