#include "workloads/sort/sort_reference.hpp"

#include "support/matchers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace nestbed
{
namespace
{

std::uint32_t bits_of(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

TEST(KeyOrder, OfInt32IsThatOfTheNumbers)
{
    const KeyOrder order = key_order(ElementType::int32);
    std::uint32_t last = 0;
    for (const std::int32_t number : {INT32_MIN, INT32_MIN + 1, -2, -1, 0, 1, 2, INT32_MAX}) {
        const std::uint32_t rank = order.rank(static_cast<std::uint32_t>(number));
        EXPECT_TRUE(number == INT32_MIN || rank > last) << number;
        EXPECT_EQ(order.bits(rank), static_cast<std::uint32_t>(number));
        last = rank;
    }
}

TEST(KeyOrder, OfFloat32IsTheTotalOrder)
{
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const KeyOrder order = key_order(ElementType::float32);
    std::uint32_t last = 0;
    for (const float number :
         {std::copysign(nan, -1.0F), -kInfinity, -1.5F, -1e-40F, -0.0F, 0.0F, 1e-40F, 1.5F, kInfinity, nan}) {
        const std::uint32_t rank = order.rank(bits_of(number));
        EXPECT_GT(rank, last) << number;
        EXPECT_EQ(order.bits(rank), bits_of(number));
        last = rank;
    }
}

TEST(SortDigits, HaveNoMorePartsThanTheGrainNeeds)
{
    const SortPart whole = whole_input(1U << 20);
    const auto parts = [&](std::uint32_t count, std::uint32_t fanout, std::uint32_t grain) {
        SortPart part = whole;
        part.count = count;
        return digits_of(part, fanout, grain).parts;
    };
    EXPECT_EQ(parts(1 << 20, 256, 2048), 256U);
    EXPECT_EQ(parts(1 << 16, 256, 2048), 64U);
    EXPECT_EQ(parts(2049, 256, 2048), 2U);
    EXPECT_EQ(parts(3072, 256, 2048), 2U); // 1536 keys each: 3/4 of the grain
    EXPECT_EQ(parts(3073, 256, 2048), 4U);
    EXPECT_EQ(parts(1U << 31, 256, 1), 256U); // 2^32 would be useful
    EXPECT_EQ(parts(1 << 20, 2, 2048), 2U);
    EXPECT_EQ(parts(1 << 20, 100, 2048), 64U); // a power of two
}

TEST(SortDigits, CoverTheRangeWithoutGapsAndInOrder)
{
    for (const auto& [least, most] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {0, 0xFFFFFFFF}, {5, 6}, {5, 7}, {0xFFFFFFFE, 0xFFFFFFFF}, {100, 399}, {1, 0xFFFFFFFF}}) {
        const SortPart whole{0, 1000, least, most, SortPlace::in};
        for (const std::uint32_t fanout : {2U, 16U, 256U}) {
            const SortDigits digits = digits_of(whole, fanout, 1);
            std::uint64_t next = least;
            std::uint32_t digit = 0;
            for (; next <= most; ++digit) {
                const SortPart part = part_of(whole, digits, digit, 0, 1);
                EXPECT_EQ(part.least, next);
                EXPECT_GE(part.most, part.least);
                EXPECT_EQ(digit_of(whole, digits, part.least), digit);
                EXPECT_EQ(digit_of(whole, digits, part.most), digit);
                next = std::uint64_t{part.most} + 1;
            }
            EXPECT_EQ(next, std::uint64_t{most} + 1);
            EXPECT_LE(digit, digits.parts);
            EXPECT_GE(digit, 2U);
        }
    }
}

TEST(SortBuckets, HaveAFewKeysOfAnyRange)
{
    const auto buckets = [](std::uint32_t count, std::uint32_t least, std::uint32_t most) {
        return buckets_of({0, count, least, most, SortPlace::in});
    };
    for (const std::uint32_t count : {2U, 3U, 1365U, 2047U, 2048U, 4096U, 8192U})
        for (const auto& [least, most] :
             std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 0xFFFFFFFF},
                                                                  {1, 0xFFFFFFFF},
                                                                  {0, 1},
                                                                  {0xFFFFFFFE, 0xFFFFFFFF},
                                                                  {0xFFFFF000, 0xFFFFFFFF},
                                                                  {0xFFFC0000, 0xFFFFFFFF},
                                                                  {100, 399},
                                                                  {5, 5}}) {
            const SortPart leaf{0, count, least, most, SortPlace::in};
            const SortDigits found = buckets_of(leaf);
            EXPECT_LE(found.parts, std::min(count, kMaxBuckets));
            EXPECT_GE(found.parts * 2, std::min(count, kMaxBuckets));
            EXPECT_LT(found.shift, 32U);
            EXPECT_EQ(digit_of(leaf, found, least), 0U);
            EXPECT_LT(digit_of(leaf, found, most), found.parts);
        }
    EXPECT_EQ(buckets(1365, 0, 0x3FFFF).parts, 1024U);
    EXPECT_EQ(buckets(1365, 0, 0x3FFFF).shift, 8U);
    EXPECT_EQ(buckets(1365, 7, 1030).shift, 0U); // one value per bucket
    EXPECT_EQ(buckets(1365, 7, 1031).shift, 1U);
}

