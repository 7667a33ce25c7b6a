// Parameters of workloads: they are axes, and their values are in a case.
#include "model/axis_table.hpp"
#include "model/case_text.hpp"

#include "support/support.hpp"

#include <algorithm>

namespace nestbed
{
namespace
{

constexpr std::string_view kWords[]{"coarse", "fine"};
constexpr Parameter kZebra{.name = "zebra-width", .help = "its width", .least = 0, .most = 8, .default_value = 3};
constexpr Parameter kAnt{.name = "ant", .help = "how it goes", .names = kWords, .role = AxisRole::tuning};

TEST(Parameters, AreAxesBehindThoseOfNestbedByName)
{
    EXPECT_EQ(declare_parameter(kZebra) + declare_parameter(kAnt) + declare_parameter(kZebra), "");
    const Axis& zebra = axis_named("zebra-width");
    const Axis& ant = axis_named("ant");
    EXPECT_EQ(&axis_named("pending-limit"), &zebra + 1);
    EXPECT_LT(&ant, &zebra);
    EXPECT_LT(&axis_named("iterations"), &ant);
    EXPECT_EQ(axis_of_column("zebra_width"), &zebra);
    EXPECT_TRUE(zebra.of_user && ant.of_user && zebra.problem && !ant.problem);
    EXPECT_FALSE(axis_named("dwell").of_user);
    EXPECT_THAT(names_on(ant), ElementsAre("coarse", "fine"));
    EXPECT_EQ(number_on(ant, "fine"), 1U);
    EXPECT_EQ(ant.default_text + zebra.default_text, "coarse3");
}

TEST(Parameters, AreInTheSettingsOfWhatHasThem)
{
    static constexpr WorkloadInfo kWorkload{.name = "animals", .axes = {axis::grid, kZebra, kAnt}};
    static constexpr StrategyInfo kInfo{.name = "animals_one", .workload = &kWorkload};
    static const StandIn strategy(kInfo);
    static const bool once = (Registry::add(BackendKind::cpu, strategy), true);
    EXPECT_TRUE(once);
    Case point{.strategy = "animals_one", .grid = 4, .own = {{kAnt, 1}}};
    EXPECT_EQ(settings_text(point), "strategy=animals_one backend=cpu grid=4 ant=fine zebra-width=0");
    point[kZebra] = 8;
    EXPECT_EQ(settings_text(point), "strategy=animals_one backend=cpu grid=4 ant=fine zebra-width=8");
}

TEST(Parameters, OfZeroDoNotTellCasesApart)
{
    const Case none;
    Case point;
    point[kZebra] = 0;
    EXPECT_EQ(point, none);
    point[kAnt] = 1;
    EXPECT_LT(none, point);
    Case other{.own = {{kZebra, 1}}};
    EXPECT_LT(point, other); // the first name in which they differ
    other[kAnt] = 2;
    EXPECT_LT(point, other);
    point = {.own = {{kZebra, 1}, {kAnt, 2}}};
    EXPECT_EQ(point, other);
}

TEST(Parameters, OfOneNameHaveTheSameValues)
{
    static constexpr Parameter kShort{.name = "tail-length", .help = "short", .most = 4, .default_value = 2};
    static constexpr Parameter kSame{.name = "tail-length", .help = "the same", .most = 4, .default_value = 3};
    static constexpr Parameter kLong{.name = "tail-length", .help = "long", .most = 40, .default_value = 2};
    static constexpr Parameter kWord{.name = "tail-length", .help = "a word", .names = kWords};
    EXPECT_EQ(declare_parameter(kShort), "");
    EXPECT_EQ(axis_named("tail-length").default_value, 2U);
    EXPECT_EQ(declare_parameter(kSame), "");
    EXPECT_EQ(axis_named("tail-length").default_text, "by the workload");
    EXPECT_EQ(declare_parameter(kLong),
              "parameter 'tail-length': it has other values (whole numbers from 1 to 40) than in another workload; "
              "allowed: whole numbers from 1 to 4, or another name");
    EXPECT_EQ(declare_parameter(kWord),
              "parameter 'tail-length': it has other values (coarse, fine) than in another workload; allowed: whole "
              "numbers from 1 to 4, or another name");
}

TEST(Parameters, HaveNamesThatOptionsAndColumnsCanHave)
{
    for (const std::string_view name :
         {"", "Width", "my_radius", "2nd", "-x", "a b", "strategy", "time-line", "block"}) {
        const std::string why = declare_parameter({.name = name, .help = "wrong"});
        EXPECT_THAT(why, HasSubstr("; allowed: ")) << name;
    }
    static constexpr std::string_view kTwice[]{"one", "one"};
    EXPECT_THAT(declare_parameter({.name = "twice", .help = "wrong", .names = kTwice}), HasSubstr("stands twice"));
    EXPECT_THAT(declare_parameter({.name = "above", .help = "wrong", .most = 3, .default_value = 4}),
                HasSubstr("its default 4 is not one of its values; allowed: whole numbers from 1 to 3"));
}

} // namespace
} // namespace nestbed
