// What a program prints when a signal ends it: which kernel, block, thread and line; and, of a watched program, what the race detector has
// found so far. Then the signal does what it does by default.
#include "device/cpu/interruptible.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <optional>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

namespace nestbed::program
{

namespace
{

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT};

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

void write_number(std::uint64_t number, unsigned base = 10)
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
        return "access to an address that is no memory";
    case SIGBUS:
        return "access to memory that is not there";
    case SIGFPE:
        return info.si_code == FPE_INTDIV ? "integer division by zero (a GPU gives an unspecified number)"
                                          : "arithmetic error";
    case SIGILL:
        return "illegal instruction";
    case SIGTERM:
        return "asked to end (SIGTERM)";
    case SIGINT:
        return "interrupted (SIGINT)";
    default:
        return "abort";
    }
}

// The line, by addr2line in a process of its own.
void write_source(const void* code)
{
    Dl_info object{};
    if (dladdr(code, &object) == 0)
        return;
    Dl_info own{};
    const bool is_of_program = // or of a shared library: the executor is in the program
        dladdr(reinterpret_cast<const void*>(&write_number), &own) == 0 || own.dli_fbase == object.dli_fbase;
    constexpr std::uintptr_t kFixedBase = 0x400000;
    const auto base = reinterpret_cast<std::uintptr_t>(object.dli_fbase);
    auto address = reinterpret_cast<std::uintptr_t>(code);
    if (base != kFixedBase)
        address -= base;
    std::array<char, 20> text{};
    std::size_t at = text.size() - 1;
    for (; address != 0; address /= 16)
        text.at(--at) = "0123456789abcdef"[address % 16];
    // The first line that is the user's: the functions of CUDA are inlined into it.
    constexpr const char* kCommand =
        "addr2line -i -e \"$0\" \"$1\" 2>/dev/null | grep -v -e /include/nestbed/ -e "
        "/usr/include/ -e '[?]' -e ':0$' | head -n 1 | sed 's/^/nestbed: at /; s/ (discr.*//' >&2";
    const pid_t child = fork();
    if (child == 0) {
        std::array<char, 4096> program{};
        const char* file = object.dli_fname;
        if (is_of_program)
            file = readlink("/proc/self/exe", program.data(), program.size() - 1) > 0 ? program.data() : nullptr;
        if (file != nullptr)
            execl("/bin/sh", "sh", "-c", kCommand, file, &text.at(at), nullptr); // NOLINT(*-vararg)
        _exit(1);
    }
    if (child > 0)
        waitpid(child, nullptr, 0);
}

volatile std::sig_atomic_t ending_signal = 0;

bool comes_again(int signal)
{
    return signal != SIGABRT && signal != SIGTERM && signal != SIGINT;
}

// A handler may call few functions, and this calls others: the process ends anyway, at the latest by the alarm.
void report_and_end()
{
    constexpr unsigned kSeconds = 5;
    static_cast<void>(std::signal(SIGALRM, SIG_DFL));
    alarm(kSeconds);
    report_so_far();
    alarm(0);
    if (!comes_again(ending_signal))
        static_cast<void>(raise(ending_signal));
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

void ends(int signal, siginfo_t* info, void* context)
{
    const Registers registers = registers_of(context);
    if (signal == SIGSEGV && report_outside_access(info->si_addr, registers.writes, registers.code))
        return; // the access is done again
    static_cast<void>(std::signal(signal, SIG_DFL));
    const int before = ending_signal;
    ending_signal = signal;
    if (before != 0) // it came while the program was ending
        return static_cast<void>(raise(signal));
    const cpu::ThreadContext* const thread = cpu::current_or_latest_thread();
    const auto* const grid = thread == nullptr ? nullptr : static_cast<const GridRecord*>(thread->program.grid);
    if (grid != nullptr) {
        write_text("nestbed: ");
        write_text(cause_of(signal, *info));
        write_text(" in kernel ");
        write_text(grid->kernel.c_str());
        write_text(" (launched at ");
        write_text(grid->place.c_str());
        write_text(")");
        write_index(", block", thread->block_index);
        write_index(", thread", thread->thread_index);
        write_text("\n");
        const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
        constexpr std::uintptr_t kNear = 1UL << 16U;
        if (signal == SIGSEGV && registers.stack != 0 && address + kNear > registers.stack &&
            address < registers.stack + kNear)
            write_text(
                "nestbed: the address is at the end of the thread's stack: local arrays or recursion need more "
                "than it has (576 KB); NESTBED_STACK_BYTES=N gives each thread N bytes\n");
        if (signal != SIGABRT)
            write_source(registers.code);
    }
    // A fault happens again when the handler returns; what was sent is raised again.
    if (cpu::interruptible != nullptr)
        cpu::interruptible->interrupt(report_and_end);
    else if (!comes_again(signal))
        static_cast<void>(raise(signal));
}

} // namespace

namespace
{

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

} // namespace

void prepare_for_crashes()
{
    thread_local const SignalStack stack;
    static_cast<void>(stack);
    static const bool installed = [] {
        for (const int signal : kSignals) {
            struct sigaction action {
            };
            sigaction(signal, nullptr, &action);
            if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL)
                continue; // the program's own
            action = {};
            action.sa_sigaction = ends;
            action.sa_flags = SA_SIGINFO | SA_ONSTACK;
            for (const int other : kSignals)
                sigaddset(&action.sa_mask, other);
            sigaction(signal, &action, nullptr);
        }
        return true;
    }();
    static_cast<void>(installed);
}

} // namespace nestbed::program
