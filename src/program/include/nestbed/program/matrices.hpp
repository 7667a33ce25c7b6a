// Tensor cores: products of small matrices that the lanes of a warp have in parts, for mma.h and PTX.
//
// Which lane has which element is as PTX says of its instructions ("Matrix Fragments for mma"), and for mma.h, where CUDA does not say it,
// the same. A GPU adds the products of an element in an order, and with a rounding, that are not specified. Here they are exact, their sum
// in double goes from the first one to the last one, then adds what was there, and is rounded once. Products of double are added by fma().
#pragma once

#include "kernel_heap.hpp"
#include "launch.hpp"
#include "ptx_arithmetic.hpp"
#include "warps.hpp"

#include <limits>

namespace nestbed::program
{

// ---- numbers, by their bits in memory: `Exact` holds a product and a sum of them ----

template <class Bits>
NESTBED_UNWATCHED Bits matrix_bits(const void* from, unsigned at)
{
    return static_cast<const Bits*>(from)[at];
}
template <class T, class Wide>
struct MatrixNumber {
    using Exact = Wide;
    using Bits = T;
    NESTBED_UNWATCHED static Exact of(const void* from, unsigned at) { return matrix_bits<T>(from, at); }
    NESTBED_UNWATCHED static T rounded(Exact value) { return static_cast<T>(value); }
};
using MatrixS8 = MatrixNumber<signed char, std::int64_t>;
using MatrixU8 = MatrixNumber<unsigned char, std::int64_t>;
using MatrixS32 = MatrixNumber<int, std::int64_t>;
using MatrixF64 = MatrixNumber<double, double>;
struct MatrixF32 : MatrixNumber<float, double> {
    NESTBED_UNWATCHED static float rounded(double value)
    {
        return value != value ? __uint_as_float(0x7FFFFFFFU) : static_cast<float>(value);
    }
};
struct MatrixTf32 { // the last 13 bits do not count
    using Exact = double;
    using Bits = float;
    NESTBED_UNWATCHED static double of(const void* from, unsigned at)
    {
        const auto bits = matrix_bits<unsigned>(from, at) & ~0x1FFFU;
        float value;
        __builtin_memcpy(&value, &bits, sizeof value);
        return value;
    }
};
struct MatrixF16 {
    using Exact = double;
    using Bits = unsigned short;
    NESTBED_UNWATCHED static double of(const void* from, unsigned at)
    {
        return static_cast<double>(matrix_bits<_Float16>(from, at));
    }
    NESTBED_UNWATCHED static unsigned short rounded(double value)
    {
        const auto small = static_cast<_Float16>(value);
        unsigned short bits;
        __builtin_memcpy(&bits, &small, sizeof bits);
        return value != value ? 0x7FFF : bits;
    }
};
struct MatrixBf16 {
    using Exact = double;
    using Bits = unsigned short;
    NESTBED_UNWATCHED static double of(const void* from, unsigned at)
    {
        const auto bits = static_cast<unsigned>(matrix_bits<unsigned short>(from, at)) << 16;
        float value;
        __builtin_memcpy(&value, &bits, sizeof value);
        return value;
    }
};
// Of 8 bits; `has_infinity`: all ones in the exponent are infinite or no number, otherwise only all ones in both parts are no number.
template <int fraction, int bias, bool has_infinity>
struct MatrixF8 {
    using Exact = double;
    using Bits = unsigned char;
    NESTBED_UNWATCHED static double of(const void* from, unsigned at)
    {
        const unsigned bits = matrix_bits<unsigned char>(from, at), rest = bits & ((1U << fraction) - 1);
        const int exponent = static_cast<int>(bits >> fraction) & ((1 << (7 - fraction)) - 1);
        const double sign = bits < 0x80 ? 1 : -1;
        if (has_infinity ? (bits & 0x7F) >= 0x7C : (bits & 0x7F) == 0x7F)
            return (bits & 0x7F) == 0x7C ? sign * std::numeric_limits<double>::infinity()
                                         : std::numeric_limits<double>::quiet_NaN();
        return sign * std::ldexp(exponent == 0 ? rest : rest + (1U << fraction),
                                 (exponent == 0 ? 1 : exponent) - bias - fraction);
    }
};
using MatrixE4m3 = MatrixF8<3, 7, false>;
using MatrixE5m2 = MatrixF8<2, 15, true>;

// A float as TF32, which has 10 bits of the fraction. A half goes away from 0, or to the even number.
enum class Tf32Rounding : unsigned char { away, even, zero };
inline float tf32_of(float value, Tf32Rounding rounding, bool is_finite = false)
{
    constexpr unsigned kInfinite = 0x7F800000U, kDropped = 0x1FFFU, kHalf = 0x1000U, kLargest = 0x7F7FE000U;
    const auto bits = ptx_converted<unsigned>(value);
    const unsigned sign = bits & 0x80000000U, size = bits & 0x7FFFFFFFU;
    if (size > kInfinite)
        return ptx_converted<float>(0x7FFFFFFFU);
    const unsigned more = rounding == Tf32Rounding::zero   ? 0
                          : rounding == Tf32Rounding::away ? kHalf
                                                           : kHalf - 1 + (size >> 13 & 1);
    const unsigned rounded = size == kInfinite ? size : (size + more) & ~kDropped;
    return ptx_converted<float>(sign | (is_finite && rounded >= kInfinite ? kLargest : rounded));
}

// ---- who has which element ----

// Elements of A and of B of one register of a lane: those of one row of A, or of one column of B.
template <class Number>
inline constexpr unsigned kMatrixTogether = sizeof(typename Number::Bits) >= 4 ? 1
                                                                               : 4 / sizeof(typename Number::Bits);
inline constexpr unsigned kSumsTogether = 2; // of a row of TypeC

struct MatrixPlace {
    unsigned row, column;
};
// The element number `at` of a lane.
template <unsigned rows, unsigned together>
NESTBED_UNWATCHED constexpr MatrixPlace matrix_place(unsigned lane, unsigned at)
{
    const unsigned part = at / together;
    return {lane / 4 + 8 * (part % (rows / 8)),
            part / (rows / 8) * 4 * together + lane % 4 * together + at % together};
}
struct MatrixElement {
    unsigned lane, at;
};
// Where an element is. B is as a matrix whose rows are its columns.
template <unsigned rows, unsigned together>
NESTBED_UNWATCHED constexpr MatrixElement matrix_element(unsigned row, unsigned column)
{
    return {row % 8 * 4 + column % (4 * together) / together,
            (row / 8 + rows / 8 * (column / (4 * together))) * together + column % together};
}

// All lanes of a warp must be there; the values are there until the next such call of the thread.
template <class T>
NESTBED_UNWATCHED cpu::Exchange<T> exchange_of_warp(T value, const cpu::CallPlace& place)
{
    const cpu::Exchange<T> exchange(~0U, value, place);
    if (exchange.present() != ~0U)
        fault_at({place.file, place.line}, cudaErrorIllegalInstruction,
                 "an operation of all 32 lanes of a warp is called by a part of them");
    return exchange;
}

struct MatrixParts {
    const void *of_a, *of_b;
};

// D = A * B + C, of rows x depth, depth x columns, and rows x columns elements. `saturates`: sums of integers do not wrap around.
template <unsigned rows, unsigned columns, unsigned depth, class TypeA, class TypeB, class TypeC, class TypeD>
NESTBED_UNWATCHED void multiply_matrices(const void* of_a, const void* of_b, const void* of_c,
                                         typename TypeD::Bits (&result)[rows * columns / 32], bool saturates,
                                         const cpu::CallPlace& place)
{
    using Exact = typename TypeD::Exact;
    const MatrixParts own = {of_a, of_b};
    const cpu::Exchange<const MatrixParts*> parts = exchange_of_warp(&own, place);
    for (unsigned sum = 0; sum < rows * columns / 32; ++sum) {
        const MatrixPlace at = matrix_place<rows, kSumsTogether>(cpu::lane(), sum);
        const Exact before = TypeC::of(of_c, sum);
        Exact all = std::is_same<TypeD, MatrixF64>::value ? before : 0;
        for (unsigned step = 0; step < depth; ++step) {
            const MatrixElement in_a = matrix_element<rows, kMatrixTogether<TypeA>>(at.row, step);
            const MatrixElement in_b = matrix_element<columns, kMatrixTogether<TypeB>>(at.column, step);
            const Exact left = TypeA::of(parts.of(in_a.lane)->of_a, in_a.at);
            const Exact right = TypeB::of(parts.of(in_b.lane)->of_b, in_b.at);
            if constexpr (std::is_same<TypeD, MatrixF64>::value)
                all = std::fma(left, right, all);
            else
                all += left * right;
        }
        if constexpr (!std::is_same<TypeD, MatrixF64>::value)
            all += before;
        if constexpr (std::is_same<TypeD, MatrixS32>::value)
            if (saturates && all != static_cast<int>(all))
                all = all < 0 ? std::numeric_limits<int>::min() : std::numeric_limits<int>::max();
        result[sum] = TypeD::rounded(all);
    }
    exchange_of_warp(0, place); // nobody changes its part before others have read it
}

} // namespace nestbed::program
