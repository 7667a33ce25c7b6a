// Merging of logs, without files: the order of the rows, what is missing, and what is refused.
#include "base/error.hpp"
#include "log/merge.hpp"
#include "log/row.hpp"
#include "model/case_text.hpp"
#include "support/log_support.hpp"
#include "support/support.hpp"

namespace nestbed
{
namespace
{

using testing::Pair;

// The key of a case that has only a strategy and a backend.
std::string key(const std::string& strategy)
{
    return key_of("strategy=" + strategy + " backend=cuda", "");
}

struct RowOf {
    std::string strategy;
    unsigned repetition = 0;
    std::string status = "ok";
    std::string machine = "m1";
    std::string run_id = "r1";
};

ParsedLog log_of_rows(const std::string& path, const std::vector<RowOf>& rows)
{
    const ParsedLog log = log_with(path, columns(), {});
    std::vector<std::vector<std::string>> all;
    for (const RowOf& row : rows) {
        std::vector<std::string> cells(log.columns.size());
        cells[log.column("key")] = key(row.strategy);
        cells[log.column("strategy")] = row.strategy;
        for (const auto& [column, text] : {std::pair{"workload", "reduce"},
                                           {"mechanism", "none"},
                                           {"backend", "cuda"},
                                           {"experiment", "e"},
                                           {"git", "abc"},
                                           {"gpu", "NVIDIA H200"},
                                           {"driver", "580"},
                                           {"cuda", "13.0"},
                                           {"utc", "2026-11-21T06:40:12Z"}})
            cells[log.column(column)] = text;
        cells[log.column("repetition")] = std::to_string(row.repetition);
        cells[log.column("status")] = row.status;
        cells[log.column("detail")] = row.status == "ok" ? "" : "why";
        cells[log.column("machine")] = row.machine;
        cells[log.column("run_id")] = row.run_id;
        all.push_back(std::move(cells));
    }
    return log_with(path, columns(), all);
}

RunIdentity record_of_shard(const std::string& shard)
{
    return {.nestbed = "1.0",
            .git = "abc",
            .build = "Release",
            .experiment = "e",
            .expect = "ok",
            .order_seed = 1,
            .backends = {{"cuda",
                          {.name = "NVIDIA H200",
                           .driver = "580",
                           .runtime = "13.0",
                           .multiprocessors = 132,
                           .schedule = "",
                           .repeat = exactly(2),
                           .warmup = 0}}},
            .cases = {{key("a"), "strategy=a backend=cuda", exactly(2)},
                      {key("b"), "strategy=b backend=cuda", exactly(2)},
                      {key("c"), "strategy=c backend=cuda", exactly(2)}},
            .shard = shard};
}

LogPart part_of_rows(const std::string& path, const std::string& shard, const std::vector<RowOf>& rows)
{
    return {.log = log_of_rows(path, rows), .runs = {{"r1", record_of_shard(shard)}}};
}

std::vector<std::string> names_of(const MergedLog& merged)
{
    const ParsedLog log = parse_log("merged.csv", merged.text);
    EXPECT_EQ(log.rows.size(), merged.rows);
    std::vector<std::string> names;
    for (const LogRow& row : log.rows)
        names.push_back(row.cells[log.column("strategy")] + "." + row.cells[log.column("repetition")]);
    return names;
}

std::string refusal_of(const std::vector<LogPart>& parts)
{
    return text_of<UsageError>([&] { static_cast<void>(merge_logs(parts)); });
}

TEST(Merge, PutsRowsIntoTheOrderOfThePlanAndOfTheRepetitions)
{
    const std::vector<LogPart> parts{part_of_rows("b.csv", "2/2", {{"c", 1}, {"b", 0}, {"b", 1}, {"c", 0}}),
                                     part_of_rows("a.csv", "1/2", {{"a", 1}}),
                                     part_of_rows("c.csv", "1/2", {{"a", 0, "ok", "m2"}})};
    const MergedLog merged = merge_logs(parts);
    EXPECT_THAT(names_of(merged), ElementsAre("a.0", "a.1", "b.0", "b.1", "c.0", "c.1"));
    EXPECT_EQ(merged.cases, 3U);
    EXPECT_EQ(merged.planned, 3U);
    EXPECT_EQ(merged.machines, 2U);
    EXPECT_THAT(merged.missing, IsEmpty());
    EXPECT_THAT(missing_shards(parts), IsEmpty());
}

TEST(Merge, NamesWhatIsMissing)
{
    const MergedLog merged = merge_logs({part_of_rows("a.csv", "1/2", {{"a", 1}, {"b", 0}, {"b", 1}})});
    ASSERT_EQ(merged.missing.size(), 2U);
    EXPECT_EQ(merged.missing[0].settings, "strategy=a backend=cuda");
    EXPECT_EQ(merged.missing[0].repetitions, 1U);
    EXPECT_EQ(merged.missing[0].of, 2U);
    EXPECT_EQ(merged.missing[1].settings, "strategy=c backend=cuda");
    EXPECT_EQ(merged.missing[1].repetitions, 2U);
    EXPECT_EQ(merged.cases, 2U);
}

// With a precision, a case is complete when its median is that precise, or when it has the maximum number of
// repetitions.
TEST(Merge, MissesWhatAPrecisionStillAsksFor)
{
    std::vector<RowOf> rows;
    for (unsigned repetition = 0; repetition < 6; ++repetition) {
        rows.push_back({"a", repetition});
        rows.push_back({"b", repetition});
    }
    LogPart part = part_of_rows("a.csv", "", rows);
    for (PlannedCase& one : part.runs.at("r1").cases)
        one.repeat = {.least = 6, .most = 20, .precision = 0.05};
    part.runs.at("r1").cases.pop_back();
    for (std::size_t row = 0; row < rows.size(); ++row)
        set_cell(part.log, row, "wall_us",
                 rows[row].strategy == "b" ? std::to_string(rows[row].repetition + 1) + "00.5" : "100.000");
    const MergedLog merged = merge_logs({part});
    ASSERT_EQ(merged.missing.size(), 1U);
    EXPECT_EQ(merged.missing[0].settings, "strategy=b backend=cuda");
    EXPECT_EQ(merged.missing[0].repetitions, 5U); // until the precision is checked again
    EXPECT_EQ(merged.missing[0].of, 11U);
}

TEST(Merge, MissesNothingBehindARowThatEndsTheCase)
{
    for (const std::string status : {"unsupported", "timeout", "crashed"})
        EXPECT_THAT(merge_logs({part_of_rows("a.csv", "",
                                             {{"a", 0, status}, {"b", 0}, {"b", 1}, {"c", 0}, {"c", 1, status}})})
                        .missing,
                    IsEmpty())
            << status;
    EXPECT_EQ(merge_logs({part_of_rows("a.csv", "", {{"a", 0, "wrong"}})}).missing.size(), 3U);
}

TEST(Merge, TakesALogWithoutRows)
{
    const std::vector<LogPart> parts{
        part_of_rows("empty.csv", "2/2", {}),
        part_of_rows("a.csv", "1/2", {{"a", 0}, {"a", 1}, {"b", 0}, {"b", 1}, {"c", 0}, {"c", 1}})};
    EXPECT_THAT(merge_logs(parts).missing, IsEmpty());
    const MergedLog nothing = merge_logs({parts.front()});
    EXPECT_EQ(nothing.rows, 0U);
    EXPECT_EQ(nothing.text, csv_line(columns()));
    EXPECT_EQ(nothing.machines, 0U);
    EXPECT_EQ(nothing.missing.size(), 3U);
}

TEST(Merge, RefusesRunsThatAreNotOfOneExperiment)
{
    const auto refused = [](const auto& change) {
        LogPart other = part_of_rows("b.csv", "2/2", {{"b", 0}});
        change(other.runs.at("r1"));
        std::string text = refusal_of({part_of_rows("a.csv", "1/2", {{"a", 0}}), other});
        EXPECT_THAT(text, StartsWith("b.csv: it does not belong to a.csv: "));
        return text;
    };
    EXPECT_THAT(refused([](RunIdentity& record) { record.experiment = "f"; }),
                HasSubstr("experiment: e there, f here"));
    EXPECT_THAT(refused([](RunIdentity& record) { record.git = "def"; }),
                HasSubstr("version: 1.0 (abc, Release) there, 1.0 (def, Release) here"));
    EXPECT_THAT(refused([](RunIdentity& record) { record.backends.at("cuda").repeat = exactly(3); }),
                HasSubstr("repeat on cuda: 2 there, 3 here"));
    EXPECT_THAT(refused([](RunIdentity& record) { record.untimed = true; }),
                HasSubstr("untimed: no there, yes here"));
    EXPECT_THAT(refused([](RunIdentity& record) { record.cases.pop_back(); }),
                HasSubstr("cases: 3 there, 2 here; 1 only there, 0 only here"));
}

// A run without rows does not matter, whatever it was.
TEST(Merge, LooksAtTheRunsOfTheRowsAlone)
{
    LogPart part = part_of_rows("a.csv", "1/2", {{"a", 0}});
    part.runs["r0"] = record_of_shard("");
    part.runs["r0"].experiment = "another";
    EXPECT_EQ(merge_logs({part}).rows, 1U);
    EXPECT_THAT(missing_shards({part}), ElementsAre("2/2"));
    part.log = log_of_rows("a.csv", {});
    EXPECT_THAT(refusal_of({part}),
                HasSubstr("a.csv: it does not belong to a.csv: experiment: another there, e here"));
}

TEST(Merge, LetsDevicesBeDifferentAndNamesThem)
{
    LogPart other = part_of_rows("b.csv", "2/2", {{"b", 0, "ok", "m2"}});
    other.runs.at("r1").backends.at("cuda").name = "NVIDIA A100";
    set_cell(other.log, 0, "gpu", "NVIDIA A100");
    set_cell(other.log, 0, "driver", "570");
    other.runs.at("r1").backends.at("cuda").driver = "570";
    other.runs.at("r1").backends.at("cuda").multiprocessors = 108;
    const std::vector<LogPart> parts{part_of_rows("a.csv", "1/2", {{"a", 0}}), other};
    EXPECT_EQ(merge_logs(parts).machines, 2U);
    EXPECT_THAT(files_by_device(parts),
                ElementsAre(Pair("NVIDIA A100 (108 multiprocessors, driver 570, CUDA 13.0)", ElementsAre("b.csv")),
                            Pair("NVIDIA H200 (132 multiprocessors, driver 580, CUDA 13.0)", ElementsAre("a.csv"))));
}

TEST(Merge, RefusesWhatIsThereTwice)
{
    EXPECT_EQ(refusal_of({part_of_rows("a.csv", "1/2", {{"a", 0}, {"a", 1}}),
                          part_of_rows("b.csv", "2/2", {{"b", 0}, {"a", 1}})}),
              "duplicate rows: case " + key("a") + " repetition 1: a.csv:3 and b.csv:3; allowed: every row once");
    EXPECT_EQ(refusal_of({part_of_rows("a.csv", "1/2", {{"a", 0}, {"a", 0}})}),
              "duplicate rows: case " + key("a") + " repetition 0: a.csv:2 and a.csv:3; allowed: every row once");
    const LogPart all = part_of_rows("a.csv", "1/2", {{"a", 0}, {"a", 1}, {"b", 0}, {"b", 1}, {"c", 0}, {"c", 1}});
    EXPECT_THAT(refusal_of({all, all}),
                HasSubstr("case " + key("c") + " repetition 0: a.csv:6 and a.csv:6; and 1 more; allowed"));
}

TEST(Merge, RefusesARowOfNoCase)
{
    EXPECT_EQ(refusal_of({part_of_rows("a.csv", "1/2", {{"a", 0}, {"x", 0}})}),
              "a.csv:3: case " + key("x") + " is not in the plan of its manifest; allowed: rows of the run");
}

TEST(Merge, NamesTheShardsOfWhichThereIsNoLog)
{
    EXPECT_THAT(missing_shards({part_of_rows("a.csv", "1/4", {}), part_of_rows("b.csv", "3/4", {})}),
                ElementsAre("2/4", "4/4"));
    EXPECT_THAT(missing_shards({part_of_rows("a.csv", "1/4", {}), part_of_rows("b.csv", "3/5", {})}), IsEmpty());
    EXPECT_THAT(missing_shards({part_of_rows("a.csv", "1/4", {}), part_of_rows("b.csv", "", {})}), IsEmpty());
}

} // namespace
} // namespace nestbed
