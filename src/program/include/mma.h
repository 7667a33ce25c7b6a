// Products of matrices by warps, nvcuda::wmma. Not supported: elements of 4 bits and of 1 bit. See nestbed/program/matrices.hpp on sums.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "nestbed/program/matrices.hpp"

// NOLINTBEGIN: these names are CUDA's.
namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision
{
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

inline float __float_to_tf32(float in)
{
    return nestbed::program::tf32_of(in, nestbed::program::Tf32Rounding::away);
}

template <class T>
struct nestbed_element {
    using in_memory = T;
    static constexpr bool is_input = false, is_sum = false;
};
template <class Number, class InMemory, bool input, bool sum>
struct nestbed_known_element {
    using number = Number;
    using in_memory = InMemory;
    static constexpr bool is_input = input, is_sum = sum;
};
template <>
struct nestbed_element<__half> : nestbed_known_element<nestbed::program::MatrixF16, __half, true, true> {
};
template <>
struct nestbed_element<__nv_bfloat16>
    : nestbed_known_element<nestbed::program::MatrixBf16, __nv_bfloat16, true, false> {
};
template <>
struct nestbed_element<precision::tf32> : nestbed_known_element<nestbed::program::MatrixTf32, float, true, false> {
};
template <>
struct nestbed_element<signed char> : nestbed_known_element<nestbed::program::MatrixS8, signed char, true, false> {
};
template <>
struct nestbed_element<unsigned char>
    : nestbed_known_element<nestbed::program::MatrixU8, unsigned char, true, false> {
};
template <>
struct nestbed_element<double> : nestbed_known_element<nestbed::program::MatrixF64, double, true, true> {
};
template <>
struct nestbed_element<float> : nestbed_known_element<nestbed::program::MatrixF32, float, false, true> {
};
template <>
struct nestbed_element<int> : nestbed_known_element<nestbed::program::MatrixS32, int, false, true> {
};

// Shapes that CUDA has ("Element Types and Matrix Sizes").
template <class T>
constexpr bool nestbed_has_shape(int rows, int columns, int depth)
{
    if (std::is_same<T, double>::value)
        return rows == 8 && columns == 8 && depth == 4;
    const bool is_square = rows == 16 && columns == 16;
    return (depth == 16 && !std::is_same<T, precision::tf32>::value &&
            (is_square || (rows == 32 && columns == 8) || (rows == 8 && columns == 32))) ||
           (depth == 8 && is_square && (std::is_same<T, precision::tf32>::value || std::is_same<T, float>::value));
}

template <class Use, int rows, int columns, int depth, class T, class Layout = void>
class fragment
{
    using element = nestbed_element<T>;
    static constexpr bool is_sum = std::is_same<Use, accumulator>::value;
    static_assert(is_sum ? element::is_sum && std::is_void<Layout>::value
                         : element::is_input && !std::is_void<Layout>::value,
                  "no such type, or no such layout, of a fragment in CUDA");
    static_assert(nestbed_has_shape<T>(rows, columns, depth), "no such shape of a fragment in CUDA");

  public:
    static constexpr unsigned nestbed_rows =
        is_sum || std::is_same<Use, matrix_a>::value ? rows : columns; // of B: its columns
    static constexpr unsigned nestbed_count = (is_sum ? rows * columns : (int)nestbed_rows * depth) / 32;
    static constexpr unsigned nestbed_together =
        is_sum ? nestbed::program::kSumsTogether : nestbed::program::kMatrixTogether<typename element::number>;
    typedef T element_type;
    typedef typename element::in_memory storage_element_type;
    // Elements of half precision are there several times.
    enum {
        num_elements = !is_sum && std::is_same<T, __half>::value ? 16 : nestbed_count,
        num_storage_elements = num_elements
    };
    alignas(8) storage_element_type x[num_elements];

    // Whether the elements of a row (of B: of a column) are one after another in memory.
    static constexpr bool nestbed_is_along =
        std::is_same<Layout, row_major>::value == std::is_same<Use, matrix_a>::value;
};

template <class Use, int rows, int columns, int depth, class T, class Layout>
void fill_fragment(fragment<Use, rows, columns, depth, T, Layout>& to,
                   const typename nestbed_element<T>::in_memory& value)
{
    for (auto& each : to.x)
        each = value;
}

// Calls `access` with the number of each element of the lane, and with where it is.
template <class Fragment, class Access>
void nestbed_each(const Fragment&, bool along, unsigned stride, const char* function, const char* file, unsigned line,
                  Access access)
{
    nestbed::program::exchange_of_warp(0, {function, file, line});
    for (unsigned at = 0; at < Fragment::num_elements; ++at) {
        const auto place = nestbed::program::matrix_place<Fragment::nestbed_rows, Fragment::nestbed_together>(
            nestbed::cpu::lane(), at % Fragment::nestbed_count);
        access(at, along ? (size_t)place.row * stride + place.column : (size_t)place.column * stride + place.row);
    }
}
template <class Use, int rows, int columns, int depth, class T, class Layout>
void load_matrix_sync(fragment<Use, rows, columns, depth, T, Layout>& to,
                      const typename nestbed_element<T>::in_memory* from, unsigned stride, NESTBED_PLACE)
{
    nestbed_each(to, to.nestbed_is_along, stride, "load_matrix_sync", file, line,
                 [&](unsigned at, size_t offset) { to.x[at] = from[offset]; });
}
template <int rows, int columns, int depth, class T>
void load_matrix_sync(fragment<accumulator, rows, columns, depth, T>& to, const T* from, unsigned stride,
                      layout_t layout, NESTBED_PLACE)
{
    nestbed_each(to, layout == mem_row_major, stride, "load_matrix_sync", file, line,
                 [&](unsigned at, size_t offset) { to.x[at] = from[offset]; });
}
template <int rows, int columns, int depth, class T>
void store_matrix_sync(T* to, const fragment<accumulator, rows, columns, depth, T>& from, unsigned stride,
                       layout_t layout, NESTBED_PLACE)
{
    nestbed_each(from, layout == mem_row_major, stride, "store_matrix_sync", file, line,
                 [&](unsigned at, size_t offset) { to[offset] = from.x[at]; });
}

// D = A * B + C, all of which may be one fragment.
template <int rows, int columns, int depth, class T, class LayoutA, class LayoutB, class C, class D>
void mma_sync(fragment<accumulator, rows, columns, depth, D>& to,
              const fragment<matrix_a, rows, columns, depth, T, LayoutA>& left,
              const fragment<matrix_b, rows, columns, depth, T, LayoutB>& right,
              const fragment<accumulator, rows, columns, depth, C>& before, bool saturates = false, NESTBED_PLACE)
{
    using number = typename nestbed_element<T>::number;
    using result = typename nestbed_element<D>::number;
    constexpr bool is_half = std::is_same<T, __half>::value;
    constexpr bool is_integer = std::is_integral<T>::value;
    static_assert(is_integer                       ? std::is_same<C, int>::value && std::is_same<D, int>::value
                  : std::is_same<T, double>::value ? std::is_same<C, double>::value && std::is_same<D, double>::value
                  : is_half ? (std::is_same<C, __half>::value || std::is_same<C, float>::value) &&
                                  (std::is_same<D, __half>::value || std::is_same<D, float>::value)
                            : std::is_same<C, float>::value && std::is_same<D, float>::value,
                  "no such types of accumulators for these matrices in CUDA");
    typename result::Bits bits[rows * columns / 32];
    nestbed::program::multiply_matrices<rows, columns, depth, number, number, typename nestbed_element<C>::number,
                                        result>(left.x, right.x, before.x, bits, saturates, {"mma_sync", file, line});
    __builtin_memcpy(to.x, bits, sizeof bits);
}

} // namespace wmma
} // namespace nvcuda
// NOLINTEND
