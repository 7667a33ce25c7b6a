#include "base/error.hpp"
#include "inspect/claim_numbers.hpp"
#include "inspect/claims.hpp"
#include "log/parsed_log.hpp"
#include "support/support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace nestbed
{
namespace
{

using testing::ElementsAre;
using testing::HasSubstr;

// A claims.json of one claim with one number n.
Claims with_number(const std::string& number, const std::string& more = "")
{
    return parse_claims("claims.json",
                        fmt::format(R"({{"logs": {{"a.csv": {{}}}}, "claims": [{{"id": "one", "claim": "It is {{n}}.",
                                        "log": "a.csv", {} "numbers": {{"n": {}}}}}]}})",
                                    more, number));
}

ClaimNumber number(const std::string& text, const std::string& more = "")
{
    return with_number(text, more).claims.front().numbers.front();
}

// Ten samples of fast, 1 to 10 us, and three of slow, by size 1 and 2.
ParsedLog log()
{
    std::string text = "strategy,size,gpu_us,launches,status\r\n";
    for (int time = 1; time <= 10; ++time)
        text += fmt::format("fast,1,{},8,ok\r\n", time);
    for (const int time : {100, 120, 110})
        text += fmt::format("slow,1,{},16,ok\r\n", time);
    for (const int time : {20, 20, 20})
        text += fmt::format("fast,2,{},8,ok\r\n", time);
    for (const int time : {60, 60, 60})
        text += fmt::format("slow,2,{},16,ok\r\n", time);
    text += "racy,1,5,1,ok\r\nracy,1,,1,wrong\r\nracy,2,,1,wrong\r\nracy,2,,1,wrong\r\n";
    return parse_log("a.csv", text);
}

TEST(ParsedLog, KnowTheirLines)
{
    const ParsedLog rows = parse_log("a.csv", "name,detail\r\na,\"two\nlines\"\r\nb,\r\n");
    EXPECT_EQ(rows.rows[0].line, 2U);
    EXPECT_EQ(rows.rows[1].line, 4U);
    const ParsedLog late = parse_log("a.csv", "\n\"two\nlines\",b\n\n1,2\n\n3,4");
    EXPECT_EQ(late.rows[0].line, 5U);
    EXPECT_EQ(late.rows[1].line, 7U);
    EXPECT_EQ(text_of<RunError>([] { parse_log("a.csv", "a,b\n\n1\n"); }),
              "a.csv:3: 1 cells under 2 columns: the row is not whole");
}

TEST(ParsedLog, NameWhatIsWrong)
{
    EXPECT_EQ(text_of<RunError>([] { parse_log("a.csv", ""); }), "a.csv: it is empty; allowed: a CSV with a header");
    EXPECT_EQ(text_of<RunError>([] { parse_log("a.csv", "a,b\r\n1,2\r\n1\r\n"); }),
              "a.csv:3: 1 cells under 2 columns: the row is not whole");
    EXPECT_THAT(text_of<RunError>([] { parse_log("a.csv", "a,b\r\n1,\"2"); }), HasSubstr("the file may be cut off"));
    // What some file systems leave of a file when the power fails. A message with it would end there.
    EXPECT_EQ(text_of<RunError>([] { parse_log("a.csv", std::string_view("a,b\r\n1,\0\0\r\n", 11)); }),
              "a.csv:2: byte 7 is 0: the file is damaged, or no text");
    const ParsedLog rows = parse_log("a.csv", "a\r\nten\r\n");
    EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(rows.column("b")); }), "a.csv: it has no column b");
    EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(rows.number(rows.rows[0], "a")); }),
              "a.csv:2: a is 'ten'; allowed: a number");
}

