// Adaptive refinement on the executor: all forms give the same list of cells, and launch what can be counted by hand.
#include "device/backends.hpp"
#include "support/battery.hpp"

#include <string>
#include <vector>

namespace nestbed
{
namespace
{

// Fields of one tile with two levels: two of the four cells of level 1 are refined (tests/workloads/refine_reference_test.cpp).
Case one_tile(const std::string& strategy, Aggregate aggregate = Aggregate::none)
{
    Case point = case_of(BackendKind::cpu, strategy, {"", 1, 128, 7}); // one time step
    point["division"] = 1;
    point["levels"] = 2;
    point["cell-work"] = 5;
    if (point.aggregate != Aggregate::absent)
        point.aggregate = aggregate;
    return point;
}

TEST(RefineForms, CountTheCellsTheWorkAndTheLaunches)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    for (const char* strategy : {"refine_children", "refine_levels", "refine_queue"}) {
        const Sample sample = session->sample(one_tile(strategy), 0);
        expect_ok(sample, one_tile(strategy));
        EXPECT_EQ(sample.answer, "12") << strategy;
        EXPECT_EQ(sample.work, 12U * 64 * 6 * 5) << strategy; // six operations per step of a sample
    }
    const auto launches = [&](Aggregate aggregate) {
        return session->sample(one_tile("refine_children", aggregate), 0).launches->attempted;
    };
    EXPECT_EQ(launches(Aggregate::none), 2U);
    EXPECT_EQ(launches(Aggregate::warp), 2U); // each warp has one part
    EXPECT_EQ(launches(Aggregate::block), 1U);
    EXPECT_EQ(launches(Aggregate::grid), 1U);
}

// The host launches each level of each time step, and a queue has one grid per time step.
TEST(RefineForms, OfTheHostLaunchEveryTimeStepByItself)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    const auto host_launches = [&](const std::string& strategy, std::uint32_t steps) {
        Case point = one_tile(strategy);
        point["time-steps"] = steps;
        const Sample sample = session->sample(point, 0);
        expect_ok(sample, point);
        return sample.host_launches;
    };
    EXPECT_EQ(host_launches("refine_levels", 1), 2U);
    EXPECT_EQ(host_launches("refine_levels", 3), 6U);
    EXPECT_EQ(host_launches("refine_queue", 3), 3U);
    EXPECT_EQ(host_launches("refine_children", 3), 3U);
}

// A tile's time steps follow each other in one stream, also if waves and streams do not divide the tiles evenly.
TEST(RefineForms, AreRightWithWavesInSeveralStreams)
{
    for (const char* schedule : every_schedule()) {
        const auto session = open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1});
        for (const std::uint32_t wave : {1U, 2U, 4U})
            for (const std::uint32_t streams : {1U, 2U, 3U}) {
                Case point = case_of(BackendKind::cpu, "refine_children", {"", 1, 64, 5}); // three time steps
                point["division"] = 3;
                point.wave = wave;
                point.streams = streams;
                SCOPED_TRACE(std::string(schedule) + " wave " + std::to_string(wave));
                const Sample sample = session->sample(point, 0);
                expect_ok(sample, point);
                EXPECT_EQ(sample.waves, 3 * ((9 - 1) / wave + 1));
                EXPECT_EQ(sample.host_launches, sample.waves);
            }
    }
}

TEST(RefineForms, RefuseWhatTheListHasNoRoomFor)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    Case point = one_tile("refine_levels");
    point["levels"] = 15;
    const Sample sample = session->sample(point, 0);
    EXPECT_EQ(sample.status, Status::unsupported);
    EXPECT_THAT(sample.detail, HasSubstr("15 levels of cells; allowed: at most 14"));
}

} // namespace
} // namespace nestbed