TEST(SortStep, EndsWhereNothingIsLeftToSort)
{
    const auto step = [](std::uint32_t count, std::uint32_t least, std::uint32_t most, SortPlace place) {
        return step_of({0, count, least, most, place}, 100);
    };
    EXPECT_EQ(step(0, 0, 9, SortPlace::in), SortStep::none);
    EXPECT_EQ(step(1, 0, 9, SortPlace::out), SortStep::none);
    EXPECT_EQ(step(1, 0, 9, SortPlace::spare), SortStep::copy);
    EXPECT_EQ(step(1000, 7, 7, SortPlace::out), SortStep::none);
    EXPECT_EQ(step(1000, 7, 7, SortPlace::in), SortStep::copy);
    EXPECT_EQ(step(100, 7, 8, SortPlace::out), SortStep::leaf);
    EXPECT_EQ(step(101, 7, 8, SortPlace::out), SortStep::divide);
}

TEST(DivideInPlace, SeparatesAndEndsOnAnyKeys)
{
    for (const std::vector<std::uint32_t>& keys : std::vector<std::vector<std::uint32_t>>{{1, 0},
                                                                                          {0, 1},
                                                                                          {3, 3},
                                                                                          {3, 3, 3, 3, 3},
                                                                                          {5, 1, 4, 2, 3},
                                                                                          {1, 2, 3, 4},
                                                                                          {4, 3, 2, 1},
                                                                                          {9, 0, 0, 0, 0, 9}}) {
        std::vector<std::uint32_t> moved = keys;
        const SortHalves halves = divide_in_place(
            static_cast<std::uint32_t>(moved.size()), [&](std::uint32_t index) { return moved.at(index); },
            [&](std::uint32_t one, std::uint32_t other) { std::swap(moved.at(one), moved.at(other)); });
        ASSERT_LE(halves.lower, halves.upper);
        EXPECT_LT(halves.lower, keys.size());
        EXPECT_GT(halves.upper, 0U);
        for (std::uint32_t below = 0; below < halves.lower; ++below)
            for (std::uint32_t above = halves.lower; above < moved.size(); ++above)
                EXPECT_LE(moved[below], moved[above]);
        for (std::uint32_t below = 0; below < halves.upper; ++below)
            for (std::uint32_t above = halves.upper; above < moved.size(); ++above)
                EXPECT_LE(moved[below], moved[above]);
        std::vector<std::uint32_t> before = keys;
        std::ranges::sort(before);
        std::ranges::sort(moved);
        EXPECT_EQ(moved, before);
    }
}

Case keys_of(InputKind input, std::uint64_t elements, ElementType type = ElementType::int32)
{
    Case point;
    point.input = input;
    point.elements = elements;
    point.type = type;
    point.block = 256;
    point["grain"] = 2048;
    point["fanout"] = 256;
    point.aggregate = Aggregate::none;
    point.coarsen = 1;
    return point;
}