TEST(ClaimNumbers, MedianHasItsIntervalAndItsLines)
{
    const MeasuredNumber found = measure(
        number(R"({"median": "gpu_us", "rows": {"strategy": "fast", "size": 1}, "unit": "us", "within": 0})"), log());
    EXPECT_DOUBLE_EQ(found.value, 5.5);
    EXPECT_EQ(found.text, "5.50 µs");
    ASSERT_TRUE(found.interval);
    EXPECT_GE(found.interval->low, 1);
    EXPECT_LT(found.interval->low, 5.5);
    EXPECT_GT(found.interval->high, 5.5);
    EXPECT_LE(found.interval->high, 10);
    EXPECT_THAT(found.lines, ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(ClaimNumbers, RatioIsToTheSmallestMedian)
{
    const MeasuredNumber one = measure(
        number(
            R"({"ratio": "gpu_us", "rows": {"strategy": "slow", "size": 1}, "to": {"strategy": "fast"}, "within": 0})"),
        log());
    EXPECT_DOUBLE_EQ(one.value, 20);
    EXPECT_EQ(one.text, "20.0");
    const MeasuredNumber two = measure(number(R"({"ratio": "gpu_us", "rows": {"strategy": "slow", "size": 2},
                                                  "to": [{"strategy": "fast", "size": 2}, {"strategy": "slow"}], "within": 0})"),
                                       log());
    EXPECT_DOUBLE_EQ(two.value, 3);
    ASSERT_TRUE(two.interval);
    EXPECT_DOUBLE_EQ(two.interval->low, 3); // of samples that do not differ
    EXPECT_DOUBLE_EQ(two.interval->high, 3);
    EXPECT_EQ(two.lines.size(), 6U);
}

TEST(ClaimNumbers, AreMadeOfOneForEachValue)
{
    const auto over = [](const char* name) {
        return measure(number(fmt::format(
                           R"({{"ratio": "gpu_us", "rows": {{"strategy": "slow"}}, "to": {{"strategy": "fast"}},
                                               "by": "size", "over": "{}", "within": 0}})",
                           name)),
                       log())
            .value;
    };
    EXPECT_DOUBLE_EQ(over("least"), 3);
    EXPECT_DOUBLE_EQ(over("greatest"), 20);
    EXPECT_DOUBLE_EQ(over("geometric mean"), std::sqrt(60.0));
}

TEST(ClaimNumbers, CountRowsWithCertainCells)
{
    const auto count = [](const std::string& more) {
        return measure(
            number(R"({"count": {"status": "wrong"}, "rows": {"strategy": "racy"}, "within": 0)" + more + "}"),
            log());
    };
    EXPECT_EQ(count("").text, "3 of 4");
    EXPECT_DOUBLE_EQ(count("").value, 0.75);
    EXPECT_FALSE(count("").interval);
    EXPECT_EQ(count(R"(, "by": "size", "over": "least")").text, "1 of 2");
    EXPECT_EQ(count(R"(, "by": "size", "over": "greatest")").text, "2 of 2");
}

TEST(ClaimNumbers, SayWhatAllRowsHave)
{
    EXPECT_EQ(measure(number(R"({"same": "launches", "rows": {"strategy": "slow"}, "within": 0})"), log()).text,
              "16");
    EXPECT_EQ(text_of<RunError>([] { measure(number(R"({"same": "launches", "within": 0})"), log()); }),
              "claim one.n: launches differs in a.csv: 8, 16, 1");
}

TEST(ClaimNumbers, HaveUnits)
{
    const auto in = [](const char* unit, int digits) {
        return measure(number(fmt::format(R"({{"ratio": "gpu_us", "rows": {{"strategy": "slow", "size": 2}},
                                               "to": {{"strategy": "fast"}}, "unit": "{}", "digits": {}, "within": 0}})",
                                          unit, digits)),
                       log())
            .text;
    };
    EXPECT_EQ(in("", 3), "3.00");
    EXPECT_EQ(in("%", 3), "300 %");
    EXPECT_EQ(in("% more", 2), "200 %");
    EXPECT_EQ(in("ms", 2), "0.0030 ms");
    EXPECT_EQ(in("us", 1), "3 µs");
    const MeasuredNumber per = measure(
        number(
            R"({"median": "gpu_us", "rows": {"strategy": "slow", "size": 2}, "per": "launches", "digits": 9, "within": 0})"),
        log());
    EXPECT_DOUBLE_EQ(per.value, 60.0 / 16);
}

