// The input of the workload `reduce`, its right answer, and which results agree with it.
#include "workloads/reduce/reduce_reference.hpp"

#include "support/matchers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace nestbed
{
namespace
{

template <class T>
std::vector<T> input_of(std::uint64_t seed, std::size_t elements)
{
    std::vector<T> input(elements);
    for (std::size_t index = 0; index < elements; ++index)
        input[index] = reduce_element<T>(seed, index);
    return input;
}

template <class T>
ReduceReference<T> reference_of(const std::vector<T>& input, std::uint32_t grid, std::uint32_t block)
{
    return reduce_reference(std::span<const T>(input), grid, block);
}

template <class T>
Verification verdict_of(const ReduceReference<T>& reference, const std::vector<T>& partials,
                        unsigned blocks_per_sum = 1)
{
    return verify_blocks(reference, std::span<const T>(partials), blocks_per_sum);
}

// The first outputs of SplitMix64 from the state 0, as its authors' splitmix64.c gives them.
TEST(ReduceElement, ComesFromSplitMix64)
{
    constexpr std::array<std::uint64_t, 3> kOutputs{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F};
    for (std::uint64_t index = 0; index < kOutputs.size(); ++index) {
        const std::uint64_t bits = kOutputs.at(index);
        EXPECT_EQ(reduce_element<std::int32_t>(0, index), static_cast<std::int32_t>(bits >> 56)) << index;
        EXPECT_EQ(reduce_element<float>(0, index),
                  std::ldexp(static_cast<float>(bits >> 50), -14 - static_cast<int>(bits & 7)))
            << index;
    }
}

TEST(ReduceElement, DependsOnTheSeed)
{
    EXPECT_EQ(input_of<std::int32_t>(1, 64), input_of<std::int32_t>(1, 64));
    EXPECT_NE(input_of<std::int32_t>(1, 64), input_of<std::int32_t>(2, 64));
    EXPECT_NE(input_of<float>(1, 64), input_of<float>(UINT64_MAX, 64));
}

TEST(ReduceElement, OfInt32TakesEveryValueFrom0To255)
{
    const std::vector<std::int32_t> input = input_of<std::int32_t>(1, 10'000);
    const std::set<std::int32_t> values(input.begin(), input.end());
    ASSERT_EQ(values.size(), 256U);
    EXPECT_EQ(*values.begin(), 0);
    EXPECT_EQ(*values.rbegin(), 255);
}

TEST(ReduceElement, OfFloat32LiesFrom0To1AndSpansScales)
{
    const std::vector<float> input = input_of<float>(1, 10'000);
    EXPECT_TRUE(std::ranges::all_of(input, [](float value) { return value >= 0 && value < 1; }));
    // Only values that are not scaled down can be 1/2 or more, and half of them are: 1/16 of all values.
    const auto large = std::ranges::count_if(input, [](float value) { return value >= 0.5F; });
    EXPECT_GT(large, 525);
    EXPECT_LT(large, 725);
    // All values scaled by 1/128, and some of the others: at least 1/8 of all values.
    EXPECT_GT(std::ranges::count_if(input, [](float value) { return value < 0x1p-7F; }), 1250);
}

TEST(InputElement, IsTheIndexOrDrawn)
{
    const Case index{.seed = 3, .input = InputKind("index")};
    const Case drawn{.seed = 3};
    for (const std::uint64_t element : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2047}}) {
        EXPECT_EQ(input_element<std::int32_t>(index, element), static_cast<std::int32_t>(element));
        EXPECT_EQ(input_element<float>(index, element), static_cast<float>(element));
        EXPECT_EQ(input_element<std::int32_t>(drawn, element), reduce_element<std::int32_t>(3, element));
        EXPECT_EQ(input_element<float>(drawn, element), reduce_element<float>(3, element));
    }
    EXPECT_EQ(input_element<float>(index, (1U << 24) + 1), 0x1p24F); // float32 has no odd numbers there
}

TEST(ReduceReference, FindsTheGreatestAndTheLeastByBlock)
{
    constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::lowest();
    constexpr std::int32_t kGreatest = std::numeric_limits<std::int32_t>::max();
    const std::vector<std::int32_t> input{3, 1, 4, 1, 5, 9};
    const auto greatest = reduce_reference(std::span<const std::int32_t>(input), 4, 4, Operator::max);
    EXPECT_THAT(greatest.block_sums, ElementsAre(4, 9, kLowest, kLowest));
    EXPECT_EQ(greatest.total, 9);
    const auto least = reduce_reference(std::span<const std::int32_t>(input), 4, 4, Operator::min);
    EXPECT_THAT(least.block_sums, ElementsAre(1, 5, kGreatest, kGreatest));
    EXPECT_EQ(least.total, 1);
    const Verification right = verdict_of(greatest, {4, 9, kLowest, kLowest});
    EXPECT_TRUE(right.right);
    EXPECT_EQ(right.answer, "9");
    EXPECT_TRUE(verdict_of(least, {1, kGreatest}, 2).right);
    EXPECT_FALSE(verdict_of(least, {5, kGreatest}, 2).right);
    EXPECT_FALSE(verdict_of(greatest, {4, 9, 0, kLowest}).right);
    EXPECT_EQ(verdict_of(least, {1, 1, kGreatest, kGreatest}).detail,
              "1 of 4 block sums are wrong; block 1 gave 1 instead of 5");
}

// A float32 sum may have a rounding error, but the greatest number is one of the inputs.
TEST(ReduceReference, OfTheGreatestFloatIsExact)
{
    const std::vector<float> input{0.25F, 0.75F};
    const auto reference = reduce_reference(std::span<const float>(input), 1, 2, Operator::max);
    EXPECT_TRUE(verdict_of(reference, {0.75F}).right);
    EXPECT_FALSE(verdict_of(reference, {std::nextafter(0.75F, 1.0F)}).right);
}

TEST(ReduceReference, KnowsWhatInt32DoesNotHold)
{
    const auto reference = [](std::vector<std::int64_t> sums, std::uint64_t elements) {
        return ReduceReference<std::int32_t>{.block_sums = std::move(sums), .elements = elements, .block = 2};
    };
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(why_too_wide(reference({kMax, 5}, 4), 1), "");
    EXPECT_EQ(why_too_wide(reference({kMax + 1, 5}, 4), 0), ""); // with 0 per block, only the total is limited
    EXPECT_EQ(why_too_wide(reference({5, kMax + 1}, 4), 1),
              "2 elements from 2 on add up to 2147483648; allowed with int32: at most 2147483647");
    EXPECT_EQ(why_too_wide(reference({5, kMax - 4}, 4), 2),
              "4 elements from 0 on add up to 2147483648; allowed with int32: at most 2147483647");
    EXPECT_EQ(why_too_wide(reference({5}, std::uint64_t{1} << 31), 0), "");
    EXPECT_EQ(why_too_wide(reference({5}, (std::uint64_t{1} << 31) + 1), 0),
              "numbers from 0 to 2147483648; allowed with int32: at most 2147483647");
    EXPECT_EQ(why_too_wide(ReduceReference<float>{.block_sums = {0x1p40}, .elements = std::uint64_t{1} << 40}, 1),
              "");
}

// From 2^53 on, a double cannot represent every whole number, so the order of the additions matters.
TEST(VerifyTotal, OfFloatsAllowsWhatADoubleRoundsPastItsWholeNumbers)
{
    ReduceReference<float> reference{.total = 0x1p53, .elements = 1U << 27};
    EXPECT_TRUE(verify_total(reference, 0x1p53 + 2).right);
    EXPECT_FALSE(verify_total(reference, 0x1.001p53).right);
    reference.total = 0x1p52;
    EXPECT_FALSE(verify_total(reference, 0x1p52 + 1).right);
}

TEST(ReduceReference, SumsByBlock)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4, 50, 60, 70, 80}, 2, 4);
    EXPECT_THAT(reference.block_sums, ElementsAre(10, 260));
    EXPECT_EQ(reference.total, 270);
    EXPECT_EQ(reference.elements, 8U);
    EXPECT_EQ(reference.block, 4U);
    EXPECT_THAT(reference.block_magnitudes, IsEmpty());
}

