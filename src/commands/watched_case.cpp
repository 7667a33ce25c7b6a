#include "commands/watched_case.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/standard_streams.hpp"
#include "base/text.hpp"
#include "device/cpu/guarded_memory.hpp"
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

// Prints what was found so far and why the case has not ended, and ends the process.
void report_and_end(Status status, std::string (*detail)(), std::string_view advice)
{
    StandardOutputToError::end();
    try {
        const Sample sample{.status = status, .detail = detail()};
        Races races = cpu::observer->end();
        races.sample = sample;
        print_races(*running, races);
        running->out.flush();
        running->err << fmt::format("nestbed: {}: {}\nnestbed: {}; the cases after this one were not run\n",
                                    heading(running->point), why_not_ok(races.sample), advice);
        running->err.flush();
    } catch (const std::exception& error) {
        running->err << fmt::format("nestbed: {}: {}\n", heading(running->point), error.what()) << std::flush;
    }
    _exit(exit_rows_bad);
}

std::string and_last_access(const std::string& text)
{
    const std::string last = cpu::interruptible->last_access();
    return last.empty() ? text : text + "; last access: " + last;
}

void report_unfinished()
{
    report_and_end(
        Status::timeout, [] { return and_last_access("no end within " + duration_text(running->timeout)); },
        "a kernel may wait for what never comes; --timeout S gives a case more time");
}

constinit int crash_signal = 0;
constinit const void* crash_address = nullptr;

void report_crash()
{
    report_and_end(
        Status::crashed,
        [] {
            return crash_signal == SIGFPE ? and_last_access("an integer was divided by zero")
                                          : cpu::interruptible->access_without_memory(crash_address);
        },
        "the run failed, so that there may be more races than those in what ran");
}

// The guards of memory have a handler of SIGSEGV too; whichever of both was made last is called first.
void has_crashed(int signal, siginfo_t* info, void* /*context*/)
{
    if (signal == SIGSEGV && cpu::opens_guard(info->si_addr))
        return; // the access is done again
    static_cast<void>(std::signal(signal, SIG_DFL));
    crash_signal = signal;
    crash_address = info->si_addr;
    if (running != nullptr)
        cpu::interruptible->interrupt(report_crash); // else it happens again, and ends the process
}

void handle_crashes()
{
    struct sigaction action {
    };
    action.sa_sigaction = has_crashed;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE})
        sigaction(signal, &action, nullptr);
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
    handle_crashes();
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
    running = nullptr;
}

} // namespace nestbed
