// lanes_in_turn and lanes_at_once: what they launch, and that every accepted launch runs.
#include "device/backends.hpp"
#include "support/battery.hpp"

#include <string>

namespace nestbed
{
namespace
{

std::vector<Way> lanes()
{
    return ways_of(BackendKind::cpu, [](const Way& way) { return way.info().workload->name == "lanes"; });
}

TEST(Lanes, LaunchOneChildEachInOneOrTwoLevels)
{
    ASSERT_EQ(lanes().size(), 4U);
    for (const Way& way : lanes()) {
        SCOPED_TRACE(name_of(way));
        const auto by_depth = [&](std::uint32_t block, std::optional<std::uint32_t> depth) {
            const ExpectedLaunches form =
                Registry::find_anywhere(way.strategy)
                    ->launches({.strategy = way.strategy, .grid = 5, .block = block, .depth = depth});
            EXPECT_EQ(form.root_blocks, 5U);
            return form.by_depth;
        };
        EXPECT_THAT(by_depth(1, 2), ElementsAre(5, 5));
        EXPECT_THAT(by_depth(8, {}), ElementsAre(40));
        EXPECT_THAT(by_depth(8, 2), ElementsAre(40, 320));
        EXPECT_THAT(by_depth(8, 9), ElementsAre(40, 320));
        EXPECT_THAT(by_depth(512, 2), ElementsAre(160, 5120)); // only the first warp launches
    }
}

TEST(Lanes, RunEveryBlockOnceInAnyOrder)
{
    for (const char* schedule : every_schedule())
        for (const Way& way : lanes())
            for (const std::uint32_t block : {1U, 8U, 32U, 64U}) {
                SCOPED_TRACE(std::string(schedule) + " " + name_of(way) + " " + std::to_string(block));
                const auto session = open_session(BackendKind::cpu, {.schedule = schedule});
                const Case point = case_of(BackendKind::cpu, way, {"", 3, block, 0, 2}, ElementType::none);
                const Sample sample = session->sample(point, 0);
                expect_ok(sample, point);
                const std::uint32_t launching = std::min(block, 32U);
                EXPECT_EQ(sample.answer, std::to_string(3 * (1 + launching + launching * launching)));
            }
}

TEST(Lanes, PastAFixedLimitAreRefusedAndEveryAcceptedLaunchRuns)
{
    for (const Way& way : lanes()) {
        SCOPED_TRACE(name_of(way));
        const auto session = open_session(BackendKind::cpu, {});
        Case point = case_of(BackendKind::cpu, way, {"", 40, 8, 0, 2}, ElementType::none);
        point.grid = 40;
        point.pending_limit = 100;
        const Sample sample = session->sample(point, 0);
        EXPECT_EQ(sample.status, Status::launch_failed);
        ASSERT_TRUE(sample.launches);
        EXPECT_GT(sample.launches->failed, 0U);
        EXPECT_EQ(sample.answer, std::to_string(40 + sample.launches->attempted - sample.launches->failed));
        EXPECT_EQ(sample.reference, std::to_string(40 + 40 * 8 + 40 * 8 * 8)); // it is the same in every run
    }
}

} // namespace
} // namespace nestbed