TEST(ReduceReference, HasARaggedEndAndZerosPastIt)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4, 50}, 4, 4);
    EXPECT_THAT(reference.block_sums, ElementsAre(10, 50, 0, 0));
    EXPECT_EQ(reference.total, 60);
}

TEST(ReduceReference, OfOneElementOrBlocksOfOneThreadIsTheElements)
{
    EXPECT_THAT(reference_of<std::int32_t>({7}, 1, 1024).block_sums, ElementsAre(7));
    EXPECT_THAT(reference_of<std::int32_t>({7, 8, 9}, 3, 1).block_sums, ElementsAre(7, 8, 9));
}

// More blocks than one thread handles. The last block has a single element.
TEST(ReduceReference, OfManyBlocksIsThatOfEach)
{
    constexpr std::size_t kBlocks = 100'000;
    const std::vector<std::int32_t> ints = input_of<std::int32_t>(5, 3 * kBlocks - 2);
    const auto of_ints = reference_of(ints, kBlocks + 1, 3);
    std::int64_t total = 0;
    for (std::size_t block = 0; block < kBlocks; ++block) {
        const std::int64_t rest = block + 1 == kBlocks ? 0 : ints[3 * block + 1] + ints[3 * block + 2];
        ASSERT_EQ(of_ints.block_sums[block], ints[3 * block] + rest) << block;
        total += ints[3 * block] + rest;
    }
    EXPECT_EQ(of_ints.block_sums[kBlocks], 0);
    EXPECT_EQ(of_ints.total, total);
    const std::vector<float> floats = input_of<float>(5, kBlocks);
    const auto of_floats = reference_of(floats, kBlocks, 1);
    EXPECT_TRUE(std::ranges::equal(of_floats.block_sums, floats));
    EXPECT_EQ(of_floats.block_magnitudes, of_floats.block_sums);
}

