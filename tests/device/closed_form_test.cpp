// The closed forms of the strategies' launches, compared with numbers calculated by hand.
#include "support/battery.hpp"

#include <string>
#include <vector>

namespace nestbed
{
namespace
{

ExpectedLaunches form_of(const Case& point)
{
    return Registry::find_anywhere(point.strategy)->launches(point);
}

std::uint64_t launches(const std::string& strategy, std::uint32_t grid, std::uint32_t block,
                       std::optional<std::uint32_t> depth = {})
{
    return form_of({.strategy = strategy,
                    .elements = std::uint64_t{grid} * block,
                    .grid = grid,
                    .block = block,
                    .depth = depth})
        .total();
}

std::uint64_t of_elements(const std::string& strategy, std::uint64_t elements,
                          std::optional<std::uint32_t> depth = {}, std::uint32_t block = 32)
{
    return form_of({.strategy = strategy, .elements = elements, .grid = 1, .block = block, .depth = depth}).total();
}

TEST(ClosedForm, IsTheBooks)
{
    EXPECT_EQ(launches("synced", 2048, 512), 16384U);
    EXPECT_EQ(launches("nosync", 2048, 512), 16384U);
    EXPECT_EQ(launches("reduce2", 2048, 512), 8U);
    EXPECT_EQ(launches("synced", 100, 64), 500U);
    EXPECT_EQ(launches("nosync", 100, 64), 500U);
    EXPECT_EQ(launches("reduce2", 100, 64), 5U);
    EXPECT_EQ(launches("hello", 2, 8), 6U);
    EXPECT_EQ(launches("neighbored", 2048, 512), 0U);
    EXPECT_EQ(launches("host", 2048, 512), 0U);
}

// What the launch roofline needs to know of a recursion besides its counts.
TEST(ClosedForm, SaysWhoLaunchesALevel)
{
    const auto form = [](const std::string& strategy) {
        return form_of({.strategy = strategy, .elements = 2048 * 256, .grid = 2048, .block = 256});
    };
    for (const auto& [strategy, threads] :
         {std::pair("nosync", 0U), std::pair("synced", 0U), std::pair("barrier", 128U), std::pair("tail", 128U),
          std::pair("aggregated_block", 512U)})
        EXPECT_EQ(form(strategy).root_threads, threads) << strategy;
    EXPECT_EQ(form_of({.strategy = "barrier", .elements = 4, .grid = 4, .block = 1}).root_threads, 1U);
    for (const auto& [strategy, last] :
         {std::pair("aggregated_grid", true), std::pair("graph", true), std::pair("reduce2", false),
          std::pair("reduce2_tail", false), std::pair("nosync", false)})
        EXPECT_EQ(form(strategy).by_last_block, last) << strategy;
}

TEST(ClosedForm, OfAChildABlockALevelIsNosyncs)
{
    for (const Way& way : ways_of(BackendKind::cpu, [](const Way& some) {
             return some.strategy == "barrier" || some.strategy == "tail" || some.strategy == "nosync";
         })) {
        SCOPED_TRACE(name_of(way));
        const auto form = [&](const Shape& shape) {
            return form_of(case_of(BackendKind::cpu, way, shape, ElementType::int32));
        };
        EXPECT_EQ(form({"", 2048, 512, 0}).total(), 16384U);
        EXPECT_THAT(form({"", 7, 16, 0}).by_depth, ElementsAre(7, 7, 7));
        EXPECT_THAT(form({"", 7, 16, 0, 1}).by_depth, ElementsAre(7));
        EXPECT_EQ(form({"", 7, 16, 0}).one_by_one, way.mechanism == Mechanism::tail);
        EXPECT_FALSE(form({"", 7, 16, 0}).parent_waits);
    }
}

TEST(ClosedForm, OfAChildALevelForTheWholeGridIsReduce2s)
{
    for (const char* strategy : {"reduce2_tail", "graph", "aggregated_grid"}) {
        SCOPED_TRACE(strategy);
        EXPECT_EQ(launches(strategy, 2048, 512), 8U);
        EXPECT_EQ(launches(strategy, 1, 512), 8U);
        EXPECT_EQ(launches(strategy, 2048, 512, 3), 3U);
        EXPECT_EQ(launches(strategy, 2048, 4), 1U);
        EXPECT_EQ(launches(strategy, 2048, 2), 0U);
        EXPECT_EQ(launches(strategy, 2048, 1), 0U);
    }
}

TEST(ClosedForm, OfAggregatedBlockCountsRootBlocksOfSixteenSlices)
{
    EXPECT_EQ(launches("aggregated_block", 2048, 512), 128U * 8);
    EXPECT_EQ(launches("aggregated_block", 1, 512), 8U);
    EXPECT_EQ(launches("aggregated_block", 16, 512), 8U);
    EXPECT_EQ(launches("aggregated_block", 17, 512), 16U);
    EXPECT_EQ(launches("aggregated_block", 17, 512, 2), 4U);
    EXPECT_EQ(form_of({.strategy = "aggregated_block", .grid = 17, .block = 4}).root_blocks, 2U);
}

TEST(ClosedForm, OfWideCountsLevelsOfTheWholeInput)
{
    constexpr std::uint64_t kMillion = 1 << 20;
    EXPECT_EQ(of_elements("wide_warp", kMillion, {}, 512), 3U);
    EXPECT_EQ(of_elements("wide_block", kMillion, {}, 512), 2U);
    EXPECT_EQ(of_elements("wide_block", kMillion, {}, 1024), 1U);
    EXPECT_EQ(of_elements("wide_block", kMillion, 1, 512), 1U);
    for (const char* strategy : {"wide_warp", "wide_block"}) { // blocks of at most 32 threads have a fan-in of 32
        SCOPED_TRACE(strategy);
        EXPECT_EQ(of_elements(strategy, 1), 0U);
        EXPECT_EQ(of_elements(strategy, 32), 0U);
        EXPECT_EQ(of_elements(strategy, 33), 1U);
        EXPECT_EQ(of_elements(strategy, 1024), 1U);
        EXPECT_EQ(of_elements(strategy, 1025), 2U);
        EXPECT_EQ(of_elements(strategy, 1025, {}, 2), 2U);
        EXPECT_EQ(of_elements(strategy, 32768), 2U);
        EXPECT_EQ(of_elements(strategy, 32769), 3U);
        EXPECT_EQ(of_elements(strategy, kMillion), 3U);
        EXPECT_EQ(of_elements(strategy, kMillion + 1), 4U);
    }
}

TEST(ClosedForm, OfNestedBestIsOneFromTwoTilesOn)
{
    EXPECT_EQ(launches("nested_best", 2048, 512), 1U);
    EXPECT_EQ(of_elements("nested_best", 16383), 0U);
    EXPECT_EQ(of_elements("nested_best", 16384), 1U);
    EXPECT_EQ(of_elements("nested_best", 1ULL << 32), 1U);
}

TEST(ClosedForm, IsNoneForWhatOnlyTheHostLaunches)
{
    for (const char* strategy : {"host_loop", "graph_host", "cooperative", "cub", "last_block", "last_block_rdc",
                                 "last_block_inline", "last_block_noinline"})
        EXPECT_EQ(launches(strategy, 2048, 512), 0U) << strategy;
}

TEST(ClosedForm, OfChainAndFanoutCountsWhatKernelsLaunch)
{
    const auto form = [](const char* strategy, Mechanism mechanism) {
        return form_of({.strategy = strategy, .mechanism = mechanism, .grid = 9, .block = 32, .depth = 7});
    };
    for (const Mechanism mechanism : kMechanisms) {
        SCOPED_TRACE(name_of(mechanism));
        if (from_device(mechanism)) {
            EXPECT_THAT(form("chain", mechanism).by_depth, ElementsAre(1, 1, 1, 1, 1, 1, 1));
            EXPECT_THAT(form("fanout", mechanism).by_depth, ElementsAre(9));
        } else {
            EXPECT_THAT(form("chain", mechanism).by_depth, IsEmpty());
            EXPECT_THAT(form("fanout", mechanism).by_depth, IsEmpty());
        }
    }
    EXPECT_EQ(launches("chain", 1, 1), 1024U);
}

TEST(ClosedForm, OfTreesAndChainsOfEmptyGridsIsTheirLevels)
{
    const auto by_depth = [](const char* strategy, std::optional<std::uint32_t> depth, std::uint32_t fanout = 0,
                             std::uint32_t block = 32) {
        return form_of({.strategy = strategy, .grid = 4, .block = block, .depth = depth, .own = {{"fanout", fanout}}})
            .by_depth;
    };
    EXPECT_THAT(by_depth("trees", 2, 3), ElementsAre(12, 36));
    EXPECT_THAT(by_depth("trees", {}, 2), ElementsAre(8, 16, 32));
    EXPECT_THAT(by_depth("trees", 0, 3), IsEmpty());
    EXPECT_THAT(by_depth("trees", 2, 16, 2), ElementsAre(64, 1024));
    EXPECT_THAT(by_depth("trees_by_lanes", 2, 3), ElementsAre(12, 36));
    EXPECT_THAT(by_depth("trees_by_lanes", 2, 16, 2), ElementsAre(8, 16)); // one child per thread
    for (const char* strategy : {"chains", "chains_synced"}) {
        EXPECT_THAT(by_depth(strategy, 3), ElementsAre(4, 4, 4)) << strategy;
        EXPECT_THAT(by_depth(strategy, {}), ElementsAre(4, 4, 4, 4, 4, 4, 4, 4)) << strategy;
    }
    const auto form = [](const char* strategy, Mechanism mechanism) {
        return form_of(
            {.strategy = strategy, .mechanism = mechanism, .grid = 4, .block = 32, .own = {{"fanout", 2}}});
    };
    for (const char* strategy : {"trees", "trees_by_lanes", "chains"})
        for (const Mechanism mechanism : Registry::find_anywhere(strategy)->info().mechanisms) {
            EXPECT_EQ(form(strategy, mechanism).one_by_one, mechanism == Mechanism::tail) << strategy;
            EXPECT_FALSE(form(strategy, mechanism).parent_waits) << strategy;
            EXPECT_EQ(form(strategy, mechanism).root_blocks, 4U) << strategy;
        }
    EXPECT_TRUE(form("chains_synced", Mechanism::null_stream).parent_waits);
}

TEST(ClosedForm, OfATreeThatIsTooLargeDoesNotOverflow)
{
    const ExpectedLaunches form =
        form_of({.strategy = "trees", .grid = 65536, .block = 32, .depth = 2048, .own = {{"fanout", 256}}});
    EXPECT_EQ(form.levels(), 2048U);
    for (const std::uint64_t launches : form.by_depth)
        EXPECT_LE(launches, (1U << 26) + 1);
}

TEST(ClosedForm, OfALitmusPatternCountsTheLaunchesOfEachInstance)
{
    EXPECT_THAT(form_of({.strategy = "litmus_other_barrier", .grid = 9, .block = 32}).by_depth, ElementsAre(9));
    for (const char* pair : {"litmus_siblings_null", "litmus_siblings_forget", "litmus_child_tail"})
        EXPECT_THAT(form_of({.strategy = pair, .grid = 9, .block = 32}).by_depth, ElementsAre(18)) << pair;
    for (const char* deep : {"litmus_grandchild_tail", "litmus_second_child"})
        EXPECT_THAT(form_of({.strategy = deep, .grid = 9, .block = 32}).by_depth, ElementsAre(18, 9)) << deep;
    EXPECT_TRUE(form_of({.strategy = "litmus_child_flag", .grid = 9, .block = 32}).parent_waits);
    EXPECT_TRUE(form_of({.strategy = "litmus_grandchild_tail", .grid = 9, .block = 32}).one_by_one);
}

// A fan-out and a litmus pattern have no levels that could be left out.
TEST(ClosedForm, AtDepth0IsNoneWhereThereAreLevels)
{
    for (const Way& way : ways_of(BackendKind::cpu, any_way)) {
        if (way.info().workload->name == "litmus")
            continue;
        const Case point = case_of(BackendKind::cpu, way, {"", 64, 512, 0, 0}, types_of(way).front());
        const bool fans_out = way.strategy == "fanout" && from_device(way.mechanism);
        EXPECT_EQ(form_of(point).total(), fans_out ? 64U : 0U) << name_of(way);
    }
}

} // namespace
} // namespace nestbed
