// What holds for every registered strategy, whatever plans it. Also checks that the stand-ins match the strategies
// they replace.
#include "model/case_text.hpp"
#include "support/battery.hpp"
#include "support/plan_support.hpp"
#include "support/stand_ins.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestbed
{
namespace
{

using testing::ElementsAreArray;
using enum Mechanism;

// What a user would type to get this case.
std::string typed(const Case& point)
{
    std::string text;
    for (const auto& [key, value] : settings_of(point))
        text += (text.empty() ? "" : " ") + std::string("--") + key + " " + value;
    return text;
}

TEST(Mechanisms, OfEveryStrategyAreSomeAndNoneIsAmongNoOthers)
{
    for (const std::string_view name : Registry::names()) {
        const StrategyInfo& info = Registry::find_anywhere(name)->info();
        ASSERT_FALSE(info.mechanisms.empty()) << name;
        EXPECT_TRUE(info.mechanisms.size() == 1 || !info.has(none)) << name;
        const std::set<Mechanism> distinct(info.mechanisms.begin(), info.mechanisms.end());
        EXPECT_EQ(distinct.size(), info.mechanisms.size()) << name;
        for (const Mechanism mechanism : info.mechanisms) {
            const ExpectedLaunches form = Registry::find_anywhere(name)->launches(
                {.mechanism = mechanism, .elements = 1 << 20, .grid = 2048, .block = 512, .own = {{"fanout", 2}}});
            EXPECT_EQ(form.total() != 0 || form.by_input, from_device(mechanism))
                << name << " by " << name_of(mechanism);
        }
    }
}

TEST(FindAnywhere, HasWhatAnyBackendHasAndNothingElse)
{
    for (const std::string_view name : Registry::names())
        EXPECT_EQ(Registry::find_anywhere(name)->info().name, name);
    EXPECT_NE(Registry::find(BackendKind::cpu, "cub"), nullptr); // it can report that it cannot run
    EXPECT_TRUE(Registry::find_anywhere("cub")->info().cuda_only);
    EXPECT_EQ(Registry::find_anywhere("nosink"), nullptr);
}

TEST(MechanismAxis, UnsaidIsEachStrategysFirst)
{
    for (const std::string_view name : Registry::names())
        for (const Case& point : planned_cases({{"strategy", std::string(name)}}))
            EXPECT_EQ(point.mechanism, Registry::find_anywhere(name)->info().mechanisms.front()) << name;
}

TEST(CaseText, GivesEveryCaseOfEveryStrategyAgain)
{
    std::size_t cases = 0;
    for (const Strategy* strategy : Registry::of(BackendKind::cpu)) {
        const std::string name(strategy->info().name);
        SCOPED_TRACE(name);
        for (const Said& more :
             {Said{}, Said("--grid 3 --block 64 --elements 150 --depth 0,2"),
              Said("--type int32,float32 --seed 7 --delay-us 0,5"),
              Said("--pending-limit auto,100 --wave auto,2 --streams auto,3"),
              Said("--nx 70 --ny 50 --block-shape 8x32,16x16"),
              Said("--threshold 0,64 --coarsen 2 --aggregate warp,multiblock:4"),
              Said("--overflow waves,spill --grain 8 --fanout 3"), Said("--division 5 --dwell 33")}) {
            Said said{{"strategy", name}, {"backend", "cpu"}, {"mechanism", "all"}};
            said.insert(said.end(), more.begin(), more.end());
            for (const Case& point : planned_cases(said)) {
                ++cases;
                EXPECT_EQ(planned_cases(settings_of(point)), std::vector<Case>{point}) << typed(point);
            }
        }
    }
    EXPECT_GT(cases, 500U);
}

TEST(CaseText, GivesDeviceGraphsAgain)
{
    const Devices gpu{{BackendKind::cuda, both().at(BackendKind::cuda)}};
    for (const Case& point : planned_cases("--strategy chain --mechanism graph_tail --graphs 1,64", gpu))
        EXPECT_EQ(planned_cases(settings_of(point), gpu), std::vector<Case>{point}) << typed(point);
}

TEST(MatrixPlan, OfAnyStrategyIsMultipliedBySidesAndBlockShapesWhereItHasThem)
{
    for (const std::string_view name : Registry::names()) {
        const StrategyInfo& info = Registry::find_anywhere(name)->info();
        const std::vector<Case> cases =
            planned_cases({{"strategy", std::string(name)}, {"nx", "5,7"}, {"block-shape", "8x4,4x8,2x2"}});
        EXPECT_EQ(cases.size(), (info.over_matrix() ? 2U : 1U) * (info.has(axis::shape) ? 3U : 1U)) << name;
        EXPECT_TRUE(info.over_matrix() || !info.has(axis::shape)) << name;
        EXPECT_EQ(cases.at(0).nx != 0, info.over_matrix()) << name;
        EXPECT_EQ(cases.at(0).shape.threads() != 0, info.has(axis::shape)) << name;
    }
}

TEST(StandIns, AreLikeTheStrategiesOfTheirNames)
{
    for (const Strategy* stand_in : stand_ins()) {
        const StrategyInfo& info = stand_in->info();
        SCOPED_TRACE(info.name);
        const Strategy* real = Registry::find_anywhere(info.name);
        ASSERT_NE(real, nullptr);
        EXPECT_EQ(info.workload, real->info().workload);
        EXPECT_THAT(info.mechanisms, ElementsAreArray(real->info().mechanisms));
        EXPECT_EQ(info.racy, real->info().racy);
        EXPECT_EQ(info.has(axis::delay), real->info().has(axis::delay));
        EXPECT_EQ(info.has(axis::shape), real->info().has(axis::shape));
        EXPECT_EQ(info.hangs, real->info().hangs);
        EXPECT_EQ(info.cuda_only, real->info().cuda_only);
        for (const Mechanism mechanism : info.mechanisms)
            for_the_battery(BackendKind::cpu, {std::string(info.name), mechanism},
                            [&](const Case& point, const Shape& /*shape*/) {
                                const ExpectedLaunches form = stand_in->launches(point);
                                const ExpectedLaunches of_real = real->launches(point);
                                EXPECT_EQ(form.by_depth, of_real.by_depth);
                                EXPECT_EQ(form.root_blocks, of_real.root_blocks);
                                EXPECT_EQ(form.parent_waits, of_real.parent_waits);
                                EXPECT_EQ(form.one_by_one, of_real.one_by_one);
                                EXPECT_EQ(form.by_last_block, of_real.by_last_block);
                                EXPECT_EQ(form.root_threads, of_real.root_threads);
                                EXPECT_EQ(form.blocks_per_multiprocessor, of_real.blocks_per_multiprocessor);
                                EXPECT_EQ(form.fan_in, of_real.fan_in);
                                EXPECT_EQ(stand_in->scratch_bytes(point), real->scratch_bytes(point));
                            });
    }
}

std::vector<std::uint64_t> recursive_launches(std::uint32_t nx, std::uint32_t ny,
                                              std::optional<std::uint32_t> depth = {})
{
    const Case point{.strategy = "recursive_transpose",
                     .elements = std::uint64_t{nx} * ny,
                     .grid = 0,
                     .block = 0,
                     .nx = nx,
                     .ny = ny,
                     .depth = depth};
    const ExpectedLaunches form = Registry::find_anywhere("recursive_transpose")->launches(point);
    EXPECT_FALSE(form.per_root_block());
    return form.by_depth;
}

TEST(RecursiveTranspose, LaunchesAQuadrantAChildDownToTilesOf32By64)
{
    EXPECT_THAT(recursive_launches(2048, 2048), ElementsAre(4, 16, 64, 256, 1024, 2048));
    EXPECT_THAT(recursive_launches(333, 217), ElementsAre(4, 16, 32, 24)); // 11 x 4 tiles
    EXPECT_THAT(recursive_launches(64, 128), ElementsAre(4));
    EXPECT_THAT(recursive_launches(33, 65), ElementsAre(4));
    EXPECT_THAT(recursive_launches(96, 128), ElementsAre(4, 4)); // 3 x 2 tiles: two children of 2 x 1 recurse further
}

TEST(RecursiveTranspose, HalvesAPartThatIsOneTileWideOrHigh)
{
    EXPECT_THAT(recursive_launches(32, 128), ElementsAre(2));
    EXPECT_THAT(recursive_launches(64, 64), ElementsAre(2));
    EXPECT_THAT(recursive_launches(1, 8 * 64), ElementsAre(2, 4, 8));
    EXPECT_THAT(recursive_launches(5 * 32, 1), ElementsAre(2, 4, 2));
}

TEST(RecursiveTranspose, OfOneTileLaunchesNothing)
{
    EXPECT_THAT(recursive_launches(1, 1), IsEmpty());
    EXPECT_THAT(recursive_launches(32, 64), IsEmpty());
    EXPECT_THAT(recursive_launches(31, 63, 5), IsEmpty());
}

TEST(RecursiveTranspose, IsCutOffAtTheDepth)
{
    EXPECT_THAT(recursive_launches(333, 217, 0), IsEmpty());
    EXPECT_THAT(recursive_launches(333, 217, 1), ElementsAre(4));
    EXPECT_THAT(recursive_launches(333, 217, 3), ElementsAre(4, 16, 32));
    EXPECT_THAT(recursive_launches(333, 217, 4), ElementsAre(4, 16, 32, 24));
    EXPECT_THAT(recursive_launches(333, 217, UINT32_MAX), ElementsAre(4, 16, 32, 24));
}

TEST(RecursiveTranspose, LaunchesWhatARecursionQuadrantByQuadrantCounts)
{
    const std::vector<std::uint32_t> sides{1, 31, 32, 33, 63, 64, 65, 97, 128, 129, 217, 333, 500, 1000, 1025, 2500};
    for (const std::uint32_t nx : sides)
        for (const std::uint32_t ny : sides)
            for (const std::uint32_t depth : {0U, 1U, 2U, 3U, 5U, 30U})
                ASSERT_EQ(recursive_launches(nx, ny, depth), quadrants_by_depth(nx, ny, depth))
                    << nx << " x " << ny << " to depth " << depth;
}

TEST(RecursiveTranspose, OfTheLargestMatrixIsCountedAtOnce)
{
    const std::vector<std::uint64_t> by_depth = recursive_launches(65535, 65535); // 2048 x 1024 tiles
    ASSERT_EQ(by_depth.size(), 11U);
    for (unsigned depth = 0; depth < 10; ++depth)
        EXPECT_EQ(by_depth[depth], 1ULL << (2 * (depth + 1)));
    EXPECT_EQ(by_depth[10], 2048ULL * 1024);
}

} // namespace
} // namespace nestbed
