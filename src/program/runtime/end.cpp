// The end of a program: table, warning, races, launch tree, timeline and JSON.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/last_report.hpp"
#include "base/reported_place.hpp"
#include "base/terminal.hpp"
#include "device/cpu/interruptible.hpp"
#include "device/cpu/observer.hpp"
#include "inspect/launch_summary.hpp"
#include "inspect/race_text.hpp"
#include "inspect/tree.hpp"
#include "program/runtime/late_work.hpp"
#include "program/runtime/program_trace.hpp"
#include "program/runtime/report_text.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/source_files.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <optional>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace nestbed::program
{

namespace
{

void write_file(const char* variable, const std::string& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush())
        say(fmt::format("{}='{}': the file could not be written: {}", variable, path, std::strerror(errno)));
}

// The file NESTBED_SUPPRESSIONS. Throws UsageError.
std::vector<Suppression> suppressions_of_user()
{
    const std::string& file = environment().suppressions_file;
    if (file.empty())
        return {};
    const std::optional<std::string> text = text_of_file(file);
    if (!text)
        throw UsageError(
            fmt::format("NESTBED_SUPPRESSIONS='{}': the file cannot be read: {}", file, std::strerror(errno)));
    return suppressions_in_file(reported_path(file), *text);
}

std::vector<Suppression> all_suppressions()
{
    std::vector<Suppression> all = suppressions_of_user();
    for (const std::string& file : source_files())
        if (const std::optional<std::string> text = text_of_file(file))
            for (Suppression& one : suppressions_in_source(reported_path(file), *text))
                all.push_back(std::move(one));
    return all;
}

std::string early_end; // why the program did not come to its end; empty: it did

// Why there may be more than what was found; empty: this is all.
std::string why_incomplete(const std::string& of_observer)
{
    std::string text = early_end;
    const auto add = [&text](const std::string& reason) { text += (text.empty() ? "" : "; ") + reason; };
    if (early_end.empty())
        for (const FailedKernel& failed : failed_kernels())
            add(fmt::format("kernel {} (launched at {}) failed", failed.kernel, failed.place));
    if (!of_observer.empty())
        add(of_observer);
    return text;
}

// Returns the exit code, if it differs from the program's.
std::optional<int> report(int status)
{
    const Ledger& ledger = state().ledger;
    const std::vector<KernelCounts> counts = ledger.counts();
    std::string text = counts.empty() && ledger.has_launches_of_libraries()
                           ? "nestbed: the program launched no kernel of its own\n"
                           : launches_text(counts, ledger.graph_launches());
    std::optional<CheckedRaces> races;
    std::optional<int> code;
    text += refusals_text(counts); // before the races that they make
    std::string incomplete = why_incomplete("");
    const bool is_suspect = has_finding() || has_unread_refusal();
    if (cpu::observer != nullptr) {
        try {
            races = check_races(cpu::observer->end(), all_suppressions());
            if (environment().strict)
                races->races.take_warnings_for_errors();
            incomplete = races->races.incomplete = why_incomplete(races->races.incomplete);
            if (is_suspect)
                races->races.sample.status = Status::crashed;
            text += "\n" + checked_text(*races);
            if (status == 0 && (!races->races.none() || races->races.grids == 0 || is_suspect || !incomplete.empty()))
                code = exit_rows_bad;
        } catch (const UsageError& error) {
            text += fmt::format("nestbed: {}\n", error.what());
            code = exit_usage;
        }
    }
    const Environment& env = environment();
    if (env.tree)
        text += tree_text(launch_trace(ledger));
    if (!env.trace_file.empty()) {
        const LaunchTrace trace = launch_trace(ledger);
        text += summary_text(summary_of(trace), trace);
        write_file("NESTBED_TRACE", env.trace_file,
                   env.trace_file.ends_with(".csv") ? launch_trace_csv(trace) : launch_trace_json(trace));
    }
    write_error(terminal_of(STDERR_FILENO).colour ? in_colours(text) : text);
    if (!env.report_file.empty()) {
        Json json = report_json(counts, ledger.graph_launches(), failed_kernels(), incomplete, races);
        json["suspect"] = is_suspect;
        json["unread_refusals"] = has_unread_refusal();
        for (const OtherFinding& other : other_findings())
            json["others"].push_back({{"kind", other.kind}, {"place", other.place}, {"text", other.text}});
        json["exit_code"] = status; // the program's own
        add_source_lines(json);
        write_file("NESTBED_REPORT", env.report_file, json_lines(json));
    }
    return code;
}

pid_t process = 0; // the program itself
std::atomic<bool> reported = false;

void at_end(int status, void* /*argument*/)
{
    if (!is_process_of_program())
        return; // a child of the program that did not execute another one
    while (reported.exchange(true))
        pause(); // a signal ends the program
    end_help();
    if (state().running.try_lock()) { // else another thread of the host runs a kernel, which may never end
        state().running.unlock();
        finish_works();
    }
    static_cast<void>(std::fflush(nullptr));
    std::cout.flush();
    if (const std::optional<int> code = report(status)) {
        static_cast<void>(std::fflush(nullptr));
        _exit(*code);
    }
}

std::atomic<bool> is_begun = false;
std::atomic<int> status_of_quick_exit = 0;

// Without what exit() does: the program's own text in buffers is lost, as it would be.
[[noreturn]] void end_at_once(int status)
{
    if (is_begun && is_process_of_program() && !reported && !last_report::is_this_thread())
        if (const std::optional<int> code = reported_code_at_exit(status))
            status = *code;
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

void at_end_of_quick_exit() // the last of the functions that the program has registered
{
    end_at_once(status_of_quick_exit);
}

// What the program has printed. The thread that the signal has stopped may be in a function that prints: then some of it is lost.
void flush_standard_output()
{
    if (ftrylockfile(stdout) != 0)
        return;
    static_cast<void>(std::fflush(stdout));
    funlockfile(stdout);
}

} // namespace

std::optional<int> report_at_exit(int status)
{
    if (reported.exchange(true))
        return {};
    if (state().running.try_lock()) {
        state().running.unlock();
        finish_works();
    } else {
        early_end = "_exit() has ended the program while a kernel ran";
        if (cpu::interruptible != nullptr)
            cpu::interruptible->stop();
    }
    return report(status);
}

bool is_process_of_program()
{
    return getpid() == process;
}

bool report_so_far(const std::string& why, const std::optional<FailedKernel>& failed)
{
    if (reported.exchange(true))
        return false;
    state(); // a thread that is making it must not be stopped before it has
    flush_standard_output();
    early_end = "the program did not come to its end: " + why;
    if (failed)
        note_failed(*failed);
    if (cpu::interruptible != nullptr) {
        cpu::interruptible->stop();
        if (const std::string last = cpu::interruptible->last_access(); !last.empty())
            say("the program did not come to its end, so that there may be more races than those that follow; last "
                "access: " +
                last);
    }
    note_finding();
    report(exit_could_not);
    return true;
}

namespace
{

// Before the constructors of the program's own objects, so that the report comes after their destructors.
__attribute__((constructor(101))) void begin()
{
    begin_program();
}

} // namespace

void begin_program()
{
    static const bool begun = [] {
        environment();
        try {
            suppressions_of_user(); // a wrong file is an error before anything runs
        } catch (const UsageError& error) {
            static_cast<void>(std::fprintf(stderr, "nestbed: %s\n", error.what()));
            _exit(exit_usage);
        }
        process = getpid();
        prepare_for_crashes();
        on_exit(at_end, nullptr);
        static_cast<void>(std::at_quick_exit(at_end_of_quick_exit));
        is_begun = true;
        return true;
    }();
    static_cast<void>(begun);
}

} // namespace nestbed::program

// NOLINTBEGIN(bugprone-reserved-identifier): these names are the C library's, in whose place the program takes these functions.
extern "C" {
__attribute__((weak)) void _exit(int status)
{
    nestbed::program::end_at_once(status);
}
__attribute__((weak)) void _Exit(int status) noexcept
{
    nestbed::program::end_at_once(status);
}
__attribute__((weak)) void quick_exit(int status) noexcept
{
    nestbed::program::status_of_quick_exit = status;
    using Function = void (*)(int);
    if (const auto of_library = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "quick_exit")); of_library != nullptr)
        of_library(status);
    nestbed::program::end_at_once(status);
}
}
// NOLINTEND(bugprone-reserved-identifier)
