// The workload `reduce`: its input, its right answer, and which answers count as correct. Pure.
#pragma once

#include "model/case.hpp"
#include "model/wide_sum.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace nestbed
{

// Element `index` of the input drawn from `seed`: int32 0 to 255, as in the book; float32 in [0, 1), in steps of
// 2^-14, times a power of two from 1 to 1/128. So neighbours differ in scale, and a double represents the sum of 2^32
// of them exactly (53 bits: 2^32 in steps of 2^-21), in any order of additions. It comes from SplitMix64 at position
// `index`, so any part of the input can be generated separately.
template <class T>
T reduce_element(std::uint64_t seed, std::uint64_t index);

// Element `index` of a case's input: the index itself, rounded to T, or reduce_element().
template <class T>
T input_element(const Case& point, std::uint64_t index);

// The right answer of a case, per block: element i belongs to block i / block.
template <class T>
struct ReduceReference {
    std::vector<WideSum<T>> block_sums;   // one per block of the grid; after the last element the sum of nothing, 0
    std::vector<double> block_magnitudes; // sums of |element| for the error bound; empty for int32
    WideSum<T> total{};
    std::uint64_t elements = 0;
    std::uint32_t block = 1;
    Operator op = Operator::sum;
};
// With an operator other than sum, "sum" means the maximum or the minimum. For no elements it is the neutral element.
template <class T>
ReduceReference<T> reduce_reference(std::span<const T> input, std::uint32_t grid, std::uint32_t block,
                                    Operator op = Operator::sum);

struct Verification {
    bool right = false;
    std::string answer;
    std::string detail;        // what is wrong; empty if the answer is right
    double relative_error = 0; // of the total: |answer - reference| / |reference|
};

// Partial sums, one per `blocks_per_sum` blocks (the last one covers the rest). int32, max and min: exact. float32:
// within gamma(s) * sum |x| of the exact sum, where gamma(s) = s u / (1 - s u), u = 2^-24, and s = log2(block) +
// blocks_per_sum - 1 additions on the longest path: the additions of one thread, then a pairwise tree (Higham,
// "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 4.2).
template <class T>
Verification verify_blocks(const ReduceReference<T>& reference, std::span<const T> partials,
                           unsigned blocks_per_sum = 1);

// Returns why int32 cannot represent the elements, or the sums of `blocks_per_sum` blocks each (0: no sums); empty if
// it can. float32 represents all.
template <class T>
std::string why_too_wide(const ReduceReference<T>& reference, unsigned blocks_per_sum);

// One sum of everything, computed in the wide type by the host or the device: exact, see reduce_element(). For more
// than 2^32 float32 numbers, or a sum of 2^53 and more: within gamma(elements), u = 2^-53.
template <class T>
Verification verify_total(const ReduceReference<T>& reference, WideSum<T> total);

// One sum of everything, computed by a library in the element type. int32: right modulo 2^32. float32: within
// gamma(s), u = 2^-24, s = 64 + elements / 2^16. The library decides the order of the additions: each of the device's
// threads, 2^16 or more, adds its share, and the library adds these sums in a few levels.
template <class T>
Verification verify_narrow_total(const ReduceReference<T>& reference, T total);

template <class T>
std::string to_text(WideSum<T> sum);

} // namespace nestbed
