// The workload `quadtree` on the executor: every form on every input gives the canonical tree.
#include "support/forms_support.hpp"
#include "support/plan_support.hpp"

#include <array>
#include <string>

namespace nestbed
{
namespace
{

constexpr std::array kQuadtreeForms{"quadtree_children", "quadtree_sample", "quadtree_levels"};
Case points(const std::string& strategy, std::uint64_t elements, InputKind input = InputKind("uniform"))
{
    Case point = case_of(BackendKind::cpu, strategy, {"", 1, 64, elements});
    point.input = input;
    return point;
}

const std::string kEveryInput = "input uniform clustered line coincident";
const std::string kPointInputs = all_or_few<std::string>(kEveryInput, "input clustered coincident");

TEST(QuadtreeForms, GiveTheCanonicalTreeOfEveryInput)
{
    for (const char* schedule : every_schedule()) {
        SCOPED_TRACE(schedule);
        const auto session = session_of(schedule);
        for (const char* strategy : kQuadtreeForms)
            expect_all_right(*session, points(strategy, 2111), kEveryInput + "; grain 1 20 700");
    }
}

TEST(QuadtreeForms, OfTheSmallestInputsAreRight)
{
    const auto session = session_of("random:1");
    for (const char* strategy : kQuadtreeForms)
        expect_all_right(*session, points(strategy, 1),
                         kPointInputs + "; elements 1 2 3 63 64 65 512 513; grain 1 64");
}

TEST(QuadtreeForms, StopAtTheDeepestLevel)
{
    const auto session = session_of("random:2");
    for (const char* strategy : kQuadtreeForms)
        expect_all_right(*session, points(strategy, 1500), kPointInputs + "; levels 1 2 3 8 15");
}

TEST(QuadtreeForms, AreRightAtEveryDepth)
{
    const auto session = session_of("random:1");
    for (const char* strategy : {"quadtree_children", "quadtree_sample"})
        expect_all_right(*session, points(strategy, 1200), kPointInputs + "; depth 0 1 2 3 40");
}

// Leaves whose buckets are crowded, so that a network sorts them, and parts that many blocks move.
TEST(QuadtreeForms, OfManyPointsAreRight)
{
    const auto session = session_of("random:3");
    for (const char* strategy : kQuadtreeForms)
        expect_all_right(*session, points(strategy, 20000), kEveryInput + "; grain 64");
    for (const std::uint32_t block : {32U, 256U, 1024U}) {
        Case point = points("quadtree_levels", 300 + 20 * block);
        point.block = block;
        expect_all_right(*session, point, kEveryInput);
    }
}

// The nodes do not depend on the order of execution; their order in the list does.
TEST(QuadtreeForms, GiveTheSameTreeInManyOrders)
{
    const auto session = session_of("random:11");
    for (const char* strategy : kQuadtreeForms)
        for (unsigned order = 0; order < random_orders(4, 10); ++order)
            expect_right(*session, points(strategy, 1500, InputKind("clustered")), order);
}

TEST(QuadtreeForms, SayWhatTheyDoNotSupport)
{
    const auto session = session_of("fifo");
    const auto why = [&](const Case& point) { return why_unsupported(*session, point); };
    Case point = points("quadtree_children", 1000);
    point.aggregate = Aggregate::multiblock_4;
    EXPECT_THAT(why(point), HasSubstr("allowed for aggregate: none, warp, block, grid"));
    point = points("quadtree_levels", 1000);
    point.block = 1;
    EXPECT_THAT(why(point), HasSubstr("a block of 1 thread cannot request 2 parts"));
    point = points("quadtree_sample", (std::uint64_t{1} << 30) + 1);
    EXPECT_THAT(why(point), HasSubstr("1073741825 points are too many; allowed: at most 1073741824"));
}

TEST(QuadtreePlan, HasTheUsualCapAndLevels)
{
    const Plan plan = plan_of("--strategy quadtree_children,quick_kway --backend cpu");
    for (const Case& point : cases_of(plan)) {
        const bool tree = point.strategy == "quadtree_children";
        EXPECT_EQ(point["grain"], tree ? 64U : 2048U);
        EXPECT_EQ(point["levels"], tree ? 16U : 0U);
        EXPECT_EQ(point.input, InputKind("uniform"));
    }
}

} // namespace
} // namespace nestbed
