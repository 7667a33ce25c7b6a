// The executor's rule of programmatic dependent launch: when the next grid may begin, and what a thread of it waits for.
#include "device/cpu/executor.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

#include <string>
#include <vector>

namespace nestbed::cpu
{
namespace
{

constexpr const char* kRandom[]{"random:1", "random:2", "random:3", "random:4", "random:5", "random:6"};
constexpr unsigned kPrimaryBlocks = 4;

// How many blocks of the first grid had ended when a thread of the second one began, at least and at most.
struct Overlap {
    unsigned least = kPrimaryBlocks;
    unsigned most = 0;
};
template <class First>
Overlap overlap(const char* schedule, const First& first)
{
    Overlap found;
    unsigned ended = 0;
    Executor executor(parse_schedule(schedule), 1);
    executor.run(kPrimaryBlocks, 1, [&] {
        first();
        ++ended;
    });
    executor.run(
        kPrimaryBlocks, 1,
        [&] {
            found.least = std::min(found.least, ended);
            found.most = std::max(found.most, ended);
        },
        0, true);
    executor.finish();
    EXPECT_EQ(ended, kPrimaryBlocks);
    EXPECT_FALSE(executor.is_running());
    return found;
}
void trigger_and_go_on()
{
    let_next_grid_begin();
    delay(20);
}

TEST(ProgrammaticLaunch, RandomOrdersBeginTheNextGridBeforeTheFirstHasEnded)
{
    for (const char* schedule : kRandom)
        EXPECT_EQ(overlap(schedule, trigger_and_go_on).least, 0U) << schedule;
    for (const char* schedule : {"fifo", "eager"})
        EXPECT_EQ(overlap(schedule, trigger_and_go_on).least, kPrimaryBlocks) << schedule;
}

TEST(ProgrammaticLaunch, WithoutATriggerTheEndOfEachBlockIsOne)
{
    for (const char* schedule : kRandom)
        EXPECT_EQ(overlap(schedule, [] { delay(20); }).least, kPrimaryBlocks) << schedule;
    // One block triggers; the others count as they end.
    for (const char* schedule : kRandom)
        EXPECT_GE(overlap(schedule,
                          [] {
                              if (current_thread->block_index.x == 1)
                                  trigger_and_go_on();
                          })
                      .least,
                  kPrimaryBlocks - 1)
            << schedule;
}

TEST(ProgrammaticLaunch, NoBlockOfTheNextGridBeginsBeforeEachBlockHasTriggered)
{
    for (const char* schedule : kRandom) {
        unsigned triggered = 0;
        unsigned least = kPrimaryBlocks;
        Executor executor(parse_schedule(schedule), 1);
        executor.run(kPrimaryBlocks, 2, [&] {
            delay(7);
            if (linear_thread() == 1)
                return;
            ++triggered;
            let_next_grid_begin();
            let_next_grid_begin(); // has no further effect
            delay(7);
        });
        executor.run(
            1, 1, [&] { least = std::min(least, triggered); }, 0, true);
        executor.finish();
        EXPECT_EQ(least, kPrimaryBlocks) << schedule;
    }
}

TEST(ProgrammaticLaunch, AWaitIsForTheEndOfTheGridBeforeAndAllThatItLaunched)
{
    for (const char* schedule : {"fifo", "eager", "random:1", "random:2", "random:3"}) {
        unsigned done = 0;
        unsigned least = 1000;
        Executor executor(parse_schedule(schedule), 1);
        executor.run(kPrimaryBlocks, 1, [&] {
            let_next_grid_begin();
            launch(1, 1, Mechanism::fire_and_forget, [&] {
                delay(9);
                ++done;
            });
            delay(9);
            ++done;
        });
        executor.run(
            kPrimaryBlocks, 2,
            [&] {
                wait_for_previous_grid();
                least = std::min(least, done);
            },
            0, true);
        executor.finish();
        EXPECT_EQ(least, 2 * kPrimaryBlocks) << schedule;
    }
}

// Of three grids, the third waits for the second alone.
TEST(ProgrammaticLaunch, AGridThatDoesNotWaitLeavesTheOneBeforeItOpen)
{
    for (const bool middle_waits : {false, true}) {
        unsigned before_end = 0;
        for (const char* schedule : kRandom) {
            bool ended = false;
            Executor executor(parse_schedule(schedule), 1);
            executor.run(1, 1, [&] {
                let_next_grid_begin();
                delay(50);
                ended = true;
            });
            executor.run(
                1, 1,
                [&] {
                    if (middle_waits)
                        wait_for_previous_grid();
                },
                0, true);
            executor.run(
                1, 1,
                [&] {
                    wait_for_previous_grid();
                    before_end += ended ? 0 : 1;
                },
                0, true);
            executor.finish();
        }
        EXPECT_EQ(before_end, middle_waits ? 0U : std::size(kRandom));
    }
}

TEST(ProgrammaticLaunch, AnOrdinaryLaunchOneInAnotherStreamAndTheHostWaitForAll)
{
    enum class Next { ordinary, other_stream, host };
    for (const Next next : {Next::ordinary, Next::other_stream, Next::host})
        for (const char* schedule : kRandom) {
            bool ended = false;
            bool seen = false;
            Executor executor(parse_schedule(schedule), 1);
            executor.run(1, 1, [&] {
                let_next_grid_begin();
                delay(50);
                ended = true;
            });
            EXPECT_TRUE(executor.is_running());
            if (next == Next::host) {
                executor.finish();
                seen = ended;
            } else {
                executor.run(
                    1, 1, [&] { seen = ended; }, next == Next::other_stream ? 1 : 0, next == Next::other_stream);
            }
            EXPECT_TRUE(seen) << schedule;
        }
}

// A fault of a grid that is still running comes with what the host does next, and ends all of them.
TEST(ProgrammaticLaunch, AFaultEndsAllGridsThatRun)
{
    Executor executor(parse_schedule("random:1"), 1);
    executor.run(1, 1, [] {
        let_next_grid_begin();
        delay(3);
        throw Fault("late");
    });
    EXPECT_THROW(executor.finish(), Fault);
    EXPECT_FALSE(executor.is_running());
    bool ran = false;
    executor.run(
        1, 1, [&] { ran = true; }, 0, true);
    EXPECT_TRUE(ran);
}

} // namespace
} // namespace nestbed::cpu
