#include "cli/watched_case.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/last_report.hpp"
#include "base/standard_streams.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "device/cpu/guarded_memory.hpp"
#include "device/cpu/interruptible.hpp"
#include "device/cpu/observer.hpp"
#include "device/cpu/thread.hpp"
#include "inspect/race_text.hpp"
#include "model/case_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <csignal>
#include <ostream>
#include <string_view>
#include <sys/time.h>
#include <unistd.h>

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
    else if (races.sample.status != Status::unsupported) {
        const std::string text = folded(heading(watched.point), 0) + races_text(races);
        watched.out << (terminal_of(STDOUT_FILENO).colour ? in_colours(text) : text);
    }
}

namespace
{

// Why a report is written before the end of the case.
enum class ReportCause : std::uint8_t { none, timeout, crash };
std::atomic<ReportCause> cause = ReportCause::none;

constinit std::atomic<const WatchedCase*> running =
    nullptr; // for the handlers of signals, and the thread that reports
constinit int crash_signal = 0;
constinit const void* crash_address = nullptr;
constinit cpu::ThreadContext* crashed_thread = nullptr;

std::string and_last_access(const std::string& text)
{
    const std::string last = cpu::interruptible->last_access();
    return last.empty() ? text : text + "; last access: " + last;
}

std::string why_not_ended()
{
    if (cause == ReportCause::timeout)
        return and_last_access("no end within " + duration_text(running.load()->timeout));
    if (crash_signal == SIGFPE)
        return and_last_access("an integer was divided by zero");
    cpu::current_thread = crashed_thread; // the access is its
    std::string text = cpu::interruptible->access_without_memory(crash_address);
    cpu::current_thread = nullptr;
    return text;
}

// Prints what was found so far and why the case has not ended, and ends the process.
void report_and_end()
{
    const WatchedCase& watched = *running;
    const bool is_late = cause == ReportCause::timeout;
    StandardOutputToError::end();
    try {
        cpu::interruptible->stop();
        const Sample sample{.status = is_late ? Status::timeout : Status::crashed, .detail = why_not_ended()};
        Races races = cpu::observer->end();
        races.sample = sample;
        print_races(watched, races);
        watched.out.flush();
        watched.err << fmt::format("nestbed: {}: {}\nnestbed: {}; the cases after this one were not run\n",
                                   heading(watched.point), why_not_ok(races.sample),
                                   is_late
                                       ? "a kernel may wait for what never comes; --timeout S gives a case more time"
                                       : "the run failed, so that there may be more races than those in what ran");
        watched.err.flush();
    } catch (const std::exception& error) {
        watched.err << fmt::format("nestbed: {}: {}\n", heading(watched.point), error.what()) << std::flush;
    }
    _exit(exit_rows_bad);
}

void report_is_late(int /*signal*/)
{
    constexpr std::string_view kText =
        "nestbed: what was found so far could not be reported in time, and is not complete\n";
    static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
    _exit(exit_rows_bad);
}

// Returns whether it is the first.
bool ask_for_report(ReportCause why)
{
    ReportCause none = ReportCause::none;
    if (!cause.compare_exchange_strong(none, why))
        return false;
    last_report::ask();
    return true;
}

// The guards of memory have a handler of SIGSEGV too; whichever of both was made last is called first.
void has_crashed(int signal, siginfo_t* info, void* /*context*/)
{
    if (signal == SIGSEGV && cpu::opens_guard(info->si_addr))
        return; // the access is done again
    if (last_report::is_this_thread())
        return report_is_late(signal);
    if (running == nullptr)
        return static_cast<void>(std::signal(signal, SIG_DFL)); // it happens again, and ends the process
    if (cause == ReportCause::none) {
        crash_signal = signal;
        crash_address = info->si_addr;
        crashed_thread = cpu::current_thread;
    }
    ask_for_report(ReportCause::crash);
    last_report::wait(); // for the end of the process
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
    if (running != nullptr)
        ask_for_report(ReportCause::timeout);
}

void set_alarm(std::chrono::seconds after)
{
    const itimerval timer{.it_interval = {}, .it_value = {.tv_sec = after.count(), .tv_usec = 0}};
    setitimer(ITIMER_REAL, &timer, nullptr);
}

} // namespace

TimeLimit::TimeLimit(const WatchedCase& watched)
{
    static const bool has_thread = [] {
        last_report::prepare(report_and_end, report_is_late);
        return true;
    }();
    static_cast<void>(has_thread);
    running = &watched;
    handle_crashes();
    struct sigaction action {
    };
    action.sa_handler = time_is_up;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    set_alarm(std::chrono::duration_cast<std::chrono::seconds>(watched.timeout));
}

TimeLimit::~TimeLimit()
{
    while (cause != ReportCause::none)
        pause(); // the report needs the case, and ends the process
    set_alarm(std::chrono::seconds(0));
    running = nullptr;
}

} // namespace nestbed
