#include "commands/watched_case.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/standard_streams.hpp"
#include "base/text.hpp"
#include "device/cpu/interruptible.hpp"
#include "device/cpu/observer.hpp"
#include "inspect/race_text.hpp"
#include "model/case_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <ostream>
#include <string_view>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace nestbed
{

std::string heading(const Case& point)
{
    std::string text;
    for (const auto& [key, value] : settings_of(point))
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value);
    return text;
}

void print_races(const WatchedCase& watched, const Races& races)
{
    if (watched.as_json)
        watched.out << json_text(races_json(watched.point, races)) << "\n";
    else if (races.sample.status != Status::unsupported)
        watched.out << folded(heading(watched.point), 0) << races_text(races);
}

namespace
{

constinit const WatchedCase* running = nullptr; // for the handler of a signal

void report_unfinished()
{
    StandardOutputToError::end();
    try {
        const std::string last = cpu::interruptible->last_access();
        Races races = cpu::observer->end();
        races.sample = {.status = Status::timeout,
                        .detail = fmt::format("no end within {}{}", duration_text(running->timeout),
                                              last.empty() ? "" : "; last access: " + last)};
        print_races(*running, races);
        running->err << fmt::format("nestbed: {}: {}\nnestbed: a kernel may wait for what never comes; --timeout S "
                                    "gives a case more time; the "
                                    "cases after this one were not run\n",
                                    heading(running->point), why_not_ok(races.sample));
        running->out.flush();
        running->err.flush();
    } catch (const std::exception& error) {
        running->err << fmt::format("nestbed: {}: {}\n", heading(running->point), error.what()) << std::flush;
    }
    _exit(exit_rows_bad);
}

void time_is_up(int /*signal*/)
{
    static constinit bool asked = false;
    if (!std::exchange(asked, true))
        return cpu::interruptible->interrupt(report_unfinished);
    constexpr std::string_view kText = "nestbed: the kernels do not end, and what was found so far is lost\n";
    static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
    _exit(exit_rows_bad);
}

void set_alarm(std::chrono::seconds after)
{
    constexpr std::chrono::seconds kForReport{10};
    const itimerval timer{.it_interval = {.tv_sec = kForReport.count(), .tv_usec = 0},
                          .it_value = {.tv_sec = after.count(), .tv_usec = 0}};
    setitimer(ITIMER_REAL, &timer, nullptr);
}

} // namespace

TimeLimit::TimeLimit(const WatchedCase& watched)
{
    running = &watched;
    struct sigaction action {
    };
    action.sa_handler = time_is_up;
    action.sa_flags = SA_NODEFER | SA_RESTART; // also while it reports
    sigaction(SIGALRM, &action, nullptr);
    set_alarm(std::chrono::duration_cast<std::chrono::seconds>(watched.timeout));
}

TimeLimit::~TimeLimit()
{
    set_alarm(std::chrono::seconds(0));
}

} // namespace nestbed
