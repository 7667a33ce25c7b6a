// Launch mechanisms: what each is, what a strategy has, and the axis that chooses among them.
#include "model/mechanism.hpp"

#include "model/strategy.hpp"
#include "support/plan_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace nestbed
{
namespace
{

using testing::ElementsAre;
using testing::ElementsAreArray;
using enum Mechanism;

using Pair = std::pair<std::string, Mechanism>;

// Strategy and mechanism of every case, in order.
std::vector<Pair> mechanisms_of(const Said& said)
{
    std::vector<Pair> found;
    for (const Group& group : plan_of(said).groups)
        for (const Case& point : group.cases)
            found.emplace_back(point.strategy, point.mechanism.value());
    return found;
}

// Cases by mechanism.
std::map<Mechanism, std::size_t> counts_of(const Said& said)
{
    std::map<Mechanism, std::size_t> counts;
    for (const auto& [strategy, mechanism] : mechanisms_of(said))
        ++counts[mechanism];
    return counts;
}

std::vector<Mechanism> all_that(bool (*holds)(Mechanism))
{
    std::vector<Mechanism> found;
    std::ranges::copy_if(kMechanisms, std::back_inserter(found), holds);
    return found;
}

TEST(Mechanisms, AreListedInOrderEachUnderANameOfItsOwn)
{
    std::set<std::string_view> names;
    for (std::size_t index = 0; index < kMechanisms.size(); ++index) {
        EXPECT_EQ(static_cast<std::size_t>(kMechanisms.at(index)), index);
        names.insert(name_of(kMechanisms.at(index)));
    }
    EXPECT_EQ(names.size(), kMechanisms.size());
    EXPECT_EQ(name_of(null_stream), "null");
    EXPECT_EQ(name_of(grid_sync), "grid_sync");
}

TEST(Mechanisms, FromTheDeviceAndOfCudaAloneAreTold)
{
    EXPECT_THAT(all_that(from_device), ElementsAre(null_stream, named_stream, fire_and_forget, tail, graph_tail));
    EXPECT_THAT(all_that(cuda_only), ElementsAre(graph_tail, host_graph, grid_sync));
}

TEST(Mechanisms, OfACaseAreItsOwnOrTheStrategysFirst)
{
    const StrategyInfo& chain = Registry::find_anywhere("chain")->info();
    EXPECT_EQ(mechanism_of(chain, {}), null_stream);
    EXPECT_EQ(mechanism_of(chain, {.mechanism = host}), host);
    EXPECT_EQ(mechanism_of({}, {}), none); // of one that says nothing
    EXPECT_TRUE(chain.has(graph_tail));
    EXPECT_FALSE(chain.has(none));
}

TEST(Mechanisms, OfEveryStrategyAreSomeAndNoneIsAmongNoOthers)
{
    for (const std::string_view name : Registry::names()) {
        const StrategyInfo& info = Registry::find_anywhere(name)->info();
        ASSERT_FALSE(info.mechanisms.empty()) << name;
        EXPECT_TRUE(info.mechanisms.size() == 1 || !info.has(none)) << name;
        const std::set<Mechanism> distinct(info.mechanisms.begin(), info.mechanisms.end());
        EXPECT_EQ(distinct.size(), info.mechanisms.size()) << name;
        for (const Mechanism mechanism : info.mechanisms) {
            const ExpectedLaunches form = Registry::find_anywhere(name)->launches(
                {.mechanism = mechanism, .elements = 1 << 20, .grid = 2048, .block = 512});
            EXPECT_EQ(form.total() != 0, from_device(mechanism)) << name << " by " << name_of(mechanism);
        }
    }
}

TEST(FindAnywhere, HasWhatAnyBackendHasAndNothingElse)
{
    for (const std::string_view name : Registry::names())
        EXPECT_EQ(Registry::find_anywhere(name)->info().name, name);
    EXPECT_NE(Registry::find(BackendKind::cpu, "cub"), nullptr); // it is there to say that it cannot run
    EXPECT_TRUE(Registry::find_anywhere("cub")->info().cuda_only);
    EXPECT_EQ(Registry::find_anywhere("nosink"), nullptr);
}

TEST(MechanismAxis, UnsaidIsEachStrategysFirst)
{
    for (const std::string_view name : Registry::names())
        EXPECT_THAT(mechanisms_of({{"strategy", std::string(name)}}),
                    ElementsAre(Pair{name, Registry::find_anywhere(name)->info().mechanisms.front()}));
}

TEST(MechanismAxis, AllIsEveryOneThatTheStrategyHas)
{
    const auto all = Registry::find_anywhere("chain")->info().mechanisms;
    std::vector<Mechanism> found;
    for (const auto& [strategy, mechanism] : mechanisms_of({{"strategy", "chain"}, {"mechanism", "all"}}))
        found.push_back(mechanism);
    EXPECT_THAT(found, ElementsAreArray(all));
    EXPECT_EQ(counts_of({{"strategy", "chain"}, {"mechanism", "null,all,null"}}).size(), all.size());
    EXPECT_THAT(mechanisms_of({{"strategy", "neighbored"}, {"mechanism", "all"}}),
                ElementsAre(Pair{"neighbored", none}));
}

TEST(MechanismAxis, IsThoseAskedForThatTheStrategyHasInItsOrder)
{
    EXPECT_THAT(
        mechanisms_of({{"strategy", "nosync,barrier"}, {"mechanism", "tail,named,named"}, {"mechanism", "null"}}),
        ElementsAre(Pair{"nosync", null_stream}, Pair{"nosync", named_stream}, Pair{"barrier", null_stream},
                    Pair{"barrier", named_stream}, Pair{"barrier", tail}));
}

TEST(MechanismAxis, MeansNothingToAStrategyWithOneMechanism)
{
    EXPECT_THAT(mechanisms_of({{"strategy", "neighbored,synced,tail,host_loop,nosync"}, {"mechanism", "named"}}),
                ElementsAre(Pair{"neighbored", none}, Pair{"synced", null_stream}, Pair{"tail", tail},
                            Pair{"host_loop", host}, Pair{"nosync", named_stream}));
}

TEST(MechanismAxis, MultipliesDepthsByAllAndPendingLimitsByThoseFromTheDeviceAlone)
{
    const auto counts = counts_of({{"strategy", "chain"},
                                   {"mechanism", "all"},
                                   {"depth", "2,3,full"},
                                   {"pending-limit", "auto,64"},
                                   {"delay-us", "0,1"}});
    for (const Mechanism mechanism : Registry::find_anywhere("chain")->info().mechanisms)
        EXPECT_EQ(counts.at(mechanism), from_device(mechanism) ? 6U : 3U) << name_of(mechanism);
}

TEST(MechanismAxis, MultipliesWavesAndStreamsByThoseWithAChainARootBlockAlone)
{
    const auto counts = counts_of({{"strategy", "fanout"},
                                   {"mechanism", "all"},
                                   {"grid", "8"},
                                   {"depth", "1,2"},
                                   {"wave", "auto,2"},
                                   {"streams", "1,2,4"}});
    for (const Mechanism mechanism : Registry::find_anywhere("fanout")->info().mechanisms)
        EXPECT_EQ(counts.at(mechanism), from_device(mechanism) ? 6U : 1U) << name_of(mechanism);
    for (const auto& [mechanism, cases] :
         counts_of({{"strategy", "chain"}, {"mechanism", "all"}, {"wave", "1,2"}, {"streams", "1,2"}}))
        EXPECT_EQ(cases, 1U) << name_of(mechanism);
}

TEST(MechanismAxis, LeavesWhatMeansNothingAtItsDefault)
{
    const Plan plan = plan_of({{"strategy", "chain"},
                               {"mechanism", "host"},
                               {"depth", "3"},
                               {"pending-limit", "64"},
                               {"wave", "2"},
                               {"streams", "2"},
                               {"delay-us", "5"}});
    ASSERT_EQ(plan.case_count(), 1U);
    EXPECT_EQ(plan.groups[0].cases[0], (Case{.strategy = "chain",
                                             .mechanism = host,
                                             .type = ElementType::none,
                                             .grid = 2048,
                                             .block = 512,
                                             .depth = 3,
                                             .seed = 0}));
}

TEST(GraphsAxis, MultipliesOnlyChainsByGraphTail)
{
    const Plan plan =
        plan_of({{"strategy", "chain,barrier"}, {"mechanism", "all"}, {"graphs", "1,64"}, {"depth", "4"}});
    std::size_t with_64 = 0;
    for (const Case& point : plan.groups.front().cases)
        if (point.graphs == 64) {
            ++with_64;
            EXPECT_EQ(point.strategy, "chain");
            EXPECT_EQ(point.mechanism, Mechanism::graph_tail);
        }
    EXPECT_EQ(with_64, 1U);
    EXPECT_EQ(plan.case_count(), 8U + 1 + 4);
    EXPECT_NE(refusal({{"strategy", "chain"}, {"graphs", "0"}}).find("--graphs 0"), std::string::npos);
    EXPECT_NE(refusal({{"strategy", "chain"}, {"graphs", "257"}}).find("256"), std::string::npos);
}

} // namespace
} // namespace nestbed
