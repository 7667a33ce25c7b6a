// Work on all cores; threads and programs that cannot be started: the error says what should start, why it could not, and what to do.
#include "base/parallel.hpp"

#include "base/parallel_sort.hpp"
#include "base/split_mix.hpp"
#include "base/start_thread.hpp"
#include "base/subprocess.hpp"
#include "support/limit_support.hpp"
#include "support/matchers.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <set>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

namespace nestbed
{
namespace
{

using Range = std::pair<std::size_t, std::size_t>;

// Sorted by their first index.
std::vector<Range> ranges_of(std::size_t count)
{
    std::vector<Range> ranges;
    std::mutex one_at_a_time;
    for_ranges(count, [&](std::size_t first, std::size_t end) {
        const std::scoped_lock lock(one_at_a_time);
        ranges.emplace_back(first, end);
    });
    std::ranges::sort(ranges);
    return ranges;
}

TEST(ForRanges, CoverEveryIndexExactlyOnceInAsManyRangesAsCoresAtMost)
{
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    for (const std::size_t count : {1U, 2U, 16383U, 16384U, 16385U, 32768U, 49159U, 1000003U}) {
        const std::vector<Range> ranges = ranges_of(count);
        EXPECT_EQ(ranges.size(), std::min<std::size_t>(cores, count / 16384 + 1)) << count;
        std::size_t next = 0;
        for (const auto& [first, end] : ranges) {
            EXPECT_EQ(first, next) << count;
            EXPECT_LT(first, end) << count;
            next = end;
        }
        EXPECT_EQ(next, count);
    }
}

TEST(ForRanges, OfNothingDoNothing)
{
    for (const auto& [first, end] : ranges_of(0))
        EXPECT_EQ(first, end);
}

TEST(ForRanges, OfSmallCountsStayOnTheCallingThread)
{
    const std::thread::id caller = std::this_thread::get_id();
    for (const std::size_t count : {1U, 16383U}) {
        unsigned calls = 0;
        for_ranges(count, [&](std::size_t first, std::size_t end) {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            EXPECT_EQ(first, 0U);
            EXPECT_EQ(end, count);
            ++calls;
        });
        EXPECT_EQ(calls, 1U);
    }
}

TEST(ForRanges, OfLargeCountsHaveAThreadACoreAndAreDoneOnReturn)
{
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    std::mutex one_at_a_time;
    std::set<std::thread::id> threads;
    std::size_t done = 0;
    for_ranges(cores * 16384, [&](std::size_t first, std::size_t end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const std::scoped_lock lock(one_at_a_time);
        threads.insert(std::this_thread::get_id());
        done += end - first;
    });
    EXPECT_EQ(done, cores * 16384);
    EXPECT_EQ(threads.size(), cores);
    EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST(SortOnAllCores, SortsAsOneCoreDoes)
{
    for (const std::size_t count : {0U, 1U, 1000U, 32768U, 300001U}) {
        std::vector<std::uint64_t> numbers(count);
        for (std::size_t index = 0; index < count; ++index)
            numbers[index] = split_mix(1, index) % 100000;
        std::vector<std::uint64_t> sorted = numbers;
        std::ranges::sort(sorted);
        sort_on_all_cores(numbers);
        EXPECT_EQ(numbers, sorted) << count;
    }
}

// The first outputs of SplitMix64 from the state 0, as its authors' splitmix64.c gives them.
TEST(SplitMix, IsItsAuthorsSequence)
{
    constexpr std::array<std::uint64_t, 3> kOutputs{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F};
    static_assert(split_mix(0, 0) == kOutputs[0]);
    for (std::uint64_t index = 0; index < kOutputs.size(); ++index)
        EXPECT_EQ(split_mix(0, index), kOutputs.at(index)) << index;
}

// From one number to the next, the state grows by 2^64 / phi, where phi is the golden ratio.
TEST(SplitMix, OfASeedFurtherOnIsTheSameSequenceFromThere)
{
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, UINT64_MAX})
        for (const std::uint64_t index : {0ULL, 1ULL, 1000ULL, 1ULL << 40})
            EXPECT_EQ(split_mix(seed, index + 5), split_mix(seed + 5 * kStep, index)) << seed << " " << index;
}

// ---- threads and programs that cannot be started ----

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
