// The workload `sort`: its keys, their order, and the quicksorts whose tree depends only on the input. Pure.
//
// A quicksort here divides keys by their values, not by the value of some key: a part is a range of values, so its keys
// and its launches do not depend on the order of execution. The parts of a range are the leading bits of what lies
// above its least value, so quicksort by many parts is a radix sort that begins with the highest digit and ends early.
// Source: Sedgewick, "Algorithms in C", 3rd ed., sections 10.2 and 10.3 (radix exchange, MSD radix sort).
#pragma once

#include "base/bits.hpp"
#include "model/case.hpp"
#include "model/request_oracle.hpp"

#include <cstdint>
#include <vector>

namespace nestbed
{

// Keys in the order of unsigned numbers. int32: the sign bit is inverted. float32: the total order of IEEE 754, -NaN <
// -infinity < ... < -0 < +0 < ... < infinity < NaN: all bits of negative numbers are inverted, the sign bit of others.
struct KeyOrder {
    std::uint32_t negative; // what to invert in addition if the sign bit is set

    constexpr std::uint32_t rank(std::uint32_t bits) const
    {
        return bits ^ (kSign | ((bits & kSign) != 0 ? negative : 0));
    }
    constexpr std::uint32_t bits(std::uint32_t rank) const
    {
        return rank ^ (kSign | ((rank & kSign) == 0 ? negative : 0));
    }

