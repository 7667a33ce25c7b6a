// Plans of workloads over a matrix: its sides and block shapes replace grid, block, elements and type.
#include "plan/plan.hpp"
#include "plan/plan_description.hpp"

#include "support/plan_support.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace nestbed
{
namespace
{

Devices cpu_with(std::uint64_t free_memory_bytes)
{
    Devices devices = cpu_alone();
    devices[BackendKind::cpu].free_memory_bytes = free_memory_bytes;
    return devices;
}

TEST(MatrixPlan, OfAStrategyAloneIs2048SquaredInBlocksOf16Squared)
{
    EXPECT_THAT(planned_cases("--strategy naive_row"), ElementsAre(Case{.strategy = "naive_row",
                                                                        .backend = BackendKind::cpu,
                                                                        .mechanism = Mechanism::none,
                                                                        .type = ElementType::float32,
                                                                        .elements = 2048 * 2048,
                                                                        .grid = 0,
                                                                        .block = 0,
                                                                        .nx = 2048,
                                                                        .ny = 2048,
                                                                        .shape = {16, 16},
                                                                        .seed = 1,
                                                                        .input = InputKind(),
                                                                        .op = Operator::none}));
}

TEST(MatrixPlan, IsTheProductOfSidesBlockShapesAndSeedsGroupedByInput)
{
    const Plan plan =
        plan_of("--strategy naive_row,copy_row --nx 5,70 --ny 3,4,66 --block-shape 8x32,32x8 --seed 1,2");
    ASSERT_EQ(plan.groups.size(), 2U * 3 * 2);
    std::set<Case> different;
    for (const Group& group : plan.groups) {
        EXPECT_EQ(group.cases.size(), 4U);
        for (const Case& point : group.cases) {
            const Case& first = group.cases.front();
            EXPECT_EQ(std::tie(point.nx, point.ny, point.seed), std::tie(first.nx, first.ny, first.seed));
            EXPECT_EQ(point.elements, std::uint64_t{point.nx} * point.ny);
            different.insert(point);
        }
    }
    EXPECT_EQ(different.size(), 48U);
}

TEST(MatrixPlan, OfTheLargestMatrixHasAllItsNumbers)
{
    Devices devices = cpu_with(64 * kGiB);
    const Plan plan = plan_of("--strategy naive_row --nx 65535 --ny 65535", devices);
    EXPECT_EQ(plan.groups.at(0).cases.at(0).elements, 65535ULL * 65535);
}

TEST(MatrixPlan, KeysOfASumOrALaunchDoNotMultiplyIt)
{
    for (const std::string strategy : {"naive_row", "copy_row", "shared_tile"}) {
        const std::vector<Case> cases = planned_cases({{"strategy", strategy},
                                                       {"type", "int32,float32"},
                                                       {"grid", "1,2"},
                                                       {"block", "64,128"},
                                                       {"elements", "1:3"},
                                                       {"mechanism", "all"},
                                                       {"depth", "0,1,full"},
                                                       {"pending-limit", "32,auto"},
                                                       {"wave", "1,2"},
                                                       {"streams", "1,2"},
                                                       {"delay-us", "0,5"},
                                                       {"graphs", "1,2"}});
        EXPECT_THAT(cases, ElementsAre(planned_cases({{"strategy", strategy}}).at(0))) << strategy;
    }
}

TEST(MatrixPlan, KeysOfAMatrixDoNotMultiplyWhatHasNone)
{
    const Said matrix("--nx 5,7 --ny 3:6 --block-shape 8x32,16x16 --grid 4 --block 32");
    for (const std::string strategy : {"nosync", "neighbored", "hello", "fanout"}) {
        Said said = matrix;
        said.emplace_back("strategy", strategy);
        const std::vector<Case> cases = planned_cases(said);
        ASSERT_EQ(cases.size(), 1U) << strategy;
        EXPECT_EQ(cases[0], planned_cases({{"strategy", strategy}, {"grid", "4"}, {"block", "32"}}).at(0))
            << strategy;
        EXPECT_EQ(cases[0].nx, 0U);
        EXPECT_EQ(cases[0].ny, 0U);
        EXPECT_EQ(cases[0].shape, BlockShape{});
    }
}

TEST(MatrixPlan, BesideASumEachHasItsOwnAxesAlone)
{
    const std::vector<Case> cases =
        planned_cases("--strategy neighbored,naive_row --grid 1:3 --type int32,float32 --nx 5,7,9,11");
    EXPECT_EQ(std::ranges::count(cases, "neighbored", &Case::strategy), 3 * 2);
    EXPECT_EQ(std::ranges::count(cases, "naive_row", &Case::strategy), 4);
}

// An image is drawn and has no input.
TEST(MatrixPlan, SeedsDoNotMultiplyAnImage)
{
    const std::vector<Case> cases = planned_cases("--strategy blobs --seed 1:3 --block-shape 8x8,16x8");
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[0].seed, 0U);
    EXPECT_EQ(cases[0].shape, (BlockShape{8, 8}));
    EXPECT_EQ(cases[1].shape, (BlockShape{16, 8}));
    EXPECT_EQ(planned_cases("--strategy copy_row --seed 1:3").size(), 3U);
}

TEST(MatrixPlan, OfARecursionHasDepthsLimitsAndMechanismsButNoBlockShapes)
{
    const Said said("--strategy recursive_transpose --block-shape 8x32,16x16 --wave 1,2 --streams 1,2 --delay-us 0,5 "
                    "--graphs 1,2");
    const std::vector<Case> one = planned_cases(said);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].shape, BlockShape{});
    EXPECT_EQ(one[0].mechanism, Mechanism::fire_and_forget);
    EXPECT_EQ(one[0].wave, std::nullopt);
    EXPECT_EQ(one[0].streams, std::nullopt);
    Said nested = said;
    nested.insert(nested.end(),
                  {{"depth", "0,1,full"}, {"pending-limit", "auto,32"}, {"mechanism", "tail,null_stream"}});
    EXPECT_EQ(planned_cases(nested).size(), 3U * 2 * 2);
}

