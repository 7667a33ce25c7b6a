// The workload `reduce`: its input, its right answer, and what counts as agreeing with it. Pure.
#pragma once

#include "model/case.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace nestbed
{

// Sums are kept exactly (int64) or much more exactly than the device can (double).
template <class T>
using WideSum = std::conditional_t<std::is_same_v<T, float>, double, std::int64_t>;

// Element `index` of the input drawn by `seed`: int32 0 to 255, as in the book; float32 in [0, 1), by steps of
// 2^-14, times a power of two from 1 to 1/128, so that neighbours differ in scale and a double holds the sum of 2^32 of them
// exactly (53 bits: 2^32 in steps of 2^-21), in whatever order they are added. From SplitMix64 at position `index`, so any part can
// be made alone.
template <class T>
T reduce_element(std::uint64_t seed, std::uint64_t index);

// Element `index` of a case's input: the index itself, rounded to T, or reduce_element().
template <class T>
T input_element(const Case& point, std::uint64_t index);

// The right answer of a case, by block: element i belongs to block i / block.
template <class T>
struct ReduceReference {
    std::vector<WideSum<T>> block_sums;   // one a block of the grid; past the last element that of none, 0
    std::vector<double> block_magnitudes; // sums of |element|, for the bound; empty for int32
    WideSum<T> total{};
    std::uint64_t elements = 0;
    std::uint32_t block = 1;
    Operator op = Operator::sum;
};
// By an operator other than sum, what is called a sum here is the greatest or the least number; of none it is what changes no other.
template <class T>
ReduceReference<T> reduce_reference(std::span<const T> input, std::uint32_t grid, std::uint32_t block,
                                    Operator op = Operator::sum);

struct Verification {
    bool right = false;
    std::string answer;
    std::string detail;        // how it is wrong; empty if it is right
    double relative_error = 0; // of the total: |answer - reference| / |reference|
};

// Partial sums, one for every `blocks_a_sum` blocks (the last one for what is left). int32, max and min: exact. float32: within gamma(s) * sum |x| of the exact sum,
// where gamma(s) = s u / (1 - s u), u = 2^-24, and s = log2(block) + blocks_a_sum - 1 additions on the
// longest path: a thread's, then a pairwise tree (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 4.2).
template <class T>
Verification verify_blocks(const ReduceReference<T>& reference, std::span<const T> partials,
                           unsigned blocks_a_sum = 1);

// Empty, or why int32 does not hold the elements, or the sums of so many blocks each (0: of none). float32 holds all.
template <class T>
std::string why_too_wide(const ReduceReference<T>& reference, unsigned blocks_a_sum);

// One sum of everything, made in the wide type by the host or the device: exact, see reduce_element(); for more than 2^32
// float32, or a sum of 2^53 and more, within gamma(elements), u = 2^-53.
template <class T>
Verification verify_total(const ReduceReference<T>& reference, WideSum<T> total);

// One sum of everything, made in the elements' own type by a library. int32: right modulo 2^32. float32: within gamma(s),
// u = 2^-24, s = 64 + elements / 2^16: the order of the additions is the library's, which has the device's threads, 2^16 or
// more, each add its share, and adds those up in some levels.
template <class T>
Verification verify_narrow_total(const ReduceReference<T>& reference, T total);

// The share of the reference by which the whole sum of float32 may be off: no rule above allows more.
double loosest_bound(double elements);

template <class T>
std::string to_text(WideSum<T> sum);

} // namespace nestbed