TEST(ReduceReference, OfNothingIsZeros)
{
    const auto reference = reference_of<std::int32_t>({}, 2, 4);
    EXPECT_THAT(reference.block_sums, ElementsAre(0, 0));
    EXPECT_EQ(reference.total, 0);
}

TEST(ReduceReference, KeepsSumsWiderThanTheElements)
{
    const std::vector<std::int32_t> large(8, std::numeric_limits<std::int32_t>::max());
    EXPECT_EQ(reference_of(large, 2, 4).total, 8 * std::int64_t{std::numeric_limits<std::int32_t>::max()});
    // 1 + 2^-24 is 1 in float32.
    const auto floats = reference_of<float>({1, 0x1p-24F, 0x1p-24F, 0}, 1, 4);
    EXPECT_EQ(floats.total, 1 + 0x1p-23);
    EXPECT_THAT(floats.block_magnitudes, ElementsAre(1 + 0x1p-23));
}

TEST(VerifyBlocks, RightSumsAreRight)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4, 50}, 3, 4);
    const Verification verdict = verdict_of<std::int32_t>(reference, {10, 50, 0});
    EXPECT_TRUE(verdict.right);
    EXPECT_EQ(verdict.answer, "60");
    EXPECT_EQ(verdict.detail, "");
}

TEST(VerifyBlocks, OneWrongBlockIsFoundAndNamed)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4, 50}, 3, 4);
    const Verification verdict = verdict_of<std::int32_t>(reference, {10, 51, 0});
    EXPECT_FALSE(verdict.right);
    EXPECT_EQ(verdict.answer, "61");
    EXPECT_EQ(verdict.detail, "1 of 3 block sums are wrong; block 1 gave 51 instead of 50");
}

TEST(VerifyBlocks, ABlockPastTheLastElementMustBeZero)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4, 50}, 3, 4);
    EXPECT_EQ(verdict_of<std::int32_t>(reference, {10, 50, -1}).detail,
              "1 of 3 block sums are wrong; block 2 gave -1 instead of 0");
}

TEST(VerifyBlocks, ErrorsThatCancelOutAreWrongAllTheSame)
{
    const auto ints = reference_of<std::int32_t>({1, 2, 3, 4}, 2, 2);
    const Verification verdict = verdict_of<std::int32_t>(ints, {4, 6});
    EXPECT_FALSE(verdict.right);
    EXPECT_EQ(verdict.answer, "10"); // the total is right
    EXPECT_EQ(verdict.detail, "2 of 2 block sums are wrong; block 0 gave 4 instead of 3");
    EXPECT_FALSE(verdict_of<float>(reference_of<float>({1, 2, 3, 4}, 2, 2), {4, 6}).right);
}