TEST(SortKeys, HaveTheShapeOfTheirInput)
{
    for (const ElementType type : {ElementType::int32, ElementType::float32}) {
        const KeyOrder order = key_order(type);
        const auto ranks = [&](InputKind input) {
            std::vector<std::uint32_t> found = sort_keys(keys_of(input, 10001, type));
            for (std::uint32_t& key : found)
                key = order.rank(key);
            return found;
        };
        const auto distinct = [&](InputKind input) {
            const std::vector<std::uint32_t> found = ranks(input);
            return std::set<std::uint32_t>(found.begin(), found.end()).size();
        };
        EXPECT_FALSE(std::ranges::is_sorted(ranks(InputKind("uniform"))));
        EXPECT_GT(distinct(InputKind("uniform")), 9900U);
        EXPECT_TRUE(std::ranges::is_sorted(ranks(InputKind("sorted"))));
        const std::vector<std::uint32_t> reversed = ranks(InputKind("reversed"));
        EXPECT_TRUE(std::is_sorted(reversed.rbegin(), reversed.rend()));
        const std::vector<std::uint32_t> pipe = ranks(InputKind("organ_pipe"));
        EXPECT_TRUE(std::is_sorted(pipe.begin(), pipe.begin() + 5000));
        EXPECT_TRUE(std::is_sorted(pipe.rbegin(), pipe.rend() - 5000));
        EXPECT_EQ(distinct(InputKind("equal")), 1U);
        EXPECT_EQ(distinct(InputKind("few")), 16U);
        EXPECT_GT(distinct(InputKind("zipf")), 500U);
        const std::vector<std::uint32_t> zipf = ranks(InputKind("zipf"));
        EXPECT_GT(std::ranges::count(zipf, std::ranges::min(zipf)), 500); // the number 1
        for (const std::uint32_t key : sort_keys(keys_of(InputKind("uniform"), 100000, ElementType::float32)))
            ASSERT_TRUE(std::abs(std::bit_cast<float>(key)) <= 1 && key != bits_of(-0.0F));
    }
}

RequestOracle oracle_of(const Case& point, SortForm form)
{
    const std::vector<std::uint32_t> keys = sort_keys(point);
    return count_sort(point, form, keys, sorted_ranks(keys, key_order(point.type)));
}

TEST(SortOracle, CountsOneScatterAndALeafPerPart)
{
    Case point = keys_of(InputKind("uniform"), 1 << 19); // 256 parts of about 2048 would not all be leaves; 512 are
    point["fanout"] = 256;
    point["grain"] = 4096;
    const RequestOracle by_item = oracle_of(point, SortForm::kway);
    EXPECT_THAT(by_item.launches.by_depth, ElementsAre(1, 256));
    EXPECT_EQ(by_item.counts.items, 257U);
    EXPECT_EQ(by_item.divisions, 1U);
    point.aggregate = Aggregate::grid;
    EXPECT_THAT(oracle_of(point, SortForm::kway).launches.by_depth, ElementsAre(1, 1));
    point.aggregate = Aggregate::warp;
    EXPECT_THAT(oracle_of(point, SortForm::kway).launches.by_depth, ElementsAre(1, 8));
    point.depth = 1;
    EXPECT_THAT(oracle_of(point, SortForm::kway).launches.by_depth, ElementsAre(1));
}

// A second division makes no more leaves than it needs: 32 of each of 256 parts.
TEST(SortOracle, MakesLeavesOfHalfTheGrainInTwoDivisions)
{
    Case point = keys_of(InputKind("uniform"), 1 << 21);
    point["grain"] = 512;
    EXPECT_THAT(oracle_of(point, SortForm::kway).launches.by_depth, ElementsAre(1, 256, 256, 8192));
}

// The figures for quicksort by value pivots of 2^20 uniform keys at a grain of 2048: about 763 divisions, depth 10.
TEST(SortOracle, OfTwoPartsHasTheKnownSize)
{
    const Case point = keys_of(InputKind("uniform"), 1 << 20);
    const RequestOracle oracle = oracle_of(point, SortForm::binary);
    EXPECT_NEAR(static_cast<double>(oracle.divisions), 763, 60);
    EXPECT_EQ(oracle.launches.levels(), 10U);
    EXPECT_EQ(oracle.launches.total(), 2 * oracle.divisions);
}

