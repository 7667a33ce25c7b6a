// Rows with edited cells, one after another, and rows that only look edited. cli/edited_log_cli_test.cpp has more, of whole runs.
#include "log/row_check.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text_file.hpp"
#include "log/row.hpp"
#include "model/case_text.hpp"
#include "model/strategy.hpp"
#include "support/log_support.hpp"
#include "support/support.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace nestbed
{
namespace
{

const Case kReduce{.strategy = "nosync", .elements = 64, .grid = 4, .block = 16};
const Case kFloat{.strategy = "nosync", .type = ElementType::float32, .elements = 64, .grid = 4, .block = 16};
const Case kMatrix{.strategy = "recursive_transpose", .elements = 15, .nx = 3, .ny = 5, .shape = {16, 16}};

RunFacts run_of(const std::string& schedule = "fifo")
{
    return {.experiment = "e", .run_id = "r1", .schedule = schedule, .floor_us = 1, .device = {.name = "Model 1"}};
}

Sample right_sample(const Case& point)
{
    Sample sample{.wall_us = 12.5,
                  .answer = "100",
                  .reference = "100",
                  .relative_error = 0,
                  .pending_limit = point.pending_limit.value_or(2048),
                  .wave = point.grid,
                  .waves = 1,
                  .streams = 1};
    sample.launches = LaunchCounts{.attempted_by_depth = {4, 4, 4}, .attempted = 12, .max_depth = 3};
    if (point.strategy == kMatrix.strategy) {
        sample.launches.reset();
        sample.relative_error.reset();
    }
    return sample;
}

Sample wrong_sample()
{
    return {.status = Status::wrong,
            .detail = "the sum is 99",
            .answer = "99",
            .reference = "100",
            .relative_error = 0.01};
}

ParsedLog log_of(const Case& point, const Sample& sample, RunFacts run = run_of())
{
    if (point.backend == BackendKind::cuda)
        run.schedule = "";
    return log_with("a.csv", columns(), {row_of(run, point, 0, sample)});
}

using Runs = std::map<std::string, RunIdentity>;
using Changes = std::vector<std::pair<std::string, std::string>>;

ParsedLog with(ParsedLog log, const Changes& changes)
{
    for (const auto& [column, text] : changes)
        set_cell(log, 0, column, text);
    return log;
}

// The run of the row, whose plan has this case.
std::map<std::string, RunIdentity> runs_with(const Case& point, const std::string& schedule = "fifo")
{
    RunIdentity run{.experiment = "e"};
    run.backends[std::string(name_of(point.backend))] = {.name = "Model 1", .schedule = schedule};
    run.cases.push_back(
        {.key = key_of(point, schedule), .settings = settings_text(point), .repeat = {.least = 9, .most = 9}});
    return {{"r1", run}};
}

// Empty if the rows are accepted.
std::string refusal(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs)
{
    try {
        RowCheck check;
        check.begin(log, runs);
        for (const LogRow& row : log.rows)
            check.check_once(row);
        return "";
    } catch (const RunError& error) {
        return error.what();
    }
}

std::string refusal(const ParsedLog& log, const Case& point)
{
    return refusal(log, runs_with(point, point.backend == BackendKind::cpu ? "fifo" : ""));
}

TEST(RowCheck, TakesEveryRowThatARunWrites)
{
    const Case on_gpu{.strategy = "tail",
                      .backend = BackendKind::cuda,
                      .elements = 64,
                      .grid = 4,
                      .block = 16,
                      .depth = 2,
                      .pending_limit = 4096,
                      .wave = 2,
                      .streams = 3,
                      .seed = 7};
    for (const Case& point : {kReduce, kFloat, kMatrix, on_gpu}) {
        Sample sample = right_sample(point);
        if (sample.launches) {
            const ExpectedLaunches form = Registry::find_anywhere(point.strategy)->launches(point);
            sample.launches = LaunchCounts{
                .attempted_by_depth = form.by_depth, .attempted = form.total(), .max_depth = form.levels()};
        }
        EXPECT_EQ(refusal(log_of(point, sample), point), "");
        EXPECT_EQ(refusal(log_of(point, wrong_sample()), point), "");
        EXPECT_EQ(refusal(log_of(point, {.status = Status::crashed, .detail = "crashed"}), point), "");
    }
    RunFacts untimed = run_of();
    untimed.untimed = true;
    Sample sample = right_sample(kReduce);
    sample.wall_us.reset();
    EXPECT_EQ(refusal(log_of(kReduce, sample, untimed), kReduce), "");
    sample.wall_us = 1;
    sample.launches = LaunchCounts{}; // from a build that does not count
    EXPECT_EQ(refusal(log_of(kReduce, sample), kReduce), "");
}

TEST(RowCheck, RefusesACellOfAnotherCase)
{
    const ParsedLog reduce = log_of(kReduce, right_sample(kReduce));
    const std::string key = key_of(kReduce, "fifo");
    for (const auto& [column, text, expected] :
         std::vector<std::array<std::string, 3>>{{"strategy", "tail", "nosync"},
                                                 {"mechanism", "tail", "null_stream"},
                                                 {"type", "float32", "int32"},
                                                 {"elements", "63", "64"},
                                                 {"grid", "5", "4"},
                                                 {"grid", "", "4"},
                                                 {"block", "32", "16"},
                                                 {"nx", "3", "2048"},
                                                 {"block_shape", "8x8", "16x16"},
                                                 {"depth", "1", "full"},
                                                 {"delay_us", "5", "0"},
                                                 {"graphs", "2", "1"},
                                                 {"pending_limit_asked", "64", "auto"},
                                                 {"input", "index", "random"},
                                                 {"input", "of_no_workload", "random"},
                                                 {"seed", "2", "1"}})
        EXPECT_EQ(refusal(with(reduce, {{column, text}}), kReduce),
                  fmt::format("a.csv:2: {} is '{}'; expected: '{}', as in the case {}", column, text, expected, key));
    EXPECT_EQ(refusal(with(reduce, {{"input", "Random!"}}), kReduce),
              "a.csv:2: input is 'Random!'; allowed: the name of an input, in small letters, or nothing");
    Runs eager = runs_with(kReduce);
    eager["r1"].backends["cpu"].schedule = "eager";
    EXPECT_EQ(refusal(with(reduce, {{"schedule", "eager"}}), eager),
              fmt::format("a.csv:2: key is '{}'; expected: '{}', that of {} by schedule 'eager'", key,
                          key_of(kReduce, "eager"), settings_text(kReduce)));
    const ParsedLog matrix = log_of(kMatrix, right_sample(kMatrix));
    EXPECT_THAT(refusal(with(matrix, {{"elements", "16"}}), kMatrix),
                HasSubstr("elements is '16'; expected: '15', "));
    EXPECT_THAT(refusal(with(matrix, {{"nx", "4"}}), kMatrix), HasSubstr("nx is '4'; expected: '3', "));
}

TEST(RowCheck, HoldsTheWorkloadAgainstTheStrategy)
{
    const ParsedLog log = log_of(kReduce, right_sample(kReduce));
    const std::string expected = "a.csv:2: workload is 'matrix'; expected: 'reduce', that of strategy nosync";
    EXPECT_EQ(refusal(with(log, {{"workload", "matrix"}}), kReduce), expected);
    EXPECT_EQ(refusal(with(log, {{"workload", "matrix"}}), Runs()), expected); // without a manifest
    EXPECT_EQ(refusal(with(log, {{"workload", ""}}), kReduce),
              "a.csv:2: workload is ''; allowed: a text that is not empty");
    // All rows of a key have one, also if this nestbed lacks the strategy.
    std::vector<std::vector<std::string>> rows(2, rows_in(with(log, {{"strategy", "other_one"}}))[0].cells);
    rows[1].at(log.column("repetition")) = "1";
    EXPECT_EQ(refusal(log_with("a.csv", columns(), rows), Runs()), "");
    rows[1].at(log.column("workload")) = "matrix";
    EXPECT_EQ(refusal(log_with("a.csv", columns(), rows), Runs()),
              "a.csv:3: workload is 'matrix'; expected: 'reduce', as in a.csv:2 of the same key");
}

TEST(RowCheck, RefusesAnAnswerThatIsNotTheReference)
{
    const ParsedLog reduce = log_of(kReduce, right_sample(kReduce));
    EXPECT_EQ(refusal(with(reduce, {{"answer", "99"}}), kReduce),
              "a.csv:2: answer is '99'; expected: 100, the reference, as the status is ok");
    EXPECT_EQ(refusal(with(reduce, {{"reference", "99"}}), kReduce),
              "a.csv:2: answer is '100'; expected: 99, the reference, as the status is ok");
    // Nothing shows this within one row.
    EXPECT_EQ(refusal(with(reduce, {{"answer", "99"}, {"reference", "99"}}), kReduce), "");
    EXPECT_THAT(refusal(with(log_of(kMatrix, right_sample(kMatrix)), {{"answer", "99"}}), kMatrix),
                HasSubstr("answer is '99'; expected: 100"));
    // 64.001 additions with a relative error of 2^-24 each: 3.81e-06 in total.
    const ParsedLog real = log_of(kFloat, right_sample(kFloat));
    EXPECT_EQ(refusal(with(real, {{"answer", "100.0003"}, {"relative_error", "3e-06"}}), kFloat), "");
    EXPECT_EQ(refusal(with(real, {{"answer", "100.0005"}, {"relative_error", "5e-06"}}), kFloat),
              "a.csv:2: answer is '100.0005'; expected: 100 within a share of 3.81e-06, the reference, as the status "
              "is ok");
    EXPECT_EQ(refusal(with(real, {{"answer", "nan"}}), kFloat), "a.csv:2: answer is 'nan'; allowed: a number");
}

TEST(RowCheck, RefusesAnErrorThatIsNotThatOfTheAnswer)
{
    EXPECT_EQ(refusal(with(log_of(kReduce, right_sample(kReduce)), {{"relative_error", "0.5"}}), kReduce),
              "a.csv:2: relative_error is '0.5'; expected: 0, of answer 100 and reference 100");
    EXPECT_EQ(refusal(with(log_of(kReduce, wrong_sample()), {{"answer", "98"}}), kReduce),
              "a.csv:2: relative_error is '0.01'; expected: 0.02, of answer 98 and reference 100");
}

TEST(RowCheck, RefusesAStatusThatTheOtherCellsDoNotHave)
{
    const ParsedLog right = log_of(kReduce, right_sample(kReduce));
    EXPECT_EQ(refusal(with(right, {{"status", "wrong"}}), kReduce),
              "a.csv:2: wall_us is '12.500'; expected: nothing, as the status is wrong");
    EXPECT_THAT(refusal(with(log_of(kReduce, wrong_sample()),
                             {{"status", "ok"}, {"wall_us", "1"}, {"bandwidth_gb_s", "0.256"}}),
                        kReduce),
                HasSubstr("answer is '99'; expected: 100"));
    EXPECT_EQ(refusal(with(right, {{"launches_attempted", "11"}, {"launches_by_depth", "4 4 3"}}), kReduce),
              "a.csv:2: launches_attempted is '11'; expected: 12, which are expected, as the status is ok");
    EXPECT_EQ(refusal(with(right, {{"gpu_us", "0"}}), kReduce), "a.csv:2: gpu_us is '0'; expected: a number above 0");
    EXPECT_EQ(refusal(with(right, {{"prepare_us", "-1"}}), kReduce),
              "a.csv:2: prepare_us is '-1'; allowed: a number from 0, such as 12.5, or nothing");
    EXPECT_EQ(refusal(with(log_of(kReduce, wrong_sample()), {{"prepare_us", "1"}}), kReduce),
              "a.csv:2: prepare_us is '1'; expected: nothing, as there is no wall_us");
    for (const char* text : {"inf", "-1", "1e3", "01", "1.", ".5", "0x1p3"})
        EXPECT_EQ(refusal(with(right, {{"wall_us", text}}), kReduce),
                  fmt::format("a.csv:2: wall_us is '{}'; allowed: a number from 0, such as 12.5, or nothing", text));
}

// 12 data-dependent launches, of which 5 were refused, and 2 drains, of which one was refused.
TEST(RowCheck, TakesReplacedLaunchesAndTheirDrainsAndNoOthers)
{
    Sample sample = right_sample(kReduce);
    sample.launches->attempted = 14;
    sample.launches->attempted_by_depth = {4, 4, 6};
    sample.launches->failed = 6;
    sample.requests = RequestSample{.items = 20, .replaced = 5, .drains = 2, .drains_refused = 1};
    const ParsedLog log = log_of(kReduce, sample);
    EXPECT_EQ(refusal(log, kReduce), "");
    EXPECT_EQ(refusal(with(log, {{"launches_attempted", "13"}, {"launches_by_depth", "4 4 5"}}), kReduce),
              "a.csv:2: launches_attempted is '13'; expected: 14, launches_expected and drains, as the status is ok");
    EXPECT_EQ(refusal(with(log, {{"launched", "8"}}), kReduce),
              "a.csv:2: launched is '8'; expected: 7, launches_expected without those replaced, as the status is ok");
    for (const char* failed : {"4", "9"})
        EXPECT_THAT(refusal(with(log, {{"launches_failed", failed}}), kReduce),
                    HasSubstr("the accepted launches without drains"));
    EXPECT_THAT(refusal(with(log, {{"work", "much"}}), kReduce), HasSubstr("much"));
}

TEST(RowCheck, RefusesWhatIsNoNumberWhereOneBelongs)
{
    const ParsedLog reduce = log_of(kReduce, right_sample(kReduce));
    for (const char* column :
         {"pending_limit", "limit_bytes", "wave", "waves", "streams", "bytes", "bandwidth_gb_s", "floor_us",
          "latency_us", "timer_step_ns", "host_launches", "launches_expected", "launches_failed", "max_depth"})
        for (const char* text : {"zzz", "nan", "1e999"})
            EXPECT_THAT(refusal(with(reduce, {{column, text}}), kReduce), HasSubstr(text)) << column;
    EXPECT_THAT(refusal(with(reduce, {{"launches_by_depth", "4 zzz 4"}}), kReduce), HasSubstr("zzz"));
}

TEST(RowCheck, KnowsHowAGpuTimeCanBeTaken)
{
    Case point = kReduce;
    point.backend = BackendKind::cuda;
    point.submit = Submit::open;
    point.l2 = CacheState::as_is;
    Sample sample = right_sample(point);
    EXPECT_THAT(refusal(with(log_of(point, sample), {{"submit", "open"}}), point),
                HasSubstr("submit is 'open'; expected: nothing, as there is no gpu_us"));
    sample.gpu_us = 10;
    const ParsedLog log = log_of(point, sample);
    EXPECT_EQ(refusal(log, point), "");
    EXPECT_THAT(refusal(with(log, {{"submit", "held"}}), point),
                HasSubstr("submit is 'held'; expected: open, as submit_asked"));
    EXPECT_THAT(refusal(with(log, {{"wall_us", "9.9"}}), point),
                HasSubstr("wall_us is '9.9'; expected: at least 10.000, the gpu_us, as submit is open"));
    EXPECT_THAT(refusal(with(log, {{"power_w", "much"}}), point), HasSubstr("power_w"));
}

TEST(RowCheck, HoldsARowAgainstItsRunInTheManifest)
{
    const ParsedLog log =
        with(log_of(kReduce, right_sample(kReduce)), {{"driver", "580"}, {"cuda", "13.0"}, {"machine", "m1"}});
    std::map<std::string, RunIdentity> runs = runs_with(kReduce);
    runs["r1"].git = log.values_of("git").front();
    RunIdentity::Backend& backend = runs["r1"].backends["cpu"];
    backend.driver = "580";
    backend.runtime = "13.0";
    backend.machine = "m1";
    backend.measured = {.floor_us = 1.0004, .timer_step_ns = 0, .default_pending_limit = 2048};
    EXPECT_EQ(refusal(log, runs), "");
    EXPECT_EQ(refusal(log, Runs()), ""); // the run is unknown
    for (const char* column : {"experiment", "git", "gpu", "driver", "cuda", "machine"})
        EXPECT_THAT(refusal(with(log, {{column, "zzz"}}), runs),
                    StartsWith(std::string("a.csv:2: ") + column + " is 'zzz'; expected: '"));
    EXPECT_EQ(refusal(with(log, {{"floor_us", "1.001"}}), runs),
              "a.csv:2: floor_us is '1.001'; expected: '1.000', as in the manifest of run r1");
    EXPECT_EQ(refusal(with(log, {{"timer_step_ns", "32"}}), runs),
              "a.csv:2: timer_step_ns is '32'; expected: '0', as in the manifest of run r1");
    EXPECT_EQ(refusal(with(log, {{"backend", "cuda"}, {"schedule", ""}, {"driver", ""}}), runs),
              "a.csv:2: backend is 'cuda'; expected: one of run r1");
    EXPECT_EQ(refusal(with(log, {{"pending_limit", "64"}}), runs),
              "a.csv:2: pending_limit is '64'; expected: at least 2048, the default limit in the manifest of run r1");
    EXPECT_EQ(refusal(with(log, {{"repetition", "9"}}), runs), "a.csv:2: repetition is 9; allowed: from 0 to 8");
    EXPECT_EQ(refusal(with(log, {{"key", "0123456789abcdef"}}), runs),
              "a.csv:2: key is '0123456789abcdef'; expected: a case in the plan of run r1 in the manifest");
}

TEST(RowCheck, HoldsRowsOfOneCaseAgainstEachOther)
{
    const ParsedLog log = log_of(kReduce, right_sample(kReduce));
    const std::vector<std::string> first = rows_in(log)[0].cells;
    const auto second = [&](const Changes& changes) {
        std::vector<std::string> cells = first;
        cells.at(log.column("repetition")) = "1";
        for (const auto& [column, text] : changes)
            cells.at(log.column(column)) = text;
        return refusal(log_with("a.csv", columns(), {first, cells}), Runs());
    };
    EXPECT_EQ(second({}), "");
    EXPECT_EQ(second({{"answer", "99"}, {"reference", "99"}}),
              "a.csv:3: reference is '99'; expected: '100', as in a.csv:2 of the same case");
    EXPECT_EQ(second({{"repetition", "0"}}),
              "a.csv:3: repetition 0 of the case is already in a.csv:2; allowed: every row once");
    EXPECT_EQ(second({{"repetition", "0"}, {"run_id", "r2"}}), "");
    EXPECT_EQ(second({{"grid", "5"}}), "a.csv:3: grid is '5'; expected: '4', as in a.csv:2 of the same key");
    EXPECT_EQ(second({{"pending_limit", "4096"}}),
              "a.csv:3: pending_limit is '4096'; expected: 2048, as in a.csv:2 of the same case and run");
    EXPECT_EQ(second({{"floor_us", "2.000"}}),
              "a.csv:3: floor_us is '2.000'; expected: '1.000', as in a.csv:2 of the same run");
}

// A row of 12 expected launches of which some were refused.
ParsedLog failed_row(const Changes& changes)
{
    Sample sample = right_sample(kReduce);
    sample.status = Status::launch_failed;
    sample.detail = "5 launches were refused";
    sample.wall_us.reset();
    sample.answer = "";
    sample.reference = "";
    sample.relative_error.reset();
    sample.launches->failed = 5;
    return with(log_of(kReduce, sample), changes);
}

TEST(RowCheck, KnowsHowDeepALedgerCanBeWhereLaunchesFailed)
{
    for (const char* const deepest : {"1", "2", "3"})
        EXPECT_EQ(refusal(failed_row({{"max_depth", deepest}}), kReduce), "") << deepest;
    for (const char* const deepest : {"0", "4"})
        EXPECT_EQ(
            refusal(failed_row({{"max_depth", deepest}}), kReduce),
            fmt::format("a.csv:2: max_depth is '{}'; expected: 1 to 3, the levels of launches_by_depth", deepest));
    EXPECT_EQ(refusal(failed_row({{"launches_failed", "12"}, {"max_depth", "0"}}), kReduce), "");
    EXPECT_EQ(refusal(failed_row({{"launches_failed", "12"}, {"max_depth", "1"}}), kReduce),
              "a.csv:2: max_depth is '1'; expected: 0, as all launches failed");
    EXPECT_EQ(refusal(failed_row({{"launches_failed", "13"}}), kReduce),
              "a.csv:2: launches_failed is '13'; expected: at most 12, the launches_attempted");
    EXPECT_EQ(refusal(failed_row({{"launches_failed", "0"}}), kReduce),
              "a.csv:2: launches_failed is '0'; expected: a whole number from 1, as the status is launch_failed");
    EXPECT_EQ(refusal(failed_row({{"detail", ""}}), kReduce),
              "a.csv:2: detail is ''; expected: why the status is launch_failed");
}

TEST(RowCheck, TakesAsManyLevelsAsTheLedgerCounts)
{
    const auto levels = [](std::size_t count) {
        std::string text = "1";
        for (std::size_t level = 1; level < count; ++level)
            text += " 1";
        return refusal(failed_row({{"launches_by_depth", text},
                                   {"launches_attempted", std::to_string(count)},
                                   {"launches_failed", "0"},
                                   {"max_depth", std::to_string(count)},
                                   {"replaced", ""}}),
                       kReduce);
    };
    EXPECT_THAT(levels(2048), HasSubstr("launches_failed is '0'")); // all levels were taken
    EXPECT_THAT(levels(2049), HasSubstr("expected: at most 2048 levels"));
}

TEST(RowCheck, RefusesASumThatIsWrongAndTheReference)
{
    const Changes right{{"answer", "100"}, {"relative_error", "0"}};
    const ParsedLog wrong = with(log_of(kReduce, wrong_sample()), right);
    EXPECT_EQ(refusal(wrong, kReduce),
              "a.csv:2: answer is '100'; expected: another number than 100, the reference, as the status is wrong");
    EXPECT_EQ(refusal(with(wrong, {{"detail", "2 block sums are wrong"}}), kReduce), ""); // their errors cancel
}

TEST(RowCheck, HoldsAChosenPendingLimitAgainstTheOneAskedFor)
{
    Case asked = kReduce;
    asked.pending_limit = 64;
    const ParsedLog on_cpu = log_of(asked, right_sample(asked));
    EXPECT_EQ(refusal(on_cpu, asked), "");
    for (const char* const limit : {"63", "65"})
        EXPECT_EQ(refusal(with(on_cpu, {{"pending_limit", limit}}), asked),
                  fmt::format("a.csv:2: pending_limit is '{}'; expected: 64, the pending_limit_asked", limit));
    asked.backend = BackendKind::cuda;
    const ParsedLog on_gpu = log_of(asked, right_sample(asked));
    for (const char* const limit : {"64", "65"})
        EXPECT_EQ(refusal(with(on_gpu, {{"pending_limit", limit}}), asked), "");
    EXPECT_EQ(refusal(with(on_gpu, {{"pending_limit", "63"}}), asked),
              "a.csv:2: pending_limit is '63'; expected: at least 64, the pending_limit_asked");
}

TEST(RowCheck, HoldsLatenciesAgainstThoseOfEachLevel)
{
    const ParsedLog log = with(log_of(kReduce, right_sample(kReduce)), {{"latency_us", "5.000"},
                                                                        {"latency_min_us", "4.000"},
                                                                        {"latency_max_us", "7.000"},
                                                                        {"latency_us_by_depth", "7.00 4.00 5.00"}});
    EXPECT_EQ(refusal(log, kReduce), "");
    EXPECT_EQ(refusal(with(log, {{"latency_us", "6.000"}, {"latency_us_by_depth", "7.00 4.00 5.00 7.00"}}), kReduce),
              "");
    EXPECT_EQ(refusal(with(log, {{"latency_us_by_depth", "5.00"}}), kReduce), ""); // the median of all launches
    EXPECT_EQ(refusal(with(log, {{"latency_us", "5.004"}}), kReduce), "");
    EXPECT_EQ(refusal(with(log, {{"latency_us", "5.010"}}), kReduce),
              "a.csv:2: latency_us is '5.010'; expected: 5.00, the median of latency_us_by_depth");
    EXPECT_EQ(refusal(with(log, {{"latency_min_us", "4.100"}}), kReduce),
              "a.csv:2: latency_min_us is '4.100'; expected: 4.00, as in latency_us_by_depth");
    EXPECT_EQ(refusal(with(log, {{"latency_max_us", "7.100"}}), kReduce),
              "a.csv:2: latency_max_us is '7.100'; expected: 7.00, as in latency_us_by_depth");
    EXPECT_EQ(refusal(with(log, {{"latency_min_us", "5.001"}}), kReduce),
              "a.csv:2: latency_min_us is '5.001'; expected: at most 5.000, the latency_us");
    EXPECT_EQ(refusal(with(log, {{"latency_max_us", "4.999"}}), kReduce),
              "a.csv:2: latency_max_us is '4.999'; expected: at least 5.000, the latency_us");
    EXPECT_EQ(refusal(with(log, {{"latency_us", ""}}), kReduce),
              "a.csv:2: latency_min_us is '4.000'; expected: nothing, as there is no latency_us");
}

TEST(RowCheck, HoldsTheQuantilesOfManyRunsAgainstEachOther)
{
    const Case chain{.strategy = "chain", .type = ElementType::none, .grid = 1, .block = 32, .depth = 4, .runs = 9};
    Sample sample = right_sample(chain);
    sample.relative_error.reset();
    sample.launches = LaunchCounts{.attempted_by_depth = {1, 1, 1, 1}, .attempted = 4, .max_depth = 4};
    sample.runs = RunTimes{.wall = {12.5, 13, 14, 15}, .span = {5, 6, 7, 8}, .next = {6, 7, 8, 9}, .host_us = 1};
    const ParsedLog log = log_of(chain, sample);
    EXPECT_EQ(refusal(log, chain), "");
    for (const auto& [column, text, expected] :
         std::vector<std::array<std::string, 3>>{{"wall_p99_us", "12.000", "at least 12.500, the wall_us"},
                                                 {"wall_p999_us", "12.900", "at least 13.000, the wall_p99_us"},
                                                 {"wall_worst_us", "13.900", "at least 14.000, the wall_p999_us"},
                                                 {"span_p99_us", "4.000", "at least 5.000, the span_us"},
                                                 {"next_worst_us", "7.000", "at least 8.000, the next_p999_us"},
                                                 {"span_us", "", "a number, as there is a wall_p99_us"},
                                                 {"next_p99_us", "", "a number, as there is a wall_p99_us"},
                                                 {"host_us", "", "a number, as there is a wall_p99_us"},
                                                 {"runs", "8", ""}})
        EXPECT_THAT(refusal(with(log, {{column, text}}), chain),
                    HasSubstr(fmt::format("{} is '{}'; expected: {}", column, text, expected)));
    EXPECT_EQ(refusal(with(log_of(kReduce, right_sample(kReduce)), {{"span_us", "5.000"}}), kReduce),
              "a.csv:2: span_us is '5.000'; expected: nothing, as there is no wall_p99_us");
}

TEST(RowCheck, TakesABandwidthThatWasRounded)
{
    const ParsedLog log = log_of(kReduce, right_sample(kReduce)); // 256 bytes in 12.5 us: 0.02048 GB/s
    for (const char* const rate : {"0.02", "0.0205", "0.02048"})
        EXPECT_EQ(refusal(with(log, {{"bandwidth_gb_s", rate}}), kReduce), "") << rate;
    for (const char* const rate : {"0.03", "0.0203", "0.02058"})
        EXPECT_THAT(refusal(with(log, {{"bandwidth_gb_s", rate}}), kReduce), HasSubstr("; expected: 0.02047"))
            << rate;
}

// Logs of earlier versions lack columns, but all their rows agree.
TEST(RowCheck, TakesTheLogsOfTheRepository)
{
    std::size_t logs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(NESTBED_EXPERIMENTS "/../results/h200")) {
        const std::string path = text_name(entry.path().string());
        if (!path.ends_with(".csv"))
            continue;
        const ParsedLog log = parse_log(path, read_text_file(path));
        if (!log.has("wall_us"))
            continue;
        ++logs;
        EXPECT_EQ(refusal(log, Runs()), "");
    }
    EXPECT_GE(logs, 20U);
}

} // namespace
} // namespace nestbed
