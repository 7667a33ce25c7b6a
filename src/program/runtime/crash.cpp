// What a program prints when a signal ends it: which kernel, block, thread and line; and, of a watched program, what the race detector has
// found so far. Then the signal does what it does by default.
#include "base/last_report.hpp"
#include "device/cpu/interruptible.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"
#include "program/runtime/variables.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <optional>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace nestbed::program
{

namespace
{

constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGFPE, SIGILL}; // of an instruction
// SIGQUIT is not among them: it ends a program that does not end by the others.
constexpr std::array kOthers{SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGXCPU, SIGPIPE, SIGUSR1, SIGUSR2};

// Only functions that a signal handler may call.
void write_text(const char* text)
{
    for (std::size_t rest = std::strlen(text); rest > 0;) {
        const ssize_t written = write(STDERR_FILENO, text, rest);
        if (written <= 0)
            return;
        text += written;
        rest -= static_cast<std::size_t>(written);
    }
}

void write_number(std::uintptr_t number, unsigned base = 10)
{
    std::array<char, 24> digits{};
    std::size_t at = digits.size() - 1;
    do {
        digits.at(--at) = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    write_text(&digits.at(at));
}

void write_index(const char* what, uint3 index)
{
    write_text(what);
    write_text(" (");
    write_number(index.x);
    write_text(",");
    write_number(index.y);
    write_text(",");
    write_number(index.z);
    write_text(")");
}

const char* cause_of(int signal, const siginfo_t& info)
{
    switch (signal) {
    case SIGSEGV:
        return info.si_code == SI_KERNEL ? "access to a misaligned vector, or to an address that no memory can have"
                                         : "access to an address that is no memory";
    case SIGBUS:
        return "access to memory that is not there";
    case SIGFPE:
        return info.si_code == FPE_INTDIV ? "integer division by 0, or INT_MIN / -1 (unspecified on a GPU)"
                                          : "arithmetic error";
    case SIGILL:
        return "illegal instruction";
    case SIGTERM:
        return "asked to end (SIGTERM)";
    case SIGINT:
        return "interrupted (SIGINT)";
    case SIGHUP:
        return "the terminal is closed (SIGHUP)";
    case SIGALRM:
        return "alarm (SIGALRM)";
    case SIGXCPU:
        return "limit of processor time (SIGXCPU)";
    case SIGPIPE:
        return "write to a pipe that nobody reads (SIGPIPE)";
    case SIGUSR1:
        return "ended by SIGUSR1";
    case SIGUSR2:
        return "ended by SIGUSR2";
    default:
        return "abort";
    }
}

// Whether lines go to a terminal: then they are broken.
bool breaks_lines = false;

// What ends the program: the first signal that does.
std::atomic<int> ending_signal = 0;
std::atomic<pid_t> ending_thread = 0;
std::atomic<const void*> ending_code = nullptr; // which instruction; nullptr: not said
std::atomic<const void*> ending_caller = nullptr;
std::atomic<bool> ending_thread_waits = false;
std::atomic<const char*> ending_cause = nullptr;
std::atomic<const GridRecord*> ending_grid = nullptr; // the kernel that it is in

// Of a program that ends by _exit().
std::atomic<bool> is_exit = false;
std::atomic<int> exit_status = 0;
std::atomic<bool> has_exit_code = false; // that differs

void report_is_late(int /*signal*/)
{
    write_text("nestbed: the report takes too long; it is not complete\n");
    if (is_exit)
        syscall(SYS_exit_group, exit_status.load());
    last_report::end_by(ending_signal);
}

bool is_of_program(const void* code)
{
    Dl_info object{};
    Dl_info own{};
    return dladdr(code, &object) != 0 && dladdr(reinterpret_cast<const void*>(&is_of_program), &own) != 0 &&
           object.dli_fbase == own.dli_fbase;
}

// On the thread of last_report.
void write_report()
{
    if (is_exit) {
        if (const std::optional<int> code = report_at_exit(exit_status)) {
            exit_status = *code;
            has_exit_code = true;
        }
        return;
    }
    std::string why = ending_cause.load();
    if (const void* const code = ending_code) {
        std::string line = source_of(code);
        const void* const caller = ending_caller; // where a function is at work that has no lines of the user
        if (line.empty() && is_of_program(caller))
            line = source_of(static_cast<const char*>(caller) - 1);
        if (!line.empty()) {
            say("at " + line);
            why += " at " + line;
        }
    }
    std::optional<FailedKernel> failed;
    if (const GridRecord* const grid = ending_grid;
        grid != nullptr && ending_thread_waits) // else it came from outside
        failed = {grid->kernel, grid->place, std::string("SIG") + sigabbrev_np(ending_signal), why};
    const bool is_done = report_so_far(why, failed);
    if (ending_thread_waits)
        return;
    while (!is_done) // NOLINT(bugprone-infinite-loop): until the process ends
        pause();     // the program is at its end, which is the same report
    last_report::end_by(ending_signal);
}

struct Registers {
    const void* code = nullptr;
    std::uintptr_t stack = 0;
    std::optional<bool> writes; // of the access that failed; empty: not known
};

Registers registers_of([[maybe_unused]] const void* context)
{
#ifdef __x86_64__
    constexpr greg_t kWrite = 2; // of a page fault
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return {.code = reinterpret_cast<const void*>(registers[REG_RIP]),
            .stack = static_cast<std::uintptr_t>(registers[REG_RSP]),
            .writes = (registers[REG_ERR] & kWrite) != 0};
#elif defined(__aarch64__)
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return {.code = reinterpret_cast<const void*>(registers.pc), .stack = registers.sp, .writes = {}};
#else
    return {};
#endif
}

// Whether it came from outside, so that the thread that it interrupted can go on: nothing is wrong with that thread.
bool is_request(int signal, const siginfo_t& info)
{
    const bool is_sent = info.si_code <= 0; // by kill(), raise(), alarm() and the like
    return signal != SIGABRT && signal != SIGPIPE && (is_sent || std::ranges::find(kFaults, signal) == kFaults.end());
}

// The address after the call of the function that was at work, if that keeps nothing on the stack, as memset() of the C library, or is
// not there, as the one of a null pointer; nullptr: not known.
const void* caller_of(const Registers& registers)
{
    const void* after = nullptr;
#ifdef __x86_64__
    std::memcpy(&after, reinterpret_cast<const void*>(registers.stack), // NOLINT(performance-no-int-to-ptr)
                sizeof after);
#endif
    return after;
}

void describe(int signal, const siginfo_t& info, const Registers& registers)
{
    ending_cause = cause_of(signal, info);
    const cpu::ThreadContext* const thread = cpu::current_or_latest_thread();
    const auto* const grid = thread == nullptr ? nullptr : static_cast<const GridRecord*>(thread->program.grid);
    if (grid == nullptr)
        return;
    ending_grid = grid;
    const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    constexpr std::uintptr_t kNear = 1UL << 16U;
    write_text("nestbed: ");
    write_text(cause_of(signal, info));
    if (signal == SIGSEGV && info.si_code > 0 && info.si_code != SI_KERNEL) {
        write_text(info.si_addr == registers.code ? ": call of 0x"
                   : !registers.writes            ? ": 0x"
                   : *registers.writes            ? ": write of 0x"
                                                  : ": read of 0x");
        constexpr unsigned kHexadecimal = 16;
        write_number(address, kHexadecimal);
        write_text(address < kNear ? " (null pointer)" : "");
    }
    write_text(breaks_lines ? "\n  in kernel " : " in kernel ");
    write_text(grid->kernel.c_str());
    write_text(" (launched at ");
    write_text(grid->place.c_str());
    write_text(breaks_lines ? "),\n " : "),");
    write_index(" block", thread->block_index);
    write_index(", thread", thread->thread_index);
    write_text("\n");
    const bool is_at_stack = signal == SIGSEGV && registers.stack != 0 && address + kNear > registers.stack &&
                             address < registers.stack + kNear;
    if (is_at_stack)
        write_text("nestbed: the address is at the end of the thread's stack: local arrays or\n"
                   "  recursion need more than it has (576 KB); NESTBED_STACK_BYTES=N gives each\n"
                   "  thread N bytes\n");
    if (signal != SIGABRT) {
        const bool has_stack = !is_at_stack && registers.stack != 0;
        const bool is_of_call = signal == SIGSEGV && has_stack && info.si_addr == registers.code;
        const void* const last =
            cpu::interruptible == nullptr || is_of_call ? nullptr : cpu::interruptible->place_of_last_access();
        ending_caller = last == nullptr && has_stack ? caller_of(registers) : last;
        ending_code = is_of_call ? ending_caller.load() : registers.code;
    }
}

// Calls only what the handler of a signal may call. But an access to a guard of memory, which the thread does again, is reported here: it is
// an access of the program, which holds no lock of the library.
void ends(int signal, siginfo_t* info, void* context)
{
    const int error = errno;
    const Registers registers = registers_of(context);
    const bool is_asked = is_request(signal, *info);
    if (signal == SIGSEGV && !is_asked &&
        (report_outside_access(info->si_addr, registers.writes, registers.code) ||
         report_pad_access(info->si_addr, registers.writes, registers.code)))
        return; // the access is done again
    if (!is_process_of_program())
        return last_report::end_by(signal);
    if (last_report::is_this_thread()) {
        if (is_asked)
            return; // it is being written
        write_text("nestbed: the report itself failed; it is not complete\n");
        last_report::end_by(ending_signal);
    }
    int none = 0;
    if (ending_signal.compare_exchange_strong(none, signal)) {
        ending_thread = gettid();
        ending_thread_waits = !is_asked;
        describe(signal, *info, registers);
        last_report::ask();
    } else if (!is_asked && ending_thread == gettid()) {
        last_report::ask(); // it came while the handler was at work
    }
    if (!is_asked) {
        last_report::wait();
        if (std::ranges::find(kFaults, signal) == kFaults.end())
            last_report::end_by(signal);
        static_cast<void>(std::signal(signal, SIG_DFL)); // the fault happens again
    }
    errno = error;
}

// A fiber's stack may be what is full, so handlers have a stack of their own.
class SignalStack
{
  public:
    SignalStack() : memory_(new std::byte[kBytes])
    {
        stack_t stack{};
        if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0)
            return; // the program's own
        stack = {};
        stack.ss_sp = memory_.get();
        stack.ss_size = kBytes;
        installed_ = sigaltstack(&stack, nullptr) == 0;
    }
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;
    ~SignalStack()
    {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        if (installed_)
            sigaltstack(&none, nullptr);
    }

  private:
    static constexpr std::size_t kBytes = 1024UL * 1024; // only pages that are touched take memory
    std::unique_ptr<std::byte[]> memory_;
    bool installed_ = false;
};

void handle(int signal)
{
    struct sigaction action {
    };
    sigaction(signal, nullptr, &action);
    if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL)
        return; // the program's own
    action = {};
    action.sa_sigaction = ends;
    // NODEFER: a fault in the handler is handled, too.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
    sigaction(signal, &action, nullptr);
}

} // namespace

std::optional<int> reported_code_at_exit(int status)
{
    int none = 0;
    constexpr int kNoSignal = -1;
    if (!ending_signal.compare_exchange_strong(none, kNoSignal)) { // a signal has asked for the report
        last_report::wait();
        return {};
    }
    exit_status = status;
    is_exit = true;
    last_report::ask();
    last_report::wait();
    return has_exit_code ? std::optional(exit_status.load()) : std::nullopt;
}

void prepare_for_crashes()
{
    thread_local const SignalStack stack;
    static_cast<void>(stack);
    static const bool installed = [] {
        last_report::prepare(write_report, report_is_late);
        breaks_lines = isatty(STDERR_FILENO) == 1;
        std::ranges::for_each(kFaults, handle);
        std::ranges::for_each(kOthers, handle);
        return true;
    }();
    static_cast<void>(installed);
}

} // namespace nestbed::program
