// Two sides of one log: which configuration stands for a side, which inputs are compared, and what is said of them.
#include "inspect/compare_sides_text.hpp"

#include "base/error.hpp"
#include "model/axis_table.hpp"
#include "support/matchers.hpp"
#include "support/support.hpp"

namespace nestbed
{
namespace
{

// Five samples of a case on a GPU, around the time.
CaseResult timed(Case point, double us, std::size_t samples = 5)
{
    point.backend = BackendKind::cuda;
    point.mechanism = mechanism_of(Registry::find_anywhere(point.strategy)->info(), point);
    reset_meaningless(point);
    CaseResult result{.point = point, .group = point.grid};
    for (std::size_t sample = 0; sample < samples; ++sample)
        result.samples.push_back(
            {.gpu_us = us + static_cast<double>(sample % 3) / 100, .wall_us = us + 5, .held = true});
    return result;
}

Case case_of(const std::string& strategy, std::uint32_t grid, std::optional<Mechanism> by = {})
{
    return {.strategy = strategy, .mechanism = by, .elements = 64ULL * grid, .grid = grid, .block = 64};
}

SidesComparison compared(const LoggedCases& log, const std::string& a, const std::string& b)
{
    return compare_sides("log.csv", log, {"--of", a}, {"--with", b});
}

// Two inputs, with three configurations of nosync and one of barrier on the first.
LoggedCases two_inputs()
{
    LoggedCases log;
    for (const std::uint32_t grid : {2U, 4U}) {
        log.results.push_back(timed(case_of("nosync", grid, Mechanism::null_stream), 8 * grid));
        log.results.push_back(timed(case_of("nosync", grid, Mechanism::named_stream), 6 * grid));
        Case shallow = case_of("nosync", grid, Mechanism::fire_and_forget);
        shallow.depth = 2;
        log.results.push_back(timed(shallow, grid == 2 ? 10 : 40));
        log.results.push_back(timed(case_of("neighbored", grid), grid == 2 ? 5 : 48));
    }
    log.results.push_back(timed(case_of("barrier", 2), 30));
    log.results.push_back(timed(case_of("neighbored", 8), 1));
    return log;
}

TEST(CompareSides, ProgramsOfOneLogAreSides)
{
    LoggedCases log;
    for (const char* program : {"./before", "./after", "./other"})
        for (const std::uint32_t grid : {2U, 4U})
            for (const std::uint32_t block : {32U, 64U}) {
                Case point{.strategy = "program", .grid = grid, .block = block};
                point.program = program;
                point.arguments = block == 32 ? "{grid}" : "{grid} again";
                log.results.push_back(timed(point, program == std::string("./before") ? 2 * grid : grid));
            }
    const SidesComparison comparison = compared(log, "./before", "./a*");
    ASSERT_EQ(comparison.inputs.size(), 4U);
    for (const ComparedInput& input : comparison.inputs) {
        EXPECT_EQ(input.sides[0].fastest->point.program, "./before");
        EXPECT_EQ(input.sides[1].fastest->point.program, "./after");
        EXPECT_EQ(input.sides[0].fastest->point.grid, input.sides[1].fastest->point.grid);
        EXPECT_NEAR(input.ratio.value, 2, 0.01);
    }
    EXPECT_THAT(sides_text(comparison, "log.csv", log),
                AllOf(HasSubstr("A: --of ./before: ./before; 4 configurations, 1 per input\n"),
                      HasSubstr("B: --with ./a*: ./after; 4 configurations, 1 per input\n"), HasSubstr("  ./before"),
                      HasSubstr("; ./after"), Not(HasSubstr("./other"))));
    EXPECT_THAT([&] { compared(log, "./befor", "./after"); },
                testing::ThrowsMessage<UsageError>(
                    HasSubstr("--of ./befor: log.csv has no such program, did you mean './before'?")));
}

TEST(CompareSides, TheFastestConfigurationStandsForASide)
{
    const LoggedCases log = two_inputs();
    const SidesComparison comparison = compared(log, "nosync,barrier", "neigh*");
    ASSERT_EQ(comparison.inputs.size(), 2U);
    const ComparedInput& first = comparison.inputs[0];
    EXPECT_EQ(first.sides[0].fastest->point.mechanism, Mechanism::fire_and_forget);
    EXPECT_EQ(first.sides[0].configurations, 4U);
    EXPECT_EQ(first.sides[1].fastest->point.strategy, "neighbored");
    EXPECT_NEAR(first.ratio.value, 2, 0.01);
    EXPECT_EQ(first.change, Change::slower);
    EXPECT_TRUE(first.sides[0].held);
    const ComparedInput& second = comparison.inputs[1];
    EXPECT_EQ(second.sides[0].fastest->point.mechanism, Mechanism::named_stream);
    EXPECT_NEAR(second.ratio.value, 0.5, 0.01);
    EXPECT_EQ(second.change, Change::faster);
    const auto& [a, b] = comparison.sides;
    EXPECT_THAT(a.strategies, ElementsAre("barrier", "nosync"));
    EXPECT_EQ(a.configurations, 7U);
    EXPECT_EQ(a.fewest, 3U);
    EXPECT_EQ(a.most, 4U);
    EXPECT_EQ(b.configurations, 3U);
    EXPECT_EQ(a.alone, 0U);
    EXPECT_EQ(b.alone, 1U); // the input of eight blocks
}

TEST(CompareSides, WhatIsWrongOrUntimedIsNoChoice)
{
    LoggedCases log = two_inputs();
    log.results[2].samples[4].status = Status::wrong; // the fastest on the first input
    for (KeptSample& sample : log.results[1].samples)
        sample.gpu_us = sample.wall_us = {};
    log.results[4].samples[0].gpu_us = {}; // by two clocks
    const SidesComparison comparison = compared(log, "nosync", "neighbored");
    EXPECT_EQ(comparison.inputs[0].sides[0].fastest->point.mechanism, Mechanism::null_stream);
    EXPECT_EQ(comparison.inputs[0].sides[0].configurations, 1U);
    EXPECT_EQ(comparison.sides[0].left_out, 3U);
}

TEST(CompareSides, AnotherClockOrCacheIsAnotherInput)
{
    LoggedCases log;
    log.results = {timed(case_of("nosync", 2), 8), timed(case_of("neighbored", 2), 4)};
    for (KeptSample& sample : log.results[1].samples)
        sample.gpu_us = {};
    EXPECT_THAT([&] { compared(log, "nosync", "neighbored"); },
                testing::ThrowsMessage<UsageError>(HasSubstr("no input in common")));
    log.results[1] = timed(case_of("neighbored", 2), 4);
    log.results[1].point.l2 = CacheState::flushed;
    EXPECT_THAT(
        [&] { compared(log, "nosync", "neighbored"); },
        testing::ThrowsMessage<UsageError>(
            "log.csv: --of nosync and --with neighbored have no input in common that both sides were right and "
            "timed on; allowed: strategies of one workload on the same inputs, by the same clock"));
}

// The length of a chain is its work: a shorter one is no faster configuration.
TEST(CompareSides, ParametersThatAreTheWorkAreTheInput)
{
    LoggedCases log;
    for (const std::uint32_t depth : {4U, 16U})
        for (const Mechanism by : {Mechanism::tail, Mechanism::fire_and_forget}) {
            Case chain{.strategy = "chain", .mechanism = by, .grid = 1, .block = 32, .depth = depth};
            log.results.push_back(timed(chain, depth + (by == Mechanism::tail ? 1 : 0)));
        }
    const SidesComparison comparison = compared(log, "chain", "chain");
    ASSERT_EQ(comparison.inputs.size(), 2U);
    EXPECT_EQ(comparison.inputs[0].sides[0].configurations, 2U);
    EXPECT_EQ(comparison.inputs[0].change, Change::same);
    EXPECT_NEAR(comparison.inputs[1].sides[1].median_us, 16.01, 0.001);
}

TEST(CompareSides, FewSamplesAreNotTested)
{
    LoggedCases log;
    log.results = {timed(case_of("nosync", 2), 8, 4), timed(case_of("neighbored", 2), 4)};
    const SidesComparison comparison = compared(log, "nosync", "neighbored");
    EXPECT_EQ(comparison.inputs[0].change, Change::too_few);
    EXPECT_THAT(sides_text(comparison, "log.csv", log),
                HasSubstr("the same on 0; on 1 fewer than 5\nsamples: not tested."));
}

TEST(CompareSides, RefusesWhatMatchesNothing)
{
    const LoggedCases log = two_inputs();
    EXPECT_THAT([&] { compared(log, "nosync,barier", "neighbored"); },
                testing::ThrowsMessage<UsageError>(
                    "--of barier: log.csv has no such strategy, did you mean 'barrier'?; allowed: "
                    "barrier, neighbored, nosync"));
    EXPECT_THAT([&] { compared(log, "nosync", "sort_*"); },
                testing::ThrowsMessage<UsageError>(HasSubstr("--with sort_*: log.csv has no such strategy")));
    EXPECT_THAT([&] { compared(log, "nosync", ""); },
                testing::ThrowsMessage<UsageError>(HasSubstr("--with : log.csv has no such strategy")));
}

TEST(CompareSides, TheTableNamesEachSideAndItsFastest)
{
    LoggedCases log = two_inputs();
    log.results[0].samples[0].status = Status::wrong;
    for (KeptSample& sample : log.results[7].samples) // neighbored on the second input
        sample.held = false;
    EXPECT_EQ(sides_text(compared(log, "nosync,barrier", "neigh*"), "log.csv", log),
              "log.csv: on each input the fastest of A and the fastest of B\n"
              "A: --of nosync,barrier: barrier, nosync; 6 configurations, 3 per input; 1 left\n"
              "out, with rows that are not ok or have no time\n"
              "B: --with neigh*: neighbored; 3 configurations, 1 per input\n"
              "workload reduce, backend cuda, type int32, input random, operator sum, block 64,\n"
              "clock gpu\n"
              "\n"
              "elements  grid        A        B   A / B         95% CI  A is\n"
              "     128     2  10.0 us  5.01 us   1.998  1.994 - 2.002  slower\n"
              "    nosync by fire_and_forget, depth 2; neighbored\n"
              "     256     4  24.0 us  48.0 us  0.500*  0.500 - 0.500  faster\n"
              "    nosync by named, depth full; neighbored\n"
              "* one of them open: open times include the host's submission, held times do not\n"
              "\n"
              "Of 2 inputs: A is faster on 1, slower on 1, the same on 0. A / B is 0.500 to\n"
              "1.998, its geometric mean 1.000. Not compared: 1 input that only B has.\n");
}

TEST(CompareSides, TheCsvHasARowPerInput)
{
    const LoggedCases log = two_inputs();
    EXPECT_EQ(sides_csv(compared(log, "nosync", "neighbored")),
              "workload,backend,type,input,operator,elements,grid,block,pending_limit_asked,wave,streams,delay_us,"
              "seed,clock,"
              "configurations_a,strategy_a,mechanism_a,depth_a,samples_a,median_a_us,submit_a,"
              "configurations_b,strategy_b,mechanism_b,depth_b,samples_b,median_b_us,submit_b,ratio,ratio_low,ratio_"
              "high,a_is\r\n"
              "reduce,cuda,int32,random,sum,128,2,64,auto,auto,auto,0,1,gpu,3,nosync,fire_and_forget,2,5,10.01,held,"
              "1,neighbored,none,,5,5.01,held,1.998003992015968,1.9940239043824703,2.002,slower\r\n"
              "reduce,cuda,int32,random,sum,256,4,64,auto,auto,auto,0,1,gpu,3,nosync,named,full,5,24.01,held,"
              "1,neighbored,none,,5,48.01,held,0.500104144969798,0.49989585503020206,0.5003124349093939,faster\r\n");
}

} // namespace
} // namespace nestbed
