// Threads that wait in loops for what other blocks, their children or their parents do, with one worker and with several.
#include "device/cpu/executor.hpp"

#include "support/matchers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace nestbed::cpu
{
namespace
{

// Gives way until the condition holds. Returns false after a time in which it should.
template <class Condition>
bool comes(Condition condition)
{
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > latest)
            return false;
        give_way();
    }
    return true;
}

bool is_first()
{
    return current_thread->thread_index.x == 0;
}

TEST(ExecutorWaits, ABlockMayWaitForTheChildOfABlockThatAnotherWorkerHasRun)
{
    constexpr unsigned kBlocks = 64;
    for (unsigned run = 0; run < 20; ++run) {
        Executor executor({}, 4);
        std::array<std::atomic<bool>, kBlocks> raised{};
        std::atomic<unsigned> came = 0;
        executor.run(kBlocks, 64, [&] { // enough threads to wake all workers
            if (!is_first())
                return;
            const unsigned block = current_thread->block_index.x;
            launch(1, 1, Mechanism::null_stream, [&raised, block] { raised.at(block) = true; });
            if (block % 2 == 0) // the others end at once, and their workers have nothing to do
                came += comes([&] { return raised.at((block + kBlocks / 2 + 1) % kBlocks).load(); }) ? 1 : 0;
        });
        ASSERT_EQ(came, kBlocks / 2);
    }
}

// Not under eager: it runs a child to its end before the launching thread goes on.
TEST(ExecutorWaits, AChildMayWaitForItsParentWhichWaitsForIt)
{
    for (const char* schedule : {"fifo", "random:1", "random:2"})
        for (const unsigned workers : {1U, 2U}) {
            Executor executor(parse_schedule(schedule), workers);
            std::atomic<bool> ready = false;
            std::atomic<bool> go = false;
            std::atomic<bool> done = false;
            bool came = false;
            executor.run(1, 1, [&] {
                launch(1, 1, Mechanism::fire_and_forget, [&] {
                    ready = true;
                    done = comes([&] { return go.load(); });
                });
                came = comes([&] { return ready.load(); });
                go = true;
                came = came && comes([&] { return done.load(); });
            });
            EXPECT_TRUE(came) << schedule;
        }
}

// A child may start before its parent is done only where a block would wait for it for ever.
TEST(ExecutorWaits, AChildDoesNotStartBecauseItsParentGivesWayForAWhile)
{
    std::vector<int> order;
    Executor({}, 1).run(2, 1, [&] {
        const int block = static_cast<int>(current_thread->block_index.x);
        launch(1, 1, Mechanism::fire_and_forget, [&order, block] { order.push_back(10 + block); });
        for (int time = 0; time < 100; ++time)
            give_way();
        order.push_back(block);
    });
    EXPECT_THAT(order, ElementsAre(0, 1, 10, 11));
}

TEST(ExecutorWaits, AStreamStaysInOrderWhileItsBlockWaits)
{
    for (const unsigned workers : {1U, 2U}) {
        Executor executor({}, workers);
        std::vector<int> order;
        std::atomic<bool> ready = false;
        std::atomic<bool> go = false;
        std::atomic<bool> done = false;
        executor.run(1, 1, [&] {
            launch(1, 1, Mechanism::null_stream, [&] {
                order.push_back(1);
                ready = true;
                EXPECT_TRUE(comes([&] { return go.load(); }));
                order.push_back(2);
            });
            EXPECT_TRUE(comes([&] { return ready.load(); }));
            launch(1, 1, Mechanism::null_stream, [&] {
                order.push_back(3);
                done = true;
            });
            for (int time = 0; time < 5000; ++time) // long enough for the second child to start, if it could
                give_way();
            go = true;
            EXPECT_TRUE(comes([&] { return done.load(); }));
        });
        EXPECT_THAT(order, ElementsAre(1, 2, 3));
    }
}

struct Launch {
    Mechanism how;
    std::uint64_t stream;
    unsigned block;
};

