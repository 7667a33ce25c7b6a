// How many samples a case gets: how many are asked for, when the precision is checked, and when it is sufficient.
#include "plan/repeats.hpp"

#include "support/plan_support.hpp"

namespace nestbed
{
namespace
{

Repeats repeats_of_said(const Said& said)
{
    return repeats_of(settings_of(said), BackendKind::cuda);
}

std::string refused(const Said& said)
{
    return text_of<UsageError>([&] { static_cast<void>(repeats_of_said(said)); });
}

TEST(RepeatsSetting, IsANumberOrAPrecisionWithALeastAndAMost)
{
    EXPECT_EQ(repeats_of_said({}), exactly(30));
    EXPECT_EQ(repeats_of_said("--repeat 7"), exactly(7));
    EXPECT_EQ(repeats_of_said("--precision 1%"), (Repeats{.least = 30, .most = 1000, .precision = 0.01}));
    EXPECT_EQ(repeats_of_said("--precision 0.5% --repeat 5 --max-repeat 50"),
              (Repeats{.least = 5, .most = 50, .precision = 0.005}));
    EXPECT_EQ(repeats_of_said("--precision 1% --repeat 2000").most, 2000U);
}

TEST(RepeatsSetting, ThatCannotBeIsRefused)
{
    for (const char* wrong : {"1", "0.001%", "51%", "-1%", "nan%", "inf%", "%", "1 %", "1%%", "1e0%"})
        EXPECT_EQ(refused({{"precision", wrong}}),
                  std::string("--precision ") + wrong +
                      ": it is not a valid precision; allowed: from 0.01% to 50%, such as 1%");
    EXPECT_EQ(refused("--max-repeat 50"), "--max-repeat 50: max-repeat requires precision");
    EXPECT_THAT(refused("--precision 1% --max-repeat 29"), HasSubstr("--max-repeat 29"));
}

TEST(RepeatsInWords, AreShort)
{
    EXPECT_EQ(repeats_text(exactly(30)), "30");
    EXPECT_EQ(repeats_text({.least = 30, .most = 1000, .precision = 0.005}), "30 to 1000, to 0.5%");
}

TEST(Repeats, AreLookedAtAfterFiveOrATenthMore)
{
    const Repeats repeats{.least = 30, .most = 100, .precision = 0.01};
    std::vector<unsigned> looks;
    for (unsigned look = 0; look < repeats.most; looks.push_back(look))
        look = repeats.next_look(look);
    EXPECT_THAT(looks, ElementsAre(30, 35, 40, 45, 50, 55, 60, 66, 72, 79, 86, 94, 100));
    EXPECT_EQ(repeats.next_look(31), 35U);
    EXPECT_EQ(exactly(30).next_look(0), 30U);
}

TEST(Repeats, AreEnoughWhereTheyArePreciseWhenLookedAt)
{
    const Repeats repeats{.least = 6, .most = 20, .precision = 0.01};
    const std::vector<double> alike{100, 100.1, 100.2, 100.3, 100.4, 100.5};
    const std::vector<double> unlike{100, 110, 120, 130, 140, 150};
    EXPECT_FALSE(repeats.enough(5, alike));
    EXPECT_TRUE(repeats.enough(6, alike));
    EXPECT_FALSE(repeats.enough(7, alike)); // the precision is not checked at 7
    EXPECT_FALSE(repeats.enough(6, unlike));
    EXPECT_TRUE(repeats.enough(20, unlike));
    EXPECT_TRUE(repeats.enough(6, {}));
    EXPECT_FALSE(exactly(2).enough(1, {}));
    EXPECT_TRUE(exactly(2).enough(2, unlike));
    // Two equal times say little about the next ones.
    EXPECT_FALSE((Repeats{.least = 2, .most = 20, .precision = 0.5}).enough(2, {100, 100}));
}

TEST(Precision, IsOfBothSidesOfTheInterval)
{
    EXPECT_TRUE(is_precise({100, 100, 100, 100, 100}, 0.0001));
    EXPECT_TRUE(is_precise({90, 95, 100, 105, 110}, 0.1001));
    EXPECT_FALSE(is_precise({90, 95, 100, 105, 110}, 0.04));
    EXPECT_FALSE(is_precise({100, 100, 100, 100}, 0.5));
    // Only one side of the interval is wide.
    EXPECT_FALSE(is_precise({100, 100, 100, 150, 150}, 0.1));
    EXPECT_FALSE(is_precise({50, 50, 100, 100, 100}, 0.1));
}

} // namespace
} // namespace nestbed
