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
constexpr std::array kPointInputs{InputKind("uniform"), InputKind("clustered"), InputKind("line"),
                                  InputKind("coincident")};

Case points(const std::string& strategy, std::uint64_t elements, InputKind input = InputKind("uniform"))
{
    Case point = case_of(BackendKind::cpu, strategy, {"", 1, 64, elements});
    point.input = input;
    return point;
}

TEST(QuadtreeForms, GiveTheCanonicalTreeOfEveryInput)
{
    for (const char* schedule : every_schedule()) {
        const auto session = session_of(schedule);
        for (const char* strategy : kQuadtreeForms)
            for (const InputKind input : kPointInputs)
                for (const std::uint32_t cap : {1U, 20U, 700U}) {
                    Case point = points(strategy, 2111, input);
                    point.grain = cap;
                    expect_right(*session, point);
                }
    }
}

TEST(QuadtreeForms, OfTheSmallestInputsAreRight)
{
    const auto session = session_of("random:1");
    for (const char* strategy : kQuadtreeForms)
        for (const std::uint64_t elements : {1U, 2U, 3U, 63U, 64U, 65U, 512U, 513U})
            for (const InputKind input : kPointInputs)
                for (const std::uint32_t cap : {1U, 64U}) {
                    Case point = points(strategy, elements, input);
                    point.grain = cap;
                    expect_right(*session, point);
                }
}

TEST(QuadtreeForms, StopAtTheDeepestLevel)
{
    const auto session = session_of("random:2");
    for (const char* strategy : kQuadtreeForms)
        for (const InputKind input : kPointInputs)
            for (const std::uint32_t levels : {1U, 2U, 3U, 8U, 15U}) {
                Case point = points(strategy, 1500, input);
                point.levels = levels;
                expect_right(*session, point);
            }
}

TEST(QuadtreeForms, AreRightAtEveryDepth)
{
    const auto session = session_of("random:1");
    for (const char* strategy : {"quadtree_children", "quadtree_sample"})
        for (const InputKind input : kPointInputs)
            for (const std::uint32_t depth : {0U, 1U, 2U, 3U, 40U}) {
                Case point = points(strategy, 1200, input);
                point.depth = depth;
                expect_right(*session, point);
            }
}

// Leaves whose buckets are crowded, so that a network sorts them, and parts that many blocks move.
TEST(QuadtreeForms, OfManyPointsAreRight)
{
    const auto session = session_of("random:3");
    for (const char* strategy : kQuadtreeForms)
        for (const InputKind input : kPointInputs) {
            Case point = points(strategy, 20000, input);
            point.grain = 64;
            expect_right(*session, point);
        }
    for (const std::uint32_t block : {32U, 256U, 1024U})
        for (const InputKind input : kPointInputs) {
            Case point = points("quadtree_levels", 300 + 20 * block, input);
            point.block = block;
            expect_right(*session, point);
        }
}

// The nodes do not depend on the order of execution; their order in the list does.
TEST(QuadtreeForms, GiveTheSameTreeInManyOrders)
{
    const auto session = session_of("random:11");
    for (const char* strategy : kQuadtreeForms)
        for (unsigned order = 0; order < 10; ++order)
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
    const Plan plan = plan_of({{"strategy", "quadtree_children,quick_kway"}, {"backend", "cpu"}});
    for (const Case& point : cases_of(plan)) {
        const bool tree = point.strategy == "quadtree_children";
        EXPECT_EQ(point.grain, tree ? 64U : 2048U);
        EXPECT_EQ(point.levels, tree ? 16U : 0U);
        EXPECT_EQ(point.input, InputKind("uniform"));
    }
}

} // namespace
} // namespace nestbed
