// Which times are compared: those of the same work, by what the workload says of its axes.
#include "run/flat_times.hpp"

#include "model/axis_table.hpp"
#include "support/stand_ins.hpp"
#include "support/support.hpp"

#include <array>

namespace nestbed
{
namespace
{

// A workload of a user's own: its tolerance is the problem, and its levels tune it.
constexpr Parameter kDigits{.name = "tolerance-digits", .help = "the tolerance", .default_value = 6};
constexpr Parameter kOfGrid{
    .name = "levels-of-grid", .help = "levels that one grid computes", .default_value = 1, .role = AxisRole::tuning};
constexpr AxisMeaning kMeanings[]{{axis::threshold, "what is not divided", 1}};
constinit const WorkloadInfo kIntegral{
    .name = "integral",
    .axes = {axis::grid, axis::block, axis::depth, kDigits, kOfGrid, axis::threshold},
    .meanings = kMeanings,
    .irregular = true,
    .has_ratio = true};
constexpr std::array kNested{Mechanism::tail};
constexpr std::array kFlat{Mechanism::host};

CaseResult timed(const std::string& strategy, std::uint32_t digits, std::uint32_t levels, std::uint32_t threshold,
                 double us)
{
    static const StandIn nested({.name = "integral_nested", .workload = &kIntegral, .mechanisms = kNested});
    static const StandIn flat({.name = "integral_flat", .workload = &kIntegral, .mechanisms = kFlat});
    static const bool once = [] {
        Registry::add(BackendKind::cuda, nested);
        Registry::add(BackendKind::cuda, flat);
        return true;
    }();
    EXPECT_TRUE(once);
    CaseResult result{.point = {.strategy = strategy,
                                .backend = BackendKind::cuda,
                                .grid = 1,
                                .block = 32,
                                .threshold = threshold,
                                .own = {{kDigits, digits}, {kOfGrid, levels}}}};
    result.keep({.gpu_us = us, .wall_us = us + 5, .held = true});
    return result;
}

TEST(FlatTimes, AreOfTheProblemThatTheWorkloadNames)
{
    const CaseResult nested = timed("integral_nested", 6, 1, 10, 40);
    const FlatTimes flat({timed("integral_flat", 3, 1, 1, 5), timed("integral_flat", 6, 2, 1, 20),
                          timed("integral_flat", 6, 4, 100, 80), nested});
    EXPECT_EQ(flat.ratio_of(nested, 40), "2.00"); // not 8.00: that is of another tolerance
    EXPECT_EQ(flat.ratio_of(timed("integral_nested", 5, 1, 10, 40), 40), "");
    EXPECT_EQ(work_of(nested.point), work_of(timed("integral_flat", 6, 4, 100, 80).point));
}

TEST(FlatTimes, ARegularWorkloadHasAllItsInputsInItsProblem)
{
    const Case sum{.strategy = "nosync", .elements = 256, .grid = 4, .block = 64};
    Case other = sum;
    other.depth = 2;
    EXPECT_EQ(work_of(sum), work_of(other));
    other.block = 32;
    EXPECT_NE(work_of(sum), work_of(other));
}

TEST(FlatTimes, AnAxisIsTheProblemUnlessItsWorkloadSaysOtherwise)
{
    constexpr WorkloadInfo kIrregular{.name = "irregular", .irregular = true};
    constexpr WorkloadInfo kRegular{.name = "regular"};
    const StrategyInfo irregular{.workload = &kIrregular};
    const StrategyInfo regular{.workload = &kRegular};
    for (const char* name : {"elements", "seed"})
        EXPECT_TRUE(is_problem(axis_named(name), irregular) && is_problem(axis_named(name), regular)) << name;
    for (const char* name : {"block", "grid"})
        EXPECT_TRUE(!is_problem(axis_named(name), irregular) && is_problem(axis_named(name), regular)) << name;
    for (const char* name : {"threshold", "depth", "grain"}) // grain: they have none
        EXPECT_TRUE(!is_problem(axis_named(name), irregular) && !is_problem(axis_named(name), regular)) << name;
    const StrategyInfo integral{.workload = &kIntegral};
    EXPECT_EQ(declare_parameter(kDigits) + declare_parameter(kOfGrid), "");
    EXPECT_TRUE(is_problem(axis_named("tolerance-digits"), integral));
    EXPECT_FALSE(is_problem(axis_named("levels-of-grid"), integral));
}

} // namespace
} // namespace nestbed
