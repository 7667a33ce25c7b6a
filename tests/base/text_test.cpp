// The small pieces of text that messages and tables are made of.
#include "base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace nestbed
{
namespace
{

using testing::ElementsAre;

constexpr std::array<std::string_view, 4> kNames{"nosync", "synced", "reduce2", "neighbored"};

TEST(Split, CutsAtEverySeparatorAndTrimsTheParts)
{
    EXPECT_THAT(split("a,b,c", ','), ElementsAre("a", "b", "c"));
    EXPECT_THAT(split(" a b ,\tc\r\n", ','), ElementsAre("a b", "c"));
    EXPECT_THAT(split("1:8:*2", ':'), ElementsAre("1", "8", "*2"));
}

TEST(Split, KeepsEmptyParts)
{
    EXPECT_THAT(split("", ','), ElementsAre(""));
    EXPECT_THAT(split("  ", ','), ElementsAre(""));
    EXPECT_THAT(split(",a,,b,", ','), ElementsAre("", "a", "", "b", ""));
}

TEST(DidYouMean, NamesTheNearest)
{
    EXPECT_EQ(did_you_mean("nosink", kNames), ", did you mean 'nosync'?");
    EXPECT_EQ(did_you_mean("sinced", kNames), ", did you mean 'synced'?");
    EXPECT_EQ(did_you_mean("reduce", kNames), ", did you mean 'reduce2'?");
    EXPECT_EQ(did_you_mean("nieghbord", kNames), ", did you mean 'neighbored'?");
}

TEST(DidYouMean, CountsInsertionsDeletionsAndSubstitutionsUpToAThirdOfTheLongerName)
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

TEST(DidYouMean, TakesTheFirstOfEquallyNearNames)
{
    constexpr std::array<std::string_view, 2> kBoth{"wave", "save"};
    EXPECT_EQ(did_you_mean("cave", kBoth), ", did you mean 'wave'?");
}

TEST(DidYouMean, GuessesNothingFromNothing)
{
    EXPECT_EQ(did_you_mean("", kNames), "");
    EXPECT_EQ(did_you_mean("nosync", {}), "");
    EXPECT_EQ(did_you_mean("", {}), "");
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
}

TEST(FormatUs, NeverRoundsToAFourthDigit)
{
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
    EXPECT_EQ(format_bytes(1024), "1.00 KiB");
    EXPECT_EQ(format_bytes(1.5 * 1024 * 1024), "1.50 MiB");
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

} // namespace
} // namespace nestbed
