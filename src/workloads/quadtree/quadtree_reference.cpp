#include "workloads/quadtree/quadtree_reference.hpp"

#include "base/parallel.hpp"
#include "base/split_mix.hpp"
#include "workloads/quadtree/descriptor.hpp"

#include <algorithm>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kClusters = 64;
constexpr std::uint32_t kSide = 1U << 16;

std::uint32_t word_of(std::uint32_t x, std::uint32_t y)
{
    return x | y << 16;
}

// One coordinate of a point of a cluster: the mean of four numbers below `width`, so that the middle is denser.
std::uint32_t clustered_number(std::uint32_t middle, std::uint32_t width, std::uint64_t drawn)
{
    std::uint32_t sum = 0;
    for (unsigned part = 0; part < 4; ++part)
        sum += static_cast<std::uint32_t>(drawn >> (16 * part)) & (width - 1);
    const std::uint32_t sought = middle + sum / 4;
    return std::clamp(sought, width / 2, kSide - 1 + width / 2) - width / 2;
}

std::uint32_t clustered_point(std::uint64_t seed, std::uint64_t index)
{
    constexpr std::uint32_t kWidest = 13; // bits
    constexpr std::uint32_t kWidths = 10;
    const std::uint64_t drawn = split_mix(seed, 3 * index);
    const std::uint64_t cluster = split_mix(~seed, drawn % kClusters);
    const auto middle = static_cast<std::uint32_t>(cluster);
    const std::uint32_t width = 1U << (kWidest - static_cast<std::uint32_t>(cluster >> 32) % kWidths);
    return word_of(clustered_number(middle & (kSide - 1), width, split_mix(seed, 3 * index + 1)),
                   clustered_number(middle >> 16, width, split_mix(seed, 3 * index + 2)));
}

std::uint32_t drawn_point(const Case& point, std::uint64_t index)
{
    const std::uint64_t drawn = split_mix(point.seed, index);
    if (point.input == QuadInput::clustered)
        return clustered_point(point.seed, index);
    if (point.input == QuadInput::line) {
        const auto x = static_cast<std::uint32_t>(drawn >> 48);
        return word_of(x, x / 4 * 3 + kSide / 8);
    }
    if (point.input == QuadInput::coincident)
        return static_cast<std::uint32_t>(split_mix(point.seed, 0) >> 32);
    return static_cast<std::uint32_t>(drawn >> 32);
}

// The parts of a recursion as items: an item is the index of a part, and its step.
constexpr unsigned kQuadStepBits = 2;

class QuadRecursion
{
  public:
    QuadRecursion(const Case& point, const QuadTree& tree)
        : limits_(limits_of(point)), block_(point.block), codes_(tree.codes), order_(tree.order)
    {
        const QuadPart whole = whole_square(static_cast<std::uint32_t>(codes_.size()), limits_);
        root_ = add(whole, step_of(whole, leaf_points(block_)));
    }

    std::uint64_t divisions() const { return divisions_; }

    // The last block of an item to arrive requests what follows; for the oracle it is the item's last one.
    void requests(const ItemBlock& block, std::vector<ChildRequest>& out)
    {
        if (block.depth != 0 && block.block + 1 != block.blocks)
            return;
        const std::uint64_t item = block.depth == 0 ? root_ : block.item;
        const QuadPart part = parts_[item >> kQuadStepBits];
        const auto step = static_cast<QuadStep>(item & ((1U << kQuadStepBits) - 1));
        if (step == QuadStep::divide)
            count(item, part, out);
        else if (step == QuadStep::scatter)
            scatter(part, out);
    }

  private:
    std::uint64_t add(const QuadPart& part, QuadStep step)
    {
        divisions_ += step == QuadStep::divide ? 1 : 0;
        parts_.push_back(part);
        return (parts_.size() - 1) << kQuadStepBits | static_cast<std::uint64_t>(step);
    }
    void want(std::uint32_t thread, const QuadPart& part, std::vector<ChildRequest>& out)
    {
        out.push_back({thread, add(part, step_of(part, leaf_points(block_))), quad_threads(part.count)});
    }
    std::uint32_t points() const { return static_cast<std::uint32_t>(codes_.size()); }
    // Points of the part from which on keys have this digit or a larger one.
    std::uint32_t from_digit(const QuadPart& part, const QuadDigits& digits, std::uint32_t digit) const
    {
        std::uint32_t low = part.first;
        for (std::uint32_t end = part.first + part.count; low < end;) {
            const std::uint32_t middle = low + (end - low) / 2;
            if (digits.of(codes_[middle], order_[middle]) < digit)
                low = middle + 1;
            else
                end = middle;
        }
        return low;
    }

    void count(std::uint64_t item, const QuadPart& part, std::vector<ChildRequest>& out)
    {
        const QuadDigits digits = digits_of(part, block_, points());
        const std::uint32_t last = part.first + part.count - 1;
        const std::uint32_t common = common_bits(codes_[part.first], codes_[last]);
        if (part.bits < kCodeBits && common >= digits.end()) {
            want(0, narrowed(part, limits_, common, codes_[last]), out);
            return;
        }
        const std::uint64_t scatter =
            (item >> kQuadStepBits) << kQuadStepBits | static_cast<std::uint64_t>(QuadStep::scatter);
        out.push_back({0, scatter, quad_threads(part.count)});
    }
    void scatter(const QuadPart& part, std::vector<ChildRequest>& out)
    {
        const QuadDigits digits = digits_of(part, block_, points());
        std::vector<std::uint32_t> starts(digits.parts() + 1, part.count);
        for (std::uint32_t digit = 0; digit < digits.parts(); ++digit)
            starts[digit] = from_digit(part, digits, digit) - part.first;
        const auto start_at = [&](std::uint32_t digit) { return starts[digit]; };
        for (std::uint32_t digit = 0; digit < digits.parts(); ++digit) {
            const std::uint32_t end = item_end(digits, leaf_points(block_), digit, start_at);
            const std::uint32_t count = starts[end] - starts[digit];
            const std::uint32_t first = part.first + starts[digit];
            if (end == digit + 1) // whether its node is divided does not change what is launched
                want(digit, part_of(part, digits, limits_, digit, first, count, count), out);
            else if (end != digit)
                want(digit, joined(part, digits, first, count), out);
        }
    }

