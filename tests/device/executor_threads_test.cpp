// What the threads of a block can do together, and with what they have launched: votes at a barrier, exchanges in a warp, waiting,
// giving way, streams; and the decisions of a random order.
#include "device/cpu/executor.hpp"

#include "support/executor_support.hpp"
#include "support/matchers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestbed::cpu
{
namespace
{

TEST(ExecutorThreads, ABarrierCountsVotesOfThoseThatAreThere)
{
    under_every_schedule([](Executor& executor) {
        std::vector<unsigned> counts(6, 99);
        std::vector<unsigned> threads(6, 99);
        executor.run(1, 6, [&] {
            if (thread_x() == 5)
                return;
            barrier_count(true, threads[thread_x()]);
            counts[thread_x()] = barrier_count(thread_x() < 2, threads[thread_x()]);
        });
        EXPECT_THAT(counts, ElementsAre(2, 2, 2, 2, 2, 99));
        EXPECT_THAT(threads, ElementsAre(5, 5, 5, 5, 5, 99));
    });
}

TEST(ExecutorThreads, LanesOfAMaskExchangeTheirValues)
{
    under_every_schedule([](Executor& executor) {
        std::vector<std::uint64_t> got(70, 99);
        std::vector<std::uint32_t> present(70);
        executor.run(1, 70, [&] { // the third warp has six lanes
            const unsigned thread = linear_thread();
            const std::uint64_t* all = nullptr;
            for (unsigned round = 0; round < 3; ++round) {
                present[thread] = exchange_in_warp(~0U, thread * 10 + round, all, false);
                got[thread] = all[(thread % 32 + 1) % (thread < 64 ? 32 : 6)];
            }
        });
        for (unsigned thread = 0; thread < 70; ++thread) {
            const unsigned lanes = thread < 64 ? 32 : 6;
            EXPECT_EQ(got[thread], (thread / 32 * 32 + (thread % 32 + 1) % lanes) * 10 + 2);
            EXPECT_EQ(present[thread], thread < 64 ? ~0U : 0b111111U);
        }
    });
}

// Few stacks are in use then.
TEST(ExecutorThreads, TheLanesOfAWarpGoOnBeforeTheNextWarpBegins)
{
    for (const unsigned gone : {0U, 7U, 31U}) {
        unsigned begun = 0;
        unsigned begun_before = 0;
        Executor({}, 1).run(1, 70, [&] {
            ++begun;
            const std::uint64_t* all = nullptr;
            if (thread_x() == gone)
                return;
            exchange_in_warp(~0U, 0, all, false);
            begun_before = begun_before == 0 ? begun : begun_before;
        });
        EXPECT_LE(begun_before, 33U) << gone;
    }
}

TEST(ExecutorThreads, LanesInTwoBranchesExchangeAmongThemselves)
{
    under_every_schedule([](Executor& executor) {
        std::vector<std::uint32_t> present(32);
        executor.run(1, 32, [&] {
            const std::uint64_t* all = nullptr;
            if (thread_x() == 31)
                return;
            present[thread_x()] = thread_x() % 2 == 0 ? exchange_in_warp(0x55555555, 0, all, false)
                                                      : exchange_in_warp(0xAAAAAAAA, 0, all, false);
        });
        EXPECT_EQ(present[0], 0x55555555U);
        EXPECT_EQ(present[1], 0x2AAAAAAAU);
        EXPECT_EQ(present[31], 0U);
    });
}

TEST(ExecutorThreads, AnExchangeWithoutAMaskIsOfThoseThatAreThere)
{
    under_every_schedule([](Executor& executor) {
        std::vector<std::uint32_t> present(8);
        executor.run(1, 8, [&] {
            const std::uint64_t* all = nullptr;
            if (thread_x() >= 3)
                present[thread_x()] = exchange_in_warp(0, 0, all, false);
            barrier();
        });
        EXPECT_THAT(present, ElementsAre(0, 0, 0, 0xF8, 0xF8, 0xF8, 0xF8, 0xF8));
    });
}

TEST(ExecutorThreads, AWaitIsForAllThatTheBlockHasLaunchedAndItsDescendants)
{
    under_every_schedule([](Executor& executor) {
        std::vector<int> sums(2);
        std::vector<int> seen(2);
        executor.run(2, 2, [&] {
            const unsigned block = current_thread->block_index.x;
            for (const Mechanism how : {Mechanism::null_stream, Mechanism::fire_and_forget, Mechanism::named_stream})
                launch(1, 1, how, [&sums, block] {
                    launch(1, 1, Mechanism::tail, [&sums, block] { sums[block] += 10; });
                    ++sums[block];
                });
            barrier();
            if (thread_x() == 0) {
                wait_for_children();
                seen[block] = sums[block];
                wait_for_children(); // of nothing
            }
        });
        EXPECT_THAT(seen, ElementsAre(66, 66));
    });
}

TEST(ExecutorThreads, ATailLaunchIsNotWaitedFor)
{
    under_every_schedule([](Executor& executor) {
        bool tail_ran = false;
        bool before_the_end = true;
        executor.run(1, 1, [&] {
            launch(1, 1, Mechanism::tail, [&] { tail_ran = true; });
            wait_for_children();
            before_the_end = tail_ran;
        });
        EXPECT_TRUE(tail_ran);
        EXPECT_FALSE(before_the_end);
    });
}

TEST(ExecutorThreads, LaunchesIntoOneNamedStreamRunInOrder)
{
    const auto kernel = [](Log& log) {
        for (int child = 0; child < 4; ++child)
            launch_into(
                7, 1, 1, Mechanism::named_stream, [&log, child] { log.push_back(child); }, nullptr);
    };
    expect_log(1, 1, kernel, ElementsAre(0, 1, 2, 3));
}

TEST(ExecutorThreads, LaunchesIntoTwoStreamsRunInEitherOrder)
{
    std::set<std::vector<int>> logs;
    under_every_schedule([&](Executor& executor) {
        std::vector<int> log;
        executor.run(1, 1, [&] {
            launch_into(
                1, 1, 1, Mechanism::named_stream, [&log] { log.push_back(1); }, nullptr);
            launch_into(
                2, 1, 1, Mechanism::named_stream, [&log] { log.push_back(2); }, nullptr);
        });
        logs.insert(log);
    });
    EXPECT_THAT(logs, ElementsAre(std::vector{1, 2}, std::vector{2, 1}));
}

// A thread of the block, a thread of another block, and a child: who waits for them in a loop does not wait for ever.
TEST(ExecutorThreads, WhoGivesWayLetsThreadsAndBlocksRun)
{
    for (const char* schedule : {"fifo", "eager", "random:1", "random:2"})
        for (const unsigned workers : {1U, 2U}) {
            Executor executor(parse_schedule(schedule), workers);
            std::atomic<unsigned> arrived = 0;
            executor.run(40, 4, [&] { // a barrier of the grid
                ++arrived;
                while (arrived != 160)
                    give_way();
            });
            EXPECT_EQ(arrived, 160U) << schedule;
        }
}

// The second warp waits for a flag. The first one exchanges among the lanes that are there before it raises the flag.
TEST(ExecutorThreads, AnExchangeWithoutAMaskDoesNotWaitForThreadsThatGiveWay)
{
    under_every_schedule([](Executor& executor) {
        std::atomic<bool> raised = false;
        executor.run(1, 64, [&] {
            if (thread_x() >= 32) {
                while (!raised)
                    give_way();
                return;
            }
            const std::uint64_t* all = nullptr;
            exchange_in_warp(0, 0, all, false);
            if (thread_x() == 0)
                raised = true;
        });
        EXPECT_TRUE(raised);
    });
}

// Who has given way once may come to the exchange. Only who has done so in vain is not waited for.
TEST(ExecutorThreads, AnExchangeWithoutAMaskWaitsForThreadsThatGiveWayOnce)
{
    for (const char* schedule : {"fifo", "eager"}) {
        std::vector<std::uint32_t> present(3);
        Executor(parse_schedule(schedule), 1).run(1, 3, [&] {
            const std::uint64_t* all = nullptr;
            if (thread_x() == 1)
                give_way();
            present[thread_x()] = exchange_in_warp(0, 0, all, false);
        });
        EXPECT_THAT(present, ElementsAre(0b111, 0b111, 0b111)) << schedule;
    }
}

TEST(ExecutorThreads, WhoGivesWayLetsItsChildRun)
{
    for (const char* schedule : {"fifo", "eager", "random:1", "random:2"}) {
        Executor executor(parse_schedule(schedule), 1);
        bool raised = false;
        executor.run(1, 1, [&] {
            launch(1, 1, Mechanism::null_stream, [&] { raised = true; });
            while (!raised)
                give_way();
        });
        EXPECT_TRUE(raised) << schedule;
    }
}

// Each block tail-launches a grid; the block that arrives last then tail-launches one that must see what the others did.
TEST(ExecutorThreads, TheTailStreamOfAGridIsInTheOrderOfTheCalls)
{
    for (unsigned run = 0; run < 60; ++run) {
        Executor executor(parse_schedule("fifo"), 4);
        std::atomic<unsigned> arrived = 0;
        unsigned done = 0;
        unsigned seen = 0;
        executor.run(64, 64, [&] {
            if (thread_x() != 0)
                return;
            launch(1, 1, Mechanism::tail, [&] { ++done; });
            if (++arrived == 64)
                launch(1, 1, Mechanism::tail, [&] { seen = done; });
        });
        EXPECT_EQ(seen, 64U);
    }
}

TEST(ExecutorThreads, ThreadsAtTwoBarriersAreAFaultThatNamesBoth)
{
    for (const auto& [file, line] : {std::pair("a.cu", 5U), std::pair("b.cu", 3U)})
        under_every_schedule([file = file, line = line](Executor& executor) {
            const std::string other = fmt::format("{}:{}", file, line);
            EXPECT_THAT(
                [&] {
                    executor.run(1, 8, [&] {
                        if (thread_x() < 4)
                            barrier("a.cu", 3);
                        else
                            barrier(file, line);
                    });
                },
                testing::ThrowsMessage<Fault>(testing::AnyOf(
                    StartsWith("threads of one block wait at two barriers, a.cu:3 and " + other + "; "),
                    StartsWith("threads of one block wait at two barriers, " + other + " and a.cu:3; "))));
        });
}

// The order in which two blocks of four threads run.
std::vector<unsigned> order_of(Executor& executor)
{
    std::vector<unsigned> order;
    executor.run(2, 4, [&] {
        order.push_back(current_thread->block_index.x * 4 + thread_x());
        delay(1);
        order.push_back(current_thread->block_index.x * 4 + thread_x());
    });
    return order;
}

TEST(ExecutorThreads, ARandomOrderWithoutDeviationsIsTheDefaultOrder)
{
    for (const char* schedule : {"random:1", "random:2"}) {
        Executor executor(parse_schedule(schedule), 1);
        executor.deviate_only_at(std::vector<std::uint64_t>{});
        executor.on_deviation([](std::uint64_t, const ThreadContext*, const ThreadContext*) { FAIL(); });
        EXPECT_THAT(order_of(executor), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7));
    }
}

TEST(ExecutorThreads, ItsDeviationsGiveTheSameOrderAgain)
{
    std::vector<std::uint64_t> decisions;
    Executor all(parse_schedule("random:5"), 1);
    all.on_deviation([&](std::uint64_t decision, const ThreadContext*, const ThreadContext* ran) {
        decisions.push_back(decision);
        EXPECT_NE(ran, nullptr);
    });
    const std::vector<unsigned> order = order_of(all);
    EXPECT_FALSE(decisions.empty());
    Executor again(parse_schedule("random:5"), 1);
    again.deviate_only_at(decisions);
    EXPECT_EQ(order_of(again), order);
}

TEST(ExecutorThreads, OneDeviationInterruptsOneThread)
{
    std::set<std::vector<unsigned>> orders;
    for (std::uint64_t decision = 0; decision < 16; ++decision) {
        Executor executor(parse_schedule("random:3"), 1);
        executor.deviate_only_at(std::vector<std::uint64_t>{decision});
        unsigned reported = 0;
        executor.on_deviation([&](std::uint64_t number, const ThreadContext*, const ThreadContext*) {
            ++reported;
            EXPECT_EQ(number, decision);
        });
        orders.insert(order_of(executor));
        EXPECT_LE(reported, 1U);
    }
    EXPECT_GT(orders.size(), 4U);
}

// The thread that begins first, in any order, marks the begin of its block, and no other one does.
TEST(ExecutorThreads, OneThreadIsTheFirstOfItsBlock)
{
    under_every_schedule([](Executor& executor) {
        std::vector<unsigned> order, marked;
        executor.run(1, 8, [&] {
            order.push_back(thread_x());
            if (first_of_block())
                marked.push_back(thread_x());
        });
        EXPECT_THAT(marked, ElementsAre(order.front()));
    });
}

} // namespace
} // namespace nestbed::cpu
