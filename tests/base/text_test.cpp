// The small text functions that messages and tables use.
#include "base/text.hpp"

#include "support/matchers.hpp"

#include <array>
#include <chrono>

namespace nestbed
{
namespace
{

constexpr std::array<std::string_view, 4> kNames{"nosync", "synced", "reduce2", "neighbored"};

TEST(Split, CutsAtEverySeparatorTrimsTheWordsAndKeepsEmptyOnes)
{
    EXPECT_THAT(split("a,b,c", ','), ElementsAre("a", "b", "c"));
    EXPECT_THAT(split(" a b ,\tc\r\n", ','), ElementsAre("a b", "c"));
    EXPECT_THAT(split("1:8:*2", ':'), ElementsAre("1", "8", "*2"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
    EXPECT_THAT(split("  ", ','), ElementsAre(""));
    EXPECT_THAT(split(",a,,b,", ','), ElementsAre("", "a", "", "b", ""));
}

TEST(DidYouMean, NamesTheNearestOrTheFirstOfThem)
{
    EXPECT_EQ(did_you_mean("nosink", kNames), ", did you mean 'nosync'?");
    constexpr std::array<std::string_view, 3> kCommands{"run", "cpu", "count"};
    EXPECT_EQ(did_you_mean("cup", kCommands), ", did you mean 'cpu'?");
    EXPECT_EQ(did_you_mean("sinced", kNames), ", did you mean 'synced'?");
    EXPECT_EQ(did_you_mean("reduce", kNames), ", did you mean 'reduce2'?");
    EXPECT_EQ(did_you_mean("nieghbord", kNames), ", did you mean 'neighbored'?");
    constexpr std::array<std::string_view, 2> kEquallyNear{"wave", "save"};
    EXPECT_EQ(did_you_mean("cave", kEquallyNear), ", did you mean 'wave'?");
    EXPECT_EQ(did_you_mean("", kNames), "");
    EXPECT_EQ(did_you_mean("nosync", {}), "");
    EXPECT_EQ(did_you_mean("", {}), "");
}

TEST(Suggestions, AreAllOfAFewNamesAndTheFiveNearestOfMany)
{
    const std::vector<std::string_view> few{"one", "two", "three", "four", "five", "six", "seven", "eight"};
    EXPECT_EQ(suggestions("fuor", few, "list"), ", did you mean 'four'?; allowed: one, two, three, four, five, six, "
                                                "seven, eight");
    EXPECT_EQ(suggestions("x", few, "list"), "; allowed: one, two, three, four, five, six, seven, eight");
    std::vector<std::string_view> many = few;
    many.emplace_back("nine");
    EXPECT_EQ(suggestions("nien", many, "nestbed list"),
              ", did you mean 'nine'?; allowed: nine, one, five, six, seven, ... (9 in all: nestbed list)");
}

TEST(SplitLines, KeepsLinesAsTheyAre)
{
    EXPECT_TRUE(split_lines("").empty());
    EXPECT_THAT(split_lines(" a\n\nb \r\n"), testing::ElementsAre(" a", "", "b \r"));
    EXPECT_THAT(split_lines("a\nb"), testing::ElementsAre("a", "b")); // a last line without a line break
}

TEST(DidYouMean, CountsChangesOfLettersUpToAThirdOfTheLongerName)
{
    constexpr std::array<std::string_view, 1> kNine{"abcdefghi"};
    EXPECT_EQ(did_you_mean("abcdefxyz", kNine), ", did you mean 'abcdefghi'?"); // 3 substituted
    EXPECT_EQ(did_you_mean("abcdewxyz", kNine), "");                            // 4
    EXPECT_EQ(did_you_mean("abcdef", kNine), ", did you mean 'abcdefghi'?");    // 3 missing
    EXPECT_EQ(did_you_mean("abcde", kNine), "");
    EXPECT_EQ(did_you_mean("abcdefghixyzw", kNine), ", did you mean 'abcdefghi'?"); // 4 of 13 too many
    EXPECT_EQ(did_you_mean("vabcdefghixyzw", kNine), "");                           // 5 of 14
}

TEST(DidYouMean, ToleratesTwoSlipsInShortNamesAsLongAsSomethingIsLeftOfThem)
{
    constexpr std::array<std::string_view, 1> kGrid{"grid"};
    EXPECT_EQ(did_you_mean("gird", kGrid), ", did you mean 'grid'?");
    EXPECT_EQ(did_you_mean("gri", kGrid), ", did you mean 'grid'?");
    EXPECT_EQ(did_you_mean("gaab", kGrid), "");
    constexpr std::array<std::string_view, 1> kTwo{"ab"};
    EXPECT_EQ(did_you_mean("ax", kTwo), ", did you mean 'ab'?");
    EXPECT_EQ(did_you_mean("xy", kTwo), "");
    EXPECT_EQ(did_you_mean("a", kTwo), "");
}

TEST(CountOrEmpty, IsEmptyForNoneAndTheWholeNumberElsewhere)
{
    EXPECT_EQ(count_or_empty(0), "");
    EXPECT_EQ(count_or_empty(1), "1");
    EXPECT_EQ(count_or_empty(1024), "1024");
    EXPECT_EQ(count_or_empty(UINT64_MAX), "18446744073709551615");
}

TEST(FormatUs, HasThreeSignificantDigitsAndTheUnitThatFits)
{
    EXPECT_EQ(format_us(8.634), "8.63 us");
    EXPECT_EQ(format_us(20.66), "20.7 us");
    EXPECT_EQ(format_us(123.4), "123 us");
    EXPECT_EQ(format_us(8634), "8.63 ms");
    EXPECT_EQ(format_us(59'000), "59.0 ms");
    EXPECT_EQ(format_us(172'400), "172 ms");
    EXPECT_EQ(format_us(1.2e6), "1.20 s");
    EXPECT_EQ(format_us(3600e6), "3600 s");
    EXPECT_EQ(format_us(0), "0.00 us");
    EXPECT_EQ(format_us(9.994), "9.99 us");
    EXPECT_EQ(format_us(9.996), "10.0 us");
    EXPECT_EQ(format_us(99.94), "99.9 us");
    EXPECT_EQ(format_us(99.96), "100 us");
    EXPECT_EQ(format_us(999.4), "999 us");
    EXPECT_EQ(format_us(999.6), "1.00 ms");
    EXPECT_EQ(format_us(999.4e3), "999 ms");
    EXPECT_EQ(format_us(999.6e3), "1.00 s");
}

TEST(FormatBytes, GoesByPowersOf1024)
{
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(1023), "1023 B");
    EXPECT_EQ(format_bytes(1), "1 B");
    EXPECT_EQ(format_bytes(-1), "-1 B");
    EXPECT_EQ(format_bytes(1024), "1.00 KiB");
    EXPECT_EQ(format_bytes(1024 * 1023), "1023 KiB");
    EXPECT_EQ(format_bytes(1024 * 1024), "1.00 MiB");
    EXPECT_EQ(format_bytes(1.5 * 1024 * 1024), "1.50 MiB");
    EXPECT_EQ(format_bytes(0x1p50), "1.00 PiB");
    EXPECT_EQ(format_bytes(139.7 * 1024 * 1024 * 1024), "140 GiB");
    EXPECT_EQ(format_bytes(0x1p40), "1.00 TiB");
    EXPECT_EQ(format_bytes(0x1p60), "1.00 EiB");
    EXPECT_EQ(format_bytes(0x1p72), "4096 EiB");
}

TEST(Folded, FillsLinesOf80CharactersAndBreaksBetweenWords)
{
    EXPECT_EQ(folded("a few words", 4), "    a few words\n");
    const std::string word(37, 'x');
    EXPECT_EQ(folded(word + " " + word, 5), "     " + word + " " + word + "\n"); // 80
    EXPECT_EQ(folded(word + " " + word, 6), "      " + word + "\n      " + word + "\n");
    EXPECT_EQ(folded(std::string(100, 'y') + " z", 2), "  " + std::string(100, 'y') + "\n  z\n");
}

TEST(Utf8, IsWhatRfc3629Says)
{
    for (const char* const good : {"", "a\n", "\x7f", "\xc2\x80", "caf\xc3\xa9", "\xe0\xa0\x80", "\xed\x9f\xbf",
                                   "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_TRUE(is_utf8(good)) << printable(good);
    for (const char* const bad : {"\x80", "\xbf", "a\xff", "\xfe", "\xc3", "\xc3(", "\xc0\xaf", "\xc1\xbf",
                                  "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf",
                                  "\xf0\x90\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"})
        EXPECT_FALSE(is_utf8(bad)) << printable(bad);
    EXPECT_TRUE(is_utf8({"\0", 1}));
}

TEST(Printable, ShowsWhatATerminalWouldObey)
{
    EXPECT_EQ(printable("\x1b[2J\x1b]0;title\x07"), "\\x1b[2J\\x1b]0;title\\x07");
    EXPECT_EQ(printable({"a\0b\rc\x7f", 6}), "a\\x00b\\x0dc\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J \xc2\x80 \xc2\x9f"),
              "\\xc2\\x9b2J \\xc2\\x80 \\xc2\\x9f"); // C1 in UTF-8
    EXPECT_EQ(printable("\x9b"
                        "2J caf\xe9"),
              "\\x9b2J caf\\xe9");                  // and as single bytes
    EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82"); // truncated
    EXPECT_EQ(printable("\xe2\x82\x1b"), "\\xe2\\x82\\x1b");
}

TEST(Printable, LeavesTextAsItIs)
{
    for (const char* const text :
         {"", "one\n\ttwo\n", "caf\xc3\xa9 \xc2\xa0 \xe2\x96\x88 \xf0\x9f\x9a\x80", "a\\x1b"})
        EXPECT_EQ(printable(text), text);
}

TEST(DurationText, IsRoundedSecondsMinutesOrHours)
{
    using std::chrono::duration;
    EXPECT_EQ(duration_text(duration<double>(0)), "0 s");
    EXPECT_EQ(duration_text(duration<double>(99)), "99 s");
    EXPECT_EQ(duration_text(duration<double>(99.4)), "99 s");
    EXPECT_EQ(duration_text(duration<double>(99.5)), "2 min");
    EXPECT_EQ(duration_text(duration<double>(100)), "2 min");
    EXPECT_EQ(duration_text(duration<double>(3 * 60)), "3 min");
    EXPECT_EQ(duration_text(duration<double>(7200)), "2.0 h");
    EXPECT_EQ(duration_text(duration<double>(5969)), "99 min");
    EXPECT_EQ(duration_text(duration<double>(5970)), "1.7 h");
}

TEST(ComesBefore, PutsNumbersByTheirValueBeforeWords)
{
    EXPECT_TRUE(comes_before("9", "10"));
    EXPECT_FALSE(comes_before("10", "9"));
    EXPECT_TRUE(comes_before("10", "a"));
    EXPECT_FALSE(comes_before("a", "10"));
    EXPECT_TRUE(comes_before("a9", "b1"));
    EXPECT_FALSE(comes_before("7", "7"));
    EXPECT_TRUE(comes_before("12", "13"));
    EXPECT_FALSE(comes_before("13", "12"));
    EXPECT_FALSE(comes_before("b", "aaa")); // words go by their letters, whatever their length
    EXPECT_TRUE(comes_before("aaa", "b"));
    EXPECT_TRUE(comes_before("", "0"));
    EXPECT_TRUE(comes_before("10", "1k"));
}

TEST(IsPattern, HasAStarOrAQuestionMark)
{
    EXPECT_TRUE(is_pattern("warps_*"));
    EXPECT_TRUE(is_pattern("?"));
    EXPECT_FALSE(is_pattern("warps_1"));
    EXPECT_FALSE(is_pattern(""));
    EXPECT_TRUE(matches("warps_*", "warps_1"));
    EXPECT_TRUE(matches("warps_?", "warps_1"));
    EXPECT_FALSE(matches("warps_?", "warps_12"));
    EXPECT_FALSE(matches("warps", "warps_1"));
}

TEST(Shortened, LeavesOutTheMiddleOfALongLine)
{
    EXPECT_EQ(shortened("a\nb\n"), "a\nb\n");
    const std::string line(1200, 'x');
    EXPECT_EQ(shortened(line + "\n" + line), line + "\n" + line);
    const std::string text = "a.csv:2: status is '" + std::string(1'000'000, 'x') + "'; allowed: ok, wrong";
    const std::string message = shortened("b\n" + text + "\nc");
    EXPECT_LT(message.size(), 1300U);
    EXPECT_TRUE(message.starts_with("b\na.csv:2: status is 'xxx")) << message;
    EXPECT_TRUE(message.ends_with("xxx'; allowed: ok, wrong\nc")) << message;
    EXPECT_NE(message.find("x … (998941 bytes are left out) … x"), std::string::npos) << message;
}

TEST(Shortened, CutsNoCharacterIntoPieces)
{
    std::string text;
    for (int number = 0; number < 1000; ++number)
        text += "ä€";
    for (const char* const before : {"", "a", "aa", "aaa", "aaaa"})
        EXPECT_TRUE(is_utf8(shortened(before + text))) << before;
}

} // namespace
} // namespace nestbed
