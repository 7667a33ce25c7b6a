#include "workloads/icp/icp_model.hpp"

#include "base/parallel.hpp"
#include "base/split_mix.hpp"
#include "workloads/icp/descriptor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

namespace nestbed
{

namespace
{

constexpr std::int32_t kSpace = 1 << kIcpBits;
constexpr std::int32_t kMaxSide = kSpace / 2; // of the surface, which is in the middle of space
constexpr double kDistance = 3;               // of neighbours on the surface, about
constexpr IcpShift kTruth{8, -5, 7};          // by which the scan is off
constexpr std::uint64_t kNoise = 5;           // -2 to 2

std::uint64_t surface_points(const Case& point)
{
    return std::uint64_t{point[IcpParameter::leaves]} * point[IcpParameter::leaf_points];
}

std::int32_t side_of_surface(const Case& point)
{
    return static_cast<std::int32_t>(std::ceil(kDistance * std::sqrt(static_cast<double>(surface_points(point)))));
}

std::int32_t height(double x, double y)
{
    constexpr double kHeight = 200;
    return kSpace / 2 + static_cast<std::int32_t>(std::lround(kHeight * (std::sin(x / 140) + std::cos(y / 170))));
}

std::uint32_t low_bits(std::uint64_t number, unsigned bits)
{
    return static_cast<std::uint32_t>(number & ((std::uint64_t{1} << bits) - 1));
}

// A place on the side of the surface. `bumps`: a mean of two numbers, so that the middle is denser.
std::int32_t place(const Case& point, std::uint64_t drawn, std::int32_t side)
{
    const std::uint32_t one = low_bits(drawn, 32) % static_cast<std::uint32_t>(side);
    const std::uint32_t other = low_bits(drawn >> 32, 32) % static_cast<std::uint32_t>(side);
    return static_cast<std::int32_t>(point.input == IcpInput::bumps ? (3 * one + other) / 4 : one);
}

class TreeBuilder
{
  public:
    explicit TreeBuilder(const Case& point)
    {
        surface_.depth = static_cast<unsigned>(std::bit_width(point[IcpParameter::leaves])) - 1;
        surface_.splits.resize(point[IcpParameter::leaves] - 1);
        surface_.low.fill(kSpace);
        surface_.high.fill(-kSpace);
    }

    // own: points of this part of space; all: with those of its border.
    void divide(std::size_t node, std::vector<IcpPoint> own, std::vector<IcpPoint> all)
    {
        if (node >= surface_.splits.size())
            return add_leaf(all);
        const unsigned dimension = widest(own);
        std::int32_t at = 0;
        if (!own.empty()) {
            const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
            std::ranges::nth_element(own, middle, {}, [&](IcpPoint one) { return coordinate(one, dimension); });
            at = coordinate(*middle, dimension);
        }
        surface_.splits[node] = icp_split(dimension, at);
        for (const bool right : {false, true}) {
            std::vector<IcpPoint> own_part;
            std::vector<IcpPoint> part;
            std::ranges::copy_if(own, std::back_inserter(own_part),
                                 [&](IcpPoint one) { return (coordinate(one, dimension) >= at) == right; });
            std::ranges::copy_if(all, std::back_inserter(part), [&](IcpPoint one) {
                const std::int32_t where = coordinate(one, dimension);
                return right ? where >= at - kIcpReach : where < at + kIcpReach;
            });
            divide(2 * node + 1 + (right ? 1 : 0), std::move(own_part), std::move(part));
        }
    }

    IcpSurface finish() { return std::move(surface_); }

  private:
    static unsigned widest(std::span<const IcpPoint> points)
    {
        unsigned best = 0;
        std::int32_t width = -1;
        for (unsigned dimension = 0; dimension < 3 && !points.empty(); ++dimension) {
            const auto at = [&](IcpPoint one) { return coordinate(one, dimension); };
            const auto [least, most] = std::ranges::minmax(points, {}, at);
            if (at(most) - at(least) > width) {
                width = at(most) - at(least);
                best = dimension;
            }
        }
        return best;
    }

    void add_leaf(std::vector<IcpPoint>& points)
    {
        IcpLeaf leaf{{1, 1, 1},
                     {0, 0, 0},
                     static_cast<std::uint32_t>(surface_.points.size()),
                     static_cast<std::uint32_t>(points.size())};
        for (unsigned dimension = 0; dimension < 3 && !points.empty(); ++dimension) {
            const auto at = [&](IcpPoint one) { return coordinate(one, dimension); };
            leaf.low.at(dimension) = at(std::ranges::min(points, {}, at)) - kIcpReach;
            leaf.high.at(dimension) = at(std::ranges::max(points, {}, at)) + kIcpReach;
            surface_.low.at(dimension) = std::min(surface_.low.at(dimension), leaf.low.at(dimension));
            surface_.high.at(dimension) = std::max(surface_.high.at(dimension), leaf.high.at(dimension));
        }
        surface_.points.resize(leaf.first + (points.size() + 1) / 2 * 2);
        balance(points, std::span(surface_.points).subspan(leaf.first), 0, 0);
        surface_.largest = std::max(surface_.largest, leaf.count);
        surface_.leaves.push_back(leaf);
    }

