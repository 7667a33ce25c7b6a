// The text of a comparison.
#include "inspect/compare_text.hpp"

#include "base/csv.hpp"
#include "inspect/compare_csv.hpp"
#include "support/matchers.hpp"

#include <fmt/format.h>

namespace nestbed
{
namespace
{

// Rows of one case. Without a time they are wrong.
std::string grid_rows(int grid, std::optional<double> us, int count = 5)
{
    std::string text;
    for (int row = 0; row < count; ++row)
        text += fmt::format("s,cuda,{},{},{},{}\r\n", grid, 512 / grid, us ? fmt::to_string(*us) : "",
                            us ? "ok" : "wrong");
    return text;
}

struct Compared {
    Compared(const std::string& a, const std::string& b) : before(parsed("a.csv", a)), after(parsed("b.csv", b)) {}

    static ParsedLog parsed(const std::string& path, const std::string& rows)
    {
        return parse_log(path, "strategy,backend,grid,block,wall_us,status\r\n" + rows);
    }
    std::string text() const { return compare_text(compare_logs(before, after), before, after, 0.05); }
    std::string regressions() const { return regressions_text(compare_logs(before, after), 0.05); }

    ParsedLog before;
    ParsedLog after;
};

TEST(CompareText, HasTheColumnsThatTellTheCasesApart)
{
    const std::string log = grid_rows(8, 10) + grid_rows(16, 10) + grid_rows(32, 10);
    // block is not shown, because it follows from grid.
    EXPECT_THAT(Compared(log, log).text(), AllOf(HasSubstr("  grid  "), Not(HasSubstr("block"))));
}

TEST(CompareText, NamesFiveOfTheCasesThatOneLogAloneHas)
{
    std::string few = grid_rows(1, 10);
    std::string many = few;
    for (const int grid : {2, 4, 8, 16, 32, 64, 128})
        many += grid_rows(grid, 10);
    EXPECT_THAT(
        Compared(many, few).text(),
        HasSubstr("Only in A, 7 cases: s, grid 2; s, grid 4; s, grid 8; s, grid 16; s, grid 32; and\n2 more.\n"));
    few = grid_rows(1, 10) + grid_rows(2, 10);
    many = few + grid_rows(4, 10) + grid_rows(8, 10);
    EXPECT_THAT(Compared(few, many).text(), HasSubstr("Only in B, 2 cases: s, grid 4; s, grid 8.\n"));
}

TEST(CompareText, SaysWhatWasNotTestedAndHow)
{
    const std::string fine = grid_rows(8, 10) + grid_rows(16, 10);
    EXPECT_THAT(Compared(fine, fine).text(),
                AllOf(HasSubstr("A: a.csv, 2 cases of 10 rows\nB: b.csv, 2 cases of 10 rows\n"),
                      HasSubstr("\n2 same.\n"),
                      HasSubstr("Measurably different: 0 of 2 tested; expect up to 0.1 false positives (5 %).\n"),
                      Not(HasSubstr("Too few")), Not(HasSubstr("Untimed")), Not(HasSubstr("Only in")),
                      Not(HasSubstr("* a regression"))));
    const std::string few = grid_rows(8, 10) + grid_rows(16, 20, 1);
    const std::string text = Compared(grid_rows(8, 10) + grid_rows(16, 10, 1), few).text();
    EXPECT_THAT(text, AllOf(HasSubstr("A: a.csv, 2 cases of 6 rows\n"), HasSubstr("\n1 same, 1 too few.\n"),
                            HasSubstr("Too few: a case with fewer than 5 samples in A or B is not tested; it is a\n"
                                      "regression if it is slower by more than 5 %.\n"),
                            HasSubstr("too few *\n"),
                            HasSubstr("* a regression: fails, untimed, or slower by more than 5 %\n")));
    EXPECT_THAT(Compared(grid_rows(8, 10, 1), grid_rows(8, 10, 1)).text(),
                AllOf(HasSubstr("1 case of 1 row\n"), Not(HasSubstr("Measurably different"))));
}

TEST(CompareText, SaysWhatTimesOfTheExecutorAre)
{
    const std::string said = "\nThe executor's times say nothing about those of a GPU.\n";
    std::string of_executor = grid_rows(8, 10);
    for (std::size_t at = 0; (at = of_executor.find("cuda", at)) != std::string::npos;)
        of_executor.replace(at, 4, "cpu");
    EXPECT_THAT(Compared(of_executor, of_executor).text(), HasSubstr(said));
    EXPECT_THAT(Compared(grid_rows(8, 10), grid_rows(8, 10)).text(), Not(HasSubstr(said)));
}

TEST(CompareText, ShowsHowManyRowsAreRightWhereSomeAreNot)
{
    const std::string half = grid_rows(8, 10) + grid_rows(8, {});
    EXPECT_THAT(Compared(half, half).text(), HasSubstr("5/10 5/10"));
    EXPECT_THAT(Compared(grid_rows(8, 10), grid_rows(8, 10, 7)).text(), HasSubstr("n 5, 7"));
    EXPECT_THAT(Compared(grid_rows(8, {}), grid_rows(8, {})).text(),
                AllOf(HasSubstr("wrong"), Not(HasSubstr("0/5"))));
}

TEST(CompareCsv, HasARowForEachCase)
{
    const Compared compared(grid_rows(8, 10) + grid_rows(16, 10),
                            grid_rows(8, 12.5) + grid_rows(16, {}) + grid_rows(32, 10));
    const Comparison comparison = compare_logs(compared.before, compared.after);
    const std::vector<std::vector<std::string>> csv = parse_csv(compare_csv(comparison, 0.05));
    using Cells = std::vector<std::string>;
    ASSERT_EQ(csv.size(), 4U);
    EXPECT_EQ(csv[0],
              (Cells{"strategy", "backend",     "grid",      "block",      "clock",   "rows_a",    "ok_a",
                     "status_a", "median_a_us", "submit_a",  "rows_b",     "ok_b",    "status_b",  "median_b_us",
                     "submit_b", "ratio",       "ratio_low", "ratio_high", "verdict", "regression"}));
    EXPECT_EQ(csv[1], (Cells{"s", "cuda", "8",  "64",   "wall", "5",    "5",    "ok",   "10",     "",
                             "5", "5",    "ok", "12.5", "",     "1.25", "1.25", "1.25", "slower", "yes"}));
    EXPECT_EQ(csv[2], (Cells{"s", "cuda", "16",    "32", "wall", "5", "5", "ok", "10",    "",
                             "5", "0",    "wrong", "",   "",     "",  "",  "",   "fails", "yes"}));
    EXPECT_EQ(csv[3], (Cells{"s", "cuda", "32", "16", "wall", "0", "0", "", "",      "",
                             "5", "5",    "ok", "10", "",     "",  "",  "", "added", "no"}));
    EXPECT_EQ(parse_csv(compare_csv(comparison, 0.25))[1].back(), "no");
}

TEST(RegressionsText, CountsOnlyWhatThereIs)
{
    const std::string same = grid_rows(8, 10);
    EXPECT_EQ(Compared(same, same).regressions(), "");
    EXPECT_EQ(Compared(same + grid_rows(16, 10), same + grid_rows(16, {})).regressions(),
              "1 regression (1 fails); the worst: s, grid 16: fails, 5 of 5 wrong");
    EXPECT_EQ(Compared(same + grid_rows(16, 8), same + grid_rows(16, 10)).regressions(),
              "1 regression (1 slower by more than 5 %); the worst: s, grid 16: 1.250 times as slow, 95% CI 1.250 - "
              "1.250");
}

TEST(RegressionsText, NamesTheWorst)
{
    const auto worst = [](const std::string& after) {
        const std::string before =
            grid_rows(1, 10) + grid_rows(2, 10) + grid_rows(4, 10, 3) + grid_rows(8, 10, 3) + grid_rows(16, 10);
        const std::string text = Compared(before, after).regressions();
        constexpr std::string_view kMark = "the worst: s, grid ";
        const std::size_t at = text.find(kMark) + kMark.size();
        return text.substr(at, text.find(':', at) - at);
    };
    const std::string fine = grid_rows(16, 10);
    // Grids 4 and 8 are suspects with too few samples: the slower of them is the worst. A missing case comes after
    // them.
    EXPECT_EQ(worst(grid_rows(4, 20, 3) + grid_rows(8, 1000, 3) + fine), "8");
    EXPECT_EQ(worst(grid_rows(4, 1000, 3) + grid_rows(8, 20, 3) + fine), "4");
    // A case that is certainly slower comes before suspects, and a failing case before that.
    EXPECT_EQ(worst(grid_rows(1, 12) + grid_rows(2, 13) + grid_rows(8, 1000, 3) + fine), "2");
    EXPECT_EQ(worst(grid_rows(1, {}) + grid_rows(2, 13) + grid_rows(8, 1000, 3) + fine), "1");
}

} // namespace
} // namespace nestbed