    QuadLimits limits_;
    std::uint32_t block_;
    const std::vector<std::uint32_t>&codes_, &order_;
    std::vector<QuadPart> parts_;
    std::uint64_t root_ = 0;
    std::uint64_t divisions_ = 0;
};

// A block per node: one launch for each node that is divided.
RequestOracle count_nodes(const Case& point, const QuadTree& tree)
{
    RequestOracle oracle;
    const QuadLimits limits = limits_of(point);
    QuadPart root = whole_square(static_cast<std::uint32_t>(tree.codes.size()), limits);
    std::vector<QuadPart> level{root};
    while (!level.empty() && oracle.launches.levels() < point.depth.value_or(UINT32_MAX)) {
        std::vector<QuadPart> next;
        std::uint64_t launches = 0;
        for (const QuadPart& node : level) {
            if (!node_divides(node, limits, leaf_points(point.block)))
                continue;
            ++launches;
            const auto end = tree.codes.begin() + node.first + node.count;
            for (auto first = tree.codes.begin() + node.first; first != end;) {
                const std::uint32_t code = leading_bits(*first, node.bits + 2);
                const auto last = std::partition_point(
                    first, end, [&](std::uint32_t other) { return leading_bits(other, node.bits + 2) <= code; });
                QuadPart child = node;
                child.first = static_cast<std::uint32_t>(first - tree.codes.begin());
                child.count = static_cast<std::uint32_t>(last - first);
                child.bits += 2;
                ++child.level;
                child.divided = divided_if(limits.divided(child.level, child.count));
                next.push_back(child);
                first = last;
            }
        }
        if (launches != 0)
            oracle.launches.by_depth.push_back(launches);
        oracle.counts.widest = std::max(oracle.counts.widest, launches);
        level = std::move(next);
    }
    oracle.launches.by_root.assign(1, oracle.launches.total());
    return oracle;
}

} // namespace

std::vector<std::uint32_t> quad_points(const Case& point)
{
    std::vector<std::uint32_t> points(point.elements);
    for_ranges(points.size(), [&](std::size_t first, std::size_t end) {
        for (std::size_t index = first; index < end; ++index)
            points[index] = drawn_point(point, index);
    });
    return points;
}

QuadTree make_quadtree(const std::vector<std::uint32_t>& points, const QuadLimits& limits)
{
    std::vector<std::uint64_t> keys(points.size());
    for (std::size_t index = 0; index < points.size(); ++index)
        keys[index] = std::uint64_t{morton_code(points[index])} << kCodeBits | index;
    std::ranges::sort(keys);
    QuadTree tree;
    for (const std::uint64_t key : keys) {
        tree.codes.push_back(static_cast<std::uint32_t>(key >> kCodeBits));
        tree.order.push_back(static_cast<std::uint32_t>(key));
    }
    tree.nodes.push_back({0, 0, 0, static_cast<std::uint32_t>(points.size())});
    for (std::size_t index = 0; index < tree.nodes.size(); ++index) {
        const QuadNode node = tree.nodes[index];
        if (!limits.divided(node.level, node.count))
            continue;
        const std::uint32_t bits = 2 * (node.level + 1);
        const auto end = tree.codes.begin() + node.begin + node.count;
        for (auto first = tree.codes.begin() + node.begin; first != end;) {
            const std::uint32_t code = leading_bits(*first, bits);
            const auto next = std::partition_point(
                first, end, [&](std::uint32_t other) { return leading_bits(other, bits) <= code; });
            tree.nodes.push_back({node.level + 1, code, static_cast<std::uint32_t>(first - tree.codes.begin()),
                                  static_cast<std::uint32_t>(next - first)});
            first = next;
        }
    }
    return tree;
}

std::uint32_t quad_roots(const Case& point)
{
    return blocks_for(quad_threads(static_cast<std::uint32_t>(point.elements)), point.block,
                      std::max(1U, point.coarsen));
}

std::uint32_t max_quad_levels(const Case& point)
{
    const std::uint32_t digit = bit_width(std::min(point.block, kMaxQuadParts)) - 1; // as digits_of()
    const std::uint32_t place_bits = bit_width(static_cast<std::uint32_t>(point.elements - 1));
    const std::uint32_t leaf_bits = bit_width(leaf_points(point.block)) - 1; // so many places fit into a leaf
    const auto digits = [&](std::uint32_t bits) { return (bits + digit - 1) / digit; };
    return 2 * (digits(kCodeBits) + digits(place_bits - std::min(place_bits, leaf_bits)));
}

std::uint64_t useful_quad_blocks(const Case& point)
{
    return quad_roots(point) + 3 * point.elements / leaf_points(point.block);
}

RequestOracle count_quadtree(const Case& point, QuadForm form, const QuadTree& tree)
{
    if (form == QuadForm::flat)
        return {};
    if (form == QuadForm::sample)
        return count_nodes(point, tree);
    QuadRecursion recursion(point, tree);
    RequestOracle oracle = count_requests(point, 1, [&](const ItemBlock& block, std::vector<ChildRequest>& requests) {
        recursion.requests(block, requests);
    });
    oracle.divisions = recursion.divisions();
    return oracle;
}

} // namespace nestbed
