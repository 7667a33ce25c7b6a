#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "device/backends.hpp"
#include "device/cpu/observer.hpp"
#include "inspect/race_text.hpp"
#include "model/case_text.hpp"
#include "plan/axis.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <unistd.h>

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
        throw RunError(fmt::format(
            "{} does not exist; it records the memory accesses of kernels; to build it, with GCC and elfutils "
            "(libdw-dev): cmake --build {} --target nestbed_races",
            program.string(), program.parent_path().string()));
    Arguments words{program.string(), "races"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    out.flush();
    sigset_t mask;
    sigemptyset(&mask);
    const ProgramEnd end = end_of(start_program(words, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}, mask));
    if (end.signal != 0)
        throw RunError(fmt::format("{}: {}", program.string(), end.text()));
    return end.exit_code;
}

std::string heading(const Case& point)
{
    std::string text;
    for (const auto& [key, value] : settings_of(point))
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value);
    return text;
}

// Prints the races of a case. Returns whether the result is as expected.
bool look(Session& session, const Case& point, bool expect_race, bool as_json, std::ostream& out, std::ostream& err)
{
    const Races races = session.races(point, 0);
    if (as_json)
        out << races_json(point, races).dump() << "\n";
    const Status status = races.sample.status;
    if (!as_json && status != Status::unsupported)
        out << folded(heading(point), 0) << races_text(races);
    const bool found = !races.races.empty();
    const auto say = [&](std::string_view more) {
        err << fmt::format("nestbed: {}: {}{}\n", heading(point), why_not_ok(races.sample), more);
    };
    switch (status) {
    case Status::ok:
        return found == expect_race;
    case Status::wrong:
        if (found)
            return expect_race;
        say("; the answer is wrong without a race: the kernel computes something else");
        return false;
    case Status::unsupported:
        say(expect_race ? "; the case did not run, and a race was expected" : "");
        return !expect_race;
    case Status::count_mismatch:
        say("");
        return false;
    default:
        say("; the run failed, so that there may be more races than those in what ran");
        return false;
    }
}

int races(const Arguments& arguments, const Given& given, std::ostream& out, std::ostream& err)
{
    if (cpu::observer == nullptr)
        return call_watching_program(arguments, out);
    Settings settings;
    if (const auto& files = given.at("argument"); !files.empty())
        settings.read_file(files.front());
    set_from(settings, given);
    for (const auto& [key, value] : kSmall)
        if (settings.of(key).empty())
            settings.set(key, {value});
    settings.set("backend", {"cpu"});
    settings.set("workers", {"1"});
    const Sessions sessions = open_sessions(settings, why_not_cuda, open_session, {.untimed = true});
    const Plan plan = make_plan(settings, facts_of(sessions));
    bool as_expected = true;
    bool first = true;
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases) {
            if (!given.contains("json") && !std::exchange(first, false))
                out << "\n";
            as_expected =
                look(*sessions.at(point.backend), point, plan.expect_race, given.contains("json"), out, err) &&
                as_expected;
        }
    return as_expected ? exit_ok : exit_rows_bad;
}

} // namespace

Command races_command()
{
    Options settings = axis_options(Values::several);
    for (Option& option : settings)
        for (const auto& [name, value] : kSmall)
            if (option.name == name)
                option.otherwise = value;
    const Options others = key_options(
        Values::several, {{"schedule"}, {"expect", "ok", "ok: no case has a race; race: every case has one"}});
    settings.insert(settings.end(), others.begin(), others.end());
    // Remove the options for times and for the backend.
    std::erase_if(settings, [](const Option& option) {
        return option.name == "backend" || option.name == "submit" || option.name == "l2" || option.name == "graphs";
    });
    return {.name = "races",
            .arguments = "[EXPERIMENT.cfg] [options]",
            .summary = "find memory accesses of kernels that CUDA does not order",
            .text = "Runs each case once on the executor, records every memory access of its kernels\n"
                    "and prints the pairs that nothing orders: on a GPU their order can differ from\n"
                    "run to run. Small cases suffice. The exit code is 0 if every case ran and has no\n"
                    "race (with --expect race: has a race) and no other error, else 3.\n",
            .files = "cfg",
            .operands = 1,
            .options = {{.name = "json", .value = "", .help = "print one JSON object per line and case"}},
            .settings = std::move(settings),
            .call = races};
}

} // namespace nestbed
