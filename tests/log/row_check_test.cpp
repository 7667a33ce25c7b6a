// Rows with edited cells, one after another, and rows that only look edited.
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
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace nestbed
{
namespace
{

using testing::HasSubstr;

const Case kReduce{.strategy = "nosync", .elements = 64, .grid = 4, .block = 16};
const Case kFloat{.strategy = "nosync", .type = ElementType::float32, .elements = 64, .grid = 4, .block = 16};
const Case kMatrix{.strategy = "recursive_transpose", .elements = 15, .nx = 3, .ny = 5, .shape = {16, 16}};

RunFacts run_of(const std::string& schedule = "fifo")
{
    return {.experiment = "e", .run_id = "r1", .schedule = schedule, .floor_us = 1, .device = {.name = "Model 1"}};
}

Sample right_sample(const Case& point)
{
    Sample sample{.wall_us = 12.5, .answer = "100", .reference = "100", .relative_error = 0};
    sample.launches = LaunchCounts{.attempted_by_depth = {4, 4, 4}, .attempted = 12};
    if (point.strategy == kMatrix.strategy) {
        sample.launches.reset();
        sample.relative_error.reset();
    }
    return sample;
}

Sample wrong_sample()
{
    return {.status = Status::wrong, .answer = "99", .reference = "100", .relative_error = 0.01};
}

ParsedLog log_of(const Case& point, const Sample& sample, const RunFacts& run = run_of())
{
    return log_with("a.csv", columns(), {row_of(run, point, 0, sample)});
}

using Changes = std::vector<std::pair<std::string, std::string>>;

ParsedLog with(ParsedLog log, const Changes& changes)
{
    for (const auto& [column, text] : changes)
        set_cell(log, 0, column, text);
    return log;
}

// Empty if the row is accepted.
std::string refusal(const ParsedLog& log, const Case& point)
{
    try {
        RowCheck().check_row(log, rows_in(log)[0], settings_text(point));
        return "";
    } catch (const RunError& error) {
        return error.what();
    }
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
            sample.launches = LaunchCounts{.attempted_by_depth = form.by_depth, .attempted = form.total()};
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
                                                 {"backend", "cuda", "cpu"},
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
                                                 {"seed", "2", "1"}})
        EXPECT_EQ(refusal(with(reduce, {{column, text}}), kReduce),
                  fmt::format("a.csv:2: {} is '{}'; expected: '{}', as in the case {}", column, text, expected, key));
    EXPECT_EQ(refusal(with(reduce, {{"schedule", "eager"}}), kReduce),
              fmt::format("a.csv:2: key is '{}'; expected: '{}', that of {} by schedule 'eager'", key,
                          key_of(kReduce, "eager"), settings_text(kReduce)));
    const ParsedLog matrix = log_of(kMatrix, right_sample(kMatrix));
    EXPECT_THAT(refusal(with(matrix, {{"elements", "16"}}), kMatrix),
                HasSubstr("elements is '16'; expected: '15', "));
    EXPECT_THAT(refusal(with(matrix, {{"nx", "4"}}), kMatrix), HasSubstr("nx is '4'; expected: '3', "));
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
    EXPECT_EQ(refusal(with(right, {{"status", "fine"}}), kReduce),
              "a.csv:2: status is 'fine'; allowed: ok, wrong, launch_failed, count_mismatch, unsupported, timeout, "
              "crashed");
    EXPECT_EQ(refusal(with(right, {{"status", "wrong"}}), kReduce),
              "a.csv:2: wall_us is '12.500'; expected: nothing, as the status is wrong");
    EXPECT_THAT(refusal(with(log_of(kReduce, wrong_sample()), {{"status", "ok"}}), kReduce),
                HasSubstr("answer is '99'; expected: 100"));
    EXPECT_EQ(refusal(with(right, {{"launches_attempted", "11"}}), kReduce),
              "a.csv:2: launches_attempted is '11'; expected: 12, which are expected, as the status is ok");
    EXPECT_EQ(refusal(with(right, {{"launches_attempted", "0"}}), kReduce),
              "a.csv:2: launches_attempted is '0'; expected: 12, which are expected, as the status is ok");
    EXPECT_EQ(refusal(with(right, {{"launches_failed", "1"}}), kReduce),
              "a.csv:2: launches_failed is '1'; expected: 0, as the status is ok");
    EXPECT_EQ(refusal(with(right, {{"wall_us", ""}}), kReduce),
              "a.csv:2: wall_us is ''; expected: a number above 0, as the status is ok");
    for (const char* text : {"0", "-1"})
        EXPECT_EQ(refusal(with(right, {{"gpu_us", text}}), kReduce),
                  fmt::format("a.csv:2: gpu_us is '{}'; expected: a number above 0", text));
    EXPECT_EQ(refusal(with(right, {{"wall_us", "inf"}}), kReduce), "a.csv:2: wall_us is 'inf'; allowed: a number");
}

