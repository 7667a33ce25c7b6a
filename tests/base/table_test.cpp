// Tables for a terminal of 80 columns.
#include "base/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace nestbed
{
namespace
{

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
    EXPECT_EQ(
        table_text({{"name", true, false, 0, {"a", "long one", ""}}, {"count", false, false, 0, {"1", "", "12345"}}}),
        "\n"
        "name      count\n"
        "a             1\n"
        "long one\n"
        "          12345\n");
}

TEST(Table, SaysWhatAllLinesHaveInCommonOnce)
{
    EXPECT_EQ(table_text({{"name", true, false, 0, {"a", "b"}},
                          {"grid", false, true, 0, {"64", "64"}},
                          {"depth", false, true, 0, {"", "full"}}, // means nothing to a
                          {"wave", false, true, 0, {"", ""}},      // nor to any
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
        return table_text({{"a", true, false, 0, {wide}},
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
    // What cannot be spared stays, however wide.
    EXPECT_GT(widest_line(table(100)), 100U);
    EXPECT_NE(table(100).find(wide), std::string::npos);
}

TEST(Table, WrapsALongLineOfCommonValues)
{
    std::vector<Column> columns{{"name", true, false, 0, {"a"}}};
    for (int axis = 0; axis < 12; ++axis)
        columns.push_back({"axis" + std::to_string(axis), false, true, 0, {"123456"}});
    const std::string text = table_text(columns);
    EXPECT_LE(widest_line(text), 80U);
    EXPECT_NE(text.find("axis11 123456\n\nname\n"), std::string::npos) << text;
}

} // namespace
} // namespace nestbed