// The first child waits for what the second one does, which is in no order with it.
TEST(ExecutorWaits, AChildMayWaitForOneOfAnotherStreamThatIsLaunchedLater)
{
    constexpr Launch kNull{Mechanism::null_stream, 0, 0};
    constexpr Launch kForget{Mechanism::fire_and_forget, 0, 0};
    constexpr Launch kNamed{Mechanism::named_stream, 3, 0};
    constexpr Launch kOwnStream{Mechanism::named_stream, 0, 0};
    const auto of_block_1 = [](Launch launch) { return Launch{launch.how, launch.stream, 1}; };
    for (const auto& [first, second] :
         {std::pair(kForget, kForget), std::pair(kNull, kForget), std::pair(kForget, kNull), std::pair(kNull, kNamed),
          std::pair(kNamed, kNull), std::pair(kNamed, Launch{Mechanism::named_stream, 4, 0}),
          std::pair(kOwnStream, kOwnStream), std::pair(kNull, of_block_1(kNull)),
          std::pair(kNamed, of_block_1(kNamed))}) {
        SCOPED_TRACE(testing::Message() << name_of(first.how) << " " << first.stream << ", " << name_of(second.how)
                                        << " " << second.stream << " of block " << second.block);
        std::atomic<bool> ready = false;
        std::atomic<bool> go = false;
        std::atomic<bool> done = false;
        Executor({}, 1).run(2, 1, [&, first = first, second = second] {
            const auto into = [](const Launch& launch, KernelCall kernel) {
                launch_into(launch.stream, 1, 1, launch.how, std::move(kernel), nullptr);
            };
            const unsigned block = current_thread->block_index.x;
            if (block == first.block)
                into(first, [&] {
                    ready = true;
                    done = comes([&] { return go.load(); });
                });
            ASSERT_TRUE(comes([&] { return ready.load(); }));
            if (block == second.block)
                into(second, [&] { go = true; });
            ASSERT_TRUE(comes([&] { return done.load(); }));
        });
        if (HasFailure())
            return;
    }
}

// The wait of one block is not for the child of another one, which waits for that block.
TEST(ExecutorWaits, AWaitForAllChildrenIsNotForThoseOfOtherBlocks)
{
    std::atomic<bool> ready = false;
    std::atomic<bool> go = false;
    bool done = false;
    Executor({}, 1).run(2, 1, [&] {
        if (current_thread->block_index.x == 0) {
            launch(1, 1, Mechanism::null_stream, [&] {
                ready = true;
                done = comes([&] { return go.load(); });
            });
            EXPECT_TRUE(comes([&] { return done; }));
        } else {
            EXPECT_TRUE(comes([&] { return ready.load(); }));
            wait_for_children();
            go = true;
        }
    });
    EXPECT_TRUE(done);
}

TEST(ExecutorWaits, AWaitForAllChildrenIncludesThoseThatRunAlready)
{
    for (const char* schedule : {"fifo", "random:1", "random:2"})
        for (const unsigned workers : {1U, 4U}) {
            Executor executor(parse_schedule(schedule), workers);
            std::array<std::atomic<bool>, 2> ready{};
            std::array<std::atomic<bool>, 2> done{};
            std::atomic<unsigned> right = 0;
            executor.run(2, 1024, [&] {
                if (!is_first())
                    return;
                const unsigned block = current_thread->block_index.x;
                launch(1, 1, Mechanism::null_stream, [&, block] {
                    ready.at(block) = true;
                    for (int time = 0; time < 3000; ++time)
                        give_way();
                    done.at(block) = true;
                });
                EXPECT_TRUE(comes([&] { return ready.at(block).load(); }));
                wait_for_children();
                right += done.at(block) ? 1 : 0;
            });
            EXPECT_EQ(right, 2U) << schedule << ", workers: " << workers;
        }
}

// False after more turns than the executor needs, so that the test ends. The count is not on the stack of the thread, which is compared.
std::atomic<unsigned> turns;
[[gnu::noinline]] bool has_turns()
{
    return ++turns < 2'000'000;
}

// They would wait for ever, as on a GPU.
TEST(ExecutorWaits, ThreadsThatWaitForWhatNobodyWritesAreAFault)
{
    Executor executor({}, 1);
    const std::atomic<bool> never = false;
    turns = 0;
    EXPECT_THAT(
        [&] {
            executor.run(2, 3, [&] {
                if (is_first())
                    barrier("a.cu", 1);
                while (!never && has_turns())
                    give_way();
            });
        },
        testing::ThrowsMessage<Fault>(testing::StartsWith("nobody can go on: 4 threads wait in loops, 2 at barriers, "
                                                          "0 for lanes of their warp and 0 for their children")));
    EXPECT_NO_THROW(executor.run(1, 1, [] {}));
}

// What another worker does is not known: it may end the wait.
TEST(ExecutorWaits, AWaitForWhatAnotherWorkerComputesIsNone)
{
    Executor executor({}, 4);
    std::atomic<bool> done = false;
    executor.run(64, 64, [&] {
        if (current_thread->block_index.x == 63 && is_first()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            done = true;
        }
        while (!done)
            give_way();
    });
    EXPECT_TRUE(done);
}

} // namespace
} // namespace nestbed::cpu
