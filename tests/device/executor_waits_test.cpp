// Threads that wait in loops for what other blocks, their children or their parents do, with one worker and with several.
#include "device/cpu/executor.hpp"
#include "device/cpu/standstill.hpp"

#include "support/matchers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
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

// A user's program. Its memory changes `changes` times; its host may write the first `host_writes` times that it is asked.
struct UserProgram final : UsersProgram {
    std::size_t changes = 0;
    unsigned host_writes = 0;
    std::vector<unsigned> looks; // the turns at which memory was looked at
    std::uint64_t contents() override
    {
        looks.push_back(turns);
        return std::min(looks.size(), changes);
    }
    bool host_may_write() override { return host_writes != 0 && host_writes-- != 0; }
    std::string described(const WaitingThreads& of) override
    {
        return fmt::format("in loops {}, barriers {}/{}, warps {}, children {}, launches {}{}", of.in_loops.size(),
                           of.at_barrier, of.at_barriers.size(), of.at_warp, of.for_children, of.launches,
                           of.held_back ? " held back" : "");
    }
};

void wait_for_ever()
{
    while (has_turns())
        for (int step = 0; step < 3; ++step)
            give_way();
}
// How the run of the program ends.
std::string end_of(const std::string& schedule, unsigned blocks, unsigned threads,
                   const std::function<void()>& kernel, UsersProgram* of_user)
{
    Executor executor(parse_schedule(schedule), 1);
    users_program = of_user;
    turns = 0;
    std::string text = "no fault";
    try {
        executor.run(blocks, threads, kernel);
    } catch (const Fault& fault) {
        text = fault.what();
    }
    users_program = nullptr;
    EXPECT_NO_THROW(executor.run(1, 1, [] {}));
    return text;
}

void stand_still(const std::string& how)
{
    const std::uint64_t* all = nullptr;
    if (how == "barrier" && is_first())
        barrier("a.cu", 1);
    if (how == "warp" && !is_first())
        exchange_in_warp(0b111, 0, all, false);
    if (how == "child")
        launch_and_wait(1, 1, wait_for_ever);
    if (how == "launches") {
        launch(1, 1, Mechanism::tail, [] {});
        for (int child = 0; child < 3; ++child)
            launch(1, 1, Mechanism::null_stream, wait_for_ever);
    }
    wait_for_ever();
}

// They would wait for ever, as on a GPU.
TEST(ExecutorWaits, ThreadsThatWaitForWhatNobodyWritesAreAFaultThatCountsThem)
{
    UserProgram program;
    for (const auto& [schedule, how, threads, text] :
         {std::tuple("fifo", "barrier", 3U, "in loops 4, barriers 2/2, warps 0, children 0, launches 0"),
          std::tuple("random:1", "barrier", 3U, "in loops 4, barriers 2/2, warps 0, children 0, launches 0"),
          std::tuple("fifo", "warp", 3U, "in loops 2, barriers 0/0, warps 4, children 0, launches 0"),
          std::tuple("random:1", "warp", 3U, "in loops 2, barriers 0/0, warps 4, children 0, launches 0"),
          std::tuple("eager", "child", 1U, "in loops 1, barriers 0/0, warps 0, children 0, launches 0 held back"),
          std::tuple("random:1", "child", 1U, "in loops 2, barriers 0/0, warps 0, children 2, launches 0"),
          std::tuple("fifo", "launches", 1U, "in loops 4, barriers 0/0, warps 0, children 0, launches 2"),
          std::tuple("random:1", "launches", 1U, "in loops 4, barriers 0/0, warps 0, children 0, launches 6")}) {
        const auto kernel = [how = how] { stand_still(how); };
        EXPECT_EQ(end_of(schedule, 2, threads, kernel, &program), text) << schedule;
    }
    EXPECT_THAT(end_of("random:1", 1, 1, wait_for_ever, nullptr), testing::StartsWith("nobody can go on: 1 threads"));
    EXPECT_THAT(
        end_of(
            "fifo", 2, 3, [] { stand_still("barrier"); }, nullptr),
        testing::StartsWith("nobody can go on: 4 threads wait in loops, 2 at barriers, 0 for lanes of their warp "
                            "and 0 for their children"));
}

TEST(ExecutorWaits, NoWaitIsForEverWhileMemoryChangesOrTheHostMayWrite)
{
    for (const char* schedule : {"fifo", "random:1"}) {
        UserProgram changing;
        changing.changes = 6;
        EXPECT_THAT(end_of(schedule, 1, 2, wait_for_ever, &changing), testing::StartsWith("in loops 2"));
        ASSERT_EQ(changing.looks.size(), 7U) << schedule;
        EXPECT_GT(changing.looks[6] - changing.looks[5], 8 * (changing.looks[1] - changing.looks[0]))
            << "more and more seldom";
        UserProgram written;
        written.host_writes = 50;
        EXPECT_THAT(end_of(schedule, 1, 2, wait_for_ever, &written), testing::StartsWith("in loops 2"));
        EXPECT_EQ(written.host_writes, 0U);
        const auto moves = [] { // as an atomic function of a program does
            while (++turns < 100'000) {
                current_thread->moved = true;
                give_way();
            }
        };
        EXPECT_EQ(end_of(schedule, 1, 2, moves, nullptr), "no fault");
        bool done = false;
        const auto computes = [&done] {
            for (int step = 0; is_first() ? step < 20'000 : !done; step += is_first() ? 1 : 0)
                give_way();
            done = true;
        };
        EXPECT_EQ(end_of(schedule, 1, 3, computes, nullptr), "no fault");
    }
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
