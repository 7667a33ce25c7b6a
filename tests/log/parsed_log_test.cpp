// Reading a log, or any other CSV with a header.
#include "base/error.hpp"
#include "log/parsed_log.hpp"
#include "support/log_support.hpp"
#include "support/support.hpp"

namespace nestbed
{
namespace
{

TEST(ParsedLog, KnowTheirLines)
{
    const ParsedLog rows = parse_log("a.csv", "name,detail\r\na,\"two\nlines\"\r\nb,\r\n");
    ASSERT_EQ(rows.rows.size(), 2U);
    EXPECT_EQ(rows_in(rows)[0].line, 2U);
    EXPECT_EQ(rows_in(rows)[1].line, 4U);
    const ParsedLog late = parse_log("a.csv", "\n\"two\nlines\",b\n\n1,2\n\n3,4");
    ASSERT_EQ(late.rows.size(), 2U);
    EXPECT_EQ(rows_in(late)[0].line, 5U);
    EXPECT_EQ(rows_in(late)[1].line, 7U);
    EXPECT_EQ(text_of<RunError>([] { parse_log("a.csv", "a,b\n\n1\n"); }),
              "a.csv:3: 1 cells under 2 columns: the row is incomplete");
}

TEST(ParsedLog, NameWhatIsWrong)
{
    EXPECT_EQ(text_of<RunError>([] { parse_log("a.csv", ""); }), "a.csv: it is empty; allowed: a CSV with a header");
    EXPECT_EQ(text_of<RunError>([] { parse_log("a.csv", "a,b\r\n1,2\r\n1\r\n"); }),
              "a.csv:3: 1 cells under 2 columns: the row is incomplete");
    EXPECT_THAT(text_of<RunError>([] { parse_log("a.csv", "a,b\r\n1,\"2"); }), HasSubstr("the file may be cut off"));
    // After a power failure, some file systems leave zero bytes in a file. They would end a message too early.
    EXPECT_EQ(text_of<RunError>([] { parse_log("a.csv", std::string_view("a,b\r\n1,\0\0\r\n", 11)); }),
              "a.csv:2: byte 7 is 0: the file is damaged, or not text");
    const ParsedLog rows = parse_log("a.csv", "a\r\nten\r\n");
    EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(rows.column("b")); }), "a.csv: it has no column b");
    EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(rows.number(rows_in(rows)[0], "a")); }),
              "a.csv:2: a is 'ten'; allowed: a number");
}

TEST(ParseLog, TakesNoHeaderWithAColumnTwice)
{
    EXPECT_EQ(text_of<RunError>([] { static_cast<void>(parse_log("a.csv", std::string("a,b,a\r\n1,2,3\r\n"))); }),
              "a.csv:1: column 'a' is there twice; allowed: a header with each column once");
}

TEST(ParseLog, TakesNoLogOfKeyVersion1)
{
    for (const std::string old : {"floor_us", "items_offered", "delta"})
        EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(parse_log("a.csv", "a," + old + "\r\n1,2\r\n")); }),
                    AllOf(StartsWith("a.csv:1: column '" + old + "' is of key version 1: "),
                          HasSubstr("; allowed: a log of key version 2")));
}

// What runs share is kept once, however their rows alternate. `run`, `merge` and `compare` learn here which runs and machines a log has.
TEST(ParsedLog, KnowsTheOriginsOfItsRows)
{
    const ParsedLog log =
        parse_log("a.csv", "run_id,wall_us,gpu\r\nr1,1,A\r\nr1,2,A\r\nr2,3,A\r\nr1,4,A\r\nr1,5,B\r\n");
    const auto said = [](const RowOrigin& origin) {
        return origin.at("run_id") + origin.at("gpu") + origin.at("driver") + " " + std::to_string(origin.rows);
    };
    ASSERT_EQ(log.origins.size(), 3U);
    EXPECT_EQ(said(log.origins[0]), "r1A 3");
    EXPECT_EQ(said(log.origins[1]), "r2A 1");
    EXPECT_EQ(said(log.origins[2]), "r1B 1");
    EXPECT_EQ(log.last_origin, 2U);
    EXPECT_THAT(log.values_of("run_id"), ElementsAre("r1", "r2"));
    EXPECT_THAT(log.values_of("driver"), ElementsAre(""));
    // Cells beside each other are no less different than each alone.
    EXPECT_EQ(parse_log("a.csv", "run_id,gpu\r\nab,c\r\na,bc\r\n").origins.size(), 2U);
    EXPECT_EQ(parse_log("a.csv", "run_id,gpu\r\na,b\r\na,c\r\na,b\r\n").last_origin, 0U);
}

} // namespace
} // namespace nestbed