TEST(VerifyBlocks, NotANumberIsWrong)
{
    const auto reference = reference_of<float>({0, 0, 3, 4}, 2, 2);
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const Verification verdict = verdict_of<float>(reference, {value, 7});
        EXPECT_FALSE(verdict.right);
        EXPECT_THAT(verdict.detail,
                    AllOf(HasSubstr("1 of 2 block sums"), HasSubstr("block 0 gave"), HasSubstr("instead of 0")));
    }
}

TEST(VerifyBlocks, AnotherNumberOfSumsThanBlocksIsWrong)
{
    const auto reference = reference_of<std::int32_t>({1, 2}, 2, 1);
    EXPECT_EQ(verdict_of<std::int32_t>(reference, {1}).detail, "1 partial sums for 2 blocks");
    EXPECT_FALSE(verdict_of<std::int32_t>(reference, {1}).right);
    EXPECT_FALSE(verdict_of<std::int32_t>(reference, {1, 2, 0}).right);
}

// A block of 2^s ones has the sum 2^s and the bound gamma(s) * 2^s, with gamma(s) slightly above s * 2^-24. A float
// at or above 2^s is a multiple of 2^(s-23), so the bound contains floor(s / 2) of these steps.
TEST(VerifyBlocks, Float32MayDifferByTheBoundOfAPairwiseTreeAndNoMore)
{
    for (const unsigned levels : {1U, 2U, 5U, 9U, 10U}) {
        const std::uint32_t block = 1U << levels;
        const auto reference = reference_of(std::vector<float>(block, 1), 1, block);
        const auto sum = static_cast<float>(block);
        const float spacing = std::ldexp(1.0F, static_cast<int>(levels) - 23);
        const auto within = static_cast<float>(levels) / 2;
        EXPECT_TRUE(verdict_of<float>(reference, {sum}).right) << levels;
        EXPECT_TRUE(verdict_of<float>(reference, {sum + within * spacing}).right) << levels;
        EXPECT_FALSE(verdict_of<float>(reference, {sum + (within + 1) * spacing}).right) << levels;
        // Below a power of two the steps are half as large: the bound contains s of them.
        EXPECT_TRUE(verdict_of<float>(reference, {sum - static_cast<float>(levels) * spacing / 2}).right) << levels;
        EXPECT_FALSE(verdict_of<float>(reference, {sum - static_cast<float>(levels + 1) * spacing / 2}).right)
            << levels;
    }
}

TEST(VerifyBlocks, Float32OfOneThreadABlockAddsNothingAndIsExact)
{
    const auto reference = reference_of<float>({0.5F}, 1, 1);
    EXPECT_TRUE(verdict_of<float>(reference, {0.5F}).right);
    EXPECT_FALSE(verdict_of<float>(reference, {std::nextafter(0.5F, 1.0F)}).right);
}

TEST(VerifyBlocks, Float32OfAnEmptyBlockIsExactlyZero)
{
    const auto reference = reference_of<float>({1, 1}, 2, 2);
    EXPECT_TRUE(verdict_of<float>(reference, {2, 0}).right);
    EXPECT_FALSE(verdict_of<float>(reference, {2, std::numeric_limits<float>::denorm_min()}).right);
}

TEST(VerifyBlocks, AMissingElementIsOutOfTheBound)
{
    // The smallest element is a multiple of 2^-31, and the bound of a block of 512 is far below the mean element.
    const std::vector<float> input = input_of<float>(1, 512);
    const auto reference = reference_of(input, 1, 512);
    const double largest = *std::ranges::max_element(input);
    EXPECT_TRUE(verdict_of<float>(reference, {static_cast<float>(reference.total)}).right);
    EXPECT_FALSE(verdict_of<float>(reference, {static_cast<float>(reference.total - largest)}).right);
}

