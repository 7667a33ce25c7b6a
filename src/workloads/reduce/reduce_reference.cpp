// Optimised: it processes whole inputs.
#include "workloads/reduce/reduce_reference.hpp"

#include "base/parallel.hpp"
#include "base/split_mix.hpp"
#include "model/rounding.hpp"
#include "workloads/reduce/descriptor.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace nestbed
{

namespace
{

// The result of a reduction of no numbers.
template <class T>
WideSum<T> of_none(Operator op)
{
    return op == Operator::max   ? WideSum<T>{std::numeric_limits<T>::lowest()}
           : op == Operator::min ? WideSum<T>{std::numeric_limits<T>::max()}
                                 : WideSum<T>{};
}

template <class T, class Numbers>
WideSum<T> reduced(Operator op, const Numbers& numbers)
{
    WideSum<T> result = of_none<T>(op);
    for (const WideSum<T> number : numbers)
        result = op == Operator::max   ? std::max(result, number)
                 : op == Operator::min ? std::min(result, number)
                                       : result + number;
    return result;
}

} // namespace

template <>
std::int32_t reduce_element<std::int32_t>(std::uint64_t seed, std::uint64_t index)
{
    return static_cast<std::int32_t>(split_mix(seed, index) >> 56);
}

template <>
float reduce_element<float>(std::uint64_t seed, std::uint64_t index)
{
    const std::uint64_t bits = split_mix(seed, index);
    const auto fraction = static_cast<float>(bits >> 50) * 0x1p-14F;
    return std::ldexp(fraction, -static_cast<int>(bits & 7));
}

template <class T>
T input_element(const Case& point, std::uint64_t index)
{
    return point.input == ReduceInput::index ? static_cast<T>(index) : reduce_element<T>(point.seed, index);
}

template <class T>
ReduceReference<T> reduce_reference(std::span<const T> input, std::uint32_t grid, std::uint32_t block, Operator op)
{
    ReduceReference<T> reference{.block_sums = std::vector<WideSum<T>>(grid, of_none<T>(op)),
                                 .block_magnitudes = std::vector<double>(std::is_same_v<T, float> ? grid : 0),
                                 .elements = input.size(),
                                 .block = block,
                                 .op = op};
    const std::size_t blocks = input.empty() ? 0 : (input.size() - 1) / block + 1;
    for_ranges(blocks, [&](std::size_t first_block, std::size_t end) {
        for (std::size_t index = first_block; index < end; ++index) {
            const std::size_t first = index * block;
            const auto slice = input.subspan(first, std::min<std::size_t>(block, input.size() - first));
            reference.block_sums[index] = reduced<T>(op, slice);
            if constexpr (std::is_same_v<T, float>)
                reference.block_magnitudes[index] = std::transform_reduce(
                    slice.begin(), slice.end(), 0.0, std::plus<>{}, [](T value) { return std::abs(double{value}); });
        }
    });
    reference.total = reduced<T>(op, reference.block_sums);
    return reference;
}

template <class T>
std::string to_text(WideSum<T> sum)
{
    return fmt::format("{}", sum);
}

namespace
{
template <class Sum>
double relative_error(Sum answer, Sum reference)
{
    const double off = std::abs(static_cast<double>(answer) - static_cast<double>(reference));
    return off == 0 ? 0 : off / std::abs(static_cast<double>(reference));
}
} // namespace

namespace
{
// The part of `of` that contains the blocks of partial sum `index`.
template <class Wide>
std::span<const Wide> of_partial(const std::vector<Wide>& of, std::size_t index, unsigned blocks_per_sum)
{
    const std::size_t first = index * blocks_per_sum;
    return std::span(of).subspan(first, std::min<std::size_t>(blocks_per_sum, of.size() - first));
}

template <class T>
WideSum<T> expected_partial(const ReduceReference<T>& reference, std::size_t index, unsigned blocks_per_sum)
{
    return reduced<T>(reference.op, of_partial(reference.block_sums, index, blocks_per_sum));
}
} // namespace

template <class T>
std::string why_too_wide(const ReduceReference<T>& reference, unsigned blocks_per_sum)
{
    if constexpr (std::is_same_v<T, std::int32_t>) {
        constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
        if (reference.elements > std::uint64_t{kMax} + 1)
            return fmt::format("numbers from 0 to {}; allowed with int32: at most {}", reference.elements - 1, kMax);
        const std::size_t sums = blocks_per_sum == 0 ? 0 : (reference.block_sums.size() - 1) / blocks_per_sum + 1;
        for (std::size_t index = 0; index < sums; ++index)
            if (const std::int64_t sum = expected_partial(reference, index, blocks_per_sum); sum > kMax)
                return fmt::format("{} elements from {} on add up to {}; allowed with int32: at most {}",
                                   std::uint64_t{reference.block} * blocks_per_sum,
                                   std::uint64_t{index} * blocks_per_sum * reference.block, sum, kMax);
    }
    return "";
}

template <class T>
Verification verify_blocks(const ReduceReference<T>& reference, std::span<const T> partials, unsigned blocks_per_sum)
{
    const auto is_right = [&](std::size_t index) {
        const WideSum<T> expected = expected_partial(reference, index, blocks_per_sum);
        if constexpr (std::is_same_v<T, float>) {
            const double share = gamma_of(std::bit_width(reference.block) - 1 + blocks_per_sum - 1, 0x1p-24);
            const double magnitude =
                reduced<T>(Operator::sum, of_partial(reference.block_magnitudes, index, blocks_per_sum));
            const double bound = reference.op == Operator::sum ? share * magnitude : 0;
            return std::abs(partials[index] - expected) <= bound;
        } else {
            return partials[index] == expected;
        }
    };
    const std::size_t blocks = reference.block_sums.size();
    if (partials.size() != (blocks + blocks_per_sum - 1) / blocks_per_sum)
        return {.right = false,
                .answer = "",
                .detail = fmt::format("{} partial sums for {} blocks", partials.size(), blocks)};
    const WideSum<T> total = reduced<T>(reference.op, partials);
    std::size_t wrong = 0;
    std::size_t first_wrong = 0;
    for (std::size_t index = 0; index < partials.size(); ++index) {
        if (!is_right(index) && wrong++ == 0)
            first_wrong = index;
    }
    Verification verdict{.right = wrong == 0,
                         .answer = to_text<T>(total),
                         .detail = {},
                         .relative_error = relative_error(total, reference.total)};
    if (wrong != 0)
        verdict.detail =
            fmt::format("{} of {} block sums are wrong; {} gave {} instead of {}", wrong, partials.size(),
                        blocks_per_sum == 1 ? fmt::format("block {}", first_wrong)
                                            : fmt::format("that from block {} on", first_wrong * blocks_per_sum),
                        partials[first_wrong], expected_partial(reference, first_wrong, blocks_per_sum));
    return verdict;
}

template <class T>
Verification verify_total(const ReduceReference<T>& reference, WideSum<T> total)
{
    constexpr std::uint64_t kExact = std::uint64_t{1} << 32; // elements
    bool right = total == reference.total;
    constexpr double kWhole = 0x1p53; // a double represents every whole number up to this one
    if (std::is_same_v<T, float> && (reference.elements > kExact || static_cast<double>(reference.total) >= kWhole)) {
        const double bound = gamma_of(static_cast<double>(reference.elements), 0x1p-53);
        right =
            std::abs(static_cast<double>(total - reference.total)) <= bound * static_cast<double>(reference.total);
    }
    Verification verdict{.right = right,
                         .answer = to_text<T>(total),
                         .detail = {},
                         .relative_error = relative_error(total, reference.total)};
    if (!right)
        verdict.detail = fmt::format("the sum is {} instead of {}", total, reference.total);
    return verdict;
}

template <class T>
Verification verify_narrow_total(const ReduceReference<T>& reference, T total)
{
    if constexpr (std::is_same_v<T, float>) {
        const double bound = loosest_bound(static_cast<double>(reference.elements)) * reference.total;
        const bool right = std::abs(total - reference.total) <= bound;
        return {.right = right,
                .answer = to_text<T>(total),
                .detail = right ? "" : fmt::format("the sum is {} instead of {}", total, reference.total),
                .relative_error = relative_error<WideSum<T>>(total, reference.total)};
    } else {
        const auto expected = static_cast<T>(reference.total);
        const bool right = total == expected;
        return {.right = right,
                .answer = to_text<T>(total),
                .detail = right ? "" : fmt::format("the sum is {} instead of {}, modulo 2^32", total, expected),
                .relative_error = relative_error<WideSum<T>>(total, expected)};
    }
}

template std::int32_t input_element(const Case&, std::uint64_t);
template float input_element(const Case&, std::uint64_t);
template std::string why_too_wide(const ReduceReference<std::int32_t>&, unsigned);
template std::string why_too_wide(const ReduceReference<float>&, unsigned);
template ReduceReference<std::int32_t> reduce_reference(std::span<const std::int32_t>, std::uint32_t, std::uint32_t,
                                                        Operator);
template ReduceReference<float> reduce_reference(std::span<const float>, std::uint32_t, std::uint32_t, Operator);
template Verification verify_blocks(const ReduceReference<std::int32_t>&, std::span<const std::int32_t>, unsigned);
template Verification verify_blocks(const ReduceReference<float>&, std::span<const float>, unsigned);
template Verification verify_narrow_total(const ReduceReference<std::int32_t>&, std::int32_t);
template Verification verify_narrow_total(const ReduceReference<float>&, float);
template Verification verify_total(const ReduceReference<std::int32_t>&, std::int64_t);
template Verification verify_total(const ReduceReference<float>&, double);
template std::string to_text<std::int32_t>(std::int64_t);
template std::string to_text<float>(double);

} // namespace nestbed