TEST(ClaimNumbers, RangesAndListsChooseRows)
{
    const auto rows = [](const char* selection) {
        return measure(number(fmt::format(R"({{"count": {{"status": "ok"}}, "rows": {}, "within": 0}})", selection)),
                       log())
            .text;
    };
    EXPECT_EQ(rows(R"({"gpu_us": {"from": 9, "to": 20}})"), "5 of 5");
    EXPECT_EQ(rows(R"({"strategy": ["slow", "racy"]})"), "7 of 10");
    EXPECT_EQ(measure(number(R"({"count": {"status": "ok"}, "rows": {"size": 2}, "within": 0})",
                             R"("rows": {"strategy": "racy"},)"),
                      log())
                  .text,
              "0 of 2"); // the claim's and its own
}

TEST(ClaimNumbers, RefuseWhatTheRowsDoNotGive)
{
    const auto error = [](const std::string& text) {
        return text_of<RunError>([&] { static_cast<void>(measure(number(text), log())); });
    };
    EXPECT_EQ(error(R"({"median": "gpu_us", "rows": {"strategy": "none"}, "within": 0})"),
              "claim one.n: a.csv has no row where strategy = none");
    EXPECT_EQ(error(R"({"median": "gpu_us", "rows": {"strategy": "racy"}, "within": 0})"),
              "claim one.n: a.csv:22: status is wrong; allowed: ok");
    EXPECT_EQ(error(R"({"median": "strategy", "rows": {"strategy": "fast"}, "within": 0})"),
              "claim one.n: a.csv:2: strategy is 'fast'; allowed: a number");
    EXPECT_EQ(error(R"({"median": "cpu_us", "within": 0})"), "claim one.n: a.csv: it has no column cpu_us");
    EXPECT_EQ(error(R"({"ratio": "depth", "rows": {"strategy": "slow"}, "to": {"strategy": "fast"}, "within": 0})"),
              "claim one.n: a.csv: it has no column depth");
    EXPECT_THAT(error(R"({"median": "gpu_us", "rows": {"strategy": "fast"}, "per": "size", "within": 0})"),
                HasSubstr("size differs in a.csv where strategy = fast: 1, 2"));
}

TEST(ClaimNumbers, DivideByNothingThatIsNotAbove0)
{
    const ParsedLog rows = parse_log("a.csv", "s,us,depth\r\na,5,0\r\nb,0,1\r\nc,nan,1\r\nd,inf,1\r\n");
    const auto error = [&](const std::string& text) {
        return text_of<RunError>([&] { static_cast<void>(measure(number(text), rows)); });
    };
    EXPECT_EQ(error(R"({"ratio": "us", "rows": {"s": "a"}, "to": {"s": "b"}, "within": 0})"),
              "claim one.n: the median of us that it is compared to is not above 0");
    EXPECT_EQ(error(R"({"median": "us", "rows": {"s": "a"}, "per": "depth", "within": 0})"),
              "claim one.n: depth is 0 in a.csv where s = a");
    EXPECT_EQ(error(R"({"median": "us", "rows": {"s": "c"}, "within": 0})"),
              "claim one.n: a.csv:4: us is 'nan'; allowed: a number");
    EXPECT_EQ(error(R"({"median": "us", "rows": {"s": "d"}, "within": 0})"),
              "claim one.n: a.csv:5: us is 'inf'; allowed: a number");
}

TEST(ClaimNumbers, GoBySeveralColumns)
{
    const ParsedLog rows = parse_log("a.csv", "s,m,us\r\na,x,5\r\na,y,7\r\nb,x,2\r\nb,y,9\r\n");
    const ClaimNumber least = number(R"({"median": "us", "by": ["s", "m"], "over": "least", "within": 0})");
    EXPECT_DOUBLE_EQ(measure(least, rows).value, 2);
    EXPECT_EQ(description_of(least), "median of us; the least over s and m");
    EXPECT_DOUBLE_EQ(
        measure(number(R"({"median": "us", "by": ["s", "m"], "over": "greatest", "within": 0})"), rows).value, 9);
}