TEST(VerifyBlocks, ASumOfSeveralBlocksIsThatOfAllOfThemAndTheLastOfWhatIsLeft)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5, 2); // 3, 7, 11, 15, 19
    const Verification verdict = verdict_of<std::int32_t>(reference, {10, 26, 19}, 2);
    EXPECT_TRUE(verdict.right) << verdict.detail;
    EXPECT_EQ(verdict.answer, "55");
    EXPECT_EQ(verdict.relative_error, 0);
    EXPECT_TRUE(verdict_of<std::int32_t>(reference, {36, 19}, 4).right);
    EXPECT_TRUE(verdict_of<std::int32_t>(reference, {55}, 5).right);
    EXPECT_TRUE(verdict_of<std::int32_t>(reference, {55}, 8).right);
}

TEST(VerifyBlocks, AWrongSumOfSeveralBlocksIsFoundAndNamed)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5, 2);
    EXPECT_EQ(verdict_of<std::int32_t>(reference, {10, 26, 18}, 2).detail,
              "1 of 3 block sums are wrong; that from block 4 on gave 18 instead of 19");
    EXPECT_EQ(verdict_of<std::int32_t>(reference, {11, 25, 19}, 2).detail, // the errors cancel out
              "2 of 3 block sums are wrong; that from block 0 on gave 11 instead of 10");
    EXPECT_EQ(verdict_of<std::int32_t>(reference, {10, 26}, 2).detail, "2 partial sums for 5 blocks");
    EXPECT_EQ(verdict_of<std::int32_t>(reference, {10, 26, 19, 0}, 2).detail, "4 partial sums for 5 blocks");
    EXPECT_EQ(verdict_of<std::int32_t>(reference, {3, 7, 11, 15, 19}, 2).detail, "5 partial sums for 5 blocks");
}

// As above, for `blocks` blocks of 2^levels ones: `levels` additions in the tree follow blocks - 1 additions of one
// thread.
TEST(VerifyBlocks, Float32OfSeveralBlocksMayDifferByTheAdditionsOfAThreadToo)
{
    for (const unsigned levels : {0U, 1U, 5U, 9U})
        for (const unsigned blocks : {2U, 4U, 8U}) {
            const std::uint32_t block = 1U << levels;
            const auto reference = reference_of(std::vector<float>(std::size_t{blocks} * block, 1), blocks, block);
            const auto sum = static_cast<float>(blocks * block);
            const unsigned additions = levels + blocks - 1;
            const auto right = [&](float sums) { return verdict_of<float>(reference, {sums}, blocks).right; };
            const float above = std::nextafter(sum, 2 * sum) - sum;
            const float below = sum - std::nextafter(sum, 0.0F);
            const unsigned half_of_them = additions / 2; // the spacing above is twice the spacing below
            const auto half = static_cast<float>(half_of_them);
            const auto all = static_cast<float>(additions);
            EXPECT_TRUE(right(sum)) << levels << " " << blocks;
            EXPECT_TRUE(right(sum + half * above)) << levels << " " << blocks;
            EXPECT_FALSE(right(sum + (half + 1) * above)) << levels << " " << blocks;
            EXPECT_TRUE(right(sum - all * below)) << levels << " " << blocks;
            EXPECT_FALSE(right(sum - (all + 1) * below)) << levels << " " << blocks;
        }
}

TEST(VerifyBlocks, Float32OfBlocksPastTheLastElementIsExactlyZero)
{
    const auto reference = reference_of<float>({1, 1}, 6, 2);
    EXPECT_TRUE(verdict_of<float>(reference, {2, 0}, 3).right);
    EXPECT_FALSE(verdict_of<float>(reference, {2, std::numeric_limits<float>::denorm_min()}, 3).right);
}

TEST(VerifyTotal, Int32IsExact)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4}, 2, 2);
    EXPECT_TRUE(verify_total(reference, 10).right);
    EXPECT_EQ(verify_total(reference, 10).answer, "10");
    const Verification verdict = verify_total(reference, 11);
    EXPECT_FALSE(verdict.right);
    EXPECT_EQ(verdict.answer, "11");
    EXPECT_EQ(verdict.detail, "the sum is 11 instead of 10");
}

