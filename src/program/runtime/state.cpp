#include "program/runtime/state.hpp"

#include "base/last_report.hpp"
#include "base/terminal.hpp"
#include "device/cpu/fiber.hpp"
#include "device/cpu/observer.hpp"
#include "program/runtime/error_texts.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/waiting_threads.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <pthread.h>
#include <set>
#include <unistd.h>
#include <utility>

// The race detector's, in a watched program.
extern "C" {
void nestbed_observe_read(const void* from, std::size_t bytes, const void* place) noexcept __attribute__((weak));
void nestbed_observe_write(void* to, std::size_t bytes, const void* place) noexcept __attribute__((weak));
}

namespace nestbed::program
{

namespace
{

std::atomic<int> sticky = cudaSuccess;
std::atomic<bool> any_finding = false;
std::atomic<bool> is_forked = false; // from a process that had used CUDA, which a child process cannot use then
thread_local int last_error_of_host = cudaSuccess;
std::atomic<std::uint64_t> unread_refusals = 0;
thread_local unsigned refusals_of_host = 0;

unsigned& own_refusals()
{
    return cpu::in_kernel() ? cpu::current_thread->program.refusals : refusals_of_host;
}

int& last_error()
{
    return cpu::in_kernel() ? cpu::current_thread->program.last_error : last_error_of_host;
}

unsigned worker_count()
{
    // One by default: the order of printf() and of refused launches is then the same in every run.
    return cpu::observer != nullptr ? 1 : environment().workers.value_or(1);
}

// One line per deviation: "NUMBER text".
void write_deviations(cpu::Executor& executor, const std::string& path)
{
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr)
        return say(fmt::format("NESTBED_PREEMPTIONS_FILE='{}' cannot be written", path));
    executor.on_deviation(
        [file](std::uint64_t decision, const cpu::ThreadContext* interrupted, const cpu::ThreadContext* ran_instead) {
            const std::string others =
                interrupted == nullptr ? "those that would have been next" : described(*interrupted);
            const std::string line =
                fmt::format("{} {} ran before {}\n", decision,
                            ran_instead == nullptr ? "the start of a grid" : described(*ran_instead), others);
            static_cast<void>(std::fputs(line.c_str(), file));
            static_cast<void>(std::fflush(file));
        });
}

} // namespace

State::State()
    : executor(environment().schedule, worker_count()),
      ledger(environment().tree || !environment().trace_file.empty())
{
    begin_program();
    pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
    cpu::describe_block = described_block;
    cpu::users_program = &users_program();
    const Environment& env = environment();
    executor.set_pending_limit(env.pending_limit.value_or(kDefaultPendingLimit));
    if (env.stack_bytes)
        cpu::set_stack_bytes(*env.stack_bytes);
    if (env.preemptions)
        executor.deviate_only_at(env.preemptions);
    if (!env.preemptions_file.empty())
        write_deviations(executor, env.preemptions_file);
    if (cpu::observer != nullptr)
        cpu::observer->begin();
}

State& state()
{
    static State& of_process = *new State;
    return of_process;
}

cudaError_t sticky_error()
{
    if (cpu::in_kernel())
        return cudaSuccess;
    return is_forked ? cudaErrorInitializationError : static_cast<cudaError_t>(sticky.load());
}

void set_sticky_error(cudaError_t error)
{
    sticky = error;
    last_error_of_host = error;
    if (error != cudaSuccess)
        note_finding();
}

void observe_read(const void* from, std::size_t bytes, const void* place)
{
    if (nestbed_observe_read != nullptr)
        nestbed_observe_read(from, bytes, place);
}

void observe_write(void* to, std::size_t bytes, const void* place)
{
    if (nestbed_observe_write != nullptr)
        nestbed_observe_write(to, bytes, place);
}

void note_finding()
{
    any_finding = true;
}

namespace
{

struct OtherFindings {
    std::mutex mutex;
    std::vector<OtherFinding> all;
};
OtherFindings& others()
{
    static OtherFindings& of_process = *new OtherFindings; // needed after the destructors of the program
    return of_process;
}

} // namespace

void note_finding(OtherFinding finding)
{
    note_finding();
    const std::lock_guard lock(others().mutex);
    others().all.push_back(std::move(finding));
}

std::vector<OtherFinding> other_findings()
{
    const std::lock_guard lock(others().mutex);
    return others().all;
}

bool has_finding()
{
    return any_finding;
}

void note_refusal()
{
    ++own_refusals();
    ++unread_refusals;
}

bool has_unread_refusal()
{
    return unread_refusals != 0;
}

namespace
{

std::vector<FailedKernel>& failed()
{
    static auto& of_process = *new std::vector<FailedKernel>; // needed after the destructors of the program
    return of_process;
}

} // namespace

void note_failed(FailedKernel one)
{
    note_finding();
    failed().push_back(std::move(one));
}

const std::vector<FailedKernel>& failed_kernels()
{
    return failed();
}

cudaError_t noted(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error() = error;
    return error;
}

cudaError_t noted(cudaError_t error, const std::string& text)
{
    say(fmt::format("{} ({})", text, error_name(error)));
    return noted(error);
}

cudaError_t noted_at(const void* place, cudaError_t error, const std::string& text)
{
    if (cpu::in_kernel()) { // many threads may do the same
        static std::mutex mutex;
        static auto& said = *new std::set<std::pair<const void*, std::string>>; // as the state, never destroyed
        const std::lock_guard lock(mutex);
        if (!said.emplace(place, text).second)
            return noted(error);
    }
    const std::string line = place == nullptr ? "" : source_of(static_cast<const char*>(place) - 1);
    return noted(error, line.empty() ? text : line + ": " + text);
}

void write_error(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void say(const std::string& text)
{
    if (!last_report::is_this_thread())
        static_cast<void>(std::fflush(stdout));
    write_error(for_terminal(STDERR_FILENO, "nestbed: " + text));
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaPeekAtLastError()
{
    unread_refusals -= std::exchange(own_refusals(), 0);
    const cudaError_t error = sticky_error();
    return error != cudaSuccess ? error : static_cast<cudaError_t>(last_error());
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = cudaPeekAtLastError();
    last_error() = cudaSuccess;
    return error;
}

const char* cudaGetErrorName(cudaError_t error)
{
    return error_name(error);
}

const char* cudaGetErrorString(cudaError_t error)
{
    return error_string(error);
}
// NOLINTEND(readability-identifier-naming)