// 12 launches by need, of which 5 were refused, and 2 drains, of which one was refused.
TEST(RowCheck, TakesReplacedLaunchesAndTheirDrainsAndNoOthers)
{
    Sample sample = right_sample(kReduce);
    sample.launches->attempted = 14;
    sample.launches->attempted_by_depth = {4, 4, 6};
    sample.launches->failed = 6;
    sample.offers = OfferSample{.items = 20, .replaced = 5, .drains = 2, .drains_refused = 1};
    const ParsedLog log = log_of(kReduce, sample);
    EXPECT_EQ(refusal(log, kReduce), "");
    EXPECT_EQ(refusal(with(log, {{"launches_attempted", "12"}}), kReduce),
              "a.csv:2: launches_attempted is '12'; expected: 14, launches_expected and drains, as the status is ok");
    EXPECT_EQ(refusal(with(log, {{"launched", "8"}}), kReduce),
              "a.csv:2: launched is '8'; expected: 7, launches_expected without those replaced, as the status is ok");
    for (const char* failed : {"4", "8"})
        EXPECT_THAT(refusal(with(log, {{"launches_failed", failed}}), kReduce), HasSubstr("expected: 5 to 7, "));
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
    EXPECT_EQ(refusal(with(reduce, {{"launches_by_depth", "4 4 5"}}), kReduce),
              "a.csv:2: launches_attempted is '12'; expected: 13, the sum of launches_by_depth");
}

TEST(RowCheck, KnowsHowAGpuTimeCanBeTaken)
{
    Sample sample = right_sample(kReduce);
    EXPECT_THAT(refusal(with(log_of(kReduce, sample), {{"submit", "held"}}), kReduce),
                HasSubstr("submit is 'held'; expected: nothing, as there is no gpu_us"));
    sample.gpu_us = 10;
    EXPECT_EQ(refusal(log_of(kReduce, sample), kReduce), "");
    for (const char* submit : {"", "holden"})
        EXPECT_THAT(refusal(with(log_of(kReduce, sample), {{"submit", submit}}), kReduce),
                    HasSubstr("expected: held or open, of gpu_us"));
    EXPECT_THAT(refusal(with(log_of(kReduce, sample), {{"power_w", "much"}}), kReduce), HasSubstr("power_w"));
}

TEST(RowCheck, HoldsARowAgainstItsRunInTheManifest)
{
    const ParsedLog log =
        with(log_of(kReduce, right_sample(kReduce)), {{"driver", "580"}, {"cuda", "13.0"}, {"machine", "m1"}});
    RunIdentity run{.git = log.values_of("git").front(), .experiment = "e"};
    run.backends["cpu"] = {.name = "Model 1", .driver = "580", .runtime = "13.0", .machine = "m1"};
    const auto refused = [&](const ParsedLog& some) {
        return text_of<RunError>([&] { RowCheck::check_run(some, rows_in(some)[0], {{"r1", run}}); });
    };
    RowCheck::check_run(log, rows_in(log)[0], {{"r1", run}});
    RowCheck::check_run(log, rows_in(log)[0], {}); // the run is unknown
    for (const char* column : {"experiment", "git", "gpu", "driver", "cuda", "machine"})
        EXPECT_THAT(refused(with(log, {{column, "zzz"}})),
                    testing::StartsWith(std::string("a.csv:2: ") + column + " is 'zzz'; expected: '"));
    EXPECT_EQ(refused(with(log, {{"backend", "cuda"}})), "a.csv:2: backend is 'cuda'; expected: one of run r1");
}

TEST(RowCheck, HoldsRowsOfOneCaseAgainstOneReference)
{
    const ParsedLog log = log_of(kReduce, right_sample(kReduce));
    const LogRow row = rows_in(log)[0];
    LogRow other{.line = 3, .cells = row.cells};
    other.cells[log.column("answer")] = other.cells[log.column("reference")] = "99";
    RowCheck check;
    check.check_cells(log, row);
    check.check_cells(log, row);
    EXPECT_EQ(text_of<RunError>([&] { check.check_cells(log, other); }),
              "a.csv:3: reference is '99'; expected: '100', as in a.csv:2 of the same case");
    RowCheck().check_cells(log, other);
}

// Logs of earlier versions lack columns, but all their rows agree.
TEST(RowCheck, TakesTheLogsOfTheRepository)
{
    std::size_t logs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(NESTBED_EXPERIMENTS "/../results/h200")) {
        if (entry.path().extension() != ".csv")
            continue;
        const ParsedLog log = parse_log(entry.path().string(), read_text_file(entry.path().string()));
        if (!log.has("wall_us"))
            continue;
        ++logs;
        RowCheck check;
        for (const LogRow& row : log.rows)
            check.check_cells(log, row);
    }
    EXPECT_GE(logs, 20U);
}

} // namespace
} // namespace nestbed
