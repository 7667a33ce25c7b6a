#include "base/bars.hpp"

#include "support/matchers.hpp"

#include <cstdlib>

namespace nestbed
{
namespace
{

struct Drawn {
    std::vector<std::optional<double>> values;
    unsigned width;
    bool logarithms;
    BarStyle style;
    std::vector<std::string> bars;
};

TEST(Bars, AreProportionalToTheirValuesOrToTheLogarithms)
{
    using enum BarStyle;
    for (const auto& [values, width, logarithms, style, bars] : std::vector<Drawn>{
             {{8, 4, 1}, 8, false, ascii, {"########", "####", "#"}},
             {{16, 3, 9}, 2, false, blocks, {"██", "▍", "█▏"}}, // eighths of a character
             {{1000, 1}, 4, false, ascii, {"####", "#"}},       // little can be seen
             {{1000, 1}, 4, false, blocks, {"████", "▏"}},
             {{10, 100, 1000}, 6, true, ascii, {"#", "###", "######"}}, // from the beginning of the decade
             {{20, 1000}, 6, true, ascii, {"#", "######"}},
             {{10}, 6, true, ascii, {"######"}},
             {{30, 30}, 6, true, ascii, {"######", "######"}},
             {{0.01, 0.1, 1}, 6, true, ascii, {"#", "###", "######"}},
             {{std::nullopt, 5, std::nullopt}, 3, false, ascii, {"", "###", ""}},
             {{std::nullopt}, 3, true, ascii, {""}}})
        EXPECT_EQ(bars_of(values, width, logarithms, style), bars);
}

TEST(Bars, AreOfLogarithmsFromAFactorOf50On)
{
    EXPECT_FALSE(wants_logarithms({1, 49}));
    EXPECT_TRUE(wants_logarithms({1, std::nullopt, 50}));
    EXPECT_FALSE(wants_logarithms({std::nullopt}));
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
