// Tables for a terminal of 80 columns.
#include "base/table.hpp"

#include "support/growth.hpp"

#include <sstream>

namespace nestbed
{
namespace
{

std::string table_in_80(std::vector<Column> columns)
{
    return table_text(std::move(columns), {.columns = 80});
}

std::size_t widest_line(const std::string& text)
{
    std::size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        widest = std::max(widest, line.size());
    return widest;
}

TEST(Table, AlignsAndHasNoBlanksAtTheEnds)
{
    EXPECT_EQ(table_in_80(
                  {{"name", true, false, 0, {"a", "long one", ""}}, {"count", false, false, 0, {"1", "", "12345"}}}),
              "\n"
              "name      count\n"
              "a             1\n"
              "long one\n"
              "          12345\n");
}

TEST(Table, SaysWhatAllLinesHaveInCommonOnce)
{
    EXPECT_EQ(table_in_80({{"name", true, false, 0, {"a", "b"}},
                           {"grid", false, true, 0, {"64", "64"}},
                           {"depth", false, true, 0, {"", "full"}}, // does not apply to a
                           {"wave", false, true, 0, {"", ""}},      // applies to neither
                           {"block", false, true, 0, {"8", "16"}}}),
              "grid 64, depth full\n"
              "\n"
              "name  block\n"
              "a         8\n"
              "b        16\n");
}

TEST(Table, LeavesOutWhatCanBeSparedUntilItFits80ColumnsAndSaysSo)
{
    const std::string wide(30, 'x');
    const auto table = [&](std::size_t rest) {
        return table_in_80({{"a", true, false, 0, {wide}},
                            {"second", true, false, 2, {wide}},
                            {"first", true, false, 1, {"1"}},
                            {"b", true, false, 0, {std::string(rest, 'y')}}});
    };
    EXPECT_EQ(table(9).find("without"), std::string::npos); // 30 + 30 + 5 + 9 and three gaps
    EXPECT_EQ(widest_line(table(9)), 80U);
    EXPECT_NE(table(10).find("(without first: the table would be wider than 80 columns)"), std::string::npos);
    EXPECT_EQ(table(16).find("second:"), std::string::npos);
    EXPECT_NE(table(17).find("(without first, second: the table"), std::string::npos);
    EXPECT_EQ(table(17).find("second "), std::string::npos);
}

// Two lines per row, and a note below the table.
TEST(Table, ContinuesARowThatIsTooWideInAnotherLine)
{
    const std::vector<Column> columns{{.name = "name", .left = true, .cells = {"one", "two"}},
                                      {.name = "mechanism", .left = true, .cells = {"fire_and_forget", "tail"}},
                                      {.name = "median", .cells = {"20.0 us", "1.00 ms"}},
                                      {.name = "status", .left = true, .cells = {"ok", "1 of 2 wrong"}}};
    EXPECT_EQ(table_text(columns, {.columns = 29}, {"", "2 of 4 numbers are wrong, the first at 0"}),
              "\n"
              "name  mechanism\n"
              "     median  status\n"
              "one   fire_and_forget\n"
              "    20.0 us  ok\n"
              "two   tail\n"
              "    1.00 ms  1 of 2 wrong\n"
              "    2 of 4 numbers are wrong,\n"
              "    the first at 0\n");
    for (std::size_t width = 24; width < 100; ++width)
        EXPECT_LE(widest_line(table_text(columns, {.columns = width}, {"", "a note of some words"})), width);
}

TEST(Table, SaysAboveTheirRowsWhatChangesLeastWhereItIsTooWide)
{
    const std::vector<Column> columns{
        {.name = "name", .left = true, .cells = {"one", "two", "three", "one", "two", "three"}},
        {.name = "input", .left = true, .axis = true, .cells = {"rmat", "rmat", "rmat", "grid", "grid", "grid"}},
        {.name = "grain", .axis = true, .cells = {"", "16", "32", "", "16", "32"}},
        {.name = "mad", .dispensable = 1, .cells = {"1", "2", "3", "4", "5", "6"}},
        {.name = "median", .cells = std::vector<std::string>(6, "20.0 us")},
        {.name = "status", .left = true, .cells = std::vector<std::string>(6, "ok")}};
    EXPECT_EQ(table_text(columns, {.columns = 29}), "\n"
                                                    "name   grain   median  status\n"
                                                    "\n"
                                                    "input rmat:\n"
                                                    "one           20.0 us  ok\n"
                                                    "two       16  20.0 us  ok\n"
                                                    "three     32  20.0 us  ok\n"
                                                    "\n"
                                                    "input grid:\n"
                                                    "one           20.0 us  ok\n"
                                                    "two       16  20.0 us  ok\n"
                                                    "three     32  20.0 us  ok\n"
                                                    "(without mad: the table would\n"
                                                    "be wider than 29 columns)\n");
    EXPECT_NE(table_text(columns, {.columns = 36}).find("name   input  grain   median  status\n"), std::string::npos);
    // A heading makes room for a column.
    EXPECT_NE(table_text(columns, {.columns = 35}).find("name   grain  mad   median  status\n\ninput rmat:\n"),
              std::string::npos);
}

TEST(Table, PutsAColumnBelowTheOneBeforeWhereItIsTooWide)
{
    const std::vector<Column> columns{{.name = "name", .left = true, .cells = {"one", "two", "two", "two", "two"}},
                                      {.name = "mechanism",
                                       .left = true,
                                       .axis = true,
                                       .cells = {"", "tail", "null", "tail", "null"},
                                       .below = true},
                                      {.name = "grid", .axis = true, .cells = {"1", "1", "1", "2", "2"}},
                                      {.name = "median", .cells = std::vector<std::string>(5, "20.0 us")}};
    EXPECT_NE(table_text(columns, {.columns = 30}).find("two   tail          1  20.0 us\n"), std::string::npos);
    EXPECT_EQ(table_text(columns, {.columns = 29}), "\n"
                                                    "name    grid   median\n"
                                                    "one        1  20.0 us\n"
                                                    "two\n"
                                                    "  tail     1  20.0 us\n"
                                                    "  null     1  20.0 us\n"
                                                    "  tail     2  20.0 us\n"
                                                    "  null     2  20.0 us\n");
    EXPECT_EQ(table_text(columns, {.columns = 20}), "\n"
                                                    "name     median\n"
                                                    "\n"
                                                    "grid 1:\n"
                                                    "one     20.0 us\n"
                                                    "two\n"
                                                    "  tail  20.0 us\n"
                                                    "  null  20.0 us\n"
                                                    "\n"
                                                    "grid 2:\n"
                                                    "two\n"
                                                    "  tail  20.0 us\n"
                                                    "  null  20.0 us\n");
}

TEST(Table, MakesAHeadingOfWhatHardlyChangesBeforeItLeavesOutAColumn)
{
    const auto width_of = [](std::size_t rows) {
        std::vector<std::string> clock(rows, "gpu");
        clock.front() = "host";
        return table_text(
            {{.name = "name", .left = true, .cells = std::vector<std::string>(rows, "one")},
             {.name = "clock", .left = true, .axis = true, .cells = clock},
             {.name = "bar", .left = true, .dispensable = 1, .cells = std::vector<std::string>(rows, "#")},
             {.name = "median", .cells = std::vector<std::string>(rows, "20.0 us")}},
            {.columns = 20});
    };
    EXPECT_NE(width_of(9).find("name  bar   median\n\nclock host:\none   #    20.0 us\n\nclock gpu:\n"),
              std::string::npos);
    EXPECT_NE(width_of(8).find("(without bar: "), std::string::npos);
}

TEST(Table, HasColoursWhereTheTerminalHasThem)
{
    const std::vector<Column> columns{
        {.name = "status", .left = true, .cells = {"ok", "bad"}, .colour = [](const std::string& cell) {
             return cell == "ok" ? Colour::green : Colour::red;
         }}};
    EXPECT_EQ(table_text(columns, {.columns = 80}), "\nstatus\nok\nbad\n");
    EXPECT_EQ(table_text(columns, {.columns = 80, .colour = true}),
              "\nstatus\n\033[32mok\033[0m\n\033[31mbad\033[0m\n");
}

TEST(Table, BecomesMarkdown)
{
    EXPECT_EQ(markdown_text({{.name = "name", .left = true, .cells = {"a|b", "c"}},
                             {.name = "grid", .axis = true, .cells = {"64", "64"}},
                             {.name = "n", .cells = {"1", "2"}}}),
              "\ngrid 64\n\n| name | n |\n| --- | --: |\n| a\\|b | 1 |\n| c | 2 |\n");
}

TEST(Table, WrapsALongLineOfCommonValues)
{
    std::vector<Column> columns{{"name", true, false, 0, {"a"}}};
    for (int axis = 0; axis < 12; ++axis)
        columns.push_back({"axis" + std::to_string(axis), false, true, 0, {"123456"}});
    const std::string text = table_in_80(columns);
    EXPECT_LE(widest_line(text), 80U);
    EXPECT_NE(text.find("axis11 123456\n\nname\n"), std::string::npos) << text;
}

TEST(Table, TakesTimeInProportionToItsRows)
{
    const auto table_of = [](std::size_t rows) {
        return std::vector<Column>{{.name = "name", .left = true, .cells = std::vector<std::string>(rows, "one")},
                                   {.name = "count", .cells = std::vector<std::string>(rows, "12345")}};
    };
    expect_proportional([&](std::size_t rows) { table_in_80(table_of(rows)); }, 2000);
}

TEST(Table, LeavesOutTheFirstOfEquallyDispensableColumns)
{
    const std::string wide(30, 'x');
    const std::string text = table_in_80({{"a", true, false, 0, {wide}},
                                          {"second", true, false, 2, {wide}},
                                          {"third", true, false, 2, {wide}},
                                          {"b", true, false, 0, {"1"}}});
    EXPECT_NE(text.find("(without second: the table"), std::string::npos) << text;
    EXPECT_NE(text.find("third"), std::string::npos);
}

TEST(Table, WithoutColumnsOrRowsIsItsHead)
{
    EXPECT_EQ(table_in_80({}), "\n\n");
    EXPECT_EQ(table_in_80({{"name", true, false, 0, {}}, {"count", false, false, 0, {}}}), "\nname  count\n");
    EXPECT_EQ(markdown_text({{.name = "name", .left = true}}), "\n| name |\n| --- |\n");
}

TEST(Table, HasALineForARowWithoutCellsAndCountsCharacters)
{
    EXPECT_EQ(table_in_80({{"name", true, false, 0, {"a", "", "b"}}, {"n", false, false, 0, {"1", "", "2"}}}),
              "\nname  n\na     1\n\nb     2\n");
    EXPECT_EQ(table_in_80({{"bar", true, false, 0, {"\u2588\u2588", "####"}}, {"n", false, false, 0, {"1", "2"}}}),
              "\nbar   n\n\u2588\u2588    1\n####  2\n");
}

// The line ends with a comma, so there must be room for it.
TEST(Table, FillsALineOfCommonValuesUpToItsEnd)
{
    const auto head = [](std::size_t last, std::size_t width) {
        std::vector<Column> columns{{"name", true, false, 0, {"a"}}};
        columns.push_back({"grid", false, true, 0, {"1234567"}});
        columns.push_back({"block", false, true, 0, {std::string(last, '9')}});
        const std::string text = table_text(columns, {.columns = width});
        return text.substr(0, text.find("\n\n"));
    };
    EXPECT_EQ(head(4, 25), "grid 1234567, block 9999");
    EXPECT_EQ(head(5, 25), "grid 1234567,\nblock 99999");
}

TEST(WordsInLines, FillLinesAndIndentAllOfThem)
{
    EXPECT_EQ(words_in_lines("some words  here", 0, 80), "some words here\n");
    EXPECT_EQ(words_in_lines("aaaa bbbb cccc", 2, 11), "  aaaa bbbb\n  cccc\n");
    EXPECT_EQ(words_in_lines("aaaa bbbb cccc", 2, 10), "  aaaa\n  bbbb\n  cccc\n");
    EXPECT_EQ(words_in_lines("a-long-word b", 0, 5), "a-long-word\nb\n");
}

TEST(Column, IsConstantWhereItsCellsDoNotDiffer)
{
    EXPECT_TRUE((Column{.name = "a", .cells = {"", "1", ""}}.constant()));
    EXPECT_FALSE((Column{.name = "a", .cells = {"1", "", "2"}}.constant()));
    EXPECT_EQ((Column{.name = "a", .cells = {"", "1", "2"}}.value()), "1");
    EXPECT_EQ((Column{.name = "a", .cells = {"", ""}}.value()), "");
}

} // namespace
} // namespace nestbed