// With this input, a double can represent every sum of up to 2^32 elements exactly: one missing element in 2^32
// shows.
TEST(VerifyTotal, Float32IsExactUpTo2To32Elements)
{
    const auto reference = reference_of(std::vector<float>(1000, 1), 1, 1000);
    EXPECT_TRUE(verify_total(reference, 1000.0).right);
    EXPECT_FALSE(verify_total(reference, 1000 + 0x1p-43).right);
    EXPECT_FALSE(verify_total(reference, 1000 - 0x1p-43).right);
    EXPECT_FALSE(verify_total(reference, std::numeric_limits<double>::quiet_NaN()).right);
    const ReduceReference<float> largest{
        .block_sums = {}, .block_magnitudes = {}, .total = 0x1p31, .elements = std::uint64_t{1} << 32};
    EXPECT_TRUE(verify_total(largest, 0x1p31).right);
    EXPECT_FALSE(verify_total(largest, 0x1p31 - 0x1p-21).right);
}

TEST(ReduceElement, OfFloat32IsAMultipleOf2ToTheMinus21BelowOne)
{
    for (std::uint64_t index = 0; index < 10000; ++index) {
        const double steps = reduce_element<float>(7, index) * 0x1p21;
        ASSERT_EQ(steps, std::floor(steps)) << index;
        ASSERT_GE(steps, 0) << index;
        ASSERT_LT(steps, 0x1p21) << index;
    }
}

// gamma(2^33) with u = 2^-53 is 2^-20, as closely as a float can represent it.
TEST(VerifyTotal, MoreFloat32MayDifferByTheBoundOfASumInDoubleAndNoMore)
{
    const ReduceReference<float> reference{
        .block_sums = {}, .block_magnitudes = {}, .total = 0x1p32, .elements = std::uint64_t{1} << 33};
    EXPECT_TRUE(verify_total(reference, 0x1p32 + 4096).right);
    EXPECT_TRUE(verify_total(reference, 0x1p32 - 4096).right);
    EXPECT_FALSE(verify_total(reference, 0x1p32 + 4097).right);
    EXPECT_FALSE(verify_total(reference, 0x1p32 - 4097).right);
}

TEST(VerifyNarrowTotal, Int32IsExactWhereItFits)
{
    const auto reference = reference_of<std::int32_t>({1, 2, 3, 4}, 2, 2);
    const Verification right = verify_narrow_total(reference, 10);
    EXPECT_TRUE(right.right);
    EXPECT_EQ(right.answer, "10");
    EXPECT_EQ(right.detail, "");
    EXPECT_EQ(right.relative_error, 0);
    const Verification wrong = verify_narrow_total(reference, 15);
    EXPECT_FALSE(wrong.right);
    EXPECT_EQ(wrong.answer, "15");
    EXPECT_EQ(wrong.detail, "the sum is 15 instead of 10, modulo 2^32");
    EXPECT_EQ(wrong.relative_error, 0.5);
}

// 2 (2^31 - 1) is -2 modulo 2^32, and 3 (2^31 - 1) is 2^31 - 3.
TEST(VerifyNarrowTotal, Int32IsRightModulo2To32)
{
    constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
    const auto two = reference_of<std::int32_t>({kMax, kMax}, 1, 2);
    EXPECT_TRUE(verify_narrow_total(two, -2).right);
    EXPECT_EQ(verify_narrow_total(two, -2).answer, "-2");
    EXPECT_EQ(verify_narrow_total(two, -2).relative_error, 0);
    EXPECT_FALSE(verify_narrow_total(two, kMax).right); // no saturation
    EXPECT_EQ(verify_narrow_total(two, -1).detail, "the sum is -1 instead of -2, modulo 2^32");
    const auto three = reference_of<std::int32_t>({kMax, kMax, kMax}, 1, 4);
    EXPECT_TRUE(verify_narrow_total(three, kMax - 2).right);
    EXPECT_FALSE(verify_narrow_total(three, kMax).right);
}