TEST(MatrixPlan, SectionsThatShareAMatrixShareAGroup)
{
    const Settings settings = settings_in("nx = 64\n[a]\nstrategy = copy_row\nblock-shape = 8x32\n[b]\n"
                                          "strategy = naive_row\n[c]\nstrategy = naive_row\nny = 3\n",
                                          "two.cfg");
    const Plan plan = make_plan(settings, cpu_alone());
    ASSERT_EQ(plan.groups.size(), 2U);
    ASSERT_EQ(plan.groups[0].cases.size(), 2U);
    EXPECT_EQ(plan.groups[0].cases[0].shape, (BlockShape{8, 32}));
    EXPECT_EQ(plan.groups[0].cases[1].shape, (BlockShape{16, 16}));
    EXPECT_EQ(plan.groups[1].cases.at(0).ny, 3U);
}

TEST(MatrixMemory, IsWhatIsReadAndWhatIsWritten)
{
    Case point{.strategy = "naive_row", .elements = 300 * 200, .grid = 0, .block = 0, .nx = 300, .ny = 200};
    for (const BackendKind backend : {BackendKind::cuda, BackendKind::cpu}) {
        point.backend = backend;
        for (const char* strategy : {"naive_row", "shared_tile", "copy_row"}) {
            point.strategy = strategy;
            EXPECT_EQ(memory_bytes(point), 2U * 4 * 300 * 200) << strategy;
        }
        point.strategy = "blobs";
        EXPECT_EQ(memory_bytes(point), 4U * 300 * 200);
    }
}

// One level runs while the next one waits: twice the widest level, or the only level if there is just one.
TEST(MatrixMemory, OfARecursionHasTheGridsOfTheExecutor)
{
    Case point{.strategy = "recursive_transpose",
               .backend = BackendKind::cuda,
               .elements = 333 * 217,
               .grid = 0,
               .block = 0,
               .nx = 333,
               .ny = 217};
    EXPECT_EQ(memory_bytes(point), 8U * 333 * 217);
    point.backend = BackendKind::cpu;
    EXPECT_EQ(memory_bytes(point), 8U * 333 * 217 + 2 * 32 * 440);
    point.depth = 1;
    EXPECT_EQ(memory_bytes(point), 8U * 333 * 217 + 4 * 440);
}

TEST(MatrixDescribe, SaysSidesAndBlockShapesAndNoGrid)
{
    const Devices devices = cpu_alone();
    const std::string text = describe(
        plan_of("--strategy naive_row,recursive_transpose --nx 333 --ny 217 --block-shape 8x32,32x8", devices),
        devices, kByThreads);
    EXPECT_THAT(text, AllOf(StartsWith("mechanism fire_and_forget, on cpu, type float32, elements 72261, nx 333, ny "
                                       "217,\ndepth full\n\n"),
                            ContainsRegex("strategy +block-shape +launches +waves\n"),
                            ContainsRegex("naive_row +8x32 +0\n"), ContainsRegex("naive_row +32x8 +0\n"),
                            ContainsRegex("recursive_transpose +76 +1\n")));
    // 76 * (3 + 1); 8 * 72261 + 2 * 32 * 440 = 606248 bytes
    EXPECT_THAT(text, HasSubstr("3 cases, 15 timed samples, 456 device launches with the warm-up, at most 592 KiB"));
}

