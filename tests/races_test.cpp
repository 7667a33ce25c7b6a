// The races of the book's kernels, shown; and their absence where a strategy says there is none.
#include "../src/core/session.hpp"
#include "../src/core/strategy.hpp"

#include <gtest/gtest.h>

#include <string>

namespace nestbed
{
namespace
{

constexpr unsigned kRuns = 200; // each in an order of its own

Case small(const std::string& strategy)
{
    return {.strategy = strategy, .backend = BackendKind::cpu, .elements = 4 * 16, .grid = 4, .block = 16};
}

// Of `kRuns` runs, how many are wrong. Nothing else may go amiss.
unsigned wrong_runs(const std::string& strategy, const std::string& schedule)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = schedule});
    unsigned wrong = 0;
    for (unsigned run = 0; run < kRuns; ++run) {
        const Sample sample = session->sample(small(strategy));
        EXPECT_TRUE(sample.status == Status::ok || sample.status == Status::wrong) << sample.detail;
        EXPECT_EQ(sample.status == Status::ok, sample.wall_us.has_value());
        wrong += sample.status == Status::wrong ? 1 : 0;
    }
    return wrong;
}

TEST(Race, NosyncIsWrongWhenTheChildStartsBeforeItsParentsOtherThreadsHaveAdded)
{
    EXPECT_EQ(wrong_runs("nosync", "eager"), kRuns);
    EXPECT_GT(wrong_runs("nosync", "random:1"), kRuns / 10);
}

TEST(Race, Reduce2IsWrongWhenChildBlocksStartBeforeTheirParentBlocksHaveAdded)
{
    EXPECT_EQ(wrong_runs("reduce2", "eager"), kRuns);
    EXPECT_GT(wrong_runs("reduce2", "random:1"), kRuns / 10);
}

TEST(Race, IsHiddenWhenChildrenStartLateAsOnAnUndelayedGpu)
{
    EXPECT_EQ(wrong_runs("nosync", "fifo"), 0U);
    EXPECT_EQ(wrong_runs("reduce2", "fifo"), 0U);
}

TEST(Race, IsNeverSeenInStrategiesThatSayTheyHaveNone)
{
    for (const Strategy* strategy : Registry::of(BackendKind::cpu)) {
        if (strategy->info().racy || strategy->info().workload != "reduce")
            continue;
        SCOPED_TRACE(strategy->info().name);
        EXPECT_EQ(wrong_runs(std::string(strategy->info().name), "eager"), 0U);
        EXPECT_EQ(wrong_runs(std::string(strategy->info().name), "random:1"), 0U);
    }
}

TEST(Race, IsSaidInTheHazardsOfExactlyTheRacyStrategies)
{
    for (const Strategy* strategy : Registry::of(BackendKind::cpu)) {
        const StrategyInfo& info = strategy->info();
        EXPECT_EQ(info.hazards.starts_with("racy:"), info.racy) << info.name;
        EXPECT_EQ(info.hazards.starts_with("none:"), !info.racy) << info.name;
    }
}

} // namespace
} // namespace nestbed
