// The text of a comparison. compare_cli_test.cpp has more of it, a whole table and a whole CSV.
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
