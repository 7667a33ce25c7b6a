// The text of a comparison.
#include "inspect/compare_text.hpp"

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

// compare_cli_test.cpp has more of them, a whole table and a whole CSV.
TEST(CompareText, NamesTheCasesThatOneLogAloneHas)
{
    const std::string few = grid_rows(1, 10) + grid_rows(2, 10);
    const std::string many = few + grid_rows(4, 10) + grid_rows(8, 10);
    EXPECT_THAT(Compared(few, many).text(), HasSubstr("Only in B, 2 cases: s, grid 4; s, grid 8.\n"));
}

TEST(CompareText, SaysWhatWasNotTestedAndHow)
{
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
