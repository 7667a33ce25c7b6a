// `nestbed compare` as a user types it: the table, the exit code, the CSV, and what it refuses.
#include "base/text.hpp"
#include "support/cli_support.hpp"
#include "support/support.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

namespace nestbed
{
namespace
{

constexpr const char* kHeader = "strategy,backend,grid,block,elements,gpu_us,wall_us,status,gpu,git\r\n";

// Five rows of one case. A time of 0 means wrong rows.
std::string rows(const std::string& strategy, int grid, double time, const std::string& git = "abc")
{
    std::string text;
    for (int row = 0; row < 5; ++row)
        text += fmt::format("{0},cuda,{1},64,{2},{3},{3},{4},Some GPU,{5}\r\n", strategy, grid, 64 * grid,
                            time == 0 ? "" : fmt::format("{}", time), time == 0 ? "wrong" : "ok", git);
    return text;
}

class CompareCommand : public testing::Test
{
  protected:
    std::string before(const std::string& text) const { return scratch_.write("a.csv", kHeader + text); }
    std::string after(const std::string& text) const { return scratch_.write("b.csv", kHeader + text); }
    Outcome compare(int exit_code, const Words& more = {}) const
    {
        return ended(exit_code, Words{"compare", scratch_.path("a.csv"), scratch_.path("b.csv")} + more);
    }

