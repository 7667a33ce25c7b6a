// The axis that selects among the mechanisms of a strategy.
#include "model/strategy.hpp"
#include "support/plan_support.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nestbed
{
namespace
{

using testing::ElementsAreArray;
using enum Mechanism;

using WayOf = std::pair<std::string, Mechanism>;

// Strategy and mechanism of every case, in order.
std::vector<WayOf> mechanisms_of(const Said& said)
{
    std::vector<WayOf> found;
    for (const Group& group : plan_of(said).groups)
        for (const Case& point : group.cases)
            found.emplace_back(point.strategy, point.mechanism.value());
    return found;
}

// Number of cases by mechanism.
std::map<Mechanism, std::size_t> counts_of(const Said& said)
{
    std::map<Mechanism, std::size_t> counts;
    for (const auto& [strategy, mechanism] : mechanisms_of(said))
        ++counts[mechanism];
    return counts;
}

TEST(MechanismAxis, AllIsEveryOneThatTheStrategyHas)
{
    const auto all = Registry::find_anywhere("chain")->info().mechanisms;
    std::vector<Mechanism> found;
    for (const auto& [strategy, mechanism] : mechanisms_of("--strategy chain --mechanism all"))
        found.push_back(mechanism);
    EXPECT_THAT(found, ElementsAreArray(all));
    EXPECT_EQ(counts_of("--strategy chain --mechanism null_stream,all,null_stream").size(), all.size());
    EXPECT_THAT(mechanisms_of("--strategy neighbored --mechanism all"), ElementsAre(WayOf{"neighbored", none}));
}

TEST(MechanismAxis, IsThoseAskedForThatTheStrategyHasInItsOrder)
{
    EXPECT_THAT(mechanisms_of("--strategy nosync,barrier --mechanism tail,named,named --mechanism null_stream"),
                ElementsAre(WayOf{"nosync", null_stream}, WayOf{"nosync", named_stream},
                            WayOf{"barrier", null_stream}, WayOf{"barrier", named_stream}, WayOf{"barrier", tail}));
}

TEST(MechanismAxis, MeansNothingToAStrategyWithOneMechanism)
{
    EXPECT_THAT(mechanisms_of("--strategy neighbored,synced,tail,host_loop,nosync --mechanism named"),
                ElementsAre(WayOf{"neighbored", none}, WayOf{"synced", null_stream}, WayOf{"tail", tail},
                            WayOf{"host_loop", host}, WayOf{"nosync", named_stream}));
}

TEST(MechanismAxis, MultipliesDepthsByAllAndPendingLimitsByDeviceLaunchesAlone)
{
    const auto counts =
        counts_of("--strategy chain --mechanism all --depth 2,3,full --pending-limit auto,64 --delay-us 0,1");
    for (const Mechanism mechanism : Registry::find_anywhere("chain")->info().mechanisms)
        EXPECT_EQ(counts.at(mechanism), from_device(mechanism) ? 6U : 3U) << name_of(mechanism);
}

TEST(MechanismAxis, MultipliesWavesAndStreamsByThoseWithAChainARootBlockAlone)
{
    const auto counts =
        counts_of("--strategy fanout --mechanism all --grid 8 --depth 1,2 --wave auto,2 --streams 1,2,4");
    for (const Mechanism mechanism : Registry::find_anywhere("fanout")->info().mechanisms)
        EXPECT_EQ(counts.at(mechanism), from_device(mechanism) ? 6U : 1U) << name_of(mechanism);
    for (const auto& [mechanism, cases] : counts_of("--strategy chain --mechanism all --wave 1,2 --streams 1,2"))
        EXPECT_EQ(cases, 1U) << name_of(mechanism);
}

TEST(MechanismAxis, LeavesWhatMeansNothingAtItsDefault)
{
    const Plan plan =
        plan_of("--strategy chain --mechanism host --depth 3 --pending-limit 64 --wave 2 --streams 2 --delay-us 5");
    ASSERT_EQ(plan.case_count(), 1U);
    EXPECT_EQ(plan.groups[0].cases[0], (Case{.strategy = "chain",
                                             .mechanism = host,
                                             .type = ElementType::none,
                                             .grid = 2048,
                                             .block = 512,
                                             .depth = 3,
                                             .seed = 0,
                                             .runs = 1,
                                             .input = InputKind(),
                                             .op = Operator::none}));
}

TEST(HostLoadAxis, MultipliesOnlyChains)
{
    const Plan plan =
        plan_of("--strategy chain,barrier --mechanism tail --depth 4 --host-load 0,1,2 --pin no,yes --runs 5");
    std::set<std::tuple<std::string, unsigned, Pinned>> found;
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases) {
            EXPECT_TRUE(found.emplace(point.strategy, point.host_load, point.pinned).second);
            EXPECT_EQ(point.runs, point.strategy == "chain" ? 5U : 0U);
        }
    EXPECT_EQ(found.size(), 3U * 2 + 1);
    EXPECT_NE(refusal("--strategy chain --host-load 65").find("64"), std::string::npos);
    EXPECT_NE(refusal("--strategy chain --nice 20").find("19"), std::string::npos);
    EXPECT_NE(refusal("--strategy chain --runs 0").find("--runs 0"), std::string::npos);
    EXPECT_NE(refusal("--strategy chain --pin maybe").find("no, yes"), std::string::npos);
}

TEST(GraphsAxis, MultipliesOnlyChainsByGraphTail)
{
    const Plan plan = plan_of("--strategy chain,barrier --mechanism all --graphs 1,64 --depth 4");
    std::size_t with_64 = 0;
    for (const Case& point : plan.groups.front().cases)
        if (point.graphs == 64) {
            ++with_64;
            EXPECT_EQ(point.strategy, "chain");
            EXPECT_EQ(point.mechanism, Mechanism::graph_tail);
        }
    EXPECT_EQ(with_64, 1U);
    EXPECT_EQ(plan.case_count(), Registry::find_anywhere("chain")->info().mechanisms.size() + 1 + 4);
    EXPECT_NE(refusal("--strategy chain --graphs 0").find("--graphs 0"), std::string::npos);
    EXPECT_NE(refusal("--strategy chain --graphs 257").find("256"), std::string::npos);
}

} // namespace
} // namespace nestbed