    // The points as a left-balanced tree whose root is tree[node].
    static void balance(std::span<IcpPoint> points, std::span<IcpPoint> tree, std::size_t node, unsigned dimension)
    {
        if (points.empty())
            return;
        const std::uint32_t left = left_nodes(static_cast<std::uint32_t>(points.size()));
        std::ranges::nth_element(points, points.begin() + left, {},
                                 [&](IcpPoint one) { return std::pair(coordinate(one, dimension), one); });
        tree[node] = points[left];
        balance(points.first(left), tree, 2 * node + 1, (dimension + 1) % 3);
        balance(points.subspan(left + 1), tree, 2 * node + 2, (dimension + 1) % 3);
    }

    IcpSurface surface_;
};

// The nearest point of a leaf, recursively.
struct Search {
    std::span<const IcpPoint> tree;
    std::array<std::int32_t, 3> at;
    std::uint32_t squared = kIcpReachSquared;
    IcpPoint nearest = ~IcpPoint{0};

    void run(std::size_t node, unsigned dimension)
    {
        if (node >= tree.size())
            return;
        const IcpPoint here = tree[node];
        std::uint32_t distance = 0;
        for (unsigned one = 0; one < 3; ++one) {
            const std::int32_t apart = coordinate(here, one) - at.at(one);
            distance += static_cast<std::uint32_t>(apart * apart);
        }
        if (distance < squared || (distance == squared && here < nearest)) {
            squared = distance;
            nearest = here;
        }
        const std::int32_t apart = at.at(dimension) - coordinate(here, dimension);
        const std::size_t near_side = 2 * node + (apart > 0 ? 2 : 1);
        run(near_side, (dimension + 1) % 3);
        if (static_cast<std::uint32_t>(apart * apart) <= squared)
            run(4 * node + 3 - near_side, (dimension + 1) % 3);
    }
};

std::uint32_t leaf_of(const IcpSurface& surface, const std::array<std::int32_t, 3>& at)
{
    std::size_t node = 0;
    while (node < surface.splits.size()) {
        const std::int32_t split = surface.splits[node];
        node = 2 * node + (at.at(static_cast<std::size_t>(split & 3)) >= split >> 2 ? 2 : 1);
    }
    return static_cast<std::uint32_t>(node - surface.splits.size());
}

bool is_inside(const IcpLeaf& leaf, const std::array<std::int32_t, 3>& at)
{
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        if (at.at(dimension) < leaf.low.at(dimension) || at.at(dimension) > leaf.high.at(dimension))
            return false;
    return true;
}

struct Iteration {
    IcpSums sums{};
    std::vector<std::uint32_t> searches; // of each leaf

    void add(const IcpSurface& surface, const ScanPoint& one, const IcpShift& shift)
    {
        const std::array at{one.x + shift.x, one.y + shift.y, one.z + shift.z};
        const std::uint32_t number = leaf_of(surface, at);
        const IcpLeaf& leaf = surface.leaves[number];
        if (!is_inside(leaf, at))
            return;
        ++searches[number];
        Search search{std::span(surface.points).subspan(leaf.first, leaf.count), at};
        search.run(0, 0);
        if (search.nearest == ~IcpPoint{0})
            return;
        const auto weighted = [&](unsigned dimension) {
            return static_cast<unsigned long long>(coordinate(search.nearest, dimension) - at.at(dimension)) *
                   one.weight;
        };
        ++sums.matched;
        sums.weight += one.weight;
        sums.x += weighted(0);
        sums.y += weighted(1);
        sums.z += weighted(2);
        sums.squared += std::uint64_t{search.squared} * one.weight;
    }