    ScratchFolder scratch_;
};

TEST_F(CompareCommand, PrintsATableAndFindsNothing)
{
    before(rows("nosync", 1, 8) + rows("nosync", 2, 16) + rows("reduce2", 1, 4));
    after(rows("nosync", 1, 8, "def") + rows("nosync", 2, 16, "def") + rows("reduce2", 1, 3.5, "def"));
    const Outcome compared = compare(0);
    EXPECT_EQ(compared.err, "");
    EXPECT_THAT(compared.out, StartsWith(fmt::format("A: {}, 3 cases of 15 rows\nB: {}, 3 cases of 15 rows\n"
                                                     "git: A abc; B def\nbackend cuda", // the GPU is the same
                                                     scratch_.path("a.csv"), scratch_.path("b.csv"))));
    EXPECT_THAT(compared.out,
                EndsWith("backend cuda, block 64, clock gpu, n 5\n"
                         "\n"
                         "strategy  grid        A        B  B / A         95% CI  verdict\n"
                         "nosync       1  8.00 us  8.00 us  1.000  1.000 - 1.000  same\n"
                         "nosync       2  16.0 us  16.0 us  1.000  1.000 - 1.000  same\n"
                         "reduce2      1  4.00 us  3.50 us  0.875  0.875 - 0.875  faster\n"
                         "\n"
                         "2 same, 1 faster.\n"
                         "Measurably different: 1 of 3 tested; expect up to 0.2 false positives (5 %).\n"));
}

TEST_F(CompareCommand, FindsARegressionAndNamesTheWorst)
{
    before(rows("nosync", 1, 8) + rows("nosync", 2, 8) + rows("reduce2", 1, 4));
    after(rows("nosync", 1, 9) + rows("nosync", 2, 10) + rows("reduce2", 1, 4));
    const Outcome compared = compare(3, "--tolerance 10");
    EXPECT_EQ(compared.err, "nestbed: 2 regressions (2 slower by more than 10 %); the worst: nosync, grid 2: 1.250 "
                            "times as slow, 95% CI 1.250 - 1.250\n");
    EXPECT_THAT(compared.out, AllOf(HasSubstr("  slower *\n"), HasSubstr("2 slower, 1 same.\n"),
                                    EndsWith("* a regression: fails, untimed, or slower by more than 10 %\n")));
    EXPECT_THAT(compare(3, "--tolerance 12.5").err, HasSubstr("1 regression (1 slower by more than 12.5 %)"));
    const Outcome tolerated = compare(0, "--tolerance 25");
    EXPECT_THAT(tolerated.out, AllOf(HasSubstr("2 slower, 1 same"), Not(HasSubstr("*"))));
    EXPECT_EQ(tolerated.err, "");
}

TEST_F(CompareCommand, PutsWhatFailsBeforeWhatIsSlow)
{
    before(rows("nosync", 1, 8) + rows("nosync", 2, 8) + rows("reduce2", 1, 0) + rows("reduce2", 2, 0));
    after(rows("nosync", 1, 80) + rows("nosync", 2, 0) + rows("reduce2", 1, 0) + rows("reduce2", 2, 4));
    const Outcome compared = compare(3);
    EXPECT_EQ(compared.err, "nestbed: 2 regressions (1 fails, 1 slower by more than 5 %); the worst: nosync, grid 2: "
                            "fails, 5 of 5 wrong\n");
    EXPECT_THAT(compared.out,
                HasSubstr("strategy  grid        A        B  B / A         95% CI  ok in A, B  verdict\n"));
    EXPECT_THAT(compared.out, AllOf(HasSubstr("8.00 us    wrong"), HasSubstr("5/5 0/5  fails *\n"),
                                    HasSubstr("wrong    wrong                                    no times\n"),
                                    HasSubstr("0/5 5/5  fixed\n")))
        << compared.out;
}

TEST_F(CompareCommand, NamesSomeOfWhatIsMissing)
{
    std::string gone;
    for (int grid = 2; grid <= 8; ++grid)
        gone += rows("nosync", grid, 8);
    before(rows("nosync", 1, 8) + gone);
    after(rows("nosync", 1, 8) + rows("tail", 1, 8));
    const Outcome compared = compare(3);
    EXPECT_EQ(compared.err, "nestbed: 7 regressions (7 missing); the worst: nosync, grid 2: missing in B\n");
    EXPECT_THAT(compared.out, HasSubstr("7 missing, 1 same, 1 added.\n"));
    EXPECT_THAT(compared.out,
                HasSubstr("Only in A, 7 cases: nosync, grid 2; nosync, grid 3; nosync, grid 4; nosync, grid\n"
                          "5; nosync, grid 6; and 2 more.\n"
                          "Only in B, 1 case: tail, grid 1.\n"));
    EXPECT_THAT(compared.out, Not(HasSubstr("\ntail")));
}

TEST_F(CompareCommand, SaysWhatIsTooFewAndWhatWasLeftOut)
{
    before(rows("nosync", 1, 8));
    scratch_.write("b.csv", "strategy,backend,block,wall_us,status\r\nnosync,cuda,64,9,ok\r\n");
    const Outcome compared = compare(0, "--tolerance 20");
    EXPECT_THAT(compared.out,
                AllOf(HasSubstr("1.125  1.125 - 1.125  too few\n"),
                      HasSubstr("Too few: a case with fewer than 5 samples in A or B is not tested; it is a\n"
                                "regression if it is slower by more than 20 %.\n"),
                      HasSubstr("B: " + scratch_.path("b.csv") + ", 1 case of 1 row\n"),
                      HasSubstr("Not used to match cases: elements, grid (only in one log).\n"),
                      HasSubstr("gpu: A Some GPU; B unknown\n"), Not(HasSubstr("Measurably different"))))
        << compared.out;
}

TEST_F(CompareCommand, LetsNothingPassThatItCouldNotTest)
{
    const std::string header = "strategy,backend,grid,wall_us,status\r\n";
    const auto log = [&](double time, int grid_2) {
        std::string text = header;
        for (int row = 0; row < 3; ++row)
            text += fmt::format("nosync,cuda,1,{},ok\r\nnosync,cuda,2,{},ok\r\n", time,
                                grid_2 == 0 ? "" : std::to_string(grid_2));
        return text;
    };
    scratch_.write("a.csv", log(8, 8));
    scratch_.write("b.csv", log(800, 8));
    const Outcome slower = compare(3);
    EXPECT_EQ(slower.err,
              "nestbed: 1 regression (1 slower by more than 5 % with too few samples for a test); the worst: "
              "nosync, grid 1: 100.00 times as slow, from 3 and 3 samples; a test needs 5\n");
    EXPECT_THAT(slower.out, HasSubstr("  too few *\n"));
    scratch_.write("b.csv", log(8, 0));
    const Outcome untimed = compare(3);
    EXPECT_EQ(untimed.err, "nestbed: 1 regression (1 untimed); the worst: nosync, grid 2: right in both logs, but "
                           "one log, or some rows, have no time\n");
    EXPECT_THAT(untimed.out, AllOf(HasSubstr("  untimed *\n"),
                                   HasSubstr("Untimed: one log, or some rows, have no time; not tested.\n")));
    // Logs without times are compared by their answers.
    scratch_.write("a.csv", log(8, 0));
    compare(0);
}

TEST_F(CompareCommand, WritesACsvOfEveryCase)
{
    before(rows("nosync", 1, 8) + rows("nosync", 2, 8) + rows("nosync", 4, 8));
    after(rows("nosync", 1, 9) + rows("nosync", 4, 0) + rows("tail", 1, 0));
    const std::string expected =
        "strategy,backend,elements,grid,block,clock,rows_a,ok_a,status_a,median_a_us,submit_a,"
        "rows_b,ok_b,status_b,median_b_us,submit_b,"
        "ratio,ratio_low,ratio_high,verdict,regression\r\n"
        "nosync,cuda,64,1,64,gpu,5,5,ok,8,open,5,5,ok,9,open,1.125,1.125,1.125,slower,yes\r\n"
        "nosync,cuda,128,2,64,gpu,5,5,ok,8,,0,0,,,,,,,missing,yes\r\n"
        "nosync,cuda,256,4,64,gpu,5,5,ok,8,,5,0,wrong,,,,,,fails,yes\r\n"
        "tail,cuda,64,1,64,,0,0,,,,5,0,wrong,,,,,,added,no\r\n";
    const Outcome compared = compare(3, {"--csv", scratch_.path("c.csv")});
    EXPECT_THAT(compared.out, HasSubstr("verdict"));
    EXPECT_EQ(scratch_.read("c.csv"), expected);
    const Outcome printed = compare(3, "--csv -");
    EXPECT_EQ(printed.out, expected);
    EXPECT_THAT(compare(3, "--csv - --tolerance 12.5").out, HasSubstr(",slower,no\r\n"));
    EXPECT_THAT(printed.err, HasSubstr("3 regressions (1 fails, 1 slower by more than 5 %, 1 missing)"));
    const Outcome again = compare(2, {"--csv", scratch_.path("c.csv")});
    EXPECT_THAT(again.err, HasSubstr("it already exists"));
}

TEST_F(CompareCommand, RefusesBadOptions)
{
    before(rows("nosync", 1, 8));
    after(rows("nosync", 1, 8));
    for (const char* tolerance : {"-1", "1001", "5%", "x", "nan", "inf"}) {
        const Outcome refused = compare(2, {"--tolerance", tolerance});
        EXPECT_EQ(refused.err,
                  fmt::format("nestbed: --tolerance {}; allowed: a number of percent from 0 to 1000\n", tolerance));
    }
    compare(0, "--tolerance 0");
    compare(0, "--tolerance 1000");
    compare(2, "--tolerance 1 --tolerance 2");
    EXPECT_THAT(compare(2, "third.csv").err, HasSubstr("third.csv: 3 files; allowed: compare A.csv B.csv"));
    ended(2, "compare");
    EXPECT_THAT(compare(2, "--tolerence 1").err, HasSubstr("did you mean '--tolerance'?"));
}

// damaged_log_cli_test.cpp has damaged rows.
TEST_F(CompareCommand, RefusesWhatItCannotRead)
{
    const std::string a = before(rows("nosync", 1, 8));
    const auto expect_refused = [&](int exit_code, const std::string& text) {
        const Outcome refused = compare(exit_code);
        EXPECT_EQ(refused.out, "");
        EXPECT_THAT(refused.err, HasSubstr(text));
    };
    expect_refused(1, "b.csv: it could not be read: No such file or directory");
    after(rows("tail", 1, 8));
    expect_refused(2, "have no case in common");
    EXPECT_EQ(nestbed({"compare", a, scratch_.path("")}).exit_code, 1); // a folder
}

// Mechanism and block follow from the strategy, and the wave follows from the grid.
TEST_F(CompareCommand, ShowsOnlyWhatTellsCasesApart)
{
    const std::string text =
        "strategy,backend,mechanism,grid,block,wave,wall_us,status\r\n"
        "chain,cuda,tail,1,32,1,10,ok\r\n"
        "nosync,cuda,null_stream,64,512,64,10,ok\r\nnosync,cuda,null_stream,128,512,96,10,ok\r\n";
    scratch_.write("a.csv", text);
    scratch_.write("b.csv", text);
    EXPECT_THAT(compare(0).out, HasSubstr("\nstrategy  grid        A        B  B / A         95% CI  verdict\n"));
}

TEST_F(CompareCommand, NamesTheKeyInTheCsv)
{
    scratch_.write("a.csv", "key,strategy,backend,wall_us,status\r\n00000000000000aa,s,cpu,10,ok\r\n");
    scratch_.write("b.csv", "key,strategy,backend,wall_us,status\r\n00000000000000aa,s,cpu,10,ok\r\n");
    EXPECT_THAT(compare(0, "--csv -").out, AllOf(StartsWith("strategy,backend,key,clock,"),
                                                 HasSubstr("\r\ns,cpu,00000000000000aa,wall,1,1,ok,10,")));
}

// Compares a real log with itself. The log is from an earlier version, without the column `key`.
TEST(CompareOfTheRepository, FindsNoChangeInALogAgainstItself)
{
    const std::string log =
        (std::filesystem::path(NESTBED_EXPERIMENTS).parent_path() / "results/h200/book.csv").string();
    const Outcome compared = ended(0, {"compare", log, log, "--tolerance", "0"});
    EXPECT_EQ(compared.err, "");
    EXPECT_THAT(compared.out, HasSubstr("5 same.\n"));
    std::istringstream lines(compared.out);
    for (std::string line; std::getline(lines, line);) {
        const bool path = line.find("book.csv") != std::string::npos; // a path is never broken across lines
        EXPECT_TRUE(path || line.size() <= 80) << line;
    }
}

// In logs of waves, different cases can look the same because these logs have no `key`. In overhead.csv, many runs
// measured each case.
TEST(CompareOfTheRepository, ReadsWhatLooksAsIfItWereThereTwice)
{
    const std::filesystem::path folder = std::filesystem::path(NESTBED_EXPERIMENTS).parent_path() / "results/h200";
    for (const char* name : {"overhead.csv", "synced_waves.csv", "waves.csv"}) {
        const std::string log = (folder / name).string();
        ended(0, {"compare", log, log, "--tolerance", "0"});
    }
}

// Whether the text contains something that a terminal would interpret as a command.
bool has_controls(const std::string& text)
{
    return printable(text) != text;
}

TEST_F(CompareCommand, CellsOfOthersDoNotCommandTheTerminal)
{
    const std::string hostile = "evil\x1b[2J\x1b]0;owned\x07\xc2\x9b"
                                "31m\x9b\rfine";
    const std::string cell = '"' + hostile + '"';
    before(rows(cell, 1, 4) + rows("nosync", 1, 4, cell));
    after(rows(cell, 1, 8) + rows("nosync", 1, 4, cell));
    const Outcome compared = compare(3);
    for (const std::string& text : {compared.out, compared.err}) {
        EXPECT_FALSE(has_controls(text)) << printable(text);
        EXPECT_THAT(text, HasSubstr("evil\\x1b[2J\\x1b]0;owned\\x07\\xc2\\x9b31m\\x9b\\x0dfine"));
    }
    EXPECT_THAT(compare(3, "--csv -").out, HasSubstr(hostile)); // data are not changed
    after(fmt::format("nosync,cuda,1,64,64,{0},{0},ok,Some GPU,abc\r\n", "\x1b[2J"));
    const Outcome refused = compare(1);
    EXPECT_FALSE(has_controls(refused.err)) << printable(refused.err);
    EXPECT_THAT(refused.err, HasSubstr("\\x1b[2J"));
}

} // namespace
} // namespace nestbed
