// Many recursions, sequentially: their shapes, their answers, the times at which they arrive, and their launches.
#include "model/axis_table.hpp"
#include "support/matchers.hpp"
#include "workloads/tenants/descriptor.hpp"
#include "workloads/tenants/tenants_reference.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

Case tenants_of(std::uint32_t tenants, std::uint32_t level_nodes, std::uint32_t levels, std::uint64_t seed = 1)
{
    Case point;
    point.input = TenantsInput::together;
    point["tenant-count"] = tenants;
    point["level-nodes"] = level_nodes;
    point["levels"] = levels;
    point["node-work"] = 5;
    point.seed = seed;
    return point;
}

// The recursion as its definition has it, node by node and depth first.
struct Followed {
    std::vector<std::uint64_t> widths;
    std::uint64_t sum = 0;
};
void follow(const Tenant& tenant, std::uint32_t rounds, const std::vector<std::uint32_t>& widths, std::uint32_t node,
            std::uint32_t level, Followed& found)
{
    ++found.widths.at(level - 1);
    const std::uint32_t value = value_of_node(node, rounds);
    found.sum += term_of(value);
    if (level == tenant.levels)
        return;
    const std::uint32_t children = children_of(node, value, child_rate(tenant.width, widths.at(level - 1)));
    for (std::uint32_t child = 0; child < children; ++child)
        follow(tenant, rounds, widths, child_of(value, child, (node & kKeeper) != 0), level + 1, found);
}

TEST(TenantsReference, IsWhatTheRecursionGives)
{
    const Case point = tenants_of(20, 37, 9);
    const TenantsReference reference = tenants_reference(point);
    for (std::size_t index = 0; index < reference.tenants.size(); ++index) {
        const Tenant& tenant = reference.tenants[index];
        Followed found{std::vector<std::uint64_t>(tenant.levels, 0)};
        for (std::uint32_t node = 0; node < tenant.width; ++node)
            follow(tenant, point["node-work"], reference.widths[index], child_of(tenant.root, node, true), 1, found);
        EXPECT_TRUE(std::ranges::equal(found.widths, reference.widths[index])) << index;
        EXPECT_EQ(found.sum, reference.sums[index]) << index;
        EXPECT_EQ(std::accumulate(found.widths.begin(), found.widths.end(), std::uint64_t{0}),
                  reference.nodes(index));
    }
}

TEST(TenantsReference, HasTenantsOfTheAskedLevelsAndWidths)
{
    const TenantsReference reference = tenants_reference(tenants_of(512, 100, 16));
    std::map<std::uint32_t, unsigned> levels;
    double width = 0;
    for (std::size_t index = 0; index < reference.tenants.size(); ++index) {
        const Tenant& tenant = reference.tenants[index];
        ++levels[tenant.levels];
        width += tenant.width;
        EXPECT_THAT(tenant.width, AllOf(Ge(50U), Le(150U)));
        EXPECT_EQ(reference.widths[index].size(), tenant.levels); // no recursion ends early
        EXPECT_EQ(reference.widths[index].front(), tenant.width);
        EXPECT_THAT(reference.widths[index], Each(Ge(1U)));
    }
    EXPECT_EQ(levels.size(), 9U); // 8 to 16
    EXPECT_EQ(levels.begin()->first, 8U);
    EXPECT_NEAR(width / 512, 100, 5);
    const double mean = static_cast<double>(reference.nodes()) / 512 / 12;
    EXPECT_NEAR(mean, 100, 7); // a level has as many nodes as the first, on average
}

// The next level differs from the one before, so nobody knows it before.
TEST(TenantsReference, HasLevelsOfDifferentSizes)
{
    const TenantsReference reference = tenants_reference(tenants_of(64, 1000, 16));
    unsigned same = 0;
    unsigned all = 0;
    for (const std::vector<std::uint32_t>& widths : reference.widths)
        for (std::size_t level = 1; level < widths.size(); ++level, ++all)
            same += widths[level] == widths[level - 1] ? 1 : 0;
    EXPECT_LT(same, all / 20);
}

