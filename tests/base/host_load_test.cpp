// A busy host: the threads spin while they should, and not any more afterwards, however their process ends.
#include "base/host_load.hpp"

#include "base/error.hpp"
#include "support/process_support.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>

namespace nestbed
{
namespace
{

using namespace std::chrono_literals;

double processor_seconds()
{
    std::timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The processor time that the other threads of this process take while this one sleeps.
double seconds_used_in(std::chrono::milliseconds time)
{
    const double before = processor_seconds();
    std::this_thread::sleep_for(time);
    return processor_seconds() - before;
}

TEST(HostLoad, SpinsFromItsStartToItsEnd)
{
    const std::size_t before = threads_of(getpid());
    {
        const HostLoad load(3);
        EXPECT_EQ(threads_of(getpid()), before + 3);
        EXPECT_GT(seconds_used_in(200ms), 0.02); // also where other processes use the cores
        EXPECT_NO_THROW(load.expect_busy());
    }
    EXPECT_EQ(threads_of(getpid()), before);
    EXPECT_LT(seconds_used_in(100ms), 0.02);
}

TEST(HostLoad, OfNoThreadsIsNothing)
{
    const std::size_t before = threads_of(getpid());
    const HostLoad load(0);
    EXPECT_EQ(threads_of(getpid()), before);
}

TEST(HostLoad, EndsWithItsProcess)
{
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        const HostLoad load(2);
        static_cast<void>(!write(ends[1], "!", 1));
        std::this_thread::sleep_for(1h);
    }
    char spins = 0;
    ASSERT_EQ(read(ends[0], &spins, 1), 1);
    EXPECT_EQ(threads_of(child), 3U);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child); // it returns when the last thread has ended
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(threads_of(child), 0U);
    close(ends[0]);
    close(ends[1]);
}

TEST(UsableCores, AreThoseOfTheMaskAndOfTheQuota)
{
    struct Cores {
        unsigned mask;
        std::string_view quota;
        unsigned usable;
    };
    for (const Cores& one : {Cores{16, "", 16},
                             {16, "max 100000\n", 16},
                             {192, "1600000 100000\n", 16},
                             {8, "1600000 100000", 8},
                             {8, "250000 100000", 3},
                             {8, "5000 100000", 1},
                             {8, "100000 0", 8},
                             {8, "what else", 8},
                             {0, "", 1}})
        EXPECT_EQ(usable_cores(one.mask, one.quota), one.usable) << one.mask << " of " << one.quota;
    EXPECT_GE(usable_cores(), 1U);
    EXPECT_LE(usable_cores(), std::thread::hardware_concurrency());
}

std::size_t cores_of_this_thread()
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? static_cast<std::size_t>(CPU_COUNT(&cores)) : 0;
}

TEST(RunAt, RunsWorkAtItsPlaceAndLeavesTheCallerAtItsOwn)
{
    const int nice = getpriority(PRIO_PROCESS, 0);
    const std::size_t cores = cores_of_this_thread();
    for (const auto& [place, expected_nice, expected_cores] :
         {std::tuple(ThreadPlace{}, nice, cores), std::tuple(ThreadPlace{.nice = 3}, std::min(nice + 3, 19), cores),
          std::tuple(ThreadPlace{.pinned = true}, nice, std::size_t{1}),
          std::tuple(ThreadPlace{.nice = 19, .pinned = true}, 19, std::size_t{1})}) {
        bool ran = false;
        run_at(place, [&, is_nice = expected_nice, has_cores = expected_cores] {
            ran = true;
            EXPECT_EQ(getpriority(PRIO_PROCESS, 0), is_nice);
            EXPECT_EQ(cores_of_this_thread(), has_cores);
        });
        EXPECT_TRUE(ran);
        EXPECT_EQ(getpriority(PRIO_PROCESS, 0), nice);
        EXPECT_EQ(cores_of_this_thread(), cores);
    }
}

TEST(RunAt, ThrowsWhatTheWorkThrows)
{
    for (const bool pinned : {false, true})
        EXPECT_EQ(text_of<RunError>([&] { run_at({.pinned = pinned}, [] { throw RunError("no device"); }); }),
                  "no device");
}

} // namespace
} // namespace nestbed
