// The workload `litmus` on the executor: which patterns read a stale value in which order.
#include "device/backends.hpp"
#include "support/battery.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

constexpr std::uint32_t kInstances = 64;

Case pattern(const std::string& name, std::uint32_t delay = 0)
{
    Case point = case_of(BackendKind::cpu, name, {"", kInstances, 64});
    point.delay_us = delay;
    return point;
}

Sample sample_of(const std::string& name, const char* schedule, std::uint32_t delay = 0)
{
    return open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1})->sample(pattern(name, delay), 0);
}

unsigned stale(const std::string& name, const char* schedule, std::uint32_t delay = 0)
{
    return static_cast<unsigned>(std::stoul(sample_of(name, schedule, delay).answer));
}

TEST(Litmus, AStaleValueIsAWrongAnswerThatSaysHowMany)
{
    const Sample sample = sample_of("litmus_other_write", "eager");
    EXPECT_EQ(sample.status, Status::wrong);
    EXPECT_EQ(sample.answer, "64");
    EXPECT_EQ(sample.reference, "0");
    EXPECT_EQ(sample.detail, "64 of 64 instances read the stale value");
    EXPECT_FALSE(sample.wall_us);
    expect_launches(sample, pattern("litmus_other_write"));
}

TEST(Litmus, EveryInstanceHasItsOwnOrder)
{
    for (const char* racy :
         {"litmus_other_write", "litmus_child_write", "litmus_siblings_forget", "litmus_siblings_named"}) {
        SCOPED_TRACE(racy);
        const unsigned seen = stale(racy, "random:1");
        EXPECT_GT(seen, 0U);
        EXPECT_LT(seen, kInstances);
    }
}

TEST(Litmus, ADelayOfTheWriteMakesMoreOfThemStaleAndOneOfTheReadFewer)
{
    constexpr std::uint32_t kDelay = 50;
    for (const char* racy : {"litmus_other_write", "litmus_siblings_forget", "litmus_siblings_named"})
        EXPECT_GT(stale(racy, "random:1", kDelay), stale(racy, "random:1")) << racy;
    EXPECT_LT(stale("litmus_child_write", "random:1", 10 * kDelay), stale("litmus_child_write", "random:1"));
}

// A child that starts at once has written before its parent goes on; one that starts late has not.
TEST(Litmus, AParentReadsWhatItsChildWroteOrNot)
{
    EXPECT_EQ(stale("litmus_child_write", "eager"), 0U);
    EXPECT_EQ(stale("litmus_child_write", "fifo"), kInstances);
}

// The executor interrupts no thread between two statements, so the missing fence does not show: the race detector finds it.
TEST(Litmus, AMissingFenceDoesNotShowOnTheExecutor)
{
    for (const char* schedule : {"fifo", "eager", "random:1"})
        EXPECT_EQ(stale("litmus_counter", schedule), 0U) << schedule;
}

// By fifo and eager a grid has ended before the next one begins; random orders let the next one begin as early as the rules do.
TEST(Litmus, AnEarlyTriggerOrAGridThatDoesNotWaitShowsInRandomOrders)
{
    for (const char* racy : {"litmus_pdl_early", "litmus_pdl_between"}) {
        SCOPED_TRACE(racy);
        for (const char* schedule : {"fifo", "eager"})
            EXPECT_EQ(stale(racy, schedule, 50), 0U) << schedule;
        for (const char* schedule : {"random:1", "random:2", "random:3"}) {
            const unsigned seen = stale(racy, schedule, 50);
            EXPECT_GT(seen, 0U) << schedule;
            EXPECT_LT(seen, kInstances) << schedule;
        }
    }
    for (const char* right : {"litmus_pdl_wait", "litmus_pdl_between_waits", "litmus_pdl_fence"})
        for (const char* schedule : {"fifo", "eager", "random:1", "random:2", "random:3"})
            EXPECT_EQ(stale(right, schedule, 50), 0U) << right << " " << schedule;
}

// A tail launch is the last that its parent calls, and begins when all that the parent launched before has ended.
TEST(Litmus, ATailLaunchBeginsAfterAllThatItsParentLaunched)
{
    for (const char* schedule : {"fifo", "eager", "random:1"})
        for (const std::string name : {"litmus_child_tail", "litmus_grandchild_tail"}) {
            SCOPED_TRACE(name + " " + schedule);
            Case point = pattern(name, 5);
            point.grid = 1;
            const Trace trace =
                open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1})->trace(point, 0, 16);
            expect_ok(trace.sample, point);
            ASSERT_EQ(trace.grids.size(), name == "litmus_child_tail" ? 3U : 4U);
            std::vector<TracedGrid> below(trace.grids.begin() + 1, trace.grids.end());
            const auto reader = std::ranges::max_element(below, {}, &TracedGrid::begun_ns);
            EXPECT_EQ(reader->depth, 1U);
            EXPECT_EQ(reader->parent, 0U);
            for (const TracedGrid& other : trace.grids)
                if (&other != &trace.grids.front() && other.called_ns != reader->called_ns) {
                    EXPECT_GE(*reader->begun_ns, *other.ended_ns);
                }
        }
}

TEST(Litmus, ConstantMemoryIsAnotherInEveryRun)
{
    const auto session = open_session(BackendKind::cpu, {});
    for (unsigned repetition = 0; repetition < 3; ++repetition)
        expect_ok(*session, pattern("litmus_constant"), repetition);
}

TEST(Litmus, PointersToSharedAndLocalMemoryAreForCudaAlone)
{
    for (const char* name : {"litmus_shared_pointer", "litmus_local_pointer"})
        EXPECT_EQ(sample_of(name, "fifo").status, Status::unsupported) << name;
}

TEST(Litmus, ARefusedLaunchIsNoStaleValue)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point = pattern("litmus_siblings_forget");
    point.pending_limit = 100; // of 128 launches
    const Sample sample = session->sample(point, 0);
    EXPECT_EQ(sample.status, Status::launch_failed);
    EXPECT_EQ(sample.launches->failed, 28U);
}

} // namespace
} // namespace nestbed
