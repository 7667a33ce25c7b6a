#include "base/bars.hpp"

#include "support/matchers.hpp"

#include <cstdlib>

namespace nestbed
{
namespace
{

using Values = std::vector<std::optional<double>>;

TEST(Bars, AreProportional)
{
    EXPECT_THAT(bars_of({8, 4, 1}, 8, false, BarStyle::ascii), ElementsAre("########", "####", "#"));
}

TEST(Bars, HaveEighthsOfACharacter)
{
    EXPECT_THAT(bars_of({16, 3, 9}, 2, false, BarStyle::blocks), ElementsAre("██", "▍", "█▏"));
}

TEST(Bars, OfLittleCanBeSeen)
{
    EXPECT_THAT(bars_of({1000, 1}, 4, false, BarStyle::ascii), ElementsAre("####", "#"));
    EXPECT_THAT(bars_of({1000, 1}, 4, false, BarStyle::blocks), ElementsAre("████", "▏"));
}

TEST(Bars, OfLogarithmsBeginAtTheDecade)
{
    EXPECT_THAT(bars_of({10, 100, 1000}, 6, true, BarStyle::ascii), ElementsAre("#", "###", "######"));
    EXPECT_THAT(bars_of({20, 1000}, 6, true, BarStyle::ascii).front(), "#");
}

TEST(Bars, OfNothingAreEmpty)
{
    EXPECT_THAT(bars_of({std::nullopt, 5, std::nullopt}, 3, false, BarStyle::ascii), ElementsAre("", "###", ""));
    EXPECT_THAT(bars_of({std::nullopt}, 3, true, BarStyle::ascii), ElementsAre(""));
}

TEST(Bars, AreOfLogarithmsFromAFactorOf50On)
{
    EXPECT_FALSE(wants_logarithms({1, 49}));
    EXPECT_TRUE(wants_logarithms({1, std::nullopt, 50}));
    EXPECT_FALSE(wants_logarithms({std::nullopt}));
}

TEST(Bars, OfOneDecadeOrOneValueAreWhole)
{
    EXPECT_THAT(bars_of({10}, 6, true, BarStyle::ascii), ElementsAre("######")); // the beginning of its decade
    EXPECT_THAT(bars_of({30, 30}, 6, true, BarStyle::ascii), ElementsAre("######", "######"));
    EXPECT_THAT(bars_of({0.01, 0.1, 1}, 6, true, BarStyle::ascii), ElementsAre("#", "###", "######"));
}

class BarsOfTerminal : public testing::Test
{
  protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }
    static void clear()
    {
        for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
            unsetenv(name);
    }
};

TEST_F(BarsOfTerminal, FollowItsLocale)
{
    EXPECT_EQ(bars_of_terminal(), BarStyle::ascii);
    setenv("LANG", "en_US.UTF-8", 1);
    EXPECT_EQ(bars_of_terminal(), BarStyle::blocks);
    setenv("LC_ALL", "C", 1); // has priority over LANG
    EXPECT_EQ(bars_of_terminal(), BarStyle::ascii);
    setenv("LC_ALL", "C.utf8", 1);
    EXPECT_EQ(bars_of_terminal(), BarStyle::blocks);
    setenv("LC_ALL", "", 1); // has no effect
    EXPECT_EQ(bars_of_terminal(), BarStyle::blocks);
}

} // namespace
} // namespace nestbed