TEST(TenantsReference, OfNarrowTenantsReachesTheirLastLevel)
{
    const TenantsReference reference = tenants_reference(tenants_of(50, 1, 16));
    for (std::size_t index = 0; index < 50; ++index) {
        EXPECT_EQ(reference.tenants[index].width, 1U);
        EXPECT_EQ(reference.widths[index].size(), reference.tenants[index].levels);
    }
}

TEST(TenantsReference, FollowsFromTheSeed)
{
    const TenantsReference one = tenants_reference(tenants_of(9, 30, 5));
    EXPECT_EQ(one.sums, tenants_reference(tenants_of(9, 30, 5)).sums);
    EXPECT_NE(one.sums, tenants_reference(tenants_of(9, 30, 5, 2)).sums);
    Case harder = tenants_of(9, 30, 5);
    harder["node-work"] = 6;
    EXPECT_NE(one.sums, tenants_reference(harder).sums);
}

TEST(TenantsReference, HasPlacesForTwoLevelsOfEachTenant)
{
    const TenantsReference reference = tenants_reference(tenants_of(30, 60, 7));
    std::uint64_t places = 0;
    for (std::size_t index = 0; index < reference.tenants.size(); ++index) {
        EXPECT_EQ(reference.tenants[index].first, places);
        EXPECT_EQ(reference.tenants[index].capacity, std::ranges::max(reference.widths[index]));
        places += 2 * std::uint64_t{reference.tenants[index].capacity};
    }
    EXPECT_EQ(reference.places, places);
}

TEST(TenantArrivals, AreAllAtOnceOrInOrderWithTheAskedGap)
{
    Case point = tenants_of(512, 4, 2);
    EXPECT_THAT(tenant_arrivals_ns(point), Each(0U));
    point.input = TenantsInput::poisson;
    point["arrival-gap-us"] = 20;
    const std::vector<std::uint64_t> arrivals = tenant_arrivals_ns(point);
    EXPECT_TRUE(std::ranges::is_sorted(arrivals));
    const double mean_us = static_cast<double>(arrivals.back()) / 512 / 1000;
    EXPECT_NEAR(mean_us, 20, 3);
    unsigned longer = 0; // than the mean: a share of 1 / e of exponential gaps
    for (std::size_t index = 1; index < arrivals.size(); ++index)
        longer += arrivals[index] - arrivals[index - 1] > 20000 ? 1 : 0;
    EXPECT_NEAR(longer / 511.0, 0.368, 0.07);
}

TEST(TenantLaunches, AreOneForEachLevelAboveTheThreshold)
{
    TenantsReference reference;
    reference.tenants.resize(3);
    reference.widths = {{4, 9, 4}, {5}, {7, 8, 9, 1}};
    EXPECT_THAT(count_tenant_launches(reference, 0).by_depth, ElementsAre(3, 2, 2, 1));
    EXPECT_THAT(count_tenant_launches(reference, 4).by_depth, ElementsAre(3, 1, 1));
    EXPECT_THAT(count_tenant_launches(reference, 9).by_depth, ElementsAre());
    EXPECT_EQ(count_tenant_launches(reference, 0).root_blocks, 3U);
    EXPECT_EQ(count_tenant_blocks(reference, 4, 0), 3U + 1 + 3 + 1 + 2 + 2 + 2 + 3 + 1);
    EXPECT_EQ(count_tenant_blocks(reference, 4, 7), 3U + 3 + 2 + 3);
}

TEST(TenantsLimits, AreSaid)
{
    EXPECT_EQ(why_no_tenants(tenants_of(512, 256, 16)), "");
    EXPECT_EQ(why_no_tenants(tenants_of(513, 256, 16)), "513 tenants; allowed: at most 512");
    EXPECT_EQ(why_no_tenants(tenants_of(512, 65535, 16)),
              "about 536862720 nodes of all tenants; allowed: at most 268435456");
}

} // namespace
} // namespace nestbed
