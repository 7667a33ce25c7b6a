// Threads and programs that cannot be started: the error says what should start, why it could not, and what to do.
#include "base/thread.hpp"

#include "base/parallel.hpp"
#include "base/subprocess.hpp"
#include "support/limit_support.hpp"
#include "support/support.hpp"

#include <atomic>
#include <cerrno>
#include <iostream>
#include <sys/resource.h>

namespace nestbed
{
namespace
{

constexpr const char* kTooMany =
    "Resource temporarily unavailable: this user may have 1 processes and threads at once "
    "\\(ulimit -u\\); end some of them, or allow more";

TEST(StartThread, RunsIt)
{
    std::atomic<bool> ran = false;
    start_thread("a thread", [&] { ran = true; }).join();
    EXPECT_TRUE(ran);
}

// Prints what call() throws, and exits with 0.
template <class Call>
[[noreturn]] void say_under_the_limit(const Call& call)
{
    allow_no_more_processes();
    try {
        call();
    } catch (const RunError& error) {
        std::cerr << error.what() << '\n';
        _exit(0);
    }
    _exit(1);
}

TEST(ManyProcesses, LeaveNoRoomForAThreadWhichIsNamed)
{
    EXPECT_EXIT(say_under_the_limit([] { start_thread("the thread that helps", [] {}); }), testing::ExitedWithCode(0),
                std::string("^the thread that helps could not be started: ") + kTooMany);
}

TEST(ManyProcesses, LeaveNoRoomForAProgramWhichIsNamed)
{
    EXPECT_EXIT(say_under_the_limit([] {
                    sigset_t none;
                    sigemptyset(&none);
                    start_program({"/bin/true"}, {0, 1, 2}, none);
                }),
                testing::ExitedWithCode(0), std::string("^/bin/true could not be started: ") + kTooMany);
}

TEST(ManyProcesses, LeaveTheWorkOfForRangesToTheOneThatThereIs)
{
    EXPECT_EXIT(
        {
            allow_no_more_processes();
            std::atomic<std::size_t> sum = 0;
            for_ranges(1'000'000, [&](std::size_t first, std::size_t end) { sum += end - first; });
            _exit(sum == 1'000'000 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST(WhyNotStarted, GivesNoAdviceWhereThereAreNotTooMany)
{
    EXPECT_EQ(why_not_started(ENOENT), "No such file or directory");
}

// A user may not raise the limit.
void say_why_without_a_limit()
{
    constexpr rlimit kNoLimit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    std::cerr << (setrlimit(RLIMIT_NPROC, &kNoLimit) != 0 ? "skipped" : why_not_started(EAGAIN));
    _exit(0);
}

TEST(WhyNotStarted, NamesTheMachineWhereTheUserHasNoLimit)
{
    EXPECT_EXIT(say_why_without_a_limit(), testing::ExitedWithCode(0),
                "^(skipped|Resource temporarily unavailable: there are as many processes and threads as this machine "
                "or container may have; end some of them, or allow more)$");
}

} // namespace
} // namespace nestbed
