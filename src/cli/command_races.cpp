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

// Where nothing else is said: the order is looked at, not the time.
constexpr std::array<std::pair<const char*, const char*>, 5> kSmall{
    {{"grid", "4"}, {"block", "64"}, {"depth", "8"}, {"nx", "70"}, {"ny", "50"}}};

// The program whose kernels' accesses are seen, beside this one. It has the same command.
int call_watching_program(const Arguments& arguments, std::ostream& out)
{
    namespace fs = std::filesystem;
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "nestbed_races";
    if (!fs::exists(program))
        throw RunError(fmt::format(
            "{} is not there, which watches the accesses of kernels; cmake --build {} --target nestbed_races "
            "makes it, with GCC and elfutils (libdw-dev)",
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

// Of a case: what is printed, and whether it is as expected.
bool look(Session& session, const Case& point, bool expect_race, bool as_json, std::ostream& out, std::ostream& err)
{
    const Races races = session.races(point, 0);
    if (as_json)
        out << races_json(point, races).dump() << "\n";
    const Status status = races.sample.status;
    if (status != Status::ok && status != Status::wrong) {
        err << fmt::format("nestbed: {}: {}\n", heading(point), why_not_ok(races.sample));
        return status == Status::unsupported;
    }
    if (!as_json)
        out << folded(heading(point), 0) << races_text(races);
    return races.races.empty() != expect_race;
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
    // What is about times, and what is the executor's.
    std::erase_if(settings, [](const Option& option) {
        return option.name == "backend" || option.name == "submit" || option.name == "l2" || option.name == "graphs";
    });
    return {.name = "races",
            .arguments = "[EXPERIMENT.cfg] [options]",
            .summary = "find accesses of kernels that no rule of CUDA orders",
            .text = "Runs each case once on the executor, sees every access of its kernels to memory,\n"
                    "and prints the pairs that nothing orders: on a GPU their order can differ from\n"
                    "run to run. Small cases suffice. The exit code is 3 if there is a race, else 0.\n",
            .files = "cfg",
            .operands = 1,
            .options = {{.name = "json", .value = "", .help = "one JSON object per case, in a line of its own"}},
            .settings = std::move(settings),
            .call = races};
}

} // namespace nestbed
