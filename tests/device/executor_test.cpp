// The executor's rules, one by one: the rules of the chapter on dynamic parallelism in the CUDA C++ Programming
// Guide.
#include "device/cpu/executor.hpp"

#include "support/executor_support.hpp"
#include "support/matchers.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace nestbed::cpu
{
namespace
{

constexpr unsigned kSeeds = 200;

TEST(Executor, RunsEveryThreadOnceWithItsCoordinates)
{
    const dim3 grid(3, 2, 2);
    const dim3 block(4, 3, 2);
    under_every_schedule([&](Executor& executor) {
        std::vector<int> ran(std::size_t{12} * 24);
        executor.run(grid, block, [&] {
            const ThreadContext& t = *current_thread;
            const unsigned b = t.block_index.x + t.grid_dim.x * (t.block_index.y + t.grid_dim.y * t.block_index.z);
            const unsigned i =
                t.thread_index.x + t.block_dim.x * (t.thread_index.y + t.block_dim.y * t.thread_index.z);
            ++ran[b * 24 + i];
        });
        EXPECT_THAT(ran, Each(1));
    });
}

TEST(Executor, BarrierPutsWritesBeforeReadsOfTheWholeBlock)
{
    under_every_schedule([](Executor& executor) {
        std::vector<unsigned> value(64), seen(64);
        executor.run(1, 64, [&] {
            value[thread_x()] = thread_x() + 1;
            barrier();
            seen[thread_x()] = value[(thread_x() + 17) % 64];
        });
        for (unsigned t = 0; t < 64; ++t)
            EXPECT_EQ(seen[t], (t + 17) % 64 + 1);
    });
}

// CUDA's rule since Volta: a barrier waits for the threads that have not ended. The book's kernels return early.
TEST(Executor, ABarrierWaitsForTheThreadsThatHaveNotEnded)
{
    under_every_schedule([](Executor& executor) {
        unsigned sum[8]{};
        executor.run(1, 8, [&] {
            const unsigned thread = thread_x();
            sum[thread] = thread;
            barrier();
            for (unsigned stride = 4; stride > 0; stride /= 2) {
                if (thread >= stride)
                    return;
                sum[thread] += sum[thread + stride];
                barrier();
            }
        });
        EXPECT_EQ(sum[0], 28U);
    });
}

TEST(Executor, ThreadsThatCanNeverReachABarrierAreAFault)
{
    for (const char* schedule : {"fifo", "eager"}) {
        Executor executor(parse_schedule(schedule), 1);
        const auto kernel = [&] {
            const std::uint64_t* all = nullptr;
            if (thread_x() != 0)
                barrier("a.cu", 3);
            else // the second lane is at the barrier: it will not come
                exchange_in_warp(0b11, 1, all, true, {"__syncwarp", "a.cu", 5});
        };
        EXPECT_THAT([&] { executor.run(1, 4, kernel); },
                    ThrowsMessage<Fault>(
                        StartsWith("a.cu:5: __syncwarp() with the mask 0x00000003 waits for lane 1, which never "
                                   "comes (waiting in __syncthreads() at a.cu:3); ")))
            << schedule;
        bool ran = false;
        executor.run(1, 1, [&] { ran = true; }); // the executor can continue
        EXPECT_TRUE(ran);
    }
}

TEST(Executor, NullStreamChildrenOfABlockRunInOrderWithTheirDescendants)
{
    const auto kernel = [](Log& log) {
        for (int child = 0; child < 3; ++child)
            launch(1, 1, Mechanism::null_stream, [&log, child] {
                log.push_back(10 * child);
                launch(1, 1, Mechanism::null_stream, [&log, child] { log.push_back(10 * child + 1); });
            });
    };
    expect_log(1, 1, kernel, ElementsAre(0, 1, 10, 11, 20, 21));
}

// Which of two children ran first, over many random orders.
std::set<int> first_of_two(dim3 grid, Mechanism mechanism)
{
    std::set<int> firsts;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
        std::vector<int> log;
        Executor executor({Schedule::Order::random, seed}, 1);
        executor.run(grid, 1, [&] {
            for (unsigned child = 0; child < 2 / current_thread->grid_dim.x; ++child) {
                const int name = static_cast<int>(block_x() + child);
                launch(1, 1, mechanism, [&log, name] { log.push_back(name); });
            }
        });
        firsts.insert(log.at(0));
    }
    return firsts;
}

TEST(Executor, NullStreamsOfDifferentBlocksAreNotOrdered)
{
    EXPECT_THAT(first_of_two(2, Mechanism::null_stream), ElementsAre(0, 1));
    EXPECT_THAT(first_of_two(1, Mechanism::null_stream), ElementsAre(0));
}

TEST(Executor, FireAndForgetAndNamedStreamChildrenAreNotOrdered)
{
    EXPECT_THAT(first_of_two(1, Mechanism::fire_and_forget), ElementsAre(0, 1));
    EXPECT_THAT(first_of_two(1, Mechanism::named_stream), ElementsAre(0, 1));
}

TEST(Executor, TailLaunchesStartAfterTheWholeParentAndItsOtherChildren)
{
    const auto kernel = [](Log& log) { // 0 parent, 1 child, 2 grandchild, 3 tail
        if (block_x() == 0 && thread_x() == 0)
            launch(1, 1, Mechanism::tail, [&log] { log.push_back(3); });
        if (thread_x() == 0)
            launch(1, 1, Mechanism::fire_and_forget, [&log] {
                log.push_back(1);
                launch(1, 1, Mechanism::null_stream, [&log] { log.push_back(2); });
            });
        log.push_back(0);
    };
    expect_log(3, 2, kernel,
               AllOf(SizeIs(6 + 3 + 3 + 1), testing::ResultOf([](const Log& log) { return log.back(); }, 3)));
}

TEST(Executor, TailLaunchesOfAGridRunOneAfterAnotherWithTheirDescendants)
{
    const auto kernel = [](Log& log) {
        for (int tail = 0; tail < 3; ++tail)
            launch(1, 1, Mechanism::tail, [&log, tail] {
                log.push_back(10 * tail);
                launch(1, 1, Mechanism::fire_and_forget, [&log, tail] { log.push_back(10 * tail + 1); });
                launch(1, 1, Mechanism::tail, [&log, tail] { log.push_back(10 * tail + 2); });
            });
    };
    expect_log(1, 1, kernel, ElementsAre(0, 1, 2, 10, 11, 12, 20, 21, 22));
}

TEST(Executor, ThousandsOfTailLaunchesRunInTheOrderOfTheirCalls)
{
    constexpr int kTails = 3000;
    for (const char* name : {"fifo", "eager", "random:1", "random:2"}) {
        SCOPED_TRACE(name);
        std::vector<int> log;
        Executor executor(parse_schedule(name), 1);
        executor.set_pending_limit(kTails);
        executor.run(1, 1, [&] {
            for (int tail = 0; tail < kTails; ++tail)
                EXPECT_EQ(launch(1, 1, Mechanism::tail, [&log, tail] { log.push_back(tail); }), launch_ok);
        });
        EXPECT_EQ(log.size(), std::size_t{kTails});
        EXPECT_TRUE(std::ranges::is_sorted(log));
    }
}

TEST(Executor, AWaitingThreadGoesOnWhenItsChildAndAllDescendantsAreComplete)
{
    const auto kernel = [](Log& log) {
        if (thread_x() != 2)
            return;
        launch_and_wait(1, 1, [&log] {
            log.push_back(1);
            launch(1, 1, Mechanism::fire_and_forget, [&log] { log.push_back(2); });
            launch(1, 1, Mechanism::tail, [&log] { log.push_back(3); });
        });
        log.push_back(4);
    };
    expect_log(1, 4, kernel, ElementsAre(1, 2, 3, 4));
}

TEST(Executor, AWaitedChildComesAfterWhatIsBeforeItInTheNullStream)
{
    const auto kernel = [](Log& log) {
        launch(1, 1, Mechanism::null_stream, [&log] { log.push_back(0); });
        launch_and_wait(1, 1, [&log] { log.push_back(1); });
        log.push_back(2);
        launch(1, 1, Mechanism::null_stream, [&log] { log.push_back(3); });
    };
    expect_log(1, 1, kernel, ElementsAre(0, 1, 2, 3));
}

TEST(Executor, ARunEndsWhenAllDescendantsAreComplete)
{
    constexpr unsigned kLevels = 1500; // deeper than the limit of 24 of the old device runtime
    std::atomic<unsigned> deepest = 0;
    struct Chain {
        static void go(std::atomic<unsigned>& reached, unsigned level)
        {
            reached = level;
            if (level < kLevels)
                launch(1, 1, Mechanism::null_stream, [&reached, level] { go(reached, level + 1); });
        }
    };
    for (const char* name : {"fifo", "random:3"}) {
        deepest = 0;
        Executor(parse_schedule(name), 2).run(1, 1, [&] { Chain::go(deepest, 0); });
        EXPECT_EQ(deepest, kLevels) << name;
    }
}

TEST(Executor, ALaunchPastThePendingLimitFailsWithTheGpusError)
{
    unsigned refused = 0;
    unsigned ran = 0;
    Executor executor({}, 1);
    executor.set_pending_limit(10);
    executor.run(1, 32, [&] {
        const LaunchError error = launch(1, 1, Mechanism::fire_and_forget, [&] { ++ran; });
        if (error == launch_pending_count_exceeded)
            ++refused;
    });
    EXPECT_EQ(ran, 10U);
    EXPECT_EQ(refused, 22U);
    EXPECT_EQ(launch_pending_count_exceeded, 69);
    EXPECT_EQ(name_of(launch_pending_count_exceeded), "cudaErrorLaunchPendingCountExceeded");
}

TEST(Executor, ARunThatEndsByAnExceptionLeavesNoPendingLaunches)
{
    for (const char* schedule : {"fifo", "eager", "random:1"}) {
        Executor executor(parse_schedule(schedule), 1);
        executor.set_pending_limit(10);
        unsigned refused = 0;
        const auto launch_ten = [&](bool ends_so) {
            executor.run(1, 1, [&, ends_so] {
                for (int child = 0; child < 10; ++child)
                    refused += launch(1, 1, Mechanism::tail, [] {}) == launch_ok ? 0 : 1;
                if (ends_so)
                    throw Fault("an end before its children run");
            });
        };
        EXPECT_THROW(launch_ten(true), Fault);
        launch_ten(false);
        EXPECT_EQ(refused, 0U) << schedule;
    }
}

TEST(Executor, ALaunchIsPendingUntilItsGridAndItsDescendantsAreComplete)
{
    std::atomic<unsigned> refused = 0;
    const auto kernel = [&] {
        if (launch(1, 1, Mechanism::null_stream, [&] {
                if (launch(1, 1, Mechanism::null_stream, [] {}) != launch_ok)
                    ++refused;
            }) != launch_ok)
            ++refused;
    };
    const auto refused_under = [&](const char* schedule, unsigned limit, unsigned blocks) {
        refused = 0;
        Executor executor(parse_schedule(schedule), 2);
        executor.set_pending_limit(limit);
        executor.run(blocks, 1, kernel);
        return refused.load();
    };
    // 8 children, each with one child. A child keeps its place while its own child runs.
    EXPECT_EQ(refused_under("fifo", 16, 8), 0U);
    EXPECT_EQ(refused_under("fifo", 15, 8), 1U);
    EXPECT_EQ(refused_under("fifo", 8, 8), 8U);
    EXPECT_EQ(refused_under("fifo", 7, 8), 8U); // one child and therefore its own child, and 7 children of children
    // A pair that runs at its launch frees both places for the next pair.
    EXPECT_EQ(refused_under("eager", 2, 8), 0U);
    EXPECT_EQ(refused_under("eager", 1, 8), 8U);
    EXPECT_EQ(refused_under("random:1", 16, 8), 0U);
    EXPECT_GT(refused_under("random:1", 1, 8), 0U);
}

TEST(Executor, TheLimitHoldsAgainInTheNextRun)
{
    unsigned refused = 0;
    Executor executor({}, 1);
    executor.set_pending_limit(3);
    for (unsigned run = 1; run <= 3; ++run) {
        executor.run(4, 1, [&] { refused += launch(1, 1, Mechanism::null_stream, [] {}) != launch_ok ? 1 : 0; });
        EXPECT_EQ(refused, run);
    }
}

// A GPU does the same: results/h200/pending.csv.
TEST(Executor, TheLimitBoundsTheDepthOfNestingButNotThatOfTailLaunches)
{
    constexpr unsigned kLevels = 64;
    struct Chain {
        static void level(unsigned& ran, Mechanism mechanism, unsigned depth)
        {
            ++ran;
            if (depth < kLevels)
                launch(1, 1, mechanism, [&ran, mechanism, depth] { level(ran, mechanism, depth + 1); });
        }
    };
    for (const char* schedule : {"fifo", "random:5"}) {
        Executor executor(parse_schedule(schedule), 1);
        executor.set_pending_limit(16);
        for (const Mechanism mechanism : {Mechanism::null_stream, Mechanism::fire_and_forget}) {
            unsigned ran = 0;
            executor.run(1, 1, [&] { Chain::level(ran, mechanism, 0); });
            EXPECT_EQ(ran, 1 + 16U) << schedule;
        }
        unsigned ran = 0;
        executor.run(1, 1, [&] { Chain::level(ran, Mechanism::tail, 0); });
        EXPECT_EQ(ran, 1 + kLevels) << schedule;
    }
}

} // namespace
} // namespace nestbed::cpu
