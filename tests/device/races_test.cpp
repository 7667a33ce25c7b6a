// Shows the races of the book's kernels, and their absence in strategies that claim to have none.
#include "device/backends.hpp"
#include "support/battery.hpp"

#include <string>

namespace nestbed
{
namespace
{

constexpr unsigned kRuns = 200; // repetitions, each with its own order

// Returns how many of `kRuns` runs are wrong. No other failure is allowed.
unsigned wrong_runs(const Way& way, const Shape& shape, const std::string& schedule, std::uint32_t delay_us = 0)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1});
    Case point = case_of(BackendKind::cpu, way, shape, types_of(way).front());
    point.delay_us = delay_us;
    unsigned wrong = 0;
    for (unsigned run = 0; run < kRuns; ++run) {
        const Sample sample = session->sample(point, run);
        EXPECT_TRUE(sample.status == Status::ok || sample.status == Status::wrong) << sample.detail;
        EXPECT_EQ(sample.status == Status::ok, sample.wall_us.has_value());
        expect_launches(sample, point);
        wrong += sample.status == Status::wrong ? 1 : 0;
    }
    return wrong;
}

constexpr Shape kSmallRace{"", 4, 16, 0};

std::vector<Way> ways_here(bool racy)
{
    return ways_of(BackendKind::cpu, [racy](const Way& way) {
        return !way.needs_cuda() && way.has_elements() && way.info().racy == racy;
    });
}

// nosync: the child starts before the other threads of its parent have added. reduce2: child blocks start before
// their parent blocks have added.
TEST(Race, IsWrongUnderEagerAndRandomByEveryMechanism)
{
    for (const Way& way : ways_here(true)) {
        SCOPED_TRACE(name_of(way));
        EXPECT_EQ(wrong_runs(way, kSmallRace, "eager"), kRuns);
        EXPECT_GT(wrong_runs(way, kSmallRace, "random:1"), kRuns / 10);
    }
    EXPECT_EQ(ways_here(true).size(), 4U); // nosync with three mechanisms, and reduce2
}

TEST(Race, IsHiddenWhenChildrenStartLateAsOnAnUndelayedGpu)
{
    for (const Way& way : ways_here(true)) {
        SCOPED_TRACE(name_of(way));
        EXPECT_EQ(wrong_runs(way, kSmallRace, "fifo"), 0U);
        EXPECT_EQ(wrong_runs(way, kSmallRace, "fifo", 20), 0U);
    }
}

// On one racy level: two warps that add, of which the first launches, and two blocks, of which the first launches.
TEST(Race, IsLostMoreOftenWhenTheLosersAreHeldUp)
{
    for (const Way& way : ways_here(true)) {
        SCOPED_TRACE(name_of(way));
        const Shape shape = way.strategy == "nosync" ? Shape{"", 1, 128, 0, 1} : Shape{"", 2, 4, 0, 1};
        const unsigned undelayed = wrong_runs(way, shape, "random:1");
        const unsigned delayed = wrong_runs(way, shape, "random:1", 20);
        EXPECT_GT(undelayed, 0U);
        EXPECT_GT(delayed, undelayed + kRuns / 10);
    }
}

TEST(Race, IsSeenInAnImageReadBeforeItIsWrittenAndNotBehindABarrier)
{
    const Shape image{.name = "", .nx = 70, .ny = 50, .block_shape = {16, 8}};
    for (const char* schedule : {"fifo", "eager", "random:1"}) {
        SCOPED_TRACE(schedule);
        EXPECT_EQ(wrong_runs({"blobs_wrong", Mechanism::none}, image, schedule), kRuns);
        EXPECT_EQ(wrong_runs({"blobs", Mechanism::none}, image, schedule), 0U);
    }
}

// Blocks in which more than one warp adds, and grids of more than one block.
TEST(Race, IsNeverSeenInOtherStrategiesEvenWithADelay)
{
    for (const Way& way : ways_here(false)) {
        if (!way.info().has(axis::delay))
            continue;
        SCOPED_TRACE(name_of(way));
        EXPECT_EQ(wrong_runs(way, {"", 2, 128, 0}, "random:1", 20), 0U);
    }
}

TEST(Race, IsSaidInTheHazardsOfExactlyTheRacyStrategiesAsHangsAre)
{
    for (const Strategy* strategy : Registry::of(BackendKind::cpu)) {
        const StrategyInfo& info = strategy->info();
        EXPECT_EQ(info.hazards.starts_with("racy:"), info.racy) << info.name;
        EXPECT_EQ(info.hazards.starts_with("hangs:"), info.hangs) << info.name;
        EXPECT_EQ(info.hazards.starts_with("none:"), !info.racy && !info.hangs) << info.name;
    }
}

} // namespace
} // namespace nestbed