    static constexpr std::uint32_t kSign = 0x80000000;
};
constexpr KeyOrder key_order(ElementType type)
{
    return {type == ElementType::float32 ? ~KeyOrder::kSign : 0};
}

// What is done to the keys of a part.
enum class SortStep : std::uint8_t {
    none,    // they are in their place
    copy,    // all are equal, or there is one: to their place
    leaf,    // one block sorts them
    divide,  // by two: move them into two parts. By more: count the keys of each part
    scatter, // by more: move them into their parts
};

// Where keys are: in the input, in the spare memory, or in the output.
enum class SortPlace : std::uint8_t { in, spare, out };
// Where a division moves them to.
constexpr SortPlace next_place(SortPlace place)
{
    return place == SortPlace::spare ? SortPlace::out : SortPlace::spare;
}

// Keys [first, first + count), whose ranks lie in [least, most].
struct SortPart {
    std::uint32_t first, count;
    std::uint32_t least, most;
    SortPlace place;
};

// What must be done to a part, at a grain of so many keys.
constexpr SortStep step_of(const SortPart& part, std::uint32_t grain)
{
    if (part.count == 0 || (part.place == SortPlace::out && (part.count == 1 || part.least == part.most)))
        return SortStep::none;
    if (part.count == 1 || part.least == part.most)
        return SortStep::copy;
    return part.count <= grain ? SortStep::leaf : SortStep::divide;
}

// Keys that one thread takes at a time. So a block of t threads sorts a leaf of at most 8 t keys.
inline constexpr std::uint32_t kKeysPerThread = 8;
constexpr std::uint32_t sort_threads(std::uint32_t count)
{
    return (count - 1) / kKeysPerThread + 1;
}

// The parts into which a part is divided: key k goes to part (rank(k) - least) >> shift.
struct SortDigits {
    std::uint32_t parts; // a power of two; the last ones may be empty
    std::uint32_t shift;
};
// So many parts (a power of two), by the leading bits of the range.
constexpr SortDigits digits_for(const SortPart& part, std::uint32_t parts)
{
    const std::uint32_t bits = bit_width(part.most - part.least);
    const std::uint32_t digit = bit_width(parts) - 1;
    return {parts, bits > digit ? bits - digit : 0};
}
// At most `fanout` parts, and no more than are needed to make an even part at most 3/4 as long as the grain: then the
// parts of uniform keys are leaves.
constexpr SortDigits digits_of(const SortPart& part, std::uint32_t fanout, std::uint32_t grain)
{
    const std::uint64_t even = (std::uint64_t{4} * part.count - 1) / (std::uint64_t{3} * grain) + 1;
    const std::uint32_t useful = even < fanout ? bit_ceil(static_cast<std::uint32_t>(even)) : fanout;
    return digits_for(part, useful < fanout ? useful : bit_floor(fanout));
}
// The buckets into which a block distributes the keys of a leaf: one to two keys per bucket on average if the keys are
// uniform and the width of the range is a power of two.
inline constexpr std::uint32_t kMaxBuckets = 2048;
constexpr SortDigits buckets_of(const SortPart& leaf)
{
    const std::uint32_t useful = bit_floor(leaf.count < 2 ? 2 : leaf.count);
    return digits_for(leaf, useful < kMaxBuckets ? useful : kMaxBuckets);
}
constexpr std::uint32_t digit_of(const SortPart& part, const SortDigits& digits, std::uint32_t rank)
{
    return (rank - part.least) >> digits.shift;
}
// Part `digit` of a divided part, whose keys begin at `first`.
constexpr SortPart part_of(const SortPart& whole, const SortDigits& digits, std::uint32_t digit, std::uint32_t first,
                           std::uint32_t count)
{
    const std::uint32_t least = whole.least + (digit << digits.shift);
    const std::uint32_t width = (1U << digits.shift) - 1;
    const std::uint32_t most = whole.most - least < width ? whole.most : least + width;
    return {first, count, least, most, next_place(whole.place)};
}
// The largest rank of the lower of two parts.
constexpr std::uint32_t middle_of(const SortPart& part)
{
    return part.least + (part.most - part.least) / 2;
}

// All keys of the input.
constexpr SortPart whole_input(std::uint32_t count)
{
    return {0, count, 0, 0xFFFFFFFF, SortPlace::in};
}

// Quicksort's division in place, by the middle key (Hoare): keys [0, lower) are at most as large as keys [upper, count),
// and those between are in their place. rank_at(i) is the rank of key i; swap(i, j) exchanges two keys.
struct SortHalves {
    std::uint32_t lower, upper;
};
template <class RankAt, class Swap>
constexpr SortHalves divide_in_place(std::uint32_t count, const RankAt& rank_at, const Swap& swap)
{
    const std::uint32_t pivot = rank_at(count / 2);
    std::uint32_t first = 0;
    std::uint32_t end = count;
    while (first < end) {
        while (rank_at(first) < pivot)
            ++first;
        while (rank_at(end - 1) > pivot)
            --end;
        if (first < end)
            swap(first++, --end);
    }
    return {end, first};
}

// The quicksorts whose launches the oracle counts.
enum class SortForm : std::uint8_t {
    flat,
    kway,   // divides into many parts
    binary, // divides into two parts
    sample, // the same, and each part has a grid of its own
    simple, // in place, by the middle key, one thread per grid
};

// The keys of a case (their bits) by its input and seed: uniform: over all of int32, or [-1, 1) in float32. sorted,
// reversed: the same, in order. organ_pipe: rising, then falling. equal: one key. few: 16 keys. zipf: whole numbers with
// Zipf's distribution (exponent 1) up to the number of keys. No key is -0 or a NaN.
std::vector<std::uint32_t> sort_keys(const Case& point);

// Ranks in their order.
std::vector<std::uint32_t> sorted_ranks(const std::vector<std::uint32_t>& keys, KeyOrder order);

// The launches of a case. `keys` is needed for the form `simple`, `ranks` (sorted) for the others.
RequestOracle count_sort(const Case& point, SortForm form, const std::vector<std::uint32_t>& keys,
                         const std::vector<std::uint32_t>& ranks);

// Blocks of the root grid.
std::uint32_t sort_roots(const Case& point);

// Levels below the root of the division into many parts, at most, whatever the keys are: ranks have 32 bits, and each division takes at
// least one of them, in two levels (count, scatter) or in one, if all keys are in one part.
inline constexpr std::uint32_t kMaxSortLevels = 2 * 32;

// Blocks of a level that have work, with uniform keys at most: a division makes no more than 8/3 parts of what one block sorts.
std::uint64_t useful_sort_blocks(const Case& point);

} // namespace nestbed
