// The surface, the scan and the sequential registration of the workload icp, against searches of all points.
#include "workloads/icp/icp_model.hpp"

#include "support/matchers.hpp"
#include "workloads/icp/descriptor.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace nestbed
{
namespace
{

Case icp_case(std::uint32_t leaves, std::uint32_t leaf_points, InputKind input = IcpInput::waves)
{
    Case point{.strategy = "icp_levels", .elements = 500, .block = 64, .seed = 7, .input = input};
    point["leaves"] = leaves;
    point["leaf-points"] = leaf_points;
    point["near-every"] = 2;
    point["iterations"] = 16;
    return point;
}

// An iteration that looks at every point of the surface for every scan point.
IcpSums by_all_points(std::span<const IcpPoint> points, std::span<const ScanPoint> scan, const IcpShift& shift)
{
    IcpSums sums{};
    for (const ScanPoint& one : scan) {
        const std::array at{one.x + shift.x, one.y + shift.y, one.z + shift.z};
        std::uint64_t least = kIcpReachSquared;
        IcpPoint nearest = ~IcpPoint{0};
        for (const IcpPoint candidate : points) { // sorted: the first of those at the same distance
            std::uint64_t distance = 0;
            for (unsigned dimension = 0; dimension < 3; ++dimension) {
                const std::int64_t apart = coordinate(candidate, dimension) - at.at(dimension);
                distance += static_cast<std::uint64_t>(apart * apart);
            }
            if (distance < least || (distance == least && nearest == ~IcpPoint{0})) {
                least = distance;
                nearest = candidate;
            }
        }
        if (nearest == ~IcpPoint{0})
            continue;
        ++sums.matched;
        sums.weight += one.weight;
        sums.squared += least * one.weight;
        sums.x += static_cast<std::uint64_t>(coordinate(nearest, 0) - at[0]) * one.weight;
        sums.y += static_cast<std::uint64_t>(coordinate(nearest, 1) - at[1]) * one.weight;
        sums.z += static_cast<std::uint64_t>(coordinate(nearest, 2) - at[2]) * one.weight;
    }
    return sums;
}

TEST(IcpReference, FindsTheNearestOfAllPointsInEveryIteration)
{
    for (const InputKind input : {IcpInput::waves, IcpInput::bumps})
        for (const std::uint32_t division : {1U, 2U, 16U}) {
            SCOPED_TRACE(division);
            const Case point = icp_case(division, 1600 / division, input);
            const std::vector<IcpPoint> points = icp_points(point);
            const std::vector<ScanPoint> scan = icp_scan(point, points);
            const IcpReference reference = icp_reference(point, icp_surface(point, points), scan);
            ASSERT_GT(reference.iterations(), 1U);
            IcpShift shift{0, 0, 0};
            for (const IcpSums& sums : reference.sums) {
                const IcpSums all = by_all_points(points, scan, shift);
                EXPECT_EQ(sums, all);
                EXPECT_GT(sums.matched, scan.size() / 4); // half of the scan is near
                const IcpShift step = icp_step(all);
                shift = {shift.x + step.x, shift.y + step.y, shift.z + step.z};
            }
            EXPECT_TRUE(is_zero(icp_step(reference.sums.back())) || reference.iterations() == point["iterations"]);
        }
}

TEST(IcpReference, StopsAfterTheMaximumOfIterations)
{
    Case point = icp_case(4, 400);
    const std::vector<IcpPoint> points = icp_points(point);
    const std::vector<ScanPoint> scan = icp_scan(point, points);
    point["iterations"] = 1;
    EXPECT_EQ(icp_reference(point, icp_surface(point, points), scan).iterations(), 1U);
}

TEST(IcpSurface, HasEveryPointInALeafAndItsBorderInTheNeighbours)
{
    const Case point = icp_case(8, 700);
    const std::vector<IcpPoint> points = icp_points(point);
    const IcpSurface surface = icp_surface(point, points);
    ASSERT_EQ(surface.leaves.size(), 8U);
    EXPECT_EQ(surface.depth, 3U);
    std::set<IcpPoint> found;
    std::size_t places = 0;
    for (const IcpLeaf& leaf : surface.leaves) {
        EXPECT_LE(leaf.count, surface.largest);
        EXPECT_EQ(leaf.first % 2, 0U);
        places += leaf.count;
        for (const IcpPoint one : std::span(surface.points).subspan(leaf.first, leaf.count)) {
            found.insert(one);
            for (unsigned dimension = 0; dimension < 3; ++dimension) {
                EXPECT_GE(coordinate(one, dimension), leaf.low.at(dimension) + kIcpReach);
                EXPECT_LE(coordinate(one, dimension), leaf.high.at(dimension) - kIcpReach);
            }
        }
        for (unsigned dimension = 0; dimension < 3; ++dimension) {
            EXPECT_LE(surface.low.at(dimension), leaf.low.at(dimension));
            EXPECT_GE(surface.high.at(dimension), leaf.high.at(dimension));
        }
    }
    EXPECT_EQ(found, std::set(points.begin(), points.end()));
    EXPECT_GT(places, points.size()); // borders
}

TEST(IcpSurface, OfALeafIsALeftBalancedTree)
{
    EXPECT_EQ(left_nodes(1), 0U);
    EXPECT_EQ(left_nodes(2), 1U);
    EXPECT_EQ(left_nodes(3), 1U);
    EXPECT_EQ(left_nodes(4), 2U);
    EXPECT_EQ(left_nodes(6), 3U);
    EXPECT_EQ(left_nodes(7), 3U);
    EXPECT_EQ(left_nodes(12), 7U);
    const Case point = icp_case(1, 300);
    const IcpSurface surface = icp_surface(point, icp_points(point));
    for (std::size_t node = 1; node < surface.leaves.front().count; ++node)
        for (std::size_t below = node, above = (node - 1) / 2;; below = above, above = (above - 1) / 2) {
            const auto dimension = static_cast<unsigned>(std::bit_width(above + 1) - 1) % 3;
            const std::int32_t here = coordinate(surface.points[node], dimension);
            const std::int32_t there = coordinate(surface.points[above], dimension);
            EXPECT_TRUE(below == 2 * above + 1 ? here <= there : here >= there);
            if (above == 0)
                break;
        }
}

TEST(IcpMean, IsTheNearestWholeNumber)
{
    EXPECT_EQ(icp_mean(7, 2), 4);
    EXPECT_EQ(icp_mean(0ULL - 7, 2), -4);
    EXPECT_EQ(icp_mean(4, 10), 0);
    EXPECT_EQ(icp_mean(0ULL - 4, 10), 0);
    EXPECT_EQ(icp_mean(5, 10), 1);
    EXPECT_TRUE(is_zero(icp_step({})));
}

TEST(IcpCase, IsRefusedWithTheValueAndWhatIsAllowed)
{
    EXPECT_EQ(why_no_icp(icp_case(4, 100)), "");
    EXPECT_EQ(why_no_icp(icp_case(12, 100)), "--leaves 12; allowed: a power of two, at most 1024");
    EXPECT_THAT(why_no_icp(icp_case(1024, 65535)),
                HasSubstr("67107840 points of the surface (leaves x leaf points)"));
    Case large = icp_case(4, 100);
    large.elements = std::uint64_t{1} << 31;
    EXPECT_EQ(why_no_icp(large), "2147483648 points of the scan; allowed: at most 2^31 - 1");
}

} // namespace
} // namespace nestbed
