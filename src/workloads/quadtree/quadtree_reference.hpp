// The workload `quadtree`: its points, the canonical tree, and the recursions whose launches depend only on the input. Pure.
//
// A point is one word: x in the lower 16 bits, y in the upper 16, whole numbers. Its Morton code has the bits of x at the
// even places and those of y at the odd ones; its first 2 l bits name the square of level l that contains it. So 32 bits
// hold 16 levels, and the points of a square are a range of the points in the order of their codes.
//
// The canonical tree: the square of level 0 is a node. A node is divided if it has more than `cap` points and its level
// is below `levels`: those of its four squares that have points are nodes. The points are in the order of their codes,
// points with equal codes in the order of the input: a stable permutation. The list of nodes is ordered by level, then by code.
// Forms may list the nodes in any order (it depends on the order of execution): each must be in the canonical list, once.
#pragma once

#include "base/bits.hpp"
#include "model/request_oracle.hpp"
#include "workloads/quadtree/descriptor.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace nestbed
{

inline constexpr std::uint32_t kCodeBits = 32;
inline constexpr std::uint32_t kMaxQuadLevels = 16;

// The bits of a number of 16 bits, at the even places.
constexpr std::uint32_t spread_bits(std::uint32_t number)
{
    number = (number | number << 8) & 0x00FF00FFU;
    number = (number | number << 4) & 0x0F0F0F0FU;
    number = (number | number << 2) & 0x33333333U;
    return (number | number << 1) & 0x55555555U;
}
constexpr std::uint32_t gather_bits(std::uint32_t spread)
{
    spread &= 0x55555555U;
    spread = (spread | spread >> 1) & 0x33333333U;
    spread = (spread | spread >> 2) & 0x0F0F0F0FU;
    spread = (spread | spread >> 4) & 0x00FF00FFU;
    return (spread | spread >> 8) & 0x0000FFFFU;
}
constexpr std::uint32_t morton_code(std::uint32_t point)
{
    return spread_bits(point & 0xFFFFU) | spread_bits(point >> 16) << 1;
}
constexpr std::uint32_t point_of(std::uint32_t code)
{
    return gather_bits(code) | gather_bits(code >> 1) << 16;
}

// Leading bits that two codes have in common.
constexpr std::uint32_t common_bits(std::uint32_t one, std::uint32_t other)
{
    return kCodeBits - bit_width(one ^ other);
}
constexpr std::uint32_t common_levels(std::uint32_t one, std::uint32_t other)
{
    return common_bits(one, other) / 2;
}
// The first `bits` bits of a code as a number.
constexpr std::uint32_t leading_bits(std::uint32_t code, std::uint32_t bits)
{
    return bits == 0 ? 0 : code >> (kCodeBits - bits);
}

struct QuadNode {
    std::uint32_t level;
    std::uint32_t code;         // the first 2 level bits of its points' codes, as a number
    std::uint32_t begin, count; // of its points

    friend bool operator==(const QuadNode&, const QuadNode&) = default;
    friend auto operator<=>(const QuadNode&, const QuadNode&) = default; // NOLINT(modernize-use-nullptr)
};

struct QuadLimits {
    std::uint32_t cap;    // most points of a node that is not divided above `levels`
    std::uint32_t levels; // the deepest level

    constexpr bool divided(std::uint32_t level, std::uint32_t count) const { return count > cap && level < levels; }
};

// Where points are: in the input (words, in its order), or as pairs of a code and a place in the input.
enum class QuadPlace : std::uint8_t { in, spare, out };
constexpr QuadPlace next_place(QuadPlace place)
{
    return place == QuadPlace::spare ? QuadPlace::out : QuadPlace::spare;
}

// What is done to a part.
enum class QuadStep : std::uint8_t {
    none,
    leaf,    // one block sorts its points and lists all nodes in it
    divide,  // count the points of each of its parts
    scatter, // move them into their parts
};

// Whether a node is divided. by_count: it has all its points in the part, which may have several nodes of its level.
enum class QuadDivided : std::uint8_t { no, yes, by_count };
constexpr QuadDivided divided_if(bool divided)
{
    return divided ? QuadDivided::yes : QuadDivided::no;
}

// Points whose keys (code, place in the input) have the first `bits` bits in common: of the code, and more than 32: of
// the place too. Only points with equal codes are divided by their places.
struct QuadPart {
    std::uint32_t first, count;
    std::uint32_t code; // its first `bits` bits
    std::uint32_t bits;
    std::uint32_t level; // nodes with these points down to this level are in the list
    QuadDivided divided; // the node of this level, which may have other points too unless it is by_count
    QuadPlace place;
};

// Points that one thread takes at a time, and most points that a block finishes without a division.
inline constexpr std::uint32_t kPointsPerThread = 8;
inline constexpr std::uint32_t kMaxLeafPoints = 4096;
inline constexpr std::uint32_t kMaxQuadParts = 1024;
constexpr std::uint32_t quad_threads(std::uint32_t count)
{
    return (count - 1) / kPointsPerThread + 1;
}
constexpr std::uint32_t leaf_points(std::uint32_t block)
{
    return block * kPointsPerThread < kMaxLeafPoints ? block * kPointsPerThread : kMaxLeafPoints;
}
constexpr QuadStep step_of(const QuadPart& part, std::uint32_t leaf)
{
    return part.count <= leaf ? QuadStep::leaf : QuadStep::divide;
}

// The form with a block per node: whether a node's block divides it. `leaf`: points that a block can sort.
constexpr bool node_divides(const QuadPart& node, const QuadLimits& limits, std::uint32_t leaf)
{
    return (node.divided == QuadDivided::yes && limits.divided(node.level, node.count)) ||
           (node.count > leaf && node.level < kMaxQuadLevels);
}

// The parts of a part: those of the next `width` bits.
struct QuadDigits {
    std::uint32_t bits; // before the digit
    std::uint32_t width;

    constexpr std::uint32_t parts() const { return 1U << width; }
    constexpr std::uint32_t end() const { return bits + width; }
    // Parts that are one node of the deepest level that the digit knows.
    constexpr std::uint32_t unit() const { return bits < kCodeBits && end() % 2 != 0 ? 2 : 1; }
    constexpr std::uint32_t of(std::uint32_t code, std::uint32_t index) const
    {
        const bool by_code = bits < kCodeBits;
        return ((by_code ? code : index) << (by_code ? bits : bits - kCodeBits)) >> (kCodeBits - width);
    }
};
// As many as a block has threads: few divisions, and item_end() joins small parts.
// Of points with equal codes, the places in the input, which are below `points`, have no more bits than those.
constexpr QuadDigits digits_of(const QuadPart& part, std::uint32_t block, std::uint32_t points)
{
    const std::uint32_t width = bit_width(block < kMaxQuadParts ? block : kMaxQuadParts) - 1;
    const std::uint32_t bits = part.bits == kCodeBits ? 2 * kCodeBits - bit_width(points - 1) : part.bits;
    const std::uint32_t left = bits < kCodeBits ? kCodeBits - bits : 2 * kCodeBits - bits;
    return {bits, width < left ? width : left};
}
// The deepest level of which a digit knows the node.
constexpr std::uint32_t known_level(std::uint32_t bits)
{
    return (bits < kCodeBits ? bits : kCodeBits) / 2;
}
// Part `digit`; `node_count`: points of the node of its known level, if that is deeper than the whole's level.
constexpr QuadPart part_of(const QuadPart& whole, const QuadDigits& digits, const QuadLimits& limits,
                           std::uint32_t digit, std::uint32_t first, std::uint32_t count, std::uint32_t node_count)
{
    QuadPart part{
        first, count, whole.code, digits.end(), known_level(digits.end()), whole.divided, next_place(whole.place)};
    if (digits.bits < kCodeBits)
        part.code |= digit << (kCodeBits - digits.end());
    if (part.level > whole.level)
        part.divided = divided_if(limits.divided(part.level, node_count));
    return part;
}
// Several whole nodes that a leaf takes together.
constexpr QuadPart joined(const QuadPart& whole, const QuadDigits& digits, std::uint32_t first, std::uint32_t count)
{
    QuadPart part = whole;
    part.first = first;
    part.count = count;
    part.level = known_level(digits.end());
    part.divided = QuadDivided::by_count;
    part.place = next_place(whole.place);
    return part;
}
// The parts of a divided part become items: a part alone if its node has more than half a leaf; neighbouring nodes with fewer
// points together, those that begin in the same half of a leaf. So an item of several parts is at most a leaf. Returns the
// part after the last one of the item that begins with part `digit`; `digit` if none does. start_at(d): points before
// part d, for d up to digits.parts().
template <class StartAt>
constexpr std::uint32_t item_end(const QuadDigits& digits, std::uint32_t leaf, std::uint32_t digit,
                                 const StartAt& start_at)
{
    const std::uint32_t unit = digits.unit();
    const std::uint32_t half = leaf / 2;
    const std::uint32_t first = digit - digit % unit;
    const std::uint32_t start = start_at(first);
    const std::uint32_t points = start_at(first + unit) - start;
    if (points > half)
        return start_at(digit) == start_at(digit + 1) ? digit : digit + 1;
    if (digit != first || points == 0)
        return digit;
    const auto first_from = [&](std::uint32_t sought) { // the first node that begins there or later
        std::uint32_t low = 0;
        for (std::uint32_t end = digits.parts() / unit; low < end;) {
            const std::uint32_t middle = low + (end - low) / 2;
            if (start_at(middle * unit) < sought)
                low = middle + 1;
            else
                end = middle;
        }
        return low * unit;
    };
    if (start_at(first_from(start / half * half)) != start)
        return digit; // it is in the item of an earlier node
    const std::uint32_t next = first_from((start / half + 1) * half);
    return start_at(next) - start_at(next - unit) > half ? next - unit : next;
}
// All points of a part are in one digit: what of it is left to do if they have the first `common` bits in common.
constexpr QuadPart narrowed(const QuadPart& whole, const QuadLimits& limits, std::uint32_t common, std::uint32_t code)
{
    QuadPart part = whole;
    part.bits = common;
    part.code = common < kCodeBits ? code & ~(0xFFFFFFFFU >> common) : code;
    part.level = known_level(common);
    if (part.level > whole.level)
        part.divided = divided_if(limits.divided(part.level, whole.count));
    return part;
}
constexpr QuadPart whole_square(std::uint32_t count, const QuadLimits& limits)
{
    return {0, count, 0, 0, 0, divided_if(limits.divided(0, count)), QuadPlace::in};
}

// The nodes that begin at a point: levels first to last; none if first > last.
struct QuadLevels {
    std::uint32_t first, last;

    constexpr std::uint32_t count() const { return last + 1 - first; }
};
// Of point `index` of a part, whose codes code_at(0) to code_at(part.count - 1) are in order.
template <class CodeAt>
constexpr QuadLevels levels_at(const QuadPart& part, const QuadLimits& limits, std::uint32_t index,
                               const CodeAt& code_at)
{
    const std::uint32_t code = code_at(index);
    std::uint32_t common = index == 0 ? part.level : common_levels(code_at(index - 1), code);
    common = common < part.level ? part.level : common;
    QuadLevels none{common + 1, common};
    if (common >= limits.levels)
        return none;
    if (common == part.level && part.divided != QuadDivided::by_count) {
        if (part.divided == QuadDivided::no)
            return none;
    } else { // has the node of level `common` that has this point more than `cap` points?
        const auto in_node = [&](std::uint32_t other) {
            return other < part.count && common_levels(code_at(other), code) >= common;
        };
        const std::uint32_t cap = limits.cap;
        if (!in_node(index + cap) && (index < cap || !in_node(index - cap))) {
            std::uint32_t least = index < cap ? 0 : index - cap + 1; // the node begins between these
            std::uint32_t most = index;
            while (least < most) {
                const std::uint32_t middle = least + (most - least) / 2;
                if (in_node(middle))
                    most = middle;
                else
                    least = middle + 1;
            }
            if (!in_node(least + cap))
                return none;
        }
    }
    std::uint32_t last = common + 1;
    if (index + limits.cap < part.count) {
        const std::uint32_t full = common_levels(code, code_at(index + limits.cap)) + 1;
        last = last < full ? full : last;
    }
    return {common + 1, last < limits.levels ? last : limits.levels};
}
// The node of `level` that begins at point `index` of a part.
template <class CodeAt>
constexpr QuadNode node_at(const QuadPart& part, std::uint32_t index, std::uint32_t level, const CodeAt& code_at)
{
    const std::uint32_t code = code_at(index);
    std::uint32_t inside = index; // the last point that is known to be in the node
    std::uint32_t outside = part.count;
    for (std::uint32_t step = 1; step < outside - inside; step *= 2) {
        if (common_levels(code_at(inside + step), code) < level) {
            outside = inside + step;
            break;
        }
        inside += step;
    }
    while (outside - inside > 1) {
        const std::uint32_t middle = inside + (outside - inside) / 2;
        if (common_levels(code_at(middle), code) >= level)
            inside = middle;
        else
            outside = middle;
    }
    return {level, leading_bits(code, 2 * level), part.first + index, outside - index};
}

// The points of a case by its input and seed: uniform: over the whole square. clustered: in 64 clusters whose widths are
// 2^-3 to 2^-12 of the square, denser in their middle. line: on a straight line of slope 3/4. coincident: all the same.
std::vector<std::uint32_t> quad_points(const Case& point);

// The canonical answer.
struct QuadTree {
    std::vector<std::uint32_t> codes, order; // of the points in their order; where each was in the input
    std::vector<QuadNode> nodes;
};
QuadTree make_quadtree(const std::vector<std::uint32_t>& points, const QuadLimits& limits);

inline QuadLimits limits_of(const Case& point)
{
    return {point[QuadParameter::grain], point[QuadParameter::levels]};
}

// The recursions whose launches the oracle counts.
enum class QuadForm : std::uint8_t {
    flat,
    parts,  // divides a part into many
    sample, // a block per node
};
RequestOracle count_quadtree(const Case& point, QuadForm form, const QuadTree& tree);

// Blocks of the root grid.
std::uint32_t quad_roots(const Case& point);

// Levels below the root of the division into many parts, at most, wherever the points are: each division takes a digit of a code, or of
// the places of points with equal codes, in two levels (count, scatter) or in one, if all points are in one part.
std::uint32_t max_quad_levels(const Case& point);

// Blocks of a level that have work: an item that is not alone in half a leaf has neighbours in the same half.
std::uint64_t useful_quad_blocks(const Case& point);

} // namespace nestbed