TEST(MatrixPlanRefuses, MoreMemoryThanIsFreeAtTheSideThatWasSaid)
{
    const Case point{.strategy = "naive_row", .elements = 4096 * 2048, .grid = 0, .block = 0, .nx = 4096, .ny = 2048};
    const Said said("--strategy naive_row --nx 64,4096");
    EXPECT_EQ(plan_of(said, cpu_with(memory_bytes(point))).case_count(), 2U);
    const Devices less = cpu_with(memory_bytes(point) - 1);
    EXPECT_EQ(plan_of(said, less).case_count(),
              2U); // the case that fits is measured; the other is a row with the reason
    EXPECT_EQ(
        refusal("--strategy naive_row --nx 4096,8192", less),
        "--nx 4096,8192: 4096 x 2048 numbers need 64.0 MiB of memory; allowed: what Model 1 has free, 64.0 MiB");
    EXPECT_THAT(refusal("--strategy naive_row --ny 4096", less),
                StartsWith("--ny 4096: 2048 x 4096 numbers need 64.0 MiB of memory; "));
    EXPECT_THAT(refusal("--strategy naive_row --nx 4095 --ny 4096", less),
                StartsWith("--nx 4095: 4095 x 4096 numbers need 128 MiB of memory; "));
    EXPECT_EQ(plan_of("--strategy blobs --nx 4096 --ny 4095", less).case_count(), 1U);
}

TEST(MatrixPlanRefuses, MoreMemoryThanIsFreeByANameWhereNothingWasSaid)
{
    EXPECT_THAT(refusal("--strategy naive_row", cpu_with(1024)),
                StartsWith("--nx: 2048 x 2048 numbers need 32.0 MiB of memory; allowed: what Model 1 has free, "));
}

// If one of two strategies needs too much memory, the message names the setting that decides its size.
TEST(MatrixPlanRefuses, MoreMemoryThanIsFreeAtWhatMeansSomethingToTheStrategy)
{
    const Devices devices = cpu_with(10 << 20);
    const auto with = [&](const std::string& strategy, const std::string& grid, const std::string& nx) {
        return Said{{"strategy", strategy}, {"block", "64"}, {"grid", grid}, {"nx", nx}};
    };
    EXPECT_EQ(plan_of(with("neighbored,naive_row", "4", "2048"), devices).case_count(), 2U); // one of them fits
    EXPECT_THAT(refusal(with("naive_row", "4", "2048"), devices), StartsWith("--nx 2048: 2048 x 2048 numbers need "));
    EXPECT_THAT(refusal(with("neighbored", "1048576", "8"), devices),
                StartsWith("--grid 1048576: 1048576 blocks of 64 threads need "));
}

TEST(MatrixPlanRefuses, BlockShapesOverTheDevicesThreadsAtTheirPlace)
{
    Devices devices = cpu_alone();
    devices[BackendKind::cpu].max_threads_per_block = 512;
    EXPECT_EQ(plan_of("--strategy naive_row --block-shape 512x1,16x32", devices).case_count(), 2U);
    EXPECT_EQ(refusal("--strategy naive_row --block-shape 16x32,19x27", devices),
              "--block-shape 16x32,19x27: Model 1 has blocks of at most 512 threads, not 513");
    const ScratchFolder folder;
    Settings settings;
    const std::string path =
        folder.write("one.cfg", "strategy = naive_row\nblock-shape = 8x8\nblock-shape = 32x32\n");
    settings.read_file(path);
    EXPECT_EQ(text_of<UsageError>([&] { static_cast<void>(make_plan(settings, devices)); }),
              path + ":3: block-shape = 32x32: Model 1 has blocks of at most 512 threads, not 1024");
}

TEST(MatrixPlanRefuses, SidesAndBlockShapesThatCannotBe)
{
    EXPECT_THAT(refusal("--strategy naive_row --nx 65536"),
                AllOf(StartsWith("--nx 65536: 65536 is too large"), HasSubstr("from 1 to 65535,")));
    EXPECT_THAT(refusal("--strategy naive_row --block-shape 16"),
                StartsWith("--block-shape 16: '16' is not a block shape; allowed: WIDTHxHEIGHT"));
}

} // namespace
} // namespace nestbed
