// Parts of a plan: all of it, once, and equally dear.
#include "support/plan_support.hpp"

#include "model/case_text.hpp"
#include "plan/cost.hpp"
#include "plan/shard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace nestbed
{
namespace
{

using testing::ElementsAre;

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
                  "--shard " + text + ": it is no shard; allowed: I/N, I from 1 to N, N at most 10000");
}

std::vector<std::string> texts_of(const Plan& plan)
{
    std::vector<std::string> texts;
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases)
            texts.push_back(settings_text(point));
    return texts;
}

std::vector<Plan> parts_of(const Plan& plan, unsigned of)
{
    std::vector<Plan> parts;
    for (unsigned number = 1; number <= of; ++number)
        parts.push_back(part_of(plan, {number, of}));
    return parts;
}

// Every case is in one part, and the parts have them in the plan's order.
void expect_to_be_divided(const Plan& plan, const std::vector<Plan>& parts)
{
    const std::vector<std::string> all = texts_of(plan);
    std::multiset<std::string> found;
    for (const Plan& part : parts) {
        std::size_t last = 0;
        for (const std::string& text : texts_of(part)) {
            const auto place = static_cast<std::size_t>(std::ranges::find(all, text) - all.begin());
            EXPECT_LE(last, place);
            last = place;
            found.insert(text);
        }
        for (const Group& group : part.groups)
            EXPECT_FALSE(group.cases.empty());
    }
    EXPECT_EQ(found, std::multiset<std::string>(all.begin(), all.end()));
}

// As on an H200, whatever machine the tests run on.
Plan plan_of_file(const std::string& file)
{
    Settings settings;
    settings.read_file(file);
    const bool executed = settings.one("backend").has_value();
    const BackendKind backend = executed ? BackendKind::cpu : BackendKind::cuda;
    return make_plan(settings, {{backend, both().at(backend)}});
}

// What no shard can be cheaper than that has it: it needs its input too.
double dearest_case_us(const Plan& plan)
{
    double us = 0;
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases)
            us = std::max(us, input_us(point) + cost_us(plan, point));
    return us;
}

TEST(Shards, OfEveryExperimentAreEquallyDear)
{
    for (const auto& entry : std::filesystem::directory_iterator(NESTBED_EXPERIMENTS)) {
        if (entry.path().extension() != ".cfg")
            continue;
        const Plan plan = plan_of_file(entry.path().string());
        for (const unsigned of : {2U, 4U, 8U}) {
            SCOPED_TRACE(entry.path().filename().string() + " in " + std::to_string(of));
            const std::vector<Plan> parts = parts_of(plan, of);
            expect_to_be_divided(plan, parts);
            double all = 0;
            double dearest = 0;
            for (const Plan& part : parts) {
                all += cost_us(part);
                dearest = std::max(dearest, cost_us(part));
            }
            EXPECT_LE(dearest, 1.1 * std::max(all / of, dearest_case_us(plan)));
        }
    }
}

TEST(Shards, KeepWhatEveryPartNeedsToKnow)
{
    const Plan plan = plan_of({{"strategy", "nosync,neighbored"},
                               {"grid", "4,8"},
                               {"block", "8"},
                               {"title", "Some"},
                               {"repeat", "7"},
                               {"seed", "5"},
                               {"expect", "wrong"}});
    const Plan part = part_of(plan, {2, 2});
    EXPECT_EQ(part.experiment, plan.experiment);
    EXPECT_EQ(part.title, "Some");
    EXPECT_EQ(part.repeat, plan.repeat);
    EXPECT_EQ(part.warmup, plan.warmup);
    EXPECT_EQ(part.order_seed, 5U);
    EXPECT_EQ(part.expect, Status::wrong);
}

TEST(Shards, AreTheSameEveryTime)
{
    const Plan plan = plan_of_file(std::string(NESTBED_EXPERIMENTS) + "/grid.cfg");
    EXPECT_EQ(texts_of(part_of(plan, {2, 3})), texts_of(part_of(plan, {2, 3})));
}

TEST(Shards, OneIsAll)
{
    const Plan plan = plan_of_file(std::string(NESTBED_EXPERIMENTS) + "/launch.cfg");
    EXPECT_EQ(texts_of(part_of(plan, {1, 1})), texts_of(plan));
}

TEST(Shards, LeaveGroupsWholeWhereTheyAreEquallyDear)
{
    const Plan plan =
        plan_of({{"strategy", "nosync,neighbored"}, {"grid", "64"}, {"block", "64"}, {"seed", "1,2,3,4"}});
    ASSERT_EQ(plan.groups.size(), 4U);
    for (const Plan& part : parts_of(plan, 2)) {
        ASSERT_EQ(part.groups.size(), 2U);
        for (const Group& group : part.groups)
            EXPECT_EQ(group.cases.size(), 2U);
    }
}

TEST(Shards, DivideAGroupThatCostsMoreThanAPart)
{
    const Plan plan = plan_of({{"strategy", "nosync"}, {"grid", "64"}, {"block", "64"}, {"depth", "2,2,3"}});
    ASSERT_EQ(plan.groups.size(), 1U);
    ASSERT_EQ(plan.case_count(), 2U);
    const std::vector<Plan> parts = parts_of(plan, 2);
    EXPECT_EQ(parts[0].case_count(), 1U);
    EXPECT_EQ(parts[1].case_count(), 1U);
}

// By what they cost, not by how many they are: one case is as dear as all others.
TEST(Shards, HaveNotAsManyCases)
{
    const Plan plan = plan_of({{"strategy", "neighbored"}, {"grid", "4,8,16,4096"}, {"block", "64"}});
    const std::vector<Plan> parts = parts_of(plan, 2);
    EXPECT_EQ(parts[0].case_count(), 1U);
    EXPECT_EQ(parts[0].groups.front().cases.front().grid, 4096U);
    EXPECT_EQ(parts[1].case_count(), 3U);
}

TEST(Shards, MoreThanCasesAreEmpty)
{
    const Plan plan = plan_of({{"strategy", "nosync,neighbored"}, {"grid", "4"}, {"block", "8"}});
    const std::vector<Plan> parts = parts_of(plan, 5);
    expect_to_be_divided(plan, parts);
    std::vector<std::size_t> cases;
    std::ranges::transform(parts, std::back_inserter(cases), &Plan::case_count);
    EXPECT_THAT(cases, ElementsAre(1U, 1U, 0U, 0U, 0U));
}

} // namespace
} // namespace nestbed
