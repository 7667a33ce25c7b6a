// The table at the end of a run, from samples made by hand.
#include "run/summary.hpp"

#include "base/statistics.hpp"
#include "support/stand_ins.hpp"
#include "support/support.hpp"

namespace nestbed
{
namespace
{

Sample timed(std::optional<double> gpu_us, double wall_us, std::uint64_t launches = 0)
{
    Sample sample{.gpu_us = gpu_us, .wall_us = wall_us, .launches = LaunchCounts{}};
    sample.launches->attempted = launches;
    return sample;
}

CaseResult result_of_case(const Case& point, const std::vector<Sample>& samples)
{
    CaseResult result{.point = point};
    for (const Sample& sample : samples)
        result.keep(sample);
    return result;
}

CaseResult result(const std::string& strategy, const std::vector<Sample>& samples)
{
    return result_of_case({.strategy = strategy, .elements = 2048 * 512, .grid = 2048, .block = 512}, samples);
}

// The number of samples that an interval needs.
std::vector<Sample> five_timed(std::optional<double> gpu_us, double wall_us, std::uint64_t launches = 0)
{
    return std::vector<Sample>(kFewestSamples, timed(gpu_us, wall_us, launches));
}

CaseResult transpose(BlockShape shape, const std::vector<Sample>& samples)
{
    return result_of_case({.strategy = "naive_row",
                           .type = ElementType::float32,
                           .elements = 2048 * 1024,
                           .grid = 0,
                           .block = 0,
                           .nx = 2048,
                           .ny = 1024,
                           .shape = shape},
                          samples);
}

RunFacts run_on(const std::string& device, double peak_gb_s = 0)
{
    RunFacts run{.schedule = "fifo", .empty_kernel_us = 4};
    run.device.name = device;
    run.device.peak_bandwidth_gb_s = peak_gb_s;
    return run;
}

// Of a GPU.
std::string table(std::vector<CaseResult> results, double peak_gb_s = 0)
{
    for (CaseResult& result : results)
        result.point.backend = BackendKind::cuda;
    return summary_table("A title", results, {{BackendKind::cuda, run_on("Model 1", peak_gb_s)}}, BarStyle::ascii,
                         {.columns = 80});
}

// Of the executor.
std::string executor_table(const std::vector<CaseResult>& results, const std::optional<ReferenceTimes>& beside = {})
{
    return summary_table("A title", results, {{BackendKind::cpu, run_on("Host 1")}}, BarStyle::ascii, {.columns = 80},
                         beside);
}

TEST(SummaryTable, ShowsMedianIntervalLaunchesAndRatio)
{
    const std::string text =
        table({result("neighbored", {timed(20, 30), timed(22, 32), timed(21, 31), timed(20, 31), timed(22, 31)}),
               result("nosync", five_timed(8400, 8500, 16384))});
    EXPECT_THAT(text, AllOf(HasSubstr("A title"), HasSubstr("Model 1"), HasSubstr("grid 2048, block 512"),
                            HasSubstr("clock gpu, n 5")));
    EXPECT_THAT(text, ContainsRegex("neighbored +21.0 us .* 20.0-22.0 +0 +200 +1.00  ok"));
    EXPECT_THAT(text, ContainsRegex("nosync +8.40 ms .* 8.40-8.40 +16384 +0.499 +400  ok"));
}

TEST(SummaryTable, OfOneCaseShowsItsSpreadAndNoBar)
{
    const std::string text =
        table({result("neighbored", {timed(20, 30), timed(22, 32), timed(21, 31), timed(20, 31), timed(22, 31)})});
    EXPECT_THAT(text, ContainsRegex("neighbored +21.0 us +4.8% +20.0-22.0 +0 +200 +1.00  ok"));
    EXPECT_THAT(text, Not(HasSubstr("bar")));
}

TEST(SummaryTable, SaysTheInputAndTheOperatorWhereTheyAreNotAsUsual)
{
    CaseResult usual = result("neighbored", five_timed(20, 30));
    CaseResult index = usual;
    index.point.input = InputKind("index");
    EXPECT_THAT(table({usual, result("nosync", five_timed(20, 30))}),
                Not(ContainsRegex("random|[ ,] input|operator|sum")));
    EXPECT_THAT(table({index}), AllOf(HasSubstr("input index"), Not(HasSubstr("operator"))));
    EXPECT_THAT(table({usual, index}),
                AllOf(ContainsRegex("strategy +input "), ContainsRegex("neighbored +random +20"),
                      ContainsRegex("neighbored +index +20"), Not(HasSubstr("operator"))));
}

TEST(SummaryTable, OfFewerThanFiveSamplesHasNoInterval)
{
    const std::string text = table({result("neighbored", {4, timed(20, 30)})});
    EXPECT_THAT(text, AllOf(HasSubstr("n 4\n"), ContainsRegex("neighbored +20.0 us +0.0% +0 +210 +1.00  ok"),
                            Not(HasSubstr("95% CI"))));
}

TEST(SummaryTable, CountsTheSamplesOfACaseWhereCasesDiffer)
{
    EXPECT_THAT(table({result("neighbored", five_timed(20, 30)), result("nosync", {timed(40, 50)})}),
                AllOf(ContainsRegex("strategy +n +median"), ContainsRegex("neighbored +5 +20.0 us"),
                      ContainsRegex("nosync +1 +40.0 us")));
    EXPECT_THAT(table({result("neighbored", {10, timed(20, 30)}), result("nosync", five_timed(40, 50))}),
                AllOf(ContainsRegex("neighbored  10 +20.0 us"), ContainsRegex("nosync       5 +40.0 us")));
}

TEST(SummaryTable, MarksARatioOfAHeldTimeToOneThatIsNot)
{
    const auto held = [](CaseResult one) {
        for (KeptSample& sample : one.samples)
            sample.held = true;
        return one;
    };
    const CaseResult open = result("nosync", {timed(40, 50)});
    const CaseResult neighbored = result("neighbored", {timed(20, 30)});
    const std::string mark = "\n(* one time of the ratio includes the host's submission, the other";
    EXPECT_THAT(table({held(neighbored), open}), AllOf(ContainsRegex("nosync .* 2.00\\*  ok"),
                                                       ContainsRegex("neighbored .* 1.00  ok"), HasSubstr(mark)));
    const std::string unheld =
        "\n(times that include the host's work between launches, such as that of\nneighbored: ";
    EXPECT_THAT(table({held(neighbored), held(open)}),
                AllOf(ContainsRegex("nosync .* 2.00  ok"), Not(HasSubstr(mark)), Not(HasSubstr(unheld))));
    EXPECT_THAT(table({neighbored, open}), AllOf(ContainsRegex("nosync .* 2.00  ok"), Not(HasSubstr(mark))));
    CaseResult mixed = held(result("nosync", {timed(40, 50), timed(40, 50)})); // one sample could not be held
    mixed.samples.back().held = false;
    EXPECT_THAT(table({held(neighbored), mixed}), ContainsRegex("nosync .* 2.00\\*  ok"));
    CaseResult held_neighbored = held(neighbored);
    held_neighbored.samples.front().gpu_us = 10;
    // Each is compared with the reference that was submitted in the same way.
    EXPECT_THAT(table({held_neighbored, neighbored, open, held(open)}),
                AllOf(ContainsRegex("nosync .* 2.00  ok"), ContainsRegex("nosync .* 4.00  ok"), Not(HasSubstr(mark)),
                      HasSubstr(unheld)));
}

TEST(SummaryTable, CountsWhatWasTakenUnderLoweredClocks)
{
    std::vector<Sample> slow(3, timed(20, 30));
    slow[0].gpu_state.throttle = "sw_power_cap hw_thermal";
    slow[1].gpu_state.throttle = "no";
    slow[2].gpu_state.throttle = "sw_power_cap";
    EXPECT_THAT(
        table({result("neighbored", slow), result("nosync", {timed(40, 50)})}),
        ContainsRegex(
            "\n2 of 4 samples were taken while the GPU's clocks were lowered:[ \n]hw_thermal,[ \n]sw_power_cap\n"));
    EXPECT_THAT(table({result("nosync", {timed(40, 50)})}), Not(HasSubstr("lowered")));
}

TEST(SummaryTable, SetsAFlushedTimeInRatioToAFlushedOne)
{
    CaseResult flushed = result("neighbored", {timed(30, 40)});
    flushed.point.l2 = CacheState::flushed;
    CaseResult nosync = result("nosync", {timed(60, 70)});
    nosync.point.l2 = CacheState::flushed;
    EXPECT_THAT(table({result("neighbored", {timed(20, 30)}), flushed, nosync}), ContainsRegex("nosync .* 2.00  ok"));
    EXPECT_THAT(table({result("neighbored", {timed(20, 30)}), nosync}), Not(ContainsRegex("nosync .* [23].00")));
}

TEST(SummaryTable, SaysWhetherItsBarsAreOfLogarithms)
{
    const auto beside = [](double time) {
        return table({result("neighbored", {timed(20, 30)}), result("nosync", {timed(time, time)})});
    };
    EXPECT_THAT(beside(40), AllOf(HasSubstr("  bar   "), ContainsRegex("neighbored +20.0 us +#### "),
                                  ContainsRegex("nosync +40.0 us +######## ")));
    EXPECT_THAT(beside(4000), HasSubstr("  bar (log)  "));
}

TEST(SummaryTable, FitsATerminalOf80ColumnsWhenTwoAxesVary)
{
    std::vector<CaseResult> results;
    for (const std::uint32_t depth : {1U, 8U})
        for (const std::uint32_t grid : {2048U, 65536U}) {
            results.push_back(result("nosync", {timed(681190.5, 700000, 524288)}));
            results.back().point.depth = depth;
            results.back().point.grid = grid;
            results.back().point.elements = std::uint64_t{grid} * 512;
        }
    for (const double peak_gb_s : {0.0, 4917.0}) {
        expect_columns(table(results, peak_gb_s), 80U);
    }
}

// 4 * 2^20 bytes; twice as many for a transpose of 2^21 numbers.
TEST(SummaryTable, ShowsTheBandwidthOfTheMedianTimeAndItsShareOfThePeak)
{
    const std::string text = table({result("neighbored", {timed(20, 30), timed(500, 600), timed(10, 31)})}, 4000);
    EXPECT_THAT(text, ContainsRegex("launches +GB/s +of peak +ratio +status"));
    EXPECT_THAT(text, ContainsRegex("neighbored .* 0 +210 +5.2% +1.00  ok"));
    const std::string host = table({result("host", {timed({}, 40)})}, 4000);
    EXPECT_THAT(host, ContainsRegex("host .* 0 +105  ok"));
    EXPECT_THAT(host, Not(HasSubstr("of peak"))); // the wall clock says nothing about the memory
    EXPECT_THAT(table({transpose({16, 16}, {timed(10, 12)})}, 4000),
                ContainsRegex("naive_row .* 0 +1678 +41.9% +1.00  ok"));
}

TEST(SummaryTable, HasNoColumnOfBandwidthPeakOrRatioThatIsEmptyEverywhere)
{
    EXPECT_THAT(table({result("nosync", {timed(20, 30)})}),
                AllOf(HasSubstr("GB/s"), Not(HasSubstr("of peak")), Not(HasSubstr("ratio"))));
    EXPECT_THAT(table({result("host", {timed({}, 30)})}, 4000), AllOf(HasSubstr("GB/s"), Not(HasSubstr("of peak"))));
    EXPECT_THAT(table({transpose({16, 16}, {timed(10, 12)})}, 4000),
                AllOf(HasSubstr("GB/s"), HasSubstr("of peak"), HasSubstr("ratio")));
    CaseResult hello = result("hello", {timed(20, 30)});
    hello.point.type = ElementType::none;
    hello.point.elements = 0;
    EXPECT_THAT(table({hello}, 4000), AllOf(HasSubstr("median"), HasSubstr("status"), Not(HasSubstr("GB/s")),
                                            Not(HasSubstr("of peak")), Not(HasSubstr("ratio"))));
}

TEST(SummaryTable, OfWhatFailedHasNoBandwidth)
{
    Sample wrong = timed({}, 0);
    wrong.wall_us.reset();
    wrong.status = Status::wrong;
    EXPECT_THAT(table({result("nosync", {wrong})}, 4000), AllOf(Not(HasSubstr("GB/s")), Not(HasSubstr("of peak"))));
    EXPECT_THAT(table({result("nosync", {wrong}), result("neighbored", {timed(20, 30)})}, 4000),
                ContainsRegex("nosync +[0-9]+ +1 of 1 wrong"));
}

TEST(SummaryTable, OfAMatrixHasItsSidesAndBlockShapesButNoGridBlockOrElements)
{
    const std::string text = table({transpose({8, 32}, {timed(10, 12)}), transpose({32, 8}, {timed(10, 12)})});
    EXPECT_THAT(text, AllOf(HasSubstr("nx 2048, ny 1024, seed 1"), ContainsRegex("strategy +block-shape +median"),
                            ContainsRegex("naive_row +8x32 "), ContainsRegex("naive_row +32x8 ")));
    EXPECT_THAT(text, AllOf(Not(HasSubstr("grid")), Not(HasSubstr("block ")), Not(HasSubstr("elements"))));
}

TEST(SummaryTable, SparesWhatFollowsFromTheRestWhereItIsTooWide)
{
    const std::string text =
        table({result("neighbored", five_timed(20, 30)), result("host", five_timed({}, 40))}, 4000);
    EXPECT_THAT(text, ContainsRegex("strategy +clock +median +95% CI +launches +GB/s +of peak +ratio +status"));
    EXPECT_THAT(text, HasSubstr("(without MAD: the table would be wider than 80 columns)"));
}

// The columns that identify a case and its result are shown at any width, and no line is too wide.
TEST(SummaryTable, KeepsWhatCountsAtAnyWidth)
{
    std::vector<CaseResult> results;
    for (const Mechanism mechanism : {Mechanism::fire_and_forget, Mechanism::null_stream})
        for (const std::uint32_t wave : {1U, 2048U}) {
            results.push_back(result("nosync", five_timed(681190.5, 700000, 524288)));
            results.back().point.mechanism = mechanism;
            results.back().point.wave = wave;
            results.back().keep({.status = Status::wrong, .detail = "7 of 64 blocks\x1b[31m are wrong"});
        }
    for (const std::size_t columns : {40U, 60U, 80U, 140U}) {
        const std::string text = summary_table("A title of many words, more than fit a narrow terminal", results,
                                               {{BackendKind::cpu, {.schedule = "fifo", .empty_kernel_us = 4}}},
                                               BarStyle::ascii, {.columns = columns});
        EXPECT_THAT(text, AllOf(HasSubstr("n 5"), HasSubstr("fire_and_forget"), HasSubstr("2048"),
                                HasSubstr("681 ms"), HasSubstr("524288"), HasSubstr("1 of 6 wrong*")));
        expect_columns(text, columns);
        EXPECT_EQ(text.find('\x1b'), std::string::npos); // text from a file cannot send commands to the terminal
        EXPECT_EQ(columns >= 80, text.find("MAD") < text.find("nosync")) << text;
    }
}

TEST(SummaryTable, MarksRacyStrategiesAndSaysTheFirstReasonOnce)
{
    const CaseResult wrong =
        result("nosync", {timed(20, 30), {.status = Status::wrong, .detail = "2 of 4 blocks are wrong"}});
    CaseResult again = wrong;
    again.point.block = 256;
    const std::string text =
        table({wrong, again, result("neighbored", {timed(20, 30)}), result("nosync", {timed(20, 30)})});
    EXPECT_THAT(text, AllOf(ContainsRegex("nosync .*1 of 2 wrong\\*\n    2 of 4 blocks are wrong\n"),
                            ContainsRegex("neighbored .*  ok\n"), ContainsRegex("nosync .*  ok\\*\n"),
                            HasSubstr("* declared racy: the answer depends on the schedule")));
    EXPECT_EQ(text.find("2 of 4"), text.rfind("2 of 4"));
    EXPECT_THAT(table({result("neighbored", {timed(20, 30)})}), Not(HasSubstr("racy")));
}

TEST(SummaryTable, KeepsThreeDigitsOfABandwidth)
{
    CaseResult slow = result("neighbored", {timed(1e9, 1e9)}); // 4 * 2^20 bytes in 1000 s
    EXPECT_THAT(table({slow}), ContainsRegex(" 0\\.00000419 "));
    EXPECT_THAT(table({result("neighbored", {timed(1000, 1000)})}), ContainsRegex(" 4\\.19 "));
}

TEST(SummaryTable, NeverSetsTimesOfDifferentClocksInRatio)
{
    const std::string text = table({result("neighbored", five_timed(20, 30)), result("host", five_timed({}, 200))});
    EXPECT_THAT(text, ContainsRegex("neighbored +gpu +20.0 us"));
    EXPECT_THAT(text, ContainsRegex("host +wall +200 us +0.0% +200-200 +0 +21.0 +ok"));
}

TEST(SummaryTable, SetsInRatioToTheFastestFlatForm)
{
    const CaseResult cub = result("cub", {timed(10, 12)});
    const CaseResult neighbored = result("neighbored", {timed(20, 22)});
    const CaseResult nosync = result("nosync", {timed(40, 42)});
    const std::string text = table({nosync, neighbored, cub});
    EXPECT_THAT(text, AllOf(ContainsRegex("nosync .* 4.00  ok"), ContainsRegex("neighbored .* 2.00  ok"),
                            ContainsRegex("cub .* 1.00  ok"),
                            HasSubstr("(ratio: to the fastest flat form on the same input by the same clock)")));
    EXPECT_THAT(table({nosync, neighbored}), ContainsRegex("nosync .* 2.00  ok"));
    // What launches from the device is no flat form, however fast it is; what failed has no time.
    EXPECT_THAT(table({result("nosync", {timed(5, 6)}), neighbored}), ContainsRegex("neighbored .* 1.00  ok"));
    EXPECT_THAT(table({nosync, neighbored, result("cub", {{.status = Status::wrong}})}),
                ContainsRegex("nosync .* 2.00  ok"));
    CaseResult elsewhere = cub;
    elsewhere.point.block = 256; // a different input
    EXPECT_THAT(table({nosync, elsewhere}), ContainsRegex("nosync .* 0 +105 +ok"));
}

// A workload whose cases have elements and no grid.
constexpr WorkloadInfo kSorting{
    .name = "sorting", .axes = {axis::block, axis::elements}, .irregular = true, .has_ratio = true};

CaseResult sorting(const std::string& strategy, std::uint64_t elements, double us)
{
    static const StandIn nested({.name = "sort_nested", .workload = &kSorting, .mechanisms = kOnly<Mechanism::tail>},
                                {});
    static const StandIn flat({.name = "sort_flat", .workload = &kSorting}, {});
    if (Registry::find(BackendKind::cpu, "sort_flat") == nullptr) {
        Registry::add(BackendKind::cpu, nested);
        Registry::add(BackendKind::cpu, flat);
    }
    return result_of_case({.strategy = strategy, .elements = elements, .grid = 0, .block = 128}, {timed(us, us)});
}

TEST(SummaryTable, OfAnIrregularWorkloadHasARatioAndTheElementsThatVary)
{
    EXPECT_THAT(
        table({sorting("sort_nested", 4096, 40), sorting("sort_nested", 65536, 80), sorting("sort_flat", 65536, 20)}),
        AllOf(HasSubstr("block 128"), ContainsRegex("sort_nested +4096 +40.0 us"),
              ContainsRegex("sort_nested +65536 +80.0 us .* 4.00  ok"),
              ContainsRegex("sort_flat +65536 +20.0 us .* 1.00  ok")));
}

TEST(SummaryTable, SaysTheElementsWhereTheyAreNotGridTimesBlock)
{
    CaseResult ragged = result("neighbored", {timed(20, 30)});
    EXPECT_THAT(table({ragged}), Not(HasSubstr("elements")));
    ragged.point.elements -= 7;
    EXPECT_THAT(table({ragged, result("neighbored", {timed(20, 30)})}),
                AllOf(ContainsRegex("neighbored +1048569 "), ContainsRegex("neighbored +1048576 ")));
}

// Times of the executor say nothing about a GPU.
TEST(SummaryTable, OfTheExecutorSaysSoAndHasNoRatioAndNoBar)
{
    const std::vector<CaseResult> results{result("neighbored", {timed(20, 30)}), result("nosync", {timed(40, 50)})};
    const std::string text = executor_table(results);
    EXPECT_THAT(text, AllOf(HasSubstr("\nThe executor's times say nothing about those of a GPU.\n"),
                            ContainsRegex("nosync +40.0 us"), Not(HasSubstr("ratio")), Not(HasSubstr("GB/s")),
                            Not(HasSubstr("bar"))));
    EXPECT_THAT(table(results), AllOf(Not(HasSubstr("say nothing")), HasSubstr("ratio"), HasSubstr("bar")));
}

TEST(SummaryTable, ShowsTheTimesOfTheSameCasesInAnotherLogBesideItsOwn)
{
    LoggedCases logged;
    logged.runs[BackendKind::cuda] = run_on("NVIDIA H200");
    for (const auto& [strategy, us] : {std::pair("neighbored", 18.0), std::pair("nosync", 9000.0)}) {
        logged.results.push_back(result(strategy, {timed(us, us)}));
        Case& point = logged.results.back().point;
        point.backend = BackendKind::cuda;
        point.mechanism = strategy == std::string("nosync") ? Mechanism::null_stream : Mechanism::none;
        point.submit = Submit::held;
        point.l2 = CacheState::as_is;
    }
    const ReferenceTimes beside("h200.csv", logged);
    CaseResult smaller = result("nosync", {timed(40, 50)});
    smaller.point.grid = 4;
    smaller.point.elements = 2048;
    const std::string text = executor_table(
        {result("neighbored", {timed(20, 30)}), result("nosync", {timed(40, 50, 16384)}), smaller}, beside);
    EXPECT_THAT(text, AllOf(HasSubstr("\nH200: times from h200.csv\n"), ContainsRegex("H200 +H200 ratio +status"),
                            ContainsRegex("neighbored +2048 .* 18.0 us +1.00  ok"),
                            ContainsRegex("nosync +2048 .* 16384 .* 9.00 ms +500  ok\\*"),
                            ContainsRegex("nosync +4 +40.0 us .* 0 +ok\\*")));
    EXPECT_THAT(executor_table({smaller}, beside), Not(ContainsRegex("H200 +H200 ratio")));
}

TEST(SummaryTable, ShowsTheMedianLatencyOfAllLaunchesOfTheOkSamples)
{
    std::vector<Sample> samples{timed(20, 30, 3), timed(20, 30, 3), timed({}, 0, 3)};
    samples[0].latencies_us = {1, 2, 30};
    samples[1].latencies_us = {4, 50};
    samples[2].status = Status::wrong;
    samples[2].latencies_us = {900, 900, 900, 900, 900, 900};
    CaseResult chain = result("chain", samples);
    chain.point.type = ElementType::none;
    const std::string text = table({chain, result("neighbored", {timed(20, 30)})});
    EXPECT_THAT(text, ContainsRegex("launches +latency +GB/s +ratio"));
    EXPECT_THAT(text, ContainsRegex("chain .* 3 +4.00 us +1 of 3 wrong"));
    EXPECT_THAT(text, ContainsRegex("neighbored .* 0 +210 +1.00  ok")); // it has no launches of its own
}

TEST(SummaryTable, ShowsTheQuantilesOfManyRunsAndTheHostThatTheyRanOn)
{
    const auto of_runs = [](double median, double worst) {
        Sample sample = timed({}, median);
        sample.runs = RunTimes{.wall = {.median = median, .p99 = 2 * median, .p999 = 3 * median, .worst = worst}};
        return sample;
    };
    CaseResult idle = result("chain", {of_runs(80, 500)});
    idle.point.type = ElementType::none;
    idle.point.runs = 4000;
    CaseResult busy = result("chain", {of_runs(100, 9000)});
    busy.point = idle.point;
    busy.point.host_load = 2;
    const std::string text = table({idle, busy});
    EXPECT_THAT(text, ContainsRegex("host-load .*median +p99 +p99.9 +worst"));
    EXPECT_THAT(text, ContainsRegex(" 0 +.*80.0 us +160 us +240 us +500 us"));
    EXPECT_THAT(text, ContainsRegex(" 2 +.*100 us +200 us +300 us +9.00 ms"));
    const std::string plain = table({result("nosync", {timed(20, 30)})});
    for (const char* name : {"p99", "worst", "host-load", "runs", "nice", "pin"})
        EXPECT_THAT(plain, Not(HasSubstr(name)));
    CaseResult usual = result("chain", {timed(20, 30)}); // the defaults of the host need no column
    EXPECT_THAT(table({usual}), Not(AnyOf(HasSubstr("host-load"), HasSubstr("runs"))));
}

TEST(SummaryTable, HasNoLatencyColumnWhereNoLaunchWasTimed)
{
    EXPECT_THAT(table({result("nosync", {timed(20, 30, 16384)}), result("neighbored", {timed(20, 30)})}),
                AllOf(HasSubstr("launches"), Not(HasSubstr("latency"))));
}

TEST(SummaryTable, OfAnUntimedRunSaysSoInsteadOfTimes)
{
    const RunFacts run{.schedule = "fifo", .untimed = true, .device = {.name = "Model 1"}};
    Sample sample = timed(std::nullopt, 0, 16384);
    sample.wall_us.reset();
    const std::string text = summary_table("some", {result("nosync", {sample})}, {{BackendKind::cpu, run}},
                                           BarStyle::ascii, {.columns = 80});
    EXPECT_THAT(text, AllOf(HasSubstr("cpu: Model 1 (executor, fifo), untimed\n"), HasSubstr("16384"),
                            Not(HasSubstr("median")), Not(HasSubstr("MAD")), Not(HasSubstr("CI")),
                            Not(HasSubstr("clock")), Not(HasSubstr("empty kernel"))));
}

TEST(SummaryTable, TellsMechanismsAndDelaysApart)
{
    CaseResult null = result("nosync", {timed(20, 30)});
    null.point.mechanism = Mechanism::null_stream;
    CaseResult named = result("nosync", {timed(21, 31)});
    named.point.mechanism = Mechanism::named_stream;
    named.point.delay_us = 7;
    const std::string text = table({null, named, result("neighbored", {timed(20, 30)})});
    EXPECT_THAT(text, ContainsRegex("strategy +.*delay-us"));
    EXPECT_THAT(text, ContainsRegex("nosync\n  null_stream +0 +20.0 us"));
    EXPECT_THAT(text, ContainsRegex("\n  named +7 +21.0 us"));
    EXPECT_THAT(table({named}), AllOf(HasSubstr("mechanism named"), HasSubstr("delay-us 7")));
    EXPECT_THAT(table({result("reduce2", {timed(1, 2)})}), Not(HasSubstr("mechanism"))); // it has only one
}

TEST(SummaryTable, ShowsWhatFailedInPlaceOfATime)
{
    Sample wrong = timed({}, 0);
    wrong.wall_us.reset();
    wrong.status = Status::wrong;
    const std::string text =
        table({result("nosync", {wrong, wrong, timed({}, 5)}), result("reduce2", {wrong, wrong})});
    EXPECT_THAT(text, ContainsRegex("nosync +5.00 us .*2 of 3 wrong"));
    EXPECT_THAT(text, Not(ContainsRegex("reduce2 .* us .*wrong")));
}

} // namespace
} // namespace nestbed
