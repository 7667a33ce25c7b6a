#include "program/build/child.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/prctl.h>
#include <unistd.h>

namespace nestbed::program
{

namespace fs = std::filesystem;

namespace
{

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGraceAfterTerm{6}; // what the program reports then may take 5
constexpr int kCouldNotStart = 127;

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

// In the child, between fork and exec: only calls that are allowed there.
[[noreturn]] void become(const Child& child, char** arguments, char** environment, const sigset_t& mask, pid_t parent)
{
    if (child.own_group)
        static_cast<void>(setpgid(0, 0));
    static_cast<void>(prctl(PR_SET_PDEATHSIG, SIGKILL));
    if (getppid() != parent) // it has ended in the meantime
        _exit(kCouldNotStart);
    // Numbers above 2 first, so that none of the three is overwritten before it is copied.
    std::array<int, 3> numbers{child.in, child.out, child.error};
    for (int& number : numbers)
        number = dup(number);
    for (int number = 0; number < 3; ++number)
        if (dup2(numbers[static_cast<std::size_t>(number)], number) < 0)
            _exit(kCouldNotStart);
    for (const int number : numbers)
        static_cast<void>(close(number));
    static_cast<void>(signal(SIGPIPE, SIG_DFL));
    static_cast<void>(sigprocmask(SIG_SETMASK, &mask, nullptr));
    execve(arguments[0], arguments, environment);
    const std::array<const char*, 4> said{"nestbed: ", arguments[0], ": ", "could not be started\n"};
    for (const char* const text : said)
        static_cast<void>(!write(2, text, strlen(text)));
    _exit(kCouldNotStart);
}

} // namespace

HeldSignals::HeldSignals()
{
    sigemptyset(&asking_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action = {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&asking_, signal);
    }
    static_cast<void>(signal(SIGCHLD, SIG_DFL)); // if it were ignored, ended programs could not be waited for
    sigset_t held = asking_;
    sigaddset(&held, SIGCHLD); // interrupts the wait when a program ends
    pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals()
{
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

TemporaryFolder::TemporaryFolder()
{
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "nestbed-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr)
        throw RunError(fmt::format("a folder for temporary files could not be created ({}): {}", name,
                                   error ? error.message() : std::strerror(errno)));
    path_ = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

ProgramEnd run_child(const Child& child, const HeldSignals& signals)
{
    std::vector<std::string> arguments = child.arguments;
    std::vector<std::string> environment = environment_with(child.environment);
    const std::vector<char*> words = pointers_to(arguments);
    const std::vector<char*> variables = pointers_to(environment);
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process < 0)
        throw RunError(fmt::format("{} could not be started: {}", arguments.front(), std::strerror(errno)));
    if (process == 0)
        become(child, const_cast<char**>(words.data()), const_cast<char**>(variables.data()), // NOLINT(*-const-cast)
               signals.before(), parent);
    if (child.own_group)
        static_cast<void>(setpgid(process, process)); // also here: a signal may be sent before the child has done it
    const pid_t all = child.own_group ? -process : process;
    const Clock::time_point start = Clock::now();
    std::optional<Clock::time_point> ends_at; // when it is killed
    int asked = 0;
    bool timed_out = false;
    constexpr timespec kTick{.tv_sec = 0, .tv_nsec = 20'000'000};
    sigset_t any = signals.asking();
    sigaddset(&any, SIGCHLD);
    while (!has_ended(process)) {
        const int signal = sigtimedwait(&any, nullptr, &kTick);
        if (signal > 0 && signal != SIGCHLD && asked == 0)
            asked = signal;
        const Clock::time_point now = Clock::now();
        if (ends_at && now >= *ends_at)
            break;
        if (ends_at)
            continue;
        timed_out = child.timeout && now - start >= *child.timeout;
        if (asked == 0 && !timed_out && !(child.must_end && child.must_end()))
            continue;
        ends_at = now + kGraceAfterTerm;
        kill(all, SIGTERM);
    }
    if (child.own_group || ends_at)
        kill(all, SIGKILL);
    ProgramEnd end = end_of(process);
    end.timed_out = timed_out;
    if (asked != 0) {
        static_cast<void>(raise(asked)); // it waits until `signals` is destroyed
        throw RunError(
            fmt::format("{} was interrupted by signal {} ({})", arguments.front(), asked, strsignal(asked)));
    }
    return end;
}

} // namespace nestbed::program
