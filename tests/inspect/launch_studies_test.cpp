// The launch roofline of data-dependent launches.
#include "inspect/launch_studies.hpp"
#include "predict/roofline_file.hpp"
#include "support/matchers.hpp"

namespace nestbed
{
namespace
{

// One level of launches, all of the highest threshold 0.
NeedDemand launches_of(double launches, double blocks)
{
    return {.by_depth = {launches},
            .child_blocks = blocks,
            .child_blocks_uncoarsened = blocks,
            .child_blocks_unthresholded = blocks,
            .flat_us = 20,
            .alone_us = 1000};
}

double us(const NeedDemand& demand)
{
    return predict_by_need(default_roofline(), demand).us;
}

TEST(RooflineByNeed, MoreLaunchesTakeLongerAndAreBoundByTheirRate)
{
    EXPECT_LT(us(launches_of(1, 1000)), us(launches_of(10, 1000)));
    EXPECT_LT(us(launches_of(10, 1000)), us(launches_of(1000, 1000)));
    EXPECT_EQ(predict_by_need(default_roofline(), launches_of(1000, 1000)).bound, Bound::rate);
    NeedDemand tail = launches_of(1000, 1000);
    tail.mechanism = Mechanism::tail;
    EXPECT_EQ(predict_by_need(default_roofline(), tail).bound, Bound::latency); // one after another
}

TEST(RooflineByNeed, WithoutLaunchesThreadsDoAllAlone)
{
    NeedDemand none = launches_of(0, 0);
    none.child_blocks_unthresholded = 1000;
    none.threshold_share = 1;
    none.waves = none.streams = 64;
    for (const std::vector<double>& by_depth : {std::vector<double>{}, {0, 0}}) { // an oracle may name empty levels
        none.by_depth = by_depth;
        const Prediction prediction = predict_by_need(default_roofline(), none);
        EXPECT_DOUBLE_EQ(prediction.us, none.alone_us);
        EXPECT_DOUBLE_EQ(prediction.work_us, none.alone_us);
        EXPECT_EQ(prediction.bound, Bound::work);
    }
}

TEST(RooflineByNeed, TheLastBlockLaunchesAfterTheWorkOfItsLevel)
{
    NeedDemand apart = launches_of(4, 1000);
    apart.by_depth = {4, 4, 4};
    apart.by_level = true;
    NeedDemand last = apart;
    last.by_last_block = true;
    EXPECT_NEAR(us(last) - us(apart), 3 * pass_us(default_roofline()), 1e-9);
}

// Without aggregation by grid the later levels hide behind the work of other branches, as far as there is work.
TEST(RooflineByNeed, LevelsHideBehindWorkUnlessTheyWaitForEachOther)
{
    const double level = parameter_of(default_roofline(), "level", Mechanism::fire_and_forget);
    NeedDemand by_level = launches_of(4, 100);
    by_level.by_depth = {4, 4, 4};
    by_level.by_level = true;
    NeedDemand branches = by_level;
    branches.by_level = false;
    by_level.flat_us = branches.flat_us = 1000 * level;
    EXPECT_NEAR(us(by_level) - us(branches), 2 * level, 1e-9);
    by_level.flat_us = branches.flat_us = level / 2;
    EXPECT_NEAR(us(by_level) - us(branches), level / 2, 1e-9);
    by_level.mechanism = branches.mechanism = Mechanism::tail; // a tail launch waits for its grid
    EXPECT_DOUBLE_EQ(us(by_level), us(branches));
}

// Tail launches of one grid run one after another, and each takes what a level of the flat form takes.
TEST(RooflineByNeed, TailLaunchesOfOneGridDoTheirWorkOneAfterAnother)
{
    NeedDemand few = launches_of(2, 100);
    few.mechanism = Mechanism::tail;
    few.by_depth = {2, 8};
    NeedDemand many = few;
    many.by_depth = {2, 18};
    const double each = parameter_of(default_roofline(), "lane", Mechanism::tail) + few.flat_us / 2;
    EXPECT_NEAR(us(many) - us(few), 10 * each, 1e-9);
}

// What a block does one part after another shows where the other blocks do not hide it.
TEST(RooflineByNeed, PartsOfTheLargestItemTakeLonger)
{
    NeedDemand one = launches_of(1, 400);
    NeedDemand many = one;
    many.parts = 32;
    EXPECT_NEAR(us(many) - us(one), 31 * pass_us(default_roofline()), 1e-9);
    NeedDemand crowded = launches_of(1, 4e6);
    NeedDemand crowded_parts = crowded;
    crowded_parts.parts = 32;
    EXPECT_LT(us(crowded_parts) - us(crowded), pass_us(default_roofline()));
}

TEST(RooflineByNeed, AHigherThresholdLeavesMoreToOneThread)
{
    double before = 0;
    for (const double share : {0.0, 0.01, 0.1, 0.5}) {
        NeedDemand some = launches_of(1, 500);
        some.child_blocks_unthresholded = 1000;
        some.threshold_share = share;
        EXPECT_GT(us(some), before);
        before = us(some);
    }
}

TEST(RooflineByNeed, CoarseningPaysOnlyForMoreBlocksThanTheGpuRunsAtOnce)
{
    NeedDemand few = launches_of(1, 100);
    few.child_blocks_uncoarsened = 400; // four times as much work per block, and most of the GPU is idle
    EXPECT_GT(us(few), us(launches_of(1, 400)) + 2 * few.flat_us);
    NeedDemand many = launches_of(1, 100000);
    many.child_blocks_uncoarsened = 400000;
    EXPECT_LT(us(many), us(launches_of(1, 400000)));
}

} // namespace
} // namespace nestbed
