// The cases of a log, made again from its rows or from its manifest.
#include "log/logged_cases.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <tuple>

namespace nestbed
{
namespace
{

std::vector<Case> various_cases()
{
    std::vector<Case> cases{
        {.strategy = "nosync", .mechanism = Mechanism::named_stream, .elements = 6000, .grid = 100, .block = 64},
        {.strategy = "nosync", .elements = 6000, .grid = 100, .block = 64, .depth = 3, .delay_us = 20, .seed = 7},
        {.strategy = "neighbored",
         .elements = 64,
         .grid = 1,
         .block = 64,
         .input = InputKind("index"),
         .op = Operator::max},
        {.strategy = "naive_row",
         .type = ElementType::float32,
         .elements = 60'000,
         .nx = 300,
         .ny = 200,
         .shape = {8, 32}},
        {.strategy = "recursive_transpose",
         .mechanism = Mechanism::tail,
         .elements = 64 * 128,
         .nx = 64,
         .ny = 128,
         .depth = 0},
        {.strategy = "trees",
         .mechanism = Mechanism::tail,
         .grid = 2,
         .block = 32,
         .depth = 2,
         .own = {{"fanout", 4}}},
        {.strategy = "nosync",
         .backend = BackendKind::cuda,
         .elements = 64,
         .grid = 2,
         .block = 32,
         .pending_limit = 4096},
    };
    for (Case& one : cases)
        reset_meaningless(one);
    return cases;
}

// A log of one row per case, all with the same schedule.
struct Written {
    RunFacts facts{.experiment = "book",
                   .run_id = "r1",
                   .schedule = "fifo",
                   .empty_kernel_us = 4.25,
                   .device = {.name = "AMD EPYC", .driver = "12.8", .runtime = "13.0", .peak_bandwidth_gb_s = 8}};
    std::string text = csv_line(columns());
    RunIdentity run{.experiment = "book", .title = "The book"};

    void add(const Case& point, unsigned repetition = 0)
    {
        Sample sample{.wall_us = 5, .answer = "1", .reference = "1"};
        facts.schedule = point.backend == BackendKind::cpu ? "fifo" : "";
        if (point.backend == BackendKind::cuda)
            sample.gpu_us = 4;
        text += csv_line(row_of(facts, point, repetition, sample));
        run.cases.push_back({key_of(point, "fifo"), settings_text(point), {.least = 2, .most = 2}});
    }
    ParsedLog log() const { return parse_log("a.csv", text); }
};

std::vector<std::string> texts_of(const LoggedCases& logged)
{
    std::vector<std::string> texts;
    for (const CaseResult& one : logged.results)
        texts.push_back(settings_text(one.point));
    return texts;
}

TEST(LoggedCases, AreThoseOfTheManifestInItsOrder)
{
    Written written;
    std::vector<std::string> texts;
    for (const Case& one : various_cases()) {
        written.add(one);
        texts.push_back(settings_text(one));
    }
    const LoggedCases logged = logged_cases(written.log(), {{"run", written.run}});
    EXPECT_EQ(texts_of(logged), texts);
    EXPECT_EQ(logged.title, "The book");
    EXPECT_EQ(logged_cases(written.log(), {{"run", {.experiment = "book", .cases = written.run.cases}}}).title,
              "book");
}

TEST(LoggedCases, AreThoseOfTheRowsWithoutAManifest)
{
    for (const Case& one : various_cases()) {
        Written written;
        written.add(one);
        const LoggedCases logged = logged_cases(written.log(), {});
        EXPECT_THAT(texts_of(logged), ElementsAre(settings_text(one)));
        EXPECT_EQ(logged.results.at(0).key, key_of(one, "fifo"));
        EXPECT_EQ(logged.title, "book");
    }
}

// The rows of a case need not be together.
TEST(LoggedCases, AreGroupedByTheirInputAndThenByStrategy)
{
    const auto of = [](const char* strategy, std::uint32_t grid, std::uint64_t seed) {
        return Case{.strategy = strategy, .elements = grid * 32, .grid = grid, .block = 32, .seed = seed};
    };
    Written written;
    for (const Case& one : {of("synced", 2, 1), of("nosync", 2, 1), of("synced", 1, 1), of("nosync", 1, 2)})
        written.add(one);
    written.add(of("synced", 2, 1), 1);
    const auto said = [](const LoggedCases& logged) {
        std::vector<std::string> lines;
        for (const CaseResult& one : logged.results)
            lines.push_back(one.point.strategy + " " + std::to_string(one.point.grid) + " " +
                            std::to_string(one.point.seed) + ": group " + std::to_string(one.group) + ", " +
                            std::to_string(one.samples.size()));
        return lines;
    };
    EXPECT_THAT(said(logged_cases(written.log(), {})),
                ElementsAre("synced 1 1: group 0, 1", "nosync 1 2: group 1, 1", "nosync 2 1: group 2, 1",
                            "synced 2 1: group 2, 2"));
    EXPECT_THAT(said(logged_cases(written.log(), {{"run", written.run}})),
                ElementsAre("synced 2 1: group 0, 2", "nosync 2 1: group 0, 1", "synced 1 1: group 1, 1",
                            "nosync 1 2: group 2, 1"));
}

TEST(LoggedCases, TakeTheFactsOfARunFromItsRows)
{
    Written written;
    written.add(various_cases().back()); // on a GPU: others have no bandwidth
    const auto check = [](const RunFacts& facts, const RunFacts& expected) {
        EXPECT_EQ(facts.experiment, "book");
        EXPECT_EQ(facts.schedule, "");
        EXPECT_EQ(facts.device.name, "AMD EPYC");
        EXPECT_EQ(facts.device.driver, "12.8");
        EXPECT_EQ(facts.device.runtime, "13.0");
        EXPECT_EQ(facts.untimed, expected.untimed);
        EXPECT_EQ(facts.empty_kernel_us, expected.empty_kernel_us);
        EXPECT_EQ(facts.device.peak_bandwidth_gb_s, expected.device.peak_bandwidth_gb_s);
    };
    EXPECT_THAT(logged_cases(written.log(), {}).runs, SizeIs(1));
    check(logged_cases(written.log(), {}).runs.at(BackendKind::cuda), written.facts);
    Written untimed;
    untimed.facts.untimed = true;
    untimed.facts.empty_kernel_us = 0;
    untimed.facts.device.peak_bandwidth_gb_s = 0;
    untimed.add(various_cases().back());
    check(logged_cases(untimed.log(), {}).runs.at(BackendKind::cuda), untimed.facts);
    EXPECT_THAT(logged_cases(parse_log("a.csv", csv_line(columns())), {}).title, IsEmpty());
}

// tests/log/row_check_test.cpp has the cells that have another form.
TEST(LoggedCases, CannotHaveImpossibleCells)
{
    const std::vector<std::string>& names = columns();
    for (const auto& [column, text, error] :
         {std::tuple("strategy", "nosink", "a.csv:2: this nestbed has no strategy 'nosink'"),
          std::tuple("grid", "4x",
                     "a.csv:2: grid is '4x'; allowed: a whole number from 1 to 2147483647, or nothing")}) {
        std::vector<std::string> row = row_of({.experiment = "e", .run_id = "r1", .schedule = "fifo"},
                                              various_cases().front(), 0, Sample{.wall_us = 1});
        row.at(static_cast<std::size_t>(std::ranges::find(names, column) - names.begin())) = text;
        const ParsedLog log = parse_log("a.csv", csv_line(names) + csv_line(row));
        EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(logged_cases(log, {})); }), error);
    }
}

} // namespace
} // namespace nestbed