TEST(SortOracle, EndsEarlyOnEqualAndFewKeys)
{
    // Counted, found equal, copied to the output.
    EXPECT_THAT(oracle_of(keys_of(InputKind("equal"), 100000), SortForm::kway).launches.by_depth, ElementsAre(1));
    // Divided into one part, which is copied back.
    EXPECT_THAT(oracle_of(keys_of(InputKind("equal"), 100000), SortForm::binary).launches.by_depth, ElementsAre(1));
    const RequestOracle few = oracle_of(keys_of(InputKind("few"), 100000), SortForm::binary);
    EXPECT_EQ(few.divisions, 15U); // to separate 16 keys
    // In one part of each of 32 bits, until one value is left.
    EXPECT_LE(oracle_of(keys_of(InputKind("equal"), 100000), SortForm::sample).launches.levels(), 33U);
    for (const SortForm form : {SortForm::kway, SortForm::binary, SortForm::sample, SortForm::simple})
        for (const std::uint64_t elements : {1U, 2U})
            EXPECT_LE(oracle_of(keys_of(InputKind("uniform"), elements), form).launches.total(), 0U);
    EXPECT_THAT(oracle_of(keys_of(InputKind("uniform"), 100000), SortForm::flat).launches.by_depth, IsEmpty());
}

TEST(SortOracle, OfTheSimpleFormLaunchesEverySideOfTwoKeys)
{
    Case point = keys_of(InputKind("sorted"), 8);
    point["grain"] = 1;
    // 8 keys by the middle one: 4 and 3 beside it; 4 by the middle one: 2 and 1; 3: 1 and 1; 2: 1 and 0.
    EXPECT_THAT(oracle_of(point, SortForm::simple).launches.by_depth, ElementsAre(2, 1));
    point.depth = 1;
    EXPECT_THAT(oracle_of(point, SortForm::simple).launches.by_depth, ElementsAre(2));
    point["grain"] = 8;
    EXPECT_THAT(oracle_of(point, SortForm::simple).launches.by_depth, IsEmpty());
}

// Keys of which half a range has one, and the other half all others: each division by two takes one bit.
TEST(SortOracle, HasNoMoreLevelsThanTheBound)
{
    std::vector<std::uint32_t> ranks{0, 0};
    for (std::uint32_t bit = 0; bit < 32; ++bit)
        ranks.push_back(static_cast<std::uint32_t>((std::uint64_t{2} << bit) - 1));
    Case point = keys_of(InputKind("uniform"), ranks.size());
    point["grain"] = 1;
    for (const std::uint32_t fanout : {2U, 4U, 16U}) {
        point["fanout"] = fanout;
        EXPECT_LE(count_sort(point, SortForm::kway, {}, ranks).launches.levels(), kMaxSortLevels);
    }
    point["fanout"] = 2;
    EXPECT_GE(count_sort(point, SortForm::kway, {}, ranks).launches.levels(), kMaxSortLevels - 2);
    for (const char* input : {"uniform", "sorted", "equal", "few", "zipf"})
        for (const std::uint32_t grain : {1U, 40U}) {
            point = keys_of(InputKind(input), 3000);
            point["grain"] = grain;
            point["fanout"] = 2;
            EXPECT_LE(oracle_of(point, SortForm::kway).launches.levels(), kMaxSortLevels) << input;
        }
}

TEST(SortOracle, HasHardlyALevelOfMoreBlocksThanAreUseful)
{
    for (const std::uint32_t grain : {512U, 700U, 2048U}) {
        Case point = keys_of(InputKind("uniform"), 1 << 18);
        point.block = 256;
        point["grain"] = grain;
        const auto widest =
            std::ranges::max(oracle_of(point, SortForm::kway).launches.by_depth); // leaves, a block each
        EXPECT_LE(widest, useful_sort_blocks(point)) << grain;
        EXPECT_GE(4 * widest, useful_sort_blocks(point)) << grain;
    }
}

} // namespace
} // namespace nestbed
