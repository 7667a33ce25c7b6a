#include "base/subprocess.hpp"

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/start_thread.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nestbed
{

namespace
{

using Clock = std::chrono::steady_clock;

// Opens a file that exec closes, for a program.
int open_for(const std::string& program, const std::string& path, int flags)
{
    const int file = open(path.c_str(), flags | O_CLOEXEC, 0666); // NOLINT(*-vararg): the third argument is the mode
    if (file < 0)
        throw RunError(fmt::format("{}: {} could not be opened: {}", program, path, std::strerror(errno)));
    return file;
}

// The arguments or the environment as exec takes them.
std::vector<char*> pointers_to(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more)
{
    std::vector<std::string> texts;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (const std::string text = *entry; !more.contains(text.substr(0, text.find('='))))
            texts.push_back(text);
    for (const auto& [name, value] : more)
        texts.push_back(fmt::format("{}={}", name, value));
    return texts;
}

// What a process does between fork and exec: only calls that are allowed there.
struct Start {
    std::array<int, 3> in_out_error;
    const sigset_t& mask;
    bool own_group;
    bool ends_with_us;
    bool default_signals = false;
    int report; // gets the error number if the program cannot be started; exec closes it
    pid_t parent = getpid();

    [[noreturn]] void become(char** arguments, char** environment) const
    {
        if (own_group)
            static_cast<void>(setpgid(0, 0));
        if (ends_with_us)
            static_cast<void>(prctl(PR_SET_PDEATHSIG, SIGKILL));
        if (ends_with_us && getppid() != parent) // it has ended in the meantime
            _exit(1);
        // Numbers above 2 first, so that none of the three is overwritten before it is copied.
        std::array<int, 3> numbers = in_out_error;
        for (int& number : numbers)
            number = fcntl(number, F_DUPFD_CLOEXEC, 3); // NOLINT(*-vararg)
        for (int number = 0; number < 3; ++number)
            if (dup2(numbers[static_cast<std::size_t>(number)], number) < 0)
                fail();
        for (const int of_nestbed : {SIGPIPE, SIGXFSZ}) // which nestbed ignores
            static_cast<void>(signal(of_nestbed, SIG_DFL));
        for (const int asking : {SIGINT, SIGTERM, SIGHUP})
            if (default_signals)
                static_cast<void>(signal(asking, SIG_DFL));
        static_cast<void>(sigprocmask(SIG_SETMASK, &mask, nullptr));
        execve(arguments[0], arguments, environment);
        fail();
    }

  private:
    [[noreturn]] void fail() const
    {
        const int error = errno;
        static_cast<void>(!write(report, &error, sizeof(error)));
        _exit(1);
    }
};

pid_t start(std::vector<std::string> arguments, const std::map<std::string, std::string>& more, Start how)
{
    std::vector<std::string> environment = environment_with(more);
    const std::vector<char*> words = pointers_to(arguments);
    const std::vector<char*> variables = pointers_to(environment);
    const auto refuse = [&](int error) {
        throw RunError(fmt::format("{} could not be started: {}", arguments.front(), why_not_started(error)));
    };
    static_cast<void>(signal(SIGCHLD, SIG_DFL)); // if it were ignored, ended programs could not be waited for
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        refuse(errno);
    const Descriptor reads(ends[0]);
    pid_t process = 0;
    {
        const Descriptor writes(ends[1]);
        how.report = fcntl(ends[1], F_DUPFD_CLOEXEC, 3); // NOLINT(*-vararg): none of the three that are replaced
        const Descriptor report(how.report);
        process = fork();
        if (process == 0)
            how.become(const_cast<char**>(words.data()),
                       const_cast<char**>(variables.data())); // NOLINT(*-const-cast)
        if (process < 0)
            refuse(errno);
    }
    if (how.own_group)
        static_cast<void>(setpgid(process, process)); // also here: a signal may be sent before the child has done it
    int error = 0;
    if (uninterrupted([&] { return read(reads, &error, sizeof(error)); }) == sizeof(error)) {
        static_cast<void>(end_of(process));
        refuse(error);
    }
    return process;
}

} // namespace

pid_t start_program(const std::vector<std::string>& arguments, const std::array<int, 3>& in_out_error,
                    const sigset_t& mask)
{
    return start(
        arguments, {},
        {.in_out_error = in_out_error, .mask = mask, .own_group = true, .ends_with_us = false, .report = -1});
}

bool has_ended(pid_t process)
{
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

ProgramEnd end_of(pid_t process)
{
    int status = 0;
    static_cast<void>(uninterrupted([&] { return waitpid(process, &status, 0); }));
    return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
            .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

std::string ProgramEnd::text() const
{
    if (timed_out)
        return "no end in time";
    return signal != 0 ? fmt::format("signal {} ({})", signal, strsignal(signal))
                       : fmt::format("exit code {}", exit_code);
}

HeldSignals::HeldSignals()
{
    sigemptyset(&asking_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action = {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&asking_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &asking_, &before_);
}

HeldSignals::~HeldSignals()
{
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int HeldSignals::came() const
{
    constexpr timespec kAtOnce{};
    return std::max(0, sigtimedwait(&asking_, nullptr, &kAtOnce));
}

namespace
{

// Waits until a process ends, or until the next look at other things.
class EndOfProcess
{
  public:
    explicit EndOfProcess(pid_t process)
        : process_(process), file_(static_cast<int>(syscall(SYS_pidfd_open, process, 0))) // NOLINT(*-vararg)
    {
    }
    bool waited() const
    {
        constexpr int kTick_ms = 20;
        pollfd one{.fd = file_, .events = POLLIN, .revents = 0};
        static_cast<void>(poll(&one, 1, one.fd < 0 ? 1 : kTick_ms)); // below 0: the system has no such files
        return has_ended(process_);
    }

  private:
    pid_t process_;
    Descriptor file_;
};

} // namespace

ProgramEnd run_child(const Child& child, const HeldSignals& signals)
{
    const std::string& program = child.arguments.front();
    const Clock::time_point begin = Clock::now();
    const pid_t process = start(child.arguments, child.environment,
                                {.in_out_error = {child.in, child.out, child.error},
                                 .mask = signals.before(),
                                 .own_group = child.own_group,
                                 .ends_with_us = true,
                                 .default_signals = child.default_signals,
                                 .report = -1});
    const pid_t all = child.own_group ? -process : process;
    const EndOfProcess ended(process);
    std::optional<Clock::time_point> ends_at; // when it is killed
    int asked = 0;
    bool timed_out = false;
    while (!ended.waited()) {
        const int signal = signals.came();
        asked = asked == 0 ? signal : asked;
        const Clock::time_point now = Clock::now();
        if (ends_at && now >= *ends_at)
            break;
        if (ends_at)
            continue;
        timed_out = child.timeout && now - begin >= *child.timeout;
        if (asked == 0 && !timed_out && !(child.must_end && child.must_end()))
            continue;
        ends_at = now + child.grace;
        kill(all, SIGTERM);
    }
    const std::chrono::nanoseconds elapsed = Clock::now() - begin;
    if (child.own_group || ends_at)
        kill(all, SIGKILL);
    ProgramEnd end = end_of(process);
    end.timed_out = timed_out;
    end.elapsed = elapsed;
    if (asked != 0) {
        static_cast<void>(raise(asked)); // it waits until `signals` is destroyed
        throw RunError(fmt::format("{} was interrupted by signal {} ({})", program, asked, strsignal(asked)));
    }
    return end;
}

ProgramEnd run_program(const std::vector<std::string>& arguments, const ProgramOutput& output,
                       std::chrono::milliseconds timeout, std::chrono::milliseconds grace)
{
    const std::string& program = arguments.front();
    const Descriptor in(open_for(program, "/dev/null", O_RDONLY));
    const Descriptor out(open_for(program, output.out_path, O_WRONLY | O_CREAT | O_APPEND));
    const Descriptor error(open_for(program, output.error_path, O_WRONLY | O_CREAT | O_APPEND));
    return run_child(
        {.arguments = arguments, .in = in, .out = out, .error = error, .timeout = timeout, .grace = grace},
        HeldSignals());
}

std::string find_program(std::string_view name)
{
    namespace fs = std::filesystem;
    const auto can_run = [](const fs::path& path) {
        std::error_code ignored;
        return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
    };
    if (name.empty())
        return "";
    if (name.find('/') != std::string_view::npos)
        return can_run(name) ? std::string(name) : "";
    const char* const path = std::getenv("PATH");
    for (const std::string& folder : split(path == nullptr ? "" : path, ':'))
        if (!folder.empty() && can_run(fs::path(folder) / name))
            return (fs::path(folder) / name).string();
    return "";
}

std::string shell_text(const std::vector<std::string>& words)
{
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    std::string text;
    for (const std::string& word : words) {
        text += text.empty() ? "" : " ";
        if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char character : word)
            text += character == '\'' ? "'\\''" : std::string(1, character);
        text += '\'';
    }
    return text;
}

} // namespace nestbed
