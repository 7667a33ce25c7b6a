// How root grids are launched: no launch is refused, no parent waits for ever, and every block runs exactly once.
#include "model/launch_plan.hpp"

#include "support/support.hpp"

#include <tuple>
#include <vector>

namespace nestbed
{
namespace
{

DeviceFacts h200()
{
    return {.name = "NVIDIA H200",
            .multiprocessors = 132,
            .max_threads_per_multiprocessor = 2048,
            .max_blocks_per_multiprocessor = 32,
            .resident_grids = 128,
            .default_pending_limit = 2048};
}

DeviceFacts executor()
{
    return {.name = "executor", .multiprocessors = 2, .default_pending_limit = 2048, .raising_limit_is_free = true};
}

Case shape(std::uint32_t grid, std::uint32_t block)
{
    return {.strategy = "any", .grid = grid, .block = block};
}

// The closed forms of nosync, synced, tail and reduce2.
ExpectedLaunches alone(const Case& point)
{
    return ExpectedLaunches::chain_per_block(point.grid, halving_levels(point));
}
ExpectedLaunches waiting(const Case& point)
{
    ExpectedLaunches form = alone(point);
    form.parent_waits = true;
    return form;
}
ExpectedLaunches one_by_one(const Case& point)
{
    ExpectedLaunches form = alone(point);
    form.one_by_one = true;
    return form;
}
ExpectedLaunches shared(const Case& point)
{
    return ExpectedLaunches::chain_per_grid(halving_levels(point));
}

std::uint64_t grids_held(const LaunchPlan& plan, const ExpectedLaunches& form)
{
    return plan.streams * (1 + std::uint64_t{plan.wave} * form.levels());
}

std::uint64_t in_flight(const LaunchPlan& plan, const ExpectedLaunches& form)
{
    return std::uint64_t{plan.wave} * plan.streams * form.levels();
}

// Expects of a plan: "waves=1 streams=1 limit=2048 refusal=".
void expect_plan(const LaunchPlan& plan, const std::string& expected)
{
    SCOPED_TRACE(expected);
    expect_cells({{"roots", std::to_string(plan.roots)},
                  {"wave", std::to_string(plan.wave)},
                  {"waves", std::to_string(plan.waves())},
                  {"streams", std::to_string(plan.streams)},
                  {"limit", std::to_string(plan.pending_limit)},
                  {"refusal", plan.refusal}},
                 expected);
}

std::vector<Case> many_cases()
{
    std::vector<Case> cases;
    for (const std::uint32_t grid : {1U, 2U, 3U, 7U, 8U, 15U, 16U, 64U, 100U, 127U, 128U, 129U, 1000U, 2048U, 65536U})
        for (std::uint32_t block = 1; block <= 1024; block *= 2)
            for (const std::optional<std::uint32_t> depth : {std::optional<std::uint32_t>{}, {0U}, {1U}, {3U}}) {
                cases.push_back(shape(grid, block));
                cases.back().depth = depth;
            }
    return cases;
}

std::string text_of_case(const Case& point, const LaunchPlan& plan)
{
    return "grid " + std::to_string(point.grid) + " block " + std::to_string(point.block) + " depth " +
           (point.depth ? std::to_string(*point.depth) : "full") + " wave " + std::to_string(plan.wave) +
           " streams " + std::to_string(plan.streams) + " limit " + std::to_string(plan.pending_limit);
}

TEST(ExpectedLaunches, OfTheBookIs16384LaunchesIn8Levels)
{
    EXPECT_EQ(alone(shape(2048, 512)).total(), 16384U);
    EXPECT_EQ(alone(shape(2048, 512)).levels(), 8U);
    EXPECT_EQ(shared(shape(2048, 512)).total(), 8U);
    EXPECT_EQ(alone(shape(100, 64)).total(), 500U);
    EXPECT_EQ(shared(shape(100, 64)).total(), 5U);
    EXPECT_THAT(alone(shape(7, 16)).by_depth, ElementsAre(7, 7, 7));
    EXPECT_TRUE(alone(shape(7, 16)).per_root_block());
    EXPECT_FALSE(shared(shape(7, 16)).per_root_block());
    EXPECT_EQ(ExpectedLaunches::none().total(), 0U);
}

TEST(ExpectedLaunches, HasNoLevelsBelowBlocksOfFourAndNeverMoreThanTheDepth)
{
    EXPECT_EQ(halving_levels(shape(1, 1)), 0U);
    EXPECT_EQ(halving_levels(shape(1, 2)), 0U);
    EXPECT_EQ(halving_levels(shape(1, 4)), 1U);
    EXPECT_EQ(halving_levels(shape(1, 1024)), 9U);
    Case point = shape(1, 1024);
    for (const std::uint32_t depth : {0U, 1U, 8U, 9U, 10U, UINT32_MAX}) {
        point.depth = depth;
        EXPECT_EQ(halving_levels(point), std::min(depth, 9U));
    }
    EXPECT_EQ(log2_of(1), 0U);
    EXPECT_EQ(log2_of(1024), 10U);
}

// Each level leaves one number per `fan_in` numbers, rounded up.
TEST(ExpectedLaunches, OverTheWholeInputHasALevelWhileMoreThanOneNumberIsLeft)
{
    Case point = shape(1, 1);
    const auto levels = [&](std::uint64_t elements, unsigned fan_in) {
        point.elements = elements;
        return whole_levels(point, fan_in);
    };
    EXPECT_EQ(levels(1, 32), 0U);
    EXPECT_EQ(levels(32, 32), 0U);
    EXPECT_EQ(levels(33, 32), 1U);
    EXPECT_EQ(levels(1024, 32), 1U);
    EXPECT_EQ(levels(1025, 32), 2U);
    EXPECT_EQ(levels(1ULL << 41, 2), 40U);
    EXPECT_EQ(levels(1ULL << 41, 1024), 4U);
    point.depth = 1;
    EXPECT_EQ(levels(1025, 32), 1U);
    EXPECT_EQ(levels(32, 32), 0U);
}

TEST(Waves, CoverEveryBlockExactlyOnceInOrderAndGoRoundTheStreams)
{
    for (const std::uint32_t grid : {1U, 2U, 7U, 16U, 17U, 1000U})
        for (const std::uint32_t wave : {1U, 2U, 5U, 16U, 1000U})
            for (const std::uint32_t streams : {1U, 2U, 7U}) {
                const LaunchPlan plan{.roots = grid, .wave = wave, .streams = streams};
                std::uint32_t next = 0;
                std::uint32_t count = 0;
                for_each_wave(plan, [&](const Wave& one) {
                    EXPECT_EQ(one.first, next);
                    EXPECT_GE(one.blocks, 1U);
                    EXPECT_LE(one.blocks, wave);
                    EXPECT_EQ(one.stream, count % streams);
                    next += one.blocks;
                    ++count;
                });
                EXPECT_EQ(next, grid) << "wave " << wave;
                EXPECT_EQ(count, plan.waves()) << "wave " << wave;
            }
}

TEST(Waves, CountUpToTheLargestGrid)
{
    EXPECT_EQ((LaunchPlan{.roots = 2147483647, .wave = 1}.waves()), 2147483647U);
    EXPECT_EQ((LaunchPlan{.roots = 2147483647, .wave = 2147483647}.waves()), 1U);
    std::uint64_t blocks = 0;
    for_each_wave({.roots = 2147483647, .wave = 2147483646}, [&](const Wave& wave) { blocks += wave.blocks; });
    EXPECT_EQ(blocks, 2147483647U);
}

TEST(LaunchPlan, OfWhatLaunchesNothingIsOneWaveUnderTheDefaultLimit)
{
    for (const DeviceFacts& facts : {h200(), executor()}) {
        const LaunchPlan plan = plan_launches(shape(2048, 2), alone(shape(2048, 2)), facts);
        expect_plan(plan, "wave=2048 waves=1 streams=1");
        EXPECT_EQ(plan.pending_limit, facts.default_pending_limit);
        EXPECT_EQ(plan.refusal, "");
    }
}

TEST(LaunchPlan, OfOneChainForTheWholeGridIsOneWave)
{
    for (const DeviceFacts& facts : {h200(), executor()})
        for (const Case& point : many_cases()) {
            const LaunchPlan plan = plan_launches(point, shared(point), facts);
            EXPECT_EQ(plan.waves(), 1U) << text_of_case(point, plan);
            EXPECT_EQ(plan.refusal, "");
        }
}

// Every wave would launch the chain again, so the counts would differ from the closed form.
TEST(LaunchPlan, OfOneChainForTheWholeGridIsOneWaveWhateverWaveIsAsked)
{
    Case point = shape(8, 8);
    point.wave = 2;
    for (const DeviceFacts& facts : {h200(), executor()}) {
        const LaunchPlan plan = plan_launches(point, shared(point), facts);
        EXPECT_TRUE(plan.waves() == 1 || !plan.refusal.empty()) << text_of_case(point, plan);
    }
}

TEST(LaunchPlan, OnAGpuKeepsTheDefaultLimitAndFillsThreeQuartersAtMost)
{
    const DeviceFacts facts = h200();
    for (const Case& point : many_cases()) {
        const ExpectedLaunches form = alone(point);
        if (form.levels() == 0)
            continue;
        const LaunchPlan plan = plan_launches(point, form, facts);
        EXPECT_EQ(plan.pending_limit, 2048U) << text_of_case(point, plan);
        EXPECT_LE(in_flight(plan, form), 2048U * 3 / 4) << text_of_case(point, plan);
        EXPECT_LE(plan.streams, plan.waves()) << text_of_case(point, plan);
        EXPECT_EQ(plan.refusal, "");
    }
}

TEST(LaunchPlan, OfFewLaunchesIsOneWaveOnAnyDevice)
{
    const LaunchPlan plan = plan_launches(shape(100, 64), alone(shape(100, 64)), h200());
    expect_plan(plan, "waves=1 streams=1");
}

TEST(LaunchPlan, NeverRefusesALaunchEvenWhereTheDefaultLimitIsTiny)
{
    DeviceFacts facts = h200();
    facts.default_pending_limit = 4;
    for (const Case& point : many_cases()) {
        const ExpectedLaunches form = alone(point);
        const LaunchPlan plan = plan_launches(point, form, facts);
        EXPECT_LE(in_flight(plan, form), plan.pending_limit) << text_of_case(point, plan);
    }
}

TEST(LaunchPlan, WhereRaisingTheLimitIsFreeItHoldsAllLaunchesInOneWave)
{
    const DeviceFacts facts = executor();
    for (const Case& point : many_cases())
        for (const ExpectedLaunches& form : {alone(point), waiting(point), one_by_one(point)}) {
            const LaunchPlan plan = plan_launches(point, form, facts);
            EXPECT_EQ(plan.waves(), 1U) << text_of_case(point, plan);
            expect_plan(plan, "streams=1 refusal=");
            if (form.levels() != 0) {
                EXPECT_EQ(plan.pending_limit, std::max<std::uint64_t>(2048, form.total()))
                    << text_of_case(point, plan);
            }
        }
}

TEST(LaunchPlan, OfWaitingParentsNeverHoldsMoreGridsThanAreResident)
{
    const DeviceFacts facts = h200();
    for (const Case& point : many_cases()) {
        const ExpectedLaunches form = waiting(point);
        if (form.levels() == 0)
            continue;
        const LaunchPlan plan = plan_launches(point, form, facts);
        EXPECT_EQ(plan.refusal, "") << text_of_case(point, plan);
        EXPECT_GE(plan.wave, 1U);
        EXPECT_LE(plan.wave, point.grid);
        EXPECT_GE(plan.streams, 1U);
        EXPECT_LE(plan.streams, 7U);
        EXPECT_LE(grids_held(plan, form), 128U) << text_of_case(point, plan);
        EXPECT_LE(in_flight(plan, form), plan.pending_limit) << text_of_case(point, plan);
        // The root's threads, and half of them per further level: all are on the device at once.
        EXPECT_LE(std::uint64_t{plan.wave} * plan.streams * 2 * point.block, 132U * 2048U)
            << text_of_case(point, plan);
        EXPECT_LE(std::uint64_t{plan.wave} * plan.streams * (form.levels() + 1), 132U * 32U);
    }
}

// 2048 x 512, 8 levels, 128 grids: 1 stream holds 15 chains, 3 and 5 streams hold 15, 7 hold 14. With 9 levels, 1
// stream holds 14 chains, 6 hold 12, and 7 only 7.
TEST(LaunchPlan, OfWaitingParentsTakesMaxStreamsThatHoldFourFifthsOfMaxChains)
{
    const LaunchPlan eight = plan_launches(shape(2048, 512), waiting(shape(2048, 512)), h200());
    expect_plan(eight, "wave=2 streams=7 waves=1024");
    const LaunchPlan nine = plan_launches(shape(2048, 1024), waiting(shape(2048, 1024)), h200());
    expect_plan(nine, "wave=2 streams=6");
    const LaunchPlan one_wave = plan_launches(shape(15, 512), waiting(shape(15, 512)), h200());
    expect_plan(one_wave, "wave=15 streams=1");
}

TEST(LaunchPlan, OfWaitingParentsIsRefusedWhereNotEvenOneChainFits)
{
    DeviceFacts facts = h200();
    facts.resident_grids = 8; // one chain of 8 levels needs 9 grids
    const LaunchPlan plan = plan_launches(shape(4, 512), waiting(shape(4, 512)), facts);
    EXPECT_THAT(plan.refusal, HasSubstr("8"));
    facts.resident_grids = 9;
    EXPECT_EQ(plan_launches(shape(4, 512), waiting(shape(4, 512)), facts).refusal, "");
}

TEST(LaunchPlan, AFixedWaveOfWaitingParentsIsKeptIfItFitsAndElseRefused)
{
    Case point = shape(2048, 512);
    point.wave = 15; // 1 + 15 * 8 = 121 grids
    point.streams = 1;
    const LaunchPlan fits = plan_launches(point, waiting(point), h200());
    expect_plan(fits, "refusal= wave=15 streams=1");

    point.wave = 16; // 129 grids
    EXPECT_THAT(plan_launches(point, waiting(point), h200()).refusal,
                AllOf(HasSubstr("16 blocks"), HasSubstr("1 streams"), HasSubstr("129"), HasSubstr("128")));
    EXPECT_EQ(plan_launches(point, waiting(point), executor()).refusal, "");
    EXPECT_EQ(plan_launches(point, alone(point), h200()).refusal, ""); // no parent waits

    point.wave = 15;
    point.streams = 2;
    EXPECT_THAT(plan_launches(point, waiting(point), h200()).refusal, HasSubstr("242"));
}

TEST(LaunchPlan, FixedStreamsOfWaitingParentsGetAWaveThatFits)
{
    for (const Case& point : many_cases())
        for (const std::uint32_t streams : {1U, 2U, 4U, 7U}) {
            Case fixed = point;
            fixed.streams = streams;
            const ExpectedLaunches form = waiting(fixed);
            if (form.levels() == 0)
                continue;
            const LaunchPlan plan = plan_launches(fixed, form, h200());
            EXPECT_EQ(plan.refusal, "") << text_of_case(point, plan);
            EXPECT_LE(grids_held(plan, form), 128U) << text_of_case(point, plan);
            EXPECT_LE(plan.streams, streams);
        }
}

// Four blocks use at most four streams: 4 * (1 + 8) grids.
TEST(LaunchPlan, MoreStreamsThanThereAreBlocksAreNoReasonToRefuse)
{
    for (const std::uint32_t streams : {16U, 64U}) {
        Case point = shape(4, 512);
        point.streams = streams;
        const LaunchPlan plan = plan_launches(point, waiting(point), h200());
        EXPECT_EQ(plan.refusal, "") << streams;
        EXPECT_LE(plan.streams, 4U);
        point.wave = 1;
        EXPECT_EQ(plan_launches(point, waiting(point), h200()).refusal, "") << streams;
    }
}

TEST(LaunchPlan, AWaveLargerThanTheGridIsTheGrid)
{
    Case point = shape(4, 8);
    point.wave = 1000;
    point.streams = 3;
    for (const DeviceFacts& facts : {h200(), executor()}) {
        const LaunchPlan plan = plan_launches(point, alone(point), facts);
        expect_plan(plan, "wave=4 streams=1"); // one wave needs only one stream
    }
}

TEST(LaunchPlan, AFixedLimitIsKeptAndNothingIsDoneToFitIt)
{
    Case point = shape(2048, 512);
    point.pending_limit = 32;
    for (const DeviceFacts& facts : {h200(), executor()}) {
        const LaunchPlan plan = plan_launches(point, alone(point), facts);
        expect_plan(plan, "limit=32 waves=1 refusal=");
    }
}

// The limit is auto: no launch may be refused, whatever fixed values wave and streams have.
TEST(LaunchPlan, AnAutomaticLimitHoldsTheWavesThatAreFixed)
{
    for (const std::uint32_t wave : {1U, 64U, 300U, 2048U})
        for (const std::optional<std::uint32_t> streams : {std::optional<std::uint32_t>{}, {1U}, {4U}}) {
            Case point = shape(2048, 512);
            point.wave = wave;
            point.streams = streams;
            for (const DeviceFacts& facts : {h200(), executor()}) {
                const ExpectedLaunches form = alone(point);
                const LaunchPlan plan = plan_launches(point, form, facts);
                EXPECT_EQ(plan.wave, wave);
                // A GPU needs spare room, because a place becomes free only some time after its grid has started.
                const std::uint64_t room = std::uint64_t{plan.pending_limit} * (facts.raising_limit_is_free ? 4 : 3);
                EXPECT_LE(4 * in_flight(plan, form), room) << text_of_case(point, plan);
            }
        }
}

TEST(LaunchPlan, AnAutomaticWaveFitsTheStreamsThatAreFixed)
{
    for (const std::uint32_t streams : {1U, 2U, 8U, 64U}) {
        Case point = shape(65536, 512);
        point.streams = streams;
        const ExpectedLaunches form = alone(point);
        const LaunchPlan plan = plan_launches(point, form, h200());
        EXPECT_EQ(plan.streams, streams);
        EXPECT_LE(in_flight(plan, form), plan.pending_limit) << text_of_case(point, plan);
    }
}

TEST(LaunchPlan, StreamsWithoutAWaveShareTheGridOut)
{
    Case point = shape(64, 64);
    point.streams = 3;
    const LaunchPlan plan = plan_launches(point, alone(point), h200());
    expect_plan(plan, "streams=3 wave=22 waves=3");
}

TEST(LaunchPlan, OfChainsThatRunOneByOneHasSmallRootGridsRoundManyStreams)
{
    for (const Case& point : many_cases()) {
        const ExpectedLaunches form = one_by_one(point);
        if (form.levels() == 0)
            continue;
        const LaunchPlan plan = plan_launches(point, form, h200());
        EXPECT_LE(plan.wave, 2U) << text_of_case(point, plan);
        EXPECT_GE(plan.streams, std::min(16U, plan.waves())) << text_of_case(point, plan);
        EXPECT_LE(plan.streams, std::min(64U, plan.waves())) << text_of_case(point, plan);
        EXPECT_EQ(plan.pending_limit, 2048U) << text_of_case(point, plan);
        EXPECT_LE(in_flight(plan, form), 2048U * 3 / 4) << text_of_case(point, plan);
        EXPECT_EQ(plan.refusal, "");
    }
}

TEST(LaunchPlan, OfChainsThatRunOneByOneKeepsWhatIsFixed)
{
    Case point = shape(2048, 512);
    point.wave = 8;
    EXPECT_EQ(plan_launches(point, one_by_one(point), h200()).wave, 8U);
    point.streams = 4;
    const LaunchPlan both = plan_launches(point, one_by_one(point), h200());
    expect_plan(both, "wave=8 streams=4");
    point.wave.reset();
    const LaunchPlan streams = plan_launches(point, one_by_one(point), h200());
    EXPECT_LE(streams.wave, 2U);
    EXPECT_EQ(streams.streams, 4U);

    Case limited = shape(2048, 512);
    limited.pending_limit = 32;
    const LaunchPlan limit = plan_launches(limited, one_by_one(limited), h200());
    expect_plan(limit, "limit=32 waves=1 streams=1");
}

// A matrix has no axis grid: its strategy launches one root grid.
TEST(LaunchPlan, OfAMatrixIsOneWaveWithALimitForAllItsLaunches)
{
    const Case matrix = shape(0, 0);
    ExpectedLaunches form{.by_depth = {4, 16, 32, 24}};
    for (const DeviceFacts& facts : {h200(), executor()}) {
        const LaunchPlan flat = plan_launches(matrix, ExpectedLaunches::none(), facts);
        const LaunchPlan nested = plan_launches(matrix, form, facts);
        for (const LaunchPlan& plan : {flat, nested}) {
            expect_plan(plan, "roots=1 wave=1 waves=1 streams=1 limit=2048 refusal=");
        }
    }
    form.by_depth = {4, 16, 64, 256, 1024, 2048}; // 3412
    EXPECT_EQ(plan_launches(matrix, form, executor()).pending_limit, 3412U);
    EXPECT_EQ(plan_launches(matrix, form, h200()).pending_limit, 4550U); // 3412 is three quarters of it
    Case fixed = matrix;
    fixed.pending_limit = 32;
    EXPECT_EQ(plan_launches(fixed, form, h200()).pending_limit, 32U);
}

// Nobody knows the number of launches before: by_depth only has the places for them.
TEST(LaunchPlan, OfLaunchesByOrderIsOneWaveUnderTheUsualLimit)
{
    for (const DeviceFacts& facts : {h200(), executor()})
        for (const std::size_t levels : {0U, 1U, 4096U}) {
            Case search = shape(0, 512);
            ExpectedLaunches form = ExpectedLaunches::of_order();
            form.by_depth.assign(levels, 0);
            const LaunchPlan plan = plan_launches(search, form, facts);
            EXPECT_EQ(plan.pending_limit, 2048U) << levels;
            expect_plan(plan, "waves=1 streams=1 refusal=");
            search.pending_limit = 100;
            EXPECT_EQ(plan_launches(search, form, facts).pending_limit, levels == 0 ? 2048U : 100U);
        }
}

// One root block for every 16 slices, as aggregated_block has it.
// Of litmus_siblings_null and litmus_second_child.
TEST(LaunchPlan, CountsAllLaunchesOfARootBlockThatMakesSeveral)
{
    constexpr std::uint32_t kGrid = 65536;
    for (const std::vector<std::uint64_t>& by_depth :
         {std::vector<std::uint64_t>{2 * kGrid}, std::vector<std::uint64_t>{2 * kGrid, kGrid}}) {
        const ExpectedLaunches form{.by_depth = by_depth, .root_blocks = kGrid};
        const LaunchPlan plan = plan_launches(shape(kGrid, 64), form, h200());
        EXPECT_EQ(plan.pending_limit, 2048U);
        EXPECT_LE(plan.wave * plan.streams * form.per_block(), 1536U);
        EXPECT_GT((plan.wave + 1) * plan.streams * form.per_block(), 1536U);
    }
}

TEST(LaunchPlan, CountsRootBlocksWhereTheyAreNotTheGrid)
{
    const Case point = shape(2040, 512);
    for (const DeviceFacts& facts : {h200(), executor()})
        for (const unsigned levels : {0U, 8U}) {
            const ExpectedLaunches form = ExpectedLaunches::chain_per_block(128, levels);
            const LaunchPlan plan = plan_launches(point, form, facts);
            EXPECT_EQ(plan.roots, 128U);
            EXPECT_LE(plan.wave, 128U);
            std::uint32_t blocks = 0;
            for_each_wave(plan, [&](const Wave& wave) { blocks += wave.blocks; });
            EXPECT_EQ(blocks, 128U) << levels;
        }
    EXPECT_EQ(plan_launches(point, shared(point), h200()).roots, 2040U);
    EXPECT_EQ(plan_launches(point, ExpectedLaunches::none(), h200()).roots, 2040U);
}

TEST(LaunchPlan, AWaveAndStreamsAreOfRootBlocksWhereTheyAreNotTheGrid)
{
    Case point = shape(2048, 512);
    const ExpectedLaunches form = ExpectedLaunches::chain_per_block(128, 8);
    point.wave = 1000;
    EXPECT_EQ(plan_launches(point, form, h200()).wave, 128U);
    point.wave = 100;
    EXPECT_EQ(plan_launches(point, form, h200()).waves(), 2U);
    point.wave.reset();
    point.pending_limit = 2048;
    point.streams = 64;
    EXPECT_EQ(plan_launches(point, form, h200()).wave, 2U);
    EXPECT_EQ(plan_launches(point, form, h200()).streams, 64U);
}

// Data-dependent launches, below each root block.
ExpectedLaunches by_need(std::vector<std::uint64_t> by_root)
{
    ExpectedLaunches form;
    form.by_depth = {0};
    for (const std::uint64_t launches : by_root)
        form.by_depth[0] += launches;
    form.by_root = std::move(by_root);
    return form;
}

Case needing(Aggregate aggregate, Overflow overflow = Overflow::waves)
{
    Case point = shape(7, 64); // the grid does not matter: by_root has the root blocks
    point.aggregate = aggregate;
    point.overflow = overflow;
    return point;
}

void expect_every_root_once(const LaunchPlan& plan, std::size_t roots)
{
    std::uint32_t next = 0;
    for_each_wave(plan, [&](const Wave& wave) {
        EXPECT_EQ(wave.first, next);
        EXPECT_GE(wave.blocks, 1U);
        next += wave.blocks;
    });
    EXPECT_EQ(next, roots);
}

TEST(LaunchPlanByNeed, OfFewLaunchesIsOneWaveUnderTheUsualLimit)
{
    for (const DeviceFacts& facts : {h200(), executor()})
        for (const Overflow overflow : {Overflow::waves, Overflow::inline_run, Overflow::spill, Overflow::fail}) {
            const LaunchPlan plan =
                plan_launches(needing(Aggregate::none, overflow), by_need({500, 0, 1000, 36}), facts);
            expect_plan(plan, "waves=1 streams=1 limit=2048 refusal=");
        }
}

// Any 1536 launches, three quarters of the limit, may be pending.
TEST(LaunchPlanByNeed, PacksRootBlocksIntoWavesThatStayBelowTheLimit)
{
    const std::vector<std::uint64_t> by_root{500, 500, 500, 37, 0, 1000, 536, 0, 0, 1, 900, 600};
    const LaunchPlan plan = plan_launches(needing(Aggregate::none), by_need(by_root), h200());
    EXPECT_EQ(plan.wave, 3U); // 500 + 500 + 500 + 37 are too many for 4
    expect_every_root_once(plan, by_root.size());
}
TEST(LaunchPlanByNeed, TheWidestWaveIsFound)
{
    for (const std::uint32_t roots : {1U, 2U, 3U, 100U, 1537U, 5000U}) {
        const LaunchPlan plan =
            plan_launches(needing(Aggregate::block), by_need(std::vector<std::uint64_t>(roots, 1)), h200());
        EXPECT_EQ(plan.wave, std::min(roots, 1536U));
        EXPECT_EQ(plan.pending_limit, 2048U);
        expect_every_root_once(plan, roots);
    }
}

TEST(LaunchPlanByNeed, RaisesTheLimitForARootBlockThatNeedsMore)
{
    const LaunchPlan plan = plan_launches(needing(Aggregate::none), by_need({1, 30'000, 1}), h200());
    expect_plan(plan, "wave=1 limit=40000");
}

TEST(LaunchPlanByNeed, IsOneWaveWhereALaunchHasItemsOfSeveralRootBlocks)
{
    for (const Aggregate aggregate : {Aggregate::multiblock_2, Aggregate::multiblock_64, Aggregate::grid}) {
        Case point = needing(aggregate);
        const ExpectedLaunches form = by_need(std::vector<std::uint64_t>(100, 90));
        EXPECT_EQ(plan_launches(point, form, h200()).waves(), 1U);
        EXPECT_EQ(plan_launches(point, form, h200()).pending_limit, 12'000U);
        point.wave = 2; // would tear the groups apart
        EXPECT_EQ(plan_launches(point, form, h200()).waves(), 1U);
    }
}

TEST(LaunchPlanByNeed, ReplacedLaunchesNeedNoPlaceOnAGpu)
{
    ExpectedLaunches form = by_need(std::vector<std::uint64_t>(100, 90));
    for (const Overflow overflow : {Overflow::inline_run, Overflow::spill, Overflow::fail}) {
        const LaunchPlan plan = plan_launches(needing(Aggregate::none, overflow), form, h200());
        expect_plan(plan, "waves=1 limit=2048");
    }
}

TEST(LaunchPlanByNeed, TailLaunchesGoInManyStreamsThatShareTheLimit)
{
    const auto planned = [](const std::vector<std::uint64_t>& by_root) {
        ExpectedLaunches form = by_need(by_root);
        form.one_by_one = true;
        return plan_launches(needing(Aggregate::none, Overflow::absent), form, h200());
    };
    const LaunchPlan plan = planned(std::vector<std::uint64_t>(100, 90));
    expect_plan(plan, "wave=1 streams=17 limit=2048"); // 17 * 90 <= 1536
    const LaunchPlan few = planned(std::vector<std::uint64_t>(10'000, 1));
    expect_plan(few, "wave=20 streams=64 limit=2048"); // 500 waves
    const LaunchPlan one = planned({3, 9000, 3});
    expect_plan(one, "waves=3 streams=1 limit=12000");
    EXPECT_EQ(planned({0, 0}).pending_limit, 2048U);
}

TEST(LaunchPlanByNeed, AWaveOfEachStreamCanBePendingAndTheyNeedNotBeNeighbours)
{
    std::vector<std::uint64_t> by_root(100, 1);
    by_root[0] = by_root[30] = 1800; // waves 0 and 3, of streams 0 and 1
    Case point = needing(Aggregate::none);
    point.wave = 10;
    point.streams = 2;
    EXPECT_EQ(plan_launches(point, by_need(by_root), h200()).pending_limit, (2 * 1809 * 4 + 2) / 3);
}

TEST(LaunchPlanByNeed, OnTheExecutorRaisesTheLimitInsteadOfWaves)
{
    const LaunchPlan plan =
        plan_launches(needing(Aggregate::none), by_need(std::vector<std::uint64_t>(100, 90)), executor());
    expect_plan(plan, "waves=1 limit=9000");
}

TEST(LaunchPlanByNeed, WavesStayBelowALimitThatTheCaseFixes)
{
    Case point = needing(Aggregate::none);
    point.pending_limit = 8; // 6 may be pending
    for (const DeviceFacts& facts : {h200(), executor()}) {
        const LaunchPlan plan = plan_launches(point, by_need({2, 2, 2, 0, 0, 3, 3, 0, 1}), facts);
        expect_plan(plan, "wave=3 limit=8"); // 3 + 3 + 0 + 1 are too many for 4
    }
    point.overflow = Overflow::fail;
    EXPECT_EQ(plan_launches(point, by_need({2, 2, 2, 2}), h200()).waves(), 1U);
}

// Time steps, each with 100 root blocks: every wave has blocks of one step, and a block of the same place has the same stream in
// every step.
TEST(LaunchPlanByNeed, OfRecursionsThatFollowEachOtherHasTheSameWavesInEach)
{
    ExpectedLaunches form = by_need(std::vector<std::uint64_t>(300, 40));
    form.recursions = 3;
    Case fixed = needing(Aggregate::none);
    fixed.wave = 30;
    fixed.streams = 3;
    Case wide = needing(Aggregate::none);
    wide.wave = 150;
    for (const auto& [point, waves, streams] :
         {std::tuple{needing(Aggregate::none), 9U, 1U}, // 38 * 40 <= 1536
          std::tuple{fixed, 12U, 3U}, std::tuple{wide, 3U, 1U}, std::tuple{needing(Aggregate::grid), 3U, 1U}}) {
        const LaunchPlan plan = plan_launches(point, form, h200());
        EXPECT_EQ(plan.waves(), waves);
        EXPECT_EQ(plan.streams, streams);
        expect_every_root_once(plan, 300);
        std::vector<std::uint32_t> stream_of(100, UINT32_MAX);
        for_each_wave(plan, [&](const Wave& wave) {
            EXPECT_EQ(wave.first / 100, (wave.first + wave.blocks - 1) / 100);
            for (std::uint32_t root = wave.first; root < wave.first + wave.blocks; ++root) {
                EXPECT_TRUE(root < 100 || stream_of[root % 100] == wave.stream) << root;
                stream_of[root % 100] = wave.stream;
            }
        });
    }
    EXPECT_EQ(plan_launches(needing(Aggregate::grid), form, h200()).pending_limit,
              (100 * 40 * 4 + 2) / 3); // of one step
}

TEST(LaunchPlanByNeed, KeepsTheWavesAndStreamsOfTheCase)
{
    Case point = needing(Aggregate::block);
    point.wave = 3;
    const ExpectedLaunches form = by_need(std::vector<std::uint64_t>(10, 600));
    EXPECT_EQ(plan_launches(point, form, h200()).wave, 3U);
    EXPECT_EQ(plan_launches(point, form, h200()).pending_limit, 2400U); // 1800 pending
    point.streams = 2;
    EXPECT_EQ(plan_launches(point, form, h200()).streams, 2U);
    EXPECT_EQ(plan_launches(point, form, h200()).pending_limit, 4800U);
    point.wave.reset();
    expect_every_root_once(plan_launches(point, form, h200()), 10);
}

} // namespace
} // namespace nestbed