TEST(ClaimNumbers, SecondRunComesNear)
{
    const ClaimNumber tenth = number(R"({"median": "gpu_us", "within": 0.1})");
    EXPECT_TRUE(near(tenth, {.value = 100}, {.value = 110}));
    EXPECT_TRUE(near(tenth, {.value = 100}, {.value = 91}));
    EXPECT_FALSE(near(tenth, {.value = 100}, {.value = 111}));
    const ClaimNumber exactly = number(R"({"same": "launches", "within": 0})");
    EXPECT_TRUE(near(exactly, {.value = 8, .text = "8"}, {.value = 8, .text = "8"}));
    EXPECT_FALSE(near(exactly, {.value = 8, .text = "8"}, {.value = 8, .text = "8.0"}));
    const ClaimNumber share = number(R"({"count": {"status": "wrong"}, "within": 0.1})");
    EXPECT_TRUE(near(share, {.value = 0}, {.value = 0.1}));
    EXPECT_FALSE(near(share, {.value = 0}, {.value = 0.2}));
    // Of the ratios 1.12 and 1.16, not of 12 and 16 %.
    const ClaimNumber more =
        number(R"({"ratio": "gpu_us", "to": {"strategy": "fast"}, "unit": "% more", "within": 0.05})");
    EXPECT_TRUE(near(more, {.value = 12}, {.value = 16}));
    EXPECT_FALSE(near(more, {.value = 12}, {.value = 19}));
    EXPECT_EQ(within_text(tenth), "within 10 %");
    EXPECT_EQ(within_text(exactly), "the same");
}

TEST(ClaimNumbers, SayHowTheyComeAbout)
{
    EXPECT_EQ(
        description_of(number(R"({"ratio": "gpu_us", "rows": {"strategy": "slow", "size": {"from": 1, "to": 2}},
                                        "to": [{"strategy": "fast"}, {"strategy": ["a", "b"]}], "by": "size",
                                        "over": "geometric mean", "within": 0})")),
        "ratio of the medians of gpu_us where size = 1 to 2, strategy = slow, to the smaller of strategy = fast and "
        "strategy = a or b; the geometric mean over size");
    EXPECT_EQ(description_of(number(R"({"median": "gpu_us", "rows": {"depth": 4}, "per": "depth", "within": 0})")),
              "median of gpu_us over depth where depth = 4");
    EXPECT_EQ(description_of(number(R"({"count": {"status": "wrong"}, "rows": {"depth": 4}, "within": 0})")),
              "rows with status = wrong where depth = 4");
}

struct Refused {
    std::string text, message;
};

class ClaimsFile : public testing::TestWithParam<Refused>
{
};