// 1000 ones: gamma(64 + 1000 / 2^16) with u = 2^-24, multiplied by 1000, is 62.5 steps of 2^-14.
TEST(VerifyNarrowTotal, Float32MayDifferByTheBoundOfAParallelSumAndNoMore)
{
    const auto reference = reference_of(std::vector<float>(1000, 1), 1, 1000);
    const Verification exact = verify_narrow_total(reference, 1000.0F);
    EXPECT_TRUE(exact.right);
    EXPECT_EQ(exact.answer, "1000");
    EXPECT_EQ(exact.detail, "");
    EXPECT_TRUE(verify_narrow_total(reference, 1000 + 62 * 0x1p-14F).right);
    EXPECT_FALSE(verify_narrow_total(reference, 1000 + 63 * 0x1p-14F).right);
    EXPECT_TRUE(verify_narrow_total(reference, 1000 - 62 * 0x1p-14F).right);
    EXPECT_FALSE(verify_narrow_total(reference, 1000 - 63 * 0x1p-14F).right);
    EXPECT_EQ(verify_narrow_total(reference, 1001.0F).detail, "the sum is 1001 instead of 1000");
    EXPECT_EQ(verify_narrow_total(reference, 1001.0F).relative_error, 0.001);
}

// gamma(64 + 2^32 / 2^16) multiplied by 2^32 is 32928.7 steps of 512.
TEST(VerifyNarrowTotal, Float32HasABoundThatGrowsWithTheShareOfAThread)
{
    const ReduceReference<float> reference{
        .block_sums = {}, .block_magnitudes = {}, .total = 0x1p32, .elements = std::uint64_t{1} << 32};
    EXPECT_TRUE(verify_narrow_total(reference, 0x1p32F + 32928 * 512.0F).right);
    EXPECT_FALSE(verify_narrow_total(reference, 0x1p32F + 32929 * 512.0F).right);
}

TEST(VerifyNarrowTotal, NotANumberIsWrong)
{
    const auto reference = reference_of(std::vector<float>(4, 1), 1, 4);
    EXPECT_FALSE(verify_narrow_total(reference, std::numeric_limits<float>::quiet_NaN()).right);
    EXPECT_FALSE(verify_narrow_total(reference, std::numeric_limits<float>::infinity()).right);
}

TEST(RelativeError, IsThatOfTheTotalAndNothingWhereItIsRight)
{
    const auto ints = reference_of<std::int32_t>({1, 2, 3, 4}, 2, 2);
    EXPECT_EQ(verdict_of<std::int32_t>(ints, {3, 7}).relative_error, 0);
    EXPECT_EQ(verdict_of<std::int32_t>(ints, {3, 12}).relative_error, 0.5);
    EXPECT_EQ(verdict_of<std::int32_t>(ints, {3, 2}).relative_error, 0.5); // a sum that is too small is just as wrong
    EXPECT_EQ(verdict_of<std::int32_t>(ints, {4, 6}).relative_error, 0);   // wrong, but not in the total
    EXPECT_EQ(verify_total(ints, 10).relative_error, 0);
    EXPECT_EQ(verify_total(ints, -10).relative_error, 2);
}

TEST(RelativeError, OfFloat32IsThereWithinTheBoundToo)
{
    const auto floats = reference_of(std::vector<float>(4, 1), 1, 4);
    const Verification close = verdict_of<float>(floats, {std::nextafter(4.0F, 5.0F)});
    EXPECT_TRUE(close.right);
    EXPECT_EQ(close.relative_error, 0x1p-23);
    EXPECT_EQ(verify_total(floats, 4 + 0x1p-50).relative_error, 0x1p-52);
    EXPECT_TRUE(std::isnan(verdict_of<float>(floats, {std::numeric_limits<float>::quiet_NaN()}).relative_error));
}

TEST(RelativeError, OfSumsThatAreZeroIsZeroOrBeyondMeasure)
{
    const auto zeros = reference_of<std::int32_t>({0, 0}, 1, 2);
    EXPECT_EQ(verify_total(zeros, 0).relative_error, 0);
    EXPECT_TRUE(std::isinf(verify_total(zeros, 1).relative_error));
}

TEST(SumText, GivesTheNumberBack)
{
    EXPECT_EQ(to_text<std::int32_t>(-9'000'000'000), "-9000000000");
    EXPECT_EQ(std::stod(to_text<float>(0.1 + 0.2)), 0.1 + 0.2);
}

} // namespace
} // namespace nestbed