    void add(const Iteration& other)
    {
        sums.matched += other.sums.matched;
        sums.weight += other.sums.weight;
        sums.x += other.sums.x;
        sums.y += other.sums.y;
        sums.z += other.sums.z;
        sums.squared += other.sums.squared;
        for (std::size_t leaf = 0; leaf < searches.size(); ++leaf)
            searches[leaf] += other.searches[leaf];
    }
};

} // namespace

std::uint32_t left_nodes(std::uint32_t nodes)
{
    const auto depth = static_cast<unsigned>(std::bit_width(nodes)) - 1;
    if (depth == 0)
        return 0;
    const std::uint32_t half = std::uint32_t{1} << (depth - 1);
    const std::uint32_t last = nodes + 1 - 2 * half; // in the lowest row
    return half - 1 + (last < half ? last : half);
}

std::string why_no_icp(const Case& point)
{
    if (point[IcpParameter::leaves] == 0 || !std::has_single_bit(point[IcpParameter::leaves]))
        return "--leaves " + std::to_string(point[IcpParameter::leaves]) + "; allowed: a power of two, at most " +
               std::to_string(kMaxIcpLeaves);
    if (side_of_surface(point) > kMaxSide)
        return std::to_string(surface_points(point)) +
               " points of the surface (leaves x leaf points); allowed: at most " +
               std::to_string(static_cast<std::uint64_t>(kMaxSide / kDistance) *
                              static_cast<std::uint64_t>(kMaxSide / kDistance));
    if (point.elements > UINT32_MAX / 2)
        return std::to_string(point.elements) + " points of the scan; allowed: at most 2^31 - 1";
    return "";
}

std::vector<IcpPoint> icp_points(const Case& point)
{
    const std::int32_t side = side_of_surface(point);
    std::vector<IcpPoint> points(surface_points(point));
    for_ranges(points.size(), [&](std::size_t first, std::size_t end) {
        for (std::size_t index = first; index < end; ++index) {
            const std::int32_t x = place(point, split_mix(point.seed, 2 * index), side);
            const std::int32_t y = place(point, split_mix(point.seed, 2 * index + 1), side);
            const std::int32_t corner = (kSpace - side) / 2;
            points[index] = icp_point(static_cast<std::uint32_t>(corner + x), static_cast<std::uint32_t>(corner + y),
                                      static_cast<std::uint32_t>(height(x, y)));
        }
    });
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
}

IcpSurface icp_surface(const Case& point, std::span<const IcpPoint> points)
{
    TreeBuilder builder(point);
    builder.divide(0, {points.begin(), points.end()}, {points.begin(), points.end()});
    return builder.finish();
}

std::vector<ScanPoint> icp_scan(const Case& point, std::span<const IcpPoint> points)
{
    constexpr unsigned kDraws = 3; // per point
    const auto noise = [](std::uint64_t drawn) {
        return static_cast<std::int32_t>(drawn % kNoise) - static_cast<std::int32_t>(kNoise / 2);
    };
    std::vector<ScanPoint> scan(point.elements);
    const std::uint32_t near_every = point[IcpParameter::near_every];
    for_ranges(scan.size(), [&](std::size_t first, std::size_t end) {
        for (std::size_t index = first; index < end; ++index) {
            const auto draw = [&](unsigned which) { return split_mix(~point.seed, kDraws * index + which); };
            const std::uint64_t kind = draw(0);
            const std::uint64_t where = draw(1);
            const std::uint64_t other = draw(2);
            ScanPoint& one = scan[index];
            one.weight = 1 + low_bits(kind >> 40, 8);
            if (low_bits(kind, 32) % near_every == 0) {
                const IcpPoint of = points[where % points.size()];
                one.x = coordinate(of, 0) - kTruth.x + noise(low_bits(other, 16));
                one.y = coordinate(of, 1) - kTruth.y + noise(low_bits(other >> 16, 16));
                one.z = coordinate(of, 2) - kTruth.z + noise(low_bits(other >> 32, 16));
            } else {
                one.x = static_cast<std::int32_t>(low_bits(where, kIcpBits));
                one.y = static_cast<std::int32_t>(low_bits(where >> 16, kIcpBits));
                one.z = static_cast<std::int32_t>(low_bits(where >> 32, kIcpBits));
            }
        }
    });
    return scan;
}

IcpReference icp_reference(const Case& point, const IcpSurface& surface, std::span<const ScanPoint> scan)
{
    IcpReference reference{.sums = {}, .most = std::vector<std::uint32_t>(surface.leaves.size())};
    IcpShift shift{0, 0, 0};
    for (;;) {
        Iteration all{{}, std::vector<std::uint32_t>(surface.leaves.size())};
        std::mutex mutex;
        for_ranges(scan.size(), [&](std::size_t first, std::size_t end) {
            Iteration part{{}, std::vector<std::uint32_t>(surface.leaves.size())};
            for (const ScanPoint& one : scan.subspan(first, end - first))
                part.add(surface, one, shift);
            const std::scoped_lock lock(mutex);
            all.add(part);
        });
        reference.sums.push_back(all.sums);
        for (std::size_t leaf = 0; leaf < all.searches.size(); ++leaf) {
            reference.most[leaf] = std::max(reference.most[leaf], all.searches[leaf]);
            reference.searches += all.searches[leaf];
        }
        const IcpShift step = icp_step(all.sums);
        if (is_zero(step) || reference.iterations() == point[IcpParameter::iterations])
            return reference;
        shift = {shift.x + step.x, shift.y + step.y, shift.z + step.z};
    }
}

} // namespace nestbed
