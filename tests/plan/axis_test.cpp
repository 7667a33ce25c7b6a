// The axis grammar: every form, and every possible mistake.
#include "plan/axis.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

#include <numeric>

namespace nestbed
{
namespace
{

constexpr std::uint64_t kMax = UINT64_MAX;

Setting said(const std::string& value)
{
    return {.key = "grid", .value = value};
}

std::vector<std::uint64_t> numbers(const std::string& text, const AxisRange& range = {})
{
    std::vector<std::uint64_t> found;
    for (const AxisValue& value : parse_axis({said(text)}, range))
        found.push_back(value.number.value());
    return found;
}

std::string refusal_of_axis(const std::string& text, const AxisRange& range = {})
{
    return text_of<UsageError>([&] { static_cast<void>(parse_axis({said(text)}, range)); });
}

TEST(Axis, GivesItsValuesInTheirOrder)
{
    const std::pair<std::string, std::vector<std::uint64_t>> axes[] = {
        {"64", {64}},
        {"256,64,2048", {256, 64, 2048}},
        {" 1 , 2 : 4 ,\t8 : 16 : *2 ", {1, 2, 3, 4, 8, 16}},
        {"5:8", {5, 6, 7, 8}},
        {"9,1:2,10:30:10,1:4:*4", {9, 1, 2, 10, 20, 30, 4}},
        // Sizes.
        {"64k,1M,2G,2^20,10^3,0^0,1^99", {65536, 1048576, 2147483648, 1000, 1}},
        {"1:4k:*16", {1, 16, 256, 4096}},
        {"1k:3K:1k", {1024, 2048, 3072}},
        {"2^63,3^40", {9223372036854775808U, 12157665459056928801U}},
        // From a number to itself.
        {"7:7", {7}},
        {"0:0:5", {0}},
        {"7:7:*2", {7}},
        // Steps and factors that pass the last number.
        {"0:100:30", {0, 30, 60, 90}},
        {"0:90:30", {0, 30, 60, 90}},
        {"3:5:100", {3}},
        {"1:64:*2", {1, 2, 4, 8, 16, 32, 64}},
        {"1:63:*2", {1, 2, 4, 8, 16, 32}},
        {"5:4999:*10", {5, 50, 500}},
        // Values that are there already.
        {"4,1:8:*2,4", {4, 1, 2, 8}},
        {"007,7", {7}},
        // Near the largest number.
        {"18446744073709551613:18446744073709551615", {kMax - 2, kMax - 1, kMax}},
        {"18446744073709551610:18446744073709551615:4", {kMax - 5, kMax - 1}},
        {"0:18446744073709551615:18446744073709551615", {0, kMax}},
        {"1:18446744073709551615:18446744073709551615", {1}},
        {"18446744073709551615:18446744073709551615:*2", {kMax}},
        {"3:18446744073709551615:*6148914691236517205", {3, kMax}},
    };
    for (const auto& [text, expected] : axes)
        EXPECT_EQ(numbers(text), expected) << text;
    EXPECT_THAT(parse_axis({}, {}), IsEmpty());
    EXPECT_EQ(numbers("1:18446744073709551615:*2").size(), 64U);
}

TEST(Axis, SaysWhatIsWrongWithAText)
{
    struct {
        std::vector<std::string> texts;
        std::string before; // the text that is wrong comes between these two
        std::string after;
    } const whole[] = {
        {{"", " ", ",", "1,", ",1", "1,,2"}, ": an empty part; allowed: ", ""},
        {{":", "1:", ":8", "1:8:", "1:8:*", "1::2"}, "'' is not a whole number", ""},
        {{"abc", "12a", "1.5", "1e3", "0x10", "+5", "1 2", "*2", "64;128", "auto"}, "'", "' is not a whole number"},
        {{"k", "64q", "64kk", "64 k", "2^", "^2", "2^k", "2^-1", "1m", "2k^2", "kM"}, "'", "' is not a whole number"},
        {{"2^64", "2^99999999999", "99999999999999999G", "3^41", "18446744073709551616k"}, "'", "' is too large"},
        {{"1:8:0", "1:8:*0", "1:8:*1", "0:8:*2", "5:5:*1"}, "'", "' never ends"},
        {{"8:1", "8:1:*2", "8:1:-1"}, "'", "' is empty: 8 comes after 1"},
        {{"1:8:2:2"}, "'", "' has too many colons"},
    };
    for (const auto& [texts, before, after] : whole)
        for (const std::string& text : texts)
            EXPECT_THAT(refusal_of_axis(text), HasSubstr(after.empty() ? before : before + text + after)) << text;

    const std::pair<std::string, std::string> parts[] = {
        {"1:8x", "'8x' is not a whole number (suffixes: k, M and G; 64k is 65536); "},
        {"2kB", "'2kB' is not a whole number (suffixes: k, M and G; 64k is 65536); "},
        {"1:8:two", "'two' is not a whole number"},
        {"1:8:*two", "'two' is not a whole number"},
        {"-1", "'-1' is negative"},
        {"1,-20", "'-20' is negative"},
        {"-3:8", "'-3' is negative"},
        {"1:8:-1", "'-1' is negative"},
        {"18446744073709551616", "'18446744073709551616' is too large"},
        {"1:99999999999999999999", "'99999999999999999999' is too large"},
        {"1:8:99999999999999999999", "'99999999999999999999' is too large"},
        {"1:8:*99999999999999999999", "'99999999999999999999' is too large"},
        {"1:2,1:8:*2:", "'1:8:*2:' has too many colons"},
    };
    for (const auto& [text, refusal] : parts)
        EXPECT_THAT(refusal_of_axis(text), HasSubstr(refusal)) << text;
}

TEST(Axis, ANumberOrAWordThatTheKeyDoesNotTakeIsRefused)
{
    constexpr AxisRange kBlocks{.least = 1, .most = 1024, .word = "auto"};
    EXPECT_THAT(numbers("1,1024", kBlocks), ElementsAre(1, 1024));
    const std::pair<std::string, std::string> refusals[] = {
        {"0", ": 0 is too small; allowed: whole numbers from 1 to 1024 or auto,"},
        {"1025", ": 1025 is too large; allowed: whole numbers from 1 to 1024 or auto,"},
        {"0:4", "0 is too small"},
        {"1:2048:*2", "2048 is too large"},
        {"full", "'full' is not a whole number; allowed: whole numbers from 1 to 1024 or auto,"},
        {"auto:3", "'auto' is not a whole number"},
        {"1:auto", "'auto' is not a whole number"},
    };
    for (const auto& [text, refusal] : refusals)
        EXPECT_THAT(refusal_of_axis(text, kBlocks), HasSubstr(refusal)) << text;
}

TEST(Axis, RepeatedSettingsAddAndAValueRemembersTheFirstThatSaidIt)
{
    const std::vector<Setting> settings{{.key = "grid", .value = "1,2", .file = "a.cfg", .line = 3},
                                        {.key = "grid", .value = "2,3", .file = "a.cfg", .line = 9}};
    const std::vector<AxisValue> values = parse_axis(settings, {});
    ASSERT_EQ(values.size(), 3U);
    EXPECT_EQ(values[1].number, 2U);
    EXPECT_EQ(values[1].setting->place(), "a.cfg:3: grid = 1,2");
    EXPECT_EQ(values[2].number, 3U);
    EXPECT_EQ(values[2].setting->place(), "a.cfg:9: grid = 2,3");
}

TEST(Axis, TheWordOfTheKeyIsAValueWithoutANumber)
{
    for (const std::string word : {"auto", "full"}) {
        const std::vector<AxisValue> values = parse_axis({said("3," + word + ",5," + word)}, {.word = word});
        ASSERT_EQ(values.size(), 3U) << word;
        EXPECT_EQ(values[0].number, 3U);
        EXPECT_EQ(values[1].number, std::nullopt);
        EXPECT_EQ(values[2].number, 5U);
    }
}

TEST(Axis, TenThousandValuesAreTakenAndOneMoreIsNot)
{
    std::vector<std::uint64_t> all(10'000);
    std::iota(all.begin(), all.end(), 1U);
    EXPECT_EQ(numbers("1:10000"), all);
    EXPECT_THAT(refusal_of_axis("1:10001"), HasSubstr("'1:10001' has more than 10000 values"));
    EXPECT_THAT(refusal_of_axis("0:20000:2"), HasSubstr("'0:20000:2' has more than 10000 values"));
    EXPECT_THAT(refusal_of_axis("0:18446744073709551615"), HasSubstr("more than 10000 values"));
    EXPECT_THAT(refusal_of_axis("1:10000,20000"), HasSubstr("more than 10000 values"));
    EXPECT_THAT(text_of<UsageError>([] {
                    static_cast<void>(parse_axis({said("1:6000"), said("6001:12000")}, {}));
                }),
                AllOf(StartsWith("--grid 6001:12000: "), HasSubstr("more than 10000 values")));
}

// Duplicates count too. Otherwise a line full of them would take minutes.
TEST(Axis, DoublesAreAmongTheTenThousand)
{
    EXPECT_EQ(numbers("1:5000,1:5000").size(), 5000U);
    EXPECT_THAT(refusal_of_axis("1:5000,1:5001"), HasSubstr("more than 10000 values"));
    EXPECT_THAT(text_of<UsageError>([] {
                    static_cast<void>(parse_axis({said("1:6000"), said("1:6000")}, {}));
                }),
                HasSubstr("more than 10000 values"));
}

// A list that names ten thousand numbers one by one is a long text. One copy per number would take half a gigabyte.
TEST(Axis, ValuesShareTheirSetting)
{
    const std::vector<AxisValue> values = parse_axis({said("1,2:9999,10000")}, {});
    ASSERT_EQ(values.size(), 10'000U);
    EXPECT_EQ(values.front().setting, values.back().setting);
}

TEST(Axis, ARefusalBeginsWithThePlaceAndEndsWithTheForms)
{
    const Setting setting{.key = "depth", .value = "x", .file = "experiments/depth.cfg", .line = 7};
    EXPECT_EQ(text_of<UsageError>(
                  [&] { static_cast<void>(parse_axis({setting}, {.least = 0, .most = 10, .word = "full"})); }),
              "experiments/depth.cfg:7: depth = x: 'x' is not a whole number; allowed: whole numbers from 0 "
              "to 10 or "
              "full, as N, FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:*FACTOR, separated by commas");
    EXPECT_THAT(refusal_of_axis("x"),
                AllOf(StartsWith("--grid x: "), HasSubstr("allowed: whole numbers from 0, as N,")));
}

TEST(ParseNumber, TakesTheWholeRangeWithItsEnds)
{
    EXPECT_EQ(parse_number(said("1"), 1, 5), 1U);
    EXPECT_EQ(parse_number(said("5"), 1, 5), 5U);
    EXPECT_EQ(parse_number(said("2^5"), 0, kMax), 32U);
    EXPECT_EQ(parse_number(said("18446744073709551615"), 0, kMax), kMax);
}

TEST(ParseNumber, RefusesAllElseWithPlaceValueAndRange)
{
    for (const std::string text : {"0", "6", "-1", "", "3x", "x", "1.5", "1,2", "1:3", "18446744073709551617", "1k"})
        EXPECT_EQ(text_of<UsageError>([&] { static_cast<void>(parse_number(said(text), 1, 5)); }),
                  "--grid " + text + ": '" + text + "' is not a whole number from 1 to 5" +
                      (text == "3x" ? " (suffixes: k, M and G; 64k is 65536)" : ""));
}

} // namespace
} // namespace nestbed
