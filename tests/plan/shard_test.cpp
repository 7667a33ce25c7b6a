// Parts of a plan: together they contain every case exactly once, and their estimated run times are about equal.
#include "plan/shard.hpp"

#include "plan/cost.hpp"

#include "support/parts_support.hpp"
#include "support/plan_support.hpp"

#include <algorithm>

namespace nestbed
{
namespace
{

TEST(Shard, IsANumberOfHowMany)
{
    EXPECT_EQ(parse_shard("1/1"), (Shard{1, 1}));
    EXPECT_EQ(parse_shard("2/4"), (Shard{2, 4}));
    EXPECT_EQ(parse_shard("10000/10000"), (Shard{10'000, 10'000}));
    EXPECT_EQ(name_of(Shard{2, 4}), "2/4");
}

TEST(Shard, IsRefusedWithTheOptionTheValueAndWhatIsAllowed)
{
    for (const std::string text : {"", "2", "/", "1/", "/4", "0/4", "5/4", "1/0", "1/10001", "-1/4", "1/4x", " 1/4",
                                   "1/4/2", "1.5/4", "99999999999/99999999999"})
        EXPECT_EQ(text_of<UsageError>([&] { static_cast<void>(parse_shard(text)); }),
                  "--shard " + text + ": it is not a valid shard; allowed: I/N, I from 1 to N, N at most 10000");
}

// Cases from cheap to expensive, in several groups.
Plan some_plan()
{
    return plan_of("--strategy nosync,synced,neighbored,chain --mechanism all --grid 4,64,2048 --depth 1:5");
}

TEST(Shards, KeepWhatEveryPartNeedsToKnow)
{
    const Plan plan =
        plan_of("--strategy nosync,neighbored --grid 4,8 --block 8 --title Some --repeat 7 --seed 5 --expect wrong");
    const Plan part = part_of(plan, {2, 2}, kByThreads);
    EXPECT_EQ(part.experiment, plan.experiment);
    EXPECT_EQ(part.title, "Some");
    EXPECT_EQ(part.repeat, plan.repeat);
    EXPECT_EQ(part.warmup, plan.warmup);
    EXPECT_EQ(part.order_seed, 5U);
    EXPECT_EQ(part.expect, Status::wrong);
}

TEST(Shards, AreTheSameEveryTime)
{
    const Plan plan = some_plan();
    EXPECT_EQ(texts_of(part_of(plan, {2, 3}, kByThreads)), texts_of(part_of(plan, {2, 3}, kByThreads)));
}

TEST(Shards, OneIsAll)
{
    const Plan plan = some_plan();
    EXPECT_EQ(texts_of(part_of(plan, {1, 1}, kByThreads)), texts_of(plan));
}

TEST(Shards, LeaveGroupsWholeWhereTheyAreEquallyDear)
{
    const Plan plan = plan_of("--strategy nosync,neighbored --grid 64 --block 64 --seed 1,2,3,4");
    ASSERT_EQ(plan.groups.size(), 4U);
    for (const Plan& part : parts_of(plan, 2, kByThreads)) {
        ASSERT_EQ(part.groups.size(), 2U);
        for (const Group& group : part.groups)
            EXPECT_EQ(group.cases.size(), 2U);
    }
}

TEST(Shards, DivideAGroupThatCostsMoreThanAPart)
{
    const Plan plan = plan_of("--strategy nosync --grid 64 --block 64 --depth 2,2,3");
    ASSERT_EQ(plan.groups.size(), 1U);
    ASSERT_EQ(plan.case_count(), 2U);
    const std::vector<Plan> parts = parts_of(plan, 2, kByThreads);
    EXPECT_EQ(parts[0].case_count(), 1U);
    EXPECT_EQ(parts[1].case_count(), 1U);
}

// Shards balance the estimated run time, not the number of cases: one case takes as long as all others together.
TEST(Shards, HaveNotAsManyCases)
{
    const Plan plan = plan_of("--strategy neighbored --grid 4,8,16,4096 --block 64");
    const std::vector<Plan> parts = parts_of(plan, 2, kByThreads);
    EXPECT_EQ(parts[0].case_count(), 1U);
    EXPECT_EQ(parts[0].groups.front().cases.front().grid, 4096U);
    EXPECT_EQ(parts[1].case_count(), 3U);
}

TEST(Shards, MoreThanCasesAreEmpty)
{
    const Plan plan = plan_of("--strategy nosync,neighbored --grid 4 --block 8");
    const std::vector<Plan> parts = parts_of(plan, 5, kByThreads);
    expect_to_be_divided(plan, parts);
    std::vector<std::size_t> cases;
    std::ranges::transform(parts, std::back_inserter(cases), &Plan::case_count);
    EXPECT_THAT(cases, ElementsAre(1U, 1U, 0U, 0U, 0U));
}

// What the parts cost together, and what the longest of them costs.
std::pair<double, double> all_and_longest(const std::vector<Plan>& parts)
{
    double all = 0;
    double longest = 0;
    for (const Plan& part : parts) {
        all += cost_us(kByThreads, part);
        longest = std::max(longest, cost_us(kByThreads, part));
    }
    return {all, longest};
}

// Each part makes the inputs of its cases itself, so the parts together take longer than the whole.
TEST(Shards, AreEquallyLongAndMakeFewInputsTwice)
{
    for (const Said& said :
         {Said("--strategy nosync,synced,neighbored,chain --mechanism all --grid 4,64,2048 --depth 1:5"),
          Said("--strategy nosync,tail,neighbored --grid 2048,4096,8192 --depth 1:3 --repeat 1"),
          Said("--strategy tail,nosync --grid 64:1024:*2 --seed 1:6")}) {
        const Plan plan = plan_of(said);
        double dearest = 0;
        for (const Group& group : plan.groups)
            for (const Case& point : group.cases)
                dearest =
                    std::max(dearest, kByThreads.input_us(group.cases.front()) + cost_us(kByThreads, plan, point));
        for (const unsigned of : {2U, 3U, 5U, 8U}) {
            const std::vector<Plan> parts = parts_of(plan, of, kByThreads);
            expect_to_be_divided(plan, parts);
            const auto [all, longest] = all_and_longest(parts);
            EXPECT_LE(longest, 1.15 * std::max(all / of, dearest)) << said.front().second << " in " << of;
            EXPECT_LE(all, 1.35 * cost_us(kByThreads, plan)) << said.front().second << " in " << of;
        }
    }
}

// The input takes longer than all samples: who has it runs all of them.
TEST(Shards, DoNotMakeAnInputTwiceWhereThatTakesLonger)
{
    Devices devices = both();
    devices.erase(BackendKind::cpu);
    const Plan plan = plan_of("--strategy neighbored,cub --grid 2048,2049,2050,2051 --repeat 1 --warmup 0", devices);
    ASSERT_EQ(plan.groups.size(), 4U);
    constexpr CaseTimes kLongInputs{
        .sample_us = [](const Case&) { return 1.0; },
        .input_us = [](const Case& point) { return static_cast<double>(point.elements); }};
    for (const Plan& part : parts_of(plan, 2, kLongInputs)) {
        ASSERT_EQ(part.groups.size(), 2U);
        for (const Group& group : part.groups)
            EXPECT_EQ(group.cases.size(), 2U);
    }
}

} // namespace
} // namespace nestbed
