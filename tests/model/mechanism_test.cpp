// Launch mechanisms: the properties of each, and the mechanisms of a strategy.
#include "model/mechanism.hpp"

#include "model/strategy.hpp"
#include "support/matchers.hpp"

#include <algorithm>
#include <set>

namespace nestbed
{
namespace
{

using enum Mechanism;

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
    EXPECT_EQ(name_of(null_stream), "null_stream");
    EXPECT_EQ(name_of(grid_sync), "grid_sync");
}

TEST(Mechanisms, FromTheDeviceAndOfCudaAloneAreTold)
{
    EXPECT_THAT(all_that(from_device), ElementsAre(null_stream, named_stream, fire_and_forget, tail, graph_tail,
                                                   graph_next, graph_fire_and_forget, graph_sibling));
    EXPECT_THAT(all_that(cuda_only),
                ElementsAre(graph_tail, graph_next, graph_fire_and_forget, graph_sibling, graph_switch, graph_if,
                            graph_update, host_polled, host_graph, grid_sync, cluster_sync));
    EXPECT_THAT(all_that(since_9_0), ElementsAre(host_pdl, host_graph_pdl, host_graph_pdl_max_levels, cluster_sync));
    EXPECT_THAT(all_that(is_programmatic), ElementsAre(host_pdl, host_graph_pdl, host_graph_pdl_max_levels));
    EXPECT_THAT(all_that(is_host_graph),
                ElementsAre(host_graph, host_graph_pdl, host_graph_max_levels, host_graph_pdl_max_levels));
    EXPECT_THAT(all_that(changes_graphs), ElementsAre(graph_tail, graph_next, graph_fire_and_forget, graph_sibling,
                                                      graph_while, graph_switch, graph_if, graph_update));
    EXPECT_THAT(all_that(has_bound), ElementsAre(graph_if, graph_update, host_max_levels, host_graph_max_levels,
                                                 host_graph_pdl_max_levels));
    EXPECT_THAT(all_that(host_waits), ElementsAre(host_read, host_polled));
    EXPECT_THAT(all_that(launches_graphs), ElementsAre(graph_tail, graph_next, graph_fire_and_forget, graph_sibling));
    for (const Mechanism mechanism : kMechanisms) // the launch model has times for it
        EXPECT_EQ(info_of(info_of(mechanism).nearest).nearest, info_of(mechanism).nearest);
}

TEST(Mechanisms, OfACaseAreItsOwnOrTheStrategysFirst)
{
    const StrategyInfo& chain = Registry::find_anywhere("chain")->info();
    EXPECT_EQ(mechanism_of(chain, {}), null_stream);
    EXPECT_EQ(mechanism_of(chain, {.mechanism = host}), host);
    EXPECT_EQ(mechanism_of({}, {}), none); // a strategy without mechanisms
    EXPECT_TRUE(chain.has(graph_tail));
    EXPECT_FALSE(chain.has(none));
}

} // namespace
} // namespace nestbed
