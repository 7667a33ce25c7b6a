// The executor's schedules: what each promises beyond the rules, and what a failing run reports.
#include "device/cpu/executor.hpp"

#include "base/error.hpp"
#include "support/executor_support.hpp"
#include "support/limit_support.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nestbed::cpu
{
namespace
{

TEST(Executor, FifoStartsAChildWhenEveryRunningBlockIsDone)
{
    for (const unsigned workers : {1U, 4U}) {
        std::atomic<unsigned> finished_threads = 0;
        std::atomic<unsigned> early = 0;
        Executor({}, workers).run(64, 64, [&] {
            if (thread_x() == 0)
                launch(1, 1, Mechanism::null_stream, [&] {
                    if (finished_threads != 64 * 64)
                        ++early;
                });
            ++finished_threads;
        });
        EXPECT_EQ(early, 0U) << workers;
    }
}

TEST(Executor, FifoOutcomeDoesNotDependOnTheNumberOfWorkers)
{
    // Blocks compete for places in the log only through the order in which grids are submitted.
    const auto outcome = [](unsigned workers) {
        std::vector<unsigned> log;
        Executor executor({}, workers);
        executor.restrict_to_mechanism(Mechanism::tail);
        executor.run(100, 32, [&] {
            if (thread_x() != 0)
                return;
            const unsigned block = block_x();
            launch(1, 1, Mechanism::tail, [&log, block] { log.push_back(block); });
        });
        return log;
    };
    const std::vector<unsigned> alone = outcome(1);
    EXPECT_EQ(alone.size(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(alone));
    EXPECT_EQ(outcome(2), alone);
    EXPECT_EQ(outcome(4), alone);
}

TEST(Executor, EagerRunsAChildBeforeItsParentsOtherThreads)
{
    std::vector<int> log;
    Executor({Schedule::Order::eager, 0}, 4).run(1, 3, [&] {
        const int name = static_cast<int>(thread_x());
        if (name == 0)
            launch(1, 1, Mechanism::null_stream, [&] { log.push_back(100); });
        log.push_back(name);
    });
    EXPECT_THAT(log, ElementsAre(100, 0, 1, 2));
}

std::vector<unsigned> random_order(std::uint64_t seed, unsigned runs)
{
    std::vector<unsigned> log;
    Executor executor({Schedule::Order::random, seed}, 4);
    for (unsigned run = 0; run < runs; ++run)
        executor.run(2, 8, [&] { log.push_back(8 * block_x() + thread_x()); });
    return log;
}

TEST(Executor, RandomGivesTheSameSequenceOfRunsForTheSameSeed)
{
    EXPECT_EQ(random_order(7, 3), random_order(7, 3));
    EXPECT_NE(random_order(7, 1), random_order(8, 1));
    const std::vector<unsigned> two = random_order(7, 2);
    EXPECT_NE(std::vector(two.begin(), two.begin() + 16), std::vector(two.begin() + 16, two.end()));
}

TEST(Executor, RandomBeginsWithAnyThreadOfABlock)
{
    std::set<unsigned> first;
    Executor executor({Schedule::Order::random, 7}, 1);
    for (unsigned run = 0; run < 200; ++run) {
        bool begun = false;
        executor.run(1, dim3(2, 3, 2), [&] {
            if (!std::exchange(begun, true))
                first.insert(linear_thread());
        });
    }
    EXPECT_EQ(first.size(), 12U);
}

TEST(Executor, RandomDrawsFromTheNumberThatItIsGivenWhateverRanBefore)
{
    const auto order = [](std::uint64_t seed, unsigned runs_before) {
        Executor executor({Schedule::Order::random, 7}, 4);
        for (unsigned run = 0; run < runs_before; ++run)
            executor.run(2, 8, [] {});
        executor.draw_from(seed);
        std::vector<unsigned> log;
        for (unsigned run = 0; run < 2; ++run)
            executor.run(2, 8, [&] { log.push_back(8 * block_x() + thread_x()); });
        return log;
    };
    const std::vector<unsigned> two = order(1, 0);
    EXPECT_EQ(order(1, 3), two);
    EXPECT_EQ(order(7, 3), random_order(7, 2));
    EXPECT_NE(order(2, 0), two);
    ASSERT_EQ(two.size(), 32U);
    EXPECT_NE(std::vector(two.begin(), two.begin() + 16), std::vector(two.begin() + 16, two.end()));
}

// Results that depend on the number of workers, such as the shape of a grid, then do not depend on the machine.
TEST(Executor, HasOneWorkerWhereOneWorks)
{
    EXPECT_EQ(Executor({}, 4).workers(), 4U);
    EXPECT_EQ(Executor({Schedule::Order::eager, 0}, 4).workers(), 1U);
    EXPECT_EQ(Executor({Schedule::Order::random, 1}, 4).workers(), 1U);
}

TEST(ManyProcesses, LeaveNoRoomForTheExecutorsThreadsWhichAreNamed)
{
    EXPECT_EXIT(
        {
            allow_no_more_processes();
            std::cerr << text_of<RunError>([] { Executor({}, 4); });
            _exit(0);
        },
        testing::ExitedWithCode(0),
        "^thread 2 of 4 of the executor \\(--workers\\) could not be started: Resource temporarily unavailable: this "
        "user may have 1 processes and threads at once");
}

TEST(Executor, WhatAKernelThrowsComesOutAndTheExecutorGoesOn)
{
    for (const char* name : {"fifo", "eager", "random:1"}) {
        SCOPED_TRACE(name);
        Executor executor(parse_schedule(name), 2);
        for (int time = 0; time < 3; ++time)
            EXPECT_THROW(executor.run(64, 64,
                                      [] {
                                          if (block_x() == 40 && thread_x() == 33)
                                              throw std::runtime_error("kernel");
                                          barrier(); // the other threads are stopped in the middle of the kernel
                                      }),
                         std::runtime_error);
        std::atomic<unsigned> ran = 0;
        executor.run(64, 64, [&] { ++ran; });
        EXPECT_EQ(ran, 64U * 64);
    }
}

// Or a race between blocks would show only between the first ones of a grid.
TEST(Executor, RandomInterleavesTheLastBlocksOfALargeGridToo)
{
    for (const char* schedule : {"random:1", "random:2"}) {
        unsigned begun = 0;
        unsigned running = 0;
        unsigned most = 0; // of the blocks that run at the same time
        Executor(parse_schedule(schedule), 1).run(400, 1, [&] {
            ++running;
            if (++begun > 300)
                most = std::max(most, running);
            delay(3);
            --running;
        });
        EXPECT_GT(most, 4U) << schedule;
    }
}

TEST(Executor, ScheduleNamesAreReadBackAndOthersRefused)
{
    for (const char* name : {"fifo", "eager", "random:0", "random:18446744073709551615"})
        EXPECT_EQ(name_of(parse_schedule(name)), name);
    for (const char* name :
         {"", "lifo", "random", "random:", "random:-1", "random:1x", "random:18446744073709551616"})
        EXPECT_THROW(parse_schedule(name), UsageError) << name;
}

} // namespace
} // namespace nestbed::cpu