TEST_P(ClaimsFile, SaysWhatIsWrong)
{
    EXPECT_THAT(text_of<RunError>([&] { with_number(GetParam().text); }), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Number, ClaimsFile,
    testing::Values(
        Refused{
            R"({"medain": "gpu_us", "within": 0})",
            "claims.json: claim one, number n: there is no key 'medain', did you mean 'median'?; allowed: by, count"},
        Refused{R"({"within": 0})",
                "it has no statistic; allowed: one of \"median\", \"ratio\", \"count\", \"same\""},
        Refused{R"({"median": "a", "same": "b", "within": 0})", "it has both \"median\" and \"same\""},
        Refused{R"({"median": 5, "within": 0})", "\"median\" is 5; allowed: a text"},
        Refused{R"({"median": "a"})", "\"within\" is missing; allowed: a share"},
        Refused{R"({"median": "a", "within": -1})", "\"within\" is -1"},
        Refused{R"({"median": "a", "within": "near"})", "\"within\" is \"near\""},
        Refused{R"({"median": "a", "within": 0, "unit": "miles"})",
                "\"unit\" is \"miles\"; allowed: \"\", \"us\", \"ms\""},
        Refused{R"({"median": "a", "within": 0, "digits": 0})", "\"digits\" is 0; allowed: 1 to 9"},
        Refused{R"({"median": "a", "within": 0, "to": {"b": 1}})", "\"to\" goes with \"ratio\""},
        Refused{R"({"ratio": "a", "within": 0})", "\"to\" goes with \"ratio\""},
        Refused{R"({"ratio": "a", "within": 0, "to": []})", "the list is empty"},
        Refused{R"({"median": "a", "within": 0, "by": "b"})", "\"by\" and \"over\" go together"},
        Refused{R"({"median": "a", "within": 0, "by": "b", "over": "all"})",
                "\"over\" is \"all\"; allowed: \"least\""},
        Refused{R"({"median": "a", "within": 0, "rows": 7})",
                "claim one, number n, rows: it is 7; allowed: an object"},
        Refused{R"({"median": "a", "within": 0, "rows": {"b": []}})", "rows, b: the list is empty"},
        Refused{R"({"median": "a", "within": 0, "rows": {"b": 1.5}})",
                "a cell is 1.5; allowed: a text or a whole number"},
        Refused{R"({"median": "a", "within": 0, "rows": {"b": {"from": 1}}})", "\"to\" is missing or no number"},
        Refused{R"({"median": "a", "within": 0, "rows": {"b": {"from": 2, "to": 1}}})", "no number is from 2 to 1"},
        Refused{R"({"median": "a", "within": 0, "digits": 4294967297})", "\"digits\" is 4294967297; allowed: 1 to 9"},
        Refused{R"({"ratio": "a", "to": {"b": 1}, "per": "c", "within": 0})", "\"per\" goes with \"median\""},
        Refused{R"({"same": "a", "unit": "ms", "within": 0})",
                "\"unit\" is \"ms\"; allowed for \"count\" and \"same\": none"},
        Refused{R"({"count": {"a": 1}, "by": "b", "over": "geometric mean", "within": 0})",
                "\"over\" is \"geometric mean\"; allowed for \"count\" and \"same\": \"least\", \"greatest\""},
        Refused{R"({"median": "a", "by": ["b", 5], "over": "least", "within": 0})",
                "\"by\" has 5; allowed: names of columns"},
        Refused{R"({"median": "a", "unit": 5, "within": 0})", "\"unit\" is 5; allowed: a text"},
        Refused{R"(7)", "it is 7; allowed: an object"}));

TEST(ClaimsFile, NamesTheLineWhereItIsNoJson)
{
    EXPECT_THAT(text_of<RunError>([] { parse_claims("claims.json", "{\n\"logs\": ]"); }),
                testing::AllOf(HasSubstr("claims.json: "), HasSubstr("line 2")));
}

TEST(ClaimsFile, SaysWhatIsWrongWithAClaim)
{
    const auto error = [](const std::string& claims) {
        return text_of<RunError>(
            [&] { parse_claims("c", fmt::format(R"({{"logs": {{"a.csv": {{}}}}, "claims": {}}})", claims)); });
    };
    const std::string number = R"("numbers": {"n": {"same": "a", "within": 0}})";
    const std::string good = R"({"id": "one", "claim": "{n}", "log": "a.csv", )" + number + "}";
    EXPECT_EQ(error("[" + good + "," + good + "]"), "c: claim one: there is another of that id");
    EXPECT_EQ(error(R"([{"id": "one", "claim": "{n}", "log": "b.csv", )" + number + "}]"),
              "c: claim one: its log b.csv is not among \"logs\"");
    EXPECT_EQ(error(R"([{"id": "one", "claim": "five", "log": "a.csv", )" + number + "}]"),
              "c: claim one: the sentence has no {n}");
    EXPECT_THAT(error(R"([{"id": "Uno!", "claim": "{n}", "log": "a.csv", )" + number + "}]"),
                HasSubstr("'Uno!' is no name; allowed: small letters, digits, - and _"));
    EXPECT_EQ(error(R"([{"id": "one", "claim": "{n}", "log": "a.csv"}])"),
              "c: claim one: \"numbers\" is missing; allowed: an object with at least one number");
    EXPECT_EQ(error(R"([{"claim": "{n}", "log": "a.csv"}])"),
              "c: claim without an id: \"id\" is missing; allowed: a text");
    EXPECT_EQ(error(R"([{"id": 5, "claim": "{n}", "log": "a.csv"}])"),
              "c: claim without an id: \"id\" is 5; allowed: a text");
    EXPECT_EQ(error(R"([{"id": "one", "claim": "{n} and {m}", "log": "a.csv", )" + number + "}]"),
              "c: claim one: the sentence has {m}, and there is no such number");
    EXPECT_EQ(error("[]"), "c: log a.csv: no claim rests on it");
    EXPECT_EQ(error("5"), "c: the file: \"claims\" is missing; allowed: a list of claims");
    EXPECT_EQ(text_of<RunError>([] { parse_claims("c", R"({"claims": []})"); }),
              "c: the file: \"logs\" is missing; allowed: an object of CSVs");
}

} // namespace
} // namespace nestbed
