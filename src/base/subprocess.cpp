#include "base/subprocess.hpp"

#include "base/error.hpp"
#include "base/start_thread.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nestbed
{

namespace
{

using Clock = std::chrono::steady_clock;

// A file that exec closes. Copies of its descriptor stay open.
class File
{
  public:
    File(const std::string& program, const std::string& path, int flags)
        : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0666)) // NOLINT(*-vararg): the third argument is the mode
    {
        if (descriptor_ < 0)
            throw RunError(fmt::format("{}: {} could not be opened: {}", program, path, std::strerror(errno)));
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { static_cast<void>(close(descriptor_)); }
    int descriptor() const { return descriptor_; }

  private:
    int descriptor_;
};

// Blocks the signals that ask this process to end while a program runs. Signals that this process ignores are
// unchanged.
class HeldSignals
{
  public:
    HeldSignals()
    {
        sigemptyset(&asking_);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            struct sigaction action = {};
            if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
                sigaddset(&asking_, signal);
        }
        sigset_t held = asking_;
        sigaddset(&held, SIGCHLD); // interrupts the wait when a program ends
        pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
    ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    const sigset_t& before() const { return before_; }
    // Waits for a signal, at most 20 ms. Returns a signal that asks this process to end; otherwise 0.
    int wait() const
    {
        constexpr timespec kAtMost{.tv_sec = 0, .tv_nsec = 20'000'000};
        sigset_t any = asking_;
        sigaddset(&any, SIGCHLD);
        const int signal = sigtimedwait(&any, nullptr, &kAtMost);
        return signal > 0 && signal != SIGCHLD ? signal : 0;
    }

  private:
    sigset_t asking_{}, before_{};
};

// The settings for starting a program. The functions of posix_spawn return an error number.
class Spawn
{
  public:
    Spawn(const std::array<int, 3>& in_out_error, const sigset_t& mask)
    {
        posix_spawn_file_actions_init(&files_);
        posix_spawnattr_init(&attributes_);
        for (int number = 0; number < 3; ++number)
            note(posix_spawn_file_actions_adddup2(&files_, in_out_error[static_cast<std::size_t>(number)], number));
        sigset_t usual;
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        note(posix_spawnattr_setflags(&attributes_,
                                      POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
        note(posix_spawnattr_setsigdefault(&attributes_, &usual));
        note(posix_spawnattr_setpgroup(&attributes_, 0));
        note(posix_spawnattr_setsigmask(&attributes_, &mask));
    }
    Spawn(const Spawn&) = delete;
    Spawn& operator=(const Spawn&) = delete;
    ~Spawn()
    {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&attributes_);
    }

    pid_t start(std::vector<std::string> arguments)
    {
        std::vector<char*> words;
        for (std::string& argument : arguments)
            words.push_back(argument.data());
        words.push_back(nullptr);
        pid_t process = 0;
        if (error_ == 0)
            note(posix_spawn(&process, words.front(), &files_, &attributes_, words.data(), environ));
        if (error_ != 0)
            throw RunError(fmt::format("{} could not be started: {}", arguments.front(), why_not_started(error_)));
        return process;
    }

  private:
    void note(int error) { error_ = error_ == 0 ? error : error_; }

    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
    int error_ = 0;
};

} // namespace

pid_t start_program(const std::vector<std::string>& arguments, const std::array<int, 3>& in_out_error,
                    const sigset_t& mask)
{
    static_cast<void>(signal(SIGCHLD, SIG_DFL)); // if SIGCHLD were ignored, ended programs could not be waited for
    return Spawn(in_out_error, mask).start(arguments);
}

bool has_ended(pid_t process)
{
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

ProgramEnd end_of(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
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

ProgramEnd run_program(const std::vector<std::string>& arguments, const ProgramOutput& output,
                       std::chrono::milliseconds timeout, std::chrono::milliseconds grace)
{
    const std::string& program = arguments.front();
    ProgramEnd end;
    int asked = 0;
    {
        const File in(program, "/dev/null", O_RDONLY);
        const File out(program, output.out_path, O_WRONLY | O_CREAT | O_APPEND);
        const File error(program, output.error_path, O_WRONLY | O_CREAT | O_APPEND);
        const HeldSignals signals;
        const pid_t process =
            start_program(arguments, {in.descriptor(), out.descriptor(), error.descriptor()}, signals.before());
        Clock::time_point until = Clock::now() + timeout;
        bool ending = false;
        while (!has_ended(process)) {
            const int signal = signals.wait();
            asked = asked == 0 ? signal : asked;
            if (ending && Clock::now() >= until)
                break;
            if (ending || (asked == 0 && Clock::now() < until))
                continue;
            ending = true;
            end.timed_out = asked == 0;
            until = Clock::now() + grace;
            kill(-process, SIGTERM);
        }
        kill(-process, SIGKILL);
        const bool timed_out = end.timed_out;
        end = end_of(process);
        end.timed_out = timed_out;
    }
    if (asked != 0) {
        static_cast<void>(raise(asked));
        throw RunError(fmt::format("{} was interrupted by signal {} ({})", program, asked, strsignal(asked)));
    }
    return end;
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
