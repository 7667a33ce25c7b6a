// The experiments that come with nestbed: they can be planned, split into shards and profiled.
#include "model/launch_plan.hpp"
#include "model/strategy.hpp"
#include "plan/plan.hpp"
#include "predict/case_time.hpp"
#include "support/parts_support.hpp"
#include "support/plan_support.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

// Plans as on an H200, whatever machine runs the tests.
Plan plan_of_file(const std::string& file)
{
    Settings settings;
    settings.read_file(file);
    const bool executed = settings.one("backend").has_value();
    const BackendKind backend = executed ? BackendKind::cpu : BackendKind::cuda;
    return make_plan(settings, {{backend, both().at(backend)}});
}

// On an H200, with the inputs that the host makes.
TEST(Experiments, OfIrregularRecursionTakeMinutes)
{
    for (const char* file : {"/bezier.cfg", "/mandelbrot.cfg", "/sort.cfg", "/quadtree.cfg", "/cgo22.cfg",
                             "/search.cfg", "/refine.cfg", "/resources.cfg"}) {
        const Plan plan = plan_of_file(std::string(NESTBED_EXPERIMENTS) + file);
        EXPECT_LT(cost_us(kCaseTimes, plan), 200e6) << file;
        EXPECT_GT(cost_us(kCaseTimes, plan), 1e6) << file;
    }
}

// The study of CGO 2022 has 7 thresholds, 6 coarsenings and 5 aggregations by each mechanism.
TEST(Experiments, Cgo22HasEveryCombinationOfEveryWorkload)
{
    std::map<std::string, unsigned> cases;
    for (const Group& group : plan_of_file(std::string(NESTBED_EXPERIMENTS) + "/cgo22.cfg").groups)
        for (const Case& point : group.cases)
            if (Registry::find_anywhere(point.strategy)->info().requests)
                ++cases[point.strategy + " " + std::string(name_of(point.input)) + " " +
                        std::string(name_of(*point.mechanism))];
    EXPECT_GE(cases.size(), 17U);
    for (const auto& [name, count] : cases)
        EXPECT_EQ(count, 210U) << name;
}

// The estimated time of the most expensive case, including its input. No shard that contains this case can be
// cheaper.
double dearest_case_us(const Plan& plan)
{
    double us = 0;
    for (const Case& point : cases_of(plan))
        us = std::max(us, input_us(point) + cost_us(kCaseTimes, plan, point));
    return us;
}

double largest_input_us(const Plan& plan)
{
    double us = 0;
    for (const Group& group : plan.groups)
        us = std::max(us, input_us(group.cases.front()));
    return us;
}

// No shard can make a part of an input. So the longest one may be longer than a fair part by almost the largest input
// (Graham, "Bounds on Multiprocessing Timing Anomalies", SIAM J. Appl. Math. 1969).
TEST(Shards, OfEveryExperimentAreEquallyDear)
{
    for (const auto& entry : std::filesystem::directory_iterator(NESTBED_EXPERIMENTS)) {
        if (entry.path().extension() != ".cfg")
            continue;
        SCOPED_TRACE(entry.path().filename().string());
        const Plan plan = plan_of_file(entry.path().string());
        EXPECT_GT(plan.case_count(), 0U);
        EXPECT_FALSE(plan.title.empty());
        for (const unsigned of : {2U, 4U, 8U}) {
            SCOPED_TRACE(of);
            const std::vector<Plan> parts = parts_of(plan, of, kCaseTimes);
            expect_to_be_divided(plan, parts);
            double all = 0;
            double dearest = 0;
            for (const Plan& part : parts) {
                all += cost_us(kCaseTimes, part);
                dearest = std::max(dearest, cost_us(kCaseTimes, part));
            }
            const double fair = std::max(all / of, dearest_case_us(plan));
            // A part of levels.cfg may have to make two inputs that others make too.
            const double uneven = entry.path().filename() == "levels.cfg" ? 1.35 : 1.15;
            EXPECT_LE(dearest, std::max(uneven * fair, fair + (1 - 1.0 / of) * largest_input_us(plan)));
        }
    }
}

// The strategies that are compared with each other. A strategy that somebody is only trying out is not among them.
std::set<std::string> compared_strategies()
{
    std::set<std::string> names;
    for (const char* const file : {"ways.cfg", "hello.cfg", "launch.cfg", "transpose.cfg"})
        for (const Group& group : plan_of_file((std::filesystem::path(NESTBED_EXPERIMENTS) / file).string()).groups)
            for (const Case& point : group.cases)
                names.insert(point.strategy);
    return names;
}

// experiments/profile.cfg contains every compared strategy and mechanism whose launches ncu can count, at three sizes
// or more. It contains no case whose root grids would take ncu longer than a few minutes.
TEST(ProfileExperiment, HasWhatLaunchesFromTheDeviceAtThreeSizes)
{
    const DeviceFacts gpu = both().at(BackendKind::cuda);
    Settings settings;
    settings.read_file((std::filesystem::path(NESTBED_EXPERIMENTS) / "profile.cfg").string());
    std::map<std::string, std::size_t> sizes;
    std::uint64_t root_grids = 0;
    for (const Group& group : make_plan(settings, {{BackendKind::cuda, gpu}}).groups)
        for (const Case& point : group.cases) {
            const Strategy& strategy = *Registry::find_anywhere(point.strategy);
            const LaunchPlan plan = plan_launches(point, strategy.launches(point), gpu);
            EXPECT_EQ(plan.refusal, "") << point.strategy;
            EXPECT_GT(strategy.launches(point).total(), 0U) << point.strategy;
            EXPECT_LE(plan.waves(), 150U) << point.strategy;
            EXPECT_EQ(plan.pending_limit, gpu.default_pending_limit) << point.strategy;
            root_grids += plan.waves();
            ++sizes[point.strategy + " " + std::string(name_of(*point.mechanism))];
        }
    EXPECT_LE(root_grids, 1000U);
    const std::set<std::string> names = compared_strategies();
    EXPECT_GE(names.size(), 30U);
    for (const std::string& name : names)
        for (const StrategyInfo& info = Registry::find_anywhere(name)->info();
             const Mechanism mechanism : info.mechanisms) {
            const std::string way = name + " " + std::string(name_of(mechanism));
            const bool wanted = from_device(mechanism) && !launches_graphs(mechanism);
            EXPECT_EQ(sizes[way], wanted ? 3U : 0U) << way;
        }
}

} // namespace
} // namespace nestbed
