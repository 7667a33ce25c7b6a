// The content of a row, and RFC 4180 for reading and writing.
#include "base/csv.hpp"
#include "log/row.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <unistd.h>

namespace nestbed
{
namespace
{

using testing::MatchesRegex;

using Rows = std::vector<std::vector<std::string>>;
using Cells = std::map<std::string, std::string>;

RunFacts run_facts()
{
    return {.experiment = "book",
            .run_id = "20261121T064012Z-4711",
            .machine = "0a1b2c3d",
            .schedule = "fifo",
            .empty_kernel_us = 4.25,
            .timer_step_ns = 32,
            .bandwidth = {.read_gb_s = 5, .copy_gb_s = 4},
            .device = {.name = "AMD EPYC, 2 cores",
                       .driver = "12.8",
                       .runtime = "13.0",
                       .l2_bytes = 62914560,
                       .peak_bandwidth_gb_s = 8}};
}

Case nosync_case()
{
    return {.strategy = "nosync", .elements = 6000, .grid = 100, .block = 64, .seed = 7};
}

Case naive_row_case()
{
    return {.strategy = "naive_row",
            .type = ElementType::float32,
            .elements = 60'000,
            .grid = 0,
            .block = 0,
            .nx = 300,
            .ny = 200,
            .shape = {8, 32}};
}

Sample good_sample()
{
    Sample sample{.gpu_us = 20.7, .wall_us = 25.1234, .prepare_us = 3.5, .answer = "765", .reference = "765"};
    sample.launches = LaunchCounts{.attempted_by_depth = {100, 100, 100, 100, 100}, .attempted = 500, .max_depth = 5};
    sample.pending_limit = 2048;
    sample.wave = 50;
    sample.waves = 2;
    sample.streams = 2;
    sample.host_launches = 2;
    sample.limit_bytes = 1048576;
    sample.relative_error = 0;
    sample.held = true;
    sample.gpu_state = {
        .sm_clock_mhz = 1980, .memory_clock_mhz = 3201, .temperature_c = 35, .power_mw = 150'720, .throttle = "no"};
    return sample;
}

Cells cells_of(const Case& point, const Sample& sample, unsigned repetition = 3)
{
    const std::vector<std::string> row = row_of(run_facts(), point, repetition, sample);
    EXPECT_EQ(row.size(), columns().size());
    Cells cells;
    for (std::size_t index = 0; index < row.size(); ++index)
        cells[columns().at(index)] = row.at(index);
    return cells;
}

TEST(CsvLine, QuotesOnlyWhatMustBeQuoted)
{
    EXPECT_EQ(csv_line({"a", "b c", "", "1.5"}), "a,b c,,1.5\r\n");
    EXPECT_EQ(csv_line({"a,b", "say \"so\"", "two\nlines", "\r"}),
              "\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",\"\r\"\r\n");
    EXPECT_EQ(csv_line({"\"\"\""}), "\"\"\"\"\"\"\"\"\r\n");
    EXPECT_EQ(csv_line({"", "", ""}), ",,\r\n");
}

TEST(Csv, ComesBackAsItWas)
{
    const Rows rows{{"plain", "with, comma", "with \"quotes\"", "with\nnewline", "with\r\nboth"},
                    {"", "", "", "", ""},
                    {"\"", ",", "\n", "\r", "\xc3\xbc"},
                    {"a", "", "\"\"", ",,", ""}};
    std::string text;
    for (const std::vector<std::string>& row : rows)
        text += csv_line(row);
    EXPECT_EQ(parse_csv(text), rows);
}

// RFC 4180, section 2: "Spaces are considered part of a field and should not be ignored."
TEST(Csv, KeepsWhiteSpaceAtTheEndsOfACell)
{
    const Rows rows{{" before", "after ", " ", "\tx\t"}};
    EXPECT_EQ(parse_csv(csv_line(rows[0])), rows);
}

// libcsv treats a blank line as no row.
TEST(Csv, KeepsARowOfOneEmptyCell)
{
    EXPECT_EQ(csv_line({""}), "\"\"\r\n");
    EXPECT_EQ(parse_csv(csv_line({"a"}) + csv_line({""}) + csv_line({"b"})), (Rows{{"a"}, {""}, {"b"}}));
}

TEST(ParseCsv, TakesEitherLineEndAndALastLineWithoutOne)
{
    EXPECT_EQ(parse_csv("a,b\nc,d"), (Rows{{"a", "b"}, {"c", "d"}}));
    EXPECT_EQ(parse_csv("a,b\r\nc,d\r\n"), (Rows{{"a", "b"}, {"c", "d"}}));
    EXPECT_THAT(parse_csv(""), IsEmpty());
}

TEST(ParseCsv, KnowsTheLineWhereARowBegins)
{
    std::vector<std::size_t> lines;
    for (const CsvRow& row : parse_csv_rows("\n\"a\nb\nc\",d\n\r\n \ne,\"f\n\"\n\"g\r\n\" \nh"))
        lines.push_back(row.line);
    EXPECT_THAT(lines, ElementsAre(2, 7, 9, 11));
}

TEST(ParseCsv, MalformedTextIsRefusedAtItsByte)
{
    EXPECT_THAT(text_of<RunError>([] { parse_csv("a,b\n\"c\"d,e\n"); }), StartsWith("byte 7 of the CSV: "));
    EXPECT_THAT(text_of<RunError>([] { parse_csv("a,b\nc\"d,e\n"); }), StartsWith("byte 5 of the CSV: "));
    EXPECT_THAT(text_of<RunError>([] { parse_csv("a,\"never closed\n"); }), StartsWith("byte 16 of the CSV: "));
}

TEST(Row, HasACellForEveryColumnAndNoColumnTwice)
{
    EXPECT_EQ(row_of(run_facts(), nosync_case(), 0, good_sample()).size(), columns().size());
    std::vector<std::string> names = columns();
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(Row, OfAnOkSampleSaysAllOfIt)
{
    Cells cells = cells_of(nosync_case(), good_sample());
    EXPECT_THAT(cells["utc"], MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
    EXPECT_NE(cells["git"], "");
    cells.erase("utc");
    cells.erase("git");
    expect_cells(
        cells,
        "experiment=book run_id=20261121T064012Z-4711 key=52ac530f56ee8b20 machine=0a1b2c3d "
        "strategy=nosync workload=reduce backend=cpu mechanism=null_stream type=int32 input=random "
        "operator=sum elements=6000 grid=100 block=64 nx= ny= block_shape= depth=full "
        "pending_limit_asked=auto delay_us=0 graphs= pending_limit=2048 limit_bytes=1048576 "
        "wave=50 waves=2 streams=2 schedule=fifo seed=7 repetition=3 gpu_us=20.700 "
        "wall_us=25.123 wall_p99_us= wall_p999_us= wall_worst_us= span_us= span_p99_us= span_p999_us= "
        "span_worst_us= next_us= next_p99_us= next_p999_us= next_worst_us= host_us= runs= host_load= nice= pin= "
        "prepare_us=3.500 submit=held submit_asked= l2= sm_clock_mhz=1980 memory_clock_mhz=3201 "
        "temperature_c=35 power_w=150.7 throttle=no bytes=24000 bandwidth_gb_s=1.16 "
        "peak_gb_s=8.00 peak_share=0.1449 measured_gb_s=5.00 measured_share=0.2319 "
        "l2_bytes=62914560 empty_kernel_us=4.250 latency_us= latency_min_us= latency_max_us= "
        "latency_us_by_depth= timer_step_ns=32 host_launches=2 launches_expected=500 "
        "launches_attempted=500 launches_failed=0 max_depth=5 threshold= coarsen= aggregate= "
        "overflow= dwell= division= fanout= grain= values= cutoff= budget= levels= "
        "edge_factor= graph_file= bucket_width= tree_levels= root_children= path_nodes= queens= time_steps= "
        "cell_work= tenant_count= level_nodes= node_work= arrival_gap_us= leaves= leaf_points= near_every= "
        "points_per_thread= iterations= items_requested= launched= replaced= drains= "
        "child_blocks= arena_bytes= work= pixels_off= answer=765 reference=765 "
        "relative_error=0 status=ok detail= driver=12.8 cuda=13.0");
    EXPECT_EQ(cells["launches_by_depth"], "100 100 100 100 100");
    EXPECT_EQ(cells["gpu"], "AMD EPYC, 2 cores");
    EXPECT_EQ(cells.size(), 124U); // these are all columns
}

// 50 launches, of which 13 were refused and done by a tail launch.
TEST(Row, OfDataDependentLaunchesSaysHowManyWereReplaced)
{
    Sample sample = good_sample();
    sample.launches->attempted = 51;
    sample.launches->failed = 13;
    sample.requests = RequestSample{
        .items = 60, .replaced = 13, .drains = 1, .drains_refused = 0, .child_blocks = 70, .arena_bytes = 4096};
    sample.work = 12345;
    sample.pixels_off = 0;
    Cells cells = cells_of(nosync_case(), sample);
    EXPECT_EQ(cells["items_requested"], "60");
    EXPECT_EQ(cells["launched"], "37"); // 51 - 13 - 1 drain
    expect_cells(cells, "replaced=13 drains=1 child_blocks=70 arena_bytes=4096 work=12345 pixels_off=0");

    sample.requests->drains = 2; // one of them was refused, too
    sample.requests->drains_refused = 1;
    sample.launches->attempted = 52;
    sample.launches->failed = 14;
    EXPECT_EQ(cells_of(nosync_case(), sample)["launched"], "37");
}

TEST(Row, OfAnUntimedRunHasNothingThatWasNotMeasured)
{
    RunFacts run = run_facts();
    run.untimed = true;
    const std::vector<std::string> row = row_of(run, nosync_case(), 0, {});
    for (std::size_t index = 0; index < row.size(); ++index)
        if (columns()[index] == "empty_kernel_us" || columns()[index] == "timer_step_ns") {
            EXPECT_EQ(row[index], "") << columns()[index];
        }
}

TEST(Row, SaysWhatWasAskedFor)
{
    Case point = nosync_case();
    point.depth = 0;
    point.pending_limit = 32;
    point.type = ElementType::float32;
    point.mechanism = Mechanism::fire_and_forget;
    point.delay_us = 20;
    const Cells cells = cells_of(point, good_sample());
    expect_cells(cells, "mechanism=fire_and_forget delay_us=20 depth=0 pending_limit_asked=32");
    EXPECT_EQ(cells.at("pending_limit"), "2048"); // the value read back from the device
    expect_cells(cells, "type=float32 launches_expected=0");
}

TEST(Row, OfWhatLaunchesNothingLeavesTheLaunchSettingsEmpty)
{
    Case point = nosync_case();
    point.strategy = "neighbored";
    Sample sample = good_sample();
    sample.pending_limit = 0;
    sample.launches = LaunchCounts{};
    const Cells cells = cells_of(point, sample);
    expect_cells(cells, "mechanism=none depth= pending_limit_asked= pending_limit= limit_bytes= delay_us= "
                        "launches_expected=0 launches_attempted=0 launches_by_depth=");
}

TEST(Row, OfAFailedSampleHasCountsAndDetailButNoTimes)
{
    Sample sample = good_sample();
    sample.status = Status::launch_failed;
    sample.detail = "7 of 500 device launches failed";
    sample.gpu_us.reset();
    sample.wall_us.reset();
    sample.launches->failed = 7;
    const Cells cells = cells_of(nosync_case(), sample);
    EXPECT_EQ(cells.at("status"), "launch_failed");
    EXPECT_EQ(cells.at("detail"), "7 of 500 device launches failed");
    expect_cells(cells, "gpu_us= wall_us=");
    EXPECT_EQ(cells.at("bytes"), "24000"); // it describes the case; values that are divided by a time are empty
    expect_cells(cells, "bandwidth_gb_s= peak_gb_s= peak_share= measured_gb_s= measured_share=");
    expect_cells(cells, "launches_attempted=500 launches_failed=7");
}

TEST(Row, OfAnUnsupportedCaseHasNoTimesAndNoCounts)
{
    const Cells cells = cells_of(nosync_case(), {.status = Status::unsupported, .detail = "unsupported: why"});
    EXPECT_EQ(cells.at("status"), "unsupported");
    expect_cells(cells, "gpu_us= wall_us= launches_attempted= launches_failed= launches_by_depth= max_depth= "
                        "answer= reference= relative_error= pending_limit= limit_bytes= wave= waves= streams= "
                        "host_launches= latency_us= latency_min_us= latency_max_us= latency_us_by_depth=");
    EXPECT_EQ(cells.at("launches_expected"), "500");
}

TEST(Row, OfAChainHasTheLatencyOfEveryLevel)
{
    Sample sample = good_sample();
    sample.latencies_us = {2.5, 1.25, 9, 0.126};
    const Case chain{.strategy = "chain", .type = ElementType::none, .grid = 1, .block = 32, .depth = 4};
    const Cells cells = cells_of(chain, sample);
    expect_cells(cells, "latency_us=1.875 latency_min_us=0.126 latency_max_us=9.000");
    EXPECT_EQ(cells.at("latency_us_by_depth"), "2.50 1.25 9.00 0.13");
}

TEST(Row, OfManyRunsHasTheirQuantilesAndTheHostThatTheyRanOn)
{
    Sample sample = good_sample();
    sample.gpu_us.reset();
    sample.wall_us = 80.5;
    sample.runs = RunTimes{.wall = {80.5, 90, 4050.25, 9000},
                           .span = {70, 71.0625, 72, 73},
                           .next = {74, 75, 76, 77.1239},
                           .host_us = 9.5};
    Case chain{.strategy = "chain", .type = ElementType::none, .grid = 1, .block = 32, .depth = 4};
    expect_cells(cells_of(chain, sample), "runs= host_load=0 nice=0 pin=no");
    chain.runs = 4000;
    chain.host_load = 2;
    chain.nice = 10;
    chain.pinned = Pinned::yes;
    expect_cells(cells_of(chain, sample),
                 "runs=4000 host_load=2 nice=10 pin=yes gpu_us= wall_us=80.500 wall_p99_us=90.000 "
                 "wall_p999_us=4050.250 wall_worst_us=9000.000 span_us=70.000 span_p99_us=71.062 "
                 "span_p999_us=72.000 span_worst_us=73.000 next_us=74.000 next_p99_us=75.000 "
                 "next_p999_us=76.000 next_worst_us=77.124 host_us=9.500");
}

TEST(Row, OfAMatrixHasItsSidesAndBlockShapeButNoGridAndNoBlock)
{
    const Cells cells = cells_of(naive_row_case(), good_sample());
    expect_cells(cells, "type=float32 elements=60000 grid= block= nx=300 ny=200 block_shape=8x32 depth= "
                        "launches_expected=0");
    Case recursive = naive_row_case();
    recursive.strategy = "recursive_transpose";
    recursive.shape = {};
    recursive.depth = 1;
    EXPECT_EQ(cells_of(recursive, good_sample()).at("block_shape"), "");
    EXPECT_EQ(cells_of(recursive, good_sample()).at("depth"), "1");
    EXPECT_EQ(cells_of(recursive, good_sample()).at("launches_expected"), "4");
}

// 2 * 4 * 60000 bytes in 20.7 us. The reference of a transpose is the measured bandwidth of a copy.
TEST(Row, OfATransposeSetsItsBandwidthBesideThatOfACopy)
{
    const Cells cells = cells_of(naive_row_case(), good_sample());
    expect_cells(cells, "bytes=480000 bandwidth_gb_s=23.19 peak_gb_s=8.00 peak_share=2.8986 measured_gb_s=4.00 "
                        "measured_share=5.7971");
}

TEST(Row, OfAFanOutHasTheMedianForItsOneLevel)
{
    Sample sample = good_sample();
    sample.latencies_us.assign(20'000, 3);
    sample.latencies_us.back() = 0.5;
    sample.latencies_us.front() = 40;
    const Case fanout{.strategy = "fanout", .type = ElementType::none, .grid = 20'000, .block = 32};
    const Cells cells = cells_of(fanout, sample);
    expect_cells(cells, "latency_us=3.000 latency_min_us=0.500 latency_max_us=40.000 latency_us_by_depth=3.000");
    sample.latencies_us.clear();
    EXPECT_EQ(cells_of(fanout, sample).at("latency_us_by_depth"), "");
}

// The ledger counts only what kernels launch. With mechanism host, the expected count is 0, but the row has a depth
// and counts the host's launches.
TEST(Row, OfLaunchesByTheHostHasADepthAndNoPendingLimitAsked)
{
    Case point{.strategy = "chain", .type = ElementType::none, .grid = 1, .block = 32, .depth = 4};
    point.mechanism = Mechanism::host;
    Sample sample = good_sample();
    sample.launches = LaunchCounts{};
    sample.host_launches = 5;
    const Cells cells = cells_of(point, sample);
    expect_cells(cells, "mechanism=host depth=4 pending_limit_asked= delay_us= launches_expected=0 host_launches=5");
}

TEST(Row, GivesTheRelativeErrorInThreeDigitsIfSomethingWasReduced)
{
    Sample sample = good_sample();
    sample.relative_error = 0x1p-23;
    EXPECT_EQ(cells_of(nosync_case(), sample).at("relative_error"), "1.19e-07");
    sample.relative_error.reset();
    EXPECT_EQ(cells_of(nosync_case(), sample).at("relative_error"), "");
}

TEST(Row, OfTheDefaultLimitSaysThatItTakesNoMemoryMore)
{
    Sample sample = good_sample();
    sample.limit_bytes = 0;
    EXPECT_EQ(cells_of(nosync_case(), sample).at("limit_bytes"), "0");
    sample.limit_bytes = -4096; // less memory, because the limit is below the default
    EXPECT_EQ(cells_of(nosync_case(), sample).at("limit_bytes"), "-4096");
}

TEST(Row, SurvivesTheCsvWhateverItsText)
{
    Sample sample = good_sample();
    sample.detail = "a \"quoted\", long\nstory";
    const std::vector<std::string> row = row_of(run_facts(), nosync_case(), 0, sample);
    EXPECT_THAT(parse_csv(csv_line(columns()) + csv_line(row)), ElementsAre(columns(), row));
}

TEST(RunId, IsTheTimeAndTheProcess)
{
    EXPECT_THAT(new_run_id(), MatchesRegex("[0-9]{8}T[0-9]{6}Z-" + std::to_string(getpid()) + "-[0-9a-f]{8}"));
    EXPECT_NE(new_run_id(), new_run_id()); // within the same second and process
}

} // namespace
} // namespace nestbed
