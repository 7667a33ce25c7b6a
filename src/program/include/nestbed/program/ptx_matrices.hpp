// Inline PTX of tensor cores and of whole warps: what the rewriter puts in place of an instruction. Sources: PTX ISA, "mma", "ldmatrix",
// "stmatrix", "movmatrix", "redux.sync", "elect.sync".
#pragma once

#include "matrices.hpp"
#include "ptx_async.hpp"

namespace nestbed::program
{

// ---- D = A * B + C, by registers ----

template <class Number>
using MatrixRegister = std::conditional_t<sizeof(typename Number::Bits) <= 2, unsigned, typename Number::Bits>;

template <unsigned rows, unsigned columns, unsigned depth, class TypeA, class TypeB, class TypeC, bool saturates>
struct PtxMma : PtxAtPlace {
    template <class... Operands>
    void operator()(Place place, Operands&&... operands) const
    {
        const auto all = std::forward_as_tuple(operands...);
        static_assert(sizeof...(Operands) == 2 * kOfC + kOfA + kOfB, "the operands of mma.sync");
        RegisterOf<TypeA> of_a[kOfA];
        RegisterOf<TypeB> of_b[kOfB];
        MatrixRegister<TypeC> of_c[kOfC];
        read<kOfC>(of_a, all, std::make_index_sequence<kOfA>());
        read<kOfC + kOfA>(of_b, all, std::make_index_sequence<kOfB>());
        read<kOfC + kOfA + kOfB>(of_c, all, std::make_index_sequence<kOfC>());
        typename TypeC::Bits result[rows * columns / 32];
        multiply_matrices<rows, columns, depth, TypeA, TypeB, TypeC, TypeC>(of_a, of_b, of_c, result, saturates,
                                                                            {"mma.sync", place.file, place.line});
        __builtin_memcpy(of_c, result, sizeof result);
        write(of_c, all, std::make_index_sequence<kOfC>());
    }

  private:
    template <class Number> // tf32 is in registers of 32 bits
    using RegisterOf = std::conditional_t<sizeof(typename Number::Bits) == 8, double, unsigned>;
    static constexpr unsigned kOfA = rows * depth / 32 / kMatrixTogether<TypeA>;
    static constexpr unsigned kOfB = columns * depth / 32 / kMatrixTogether<TypeB>;
    static constexpr unsigned kOfC =
        rows * columns / 32 * sizeof(typename TypeC::Bits) / sizeof(MatrixRegister<TypeC>);

    template <unsigned first, class Register, class All, std::size_t... at>
    static void read(Register* to, const All& all, std::index_sequence<at...>)
    {
        ((to[at] = ptx_converted<Register>(std::get<first + at>(all))), ...);
    }
    template <class Register, class All, std::size_t... at>
    static void write(const Register* from, const All& all, std::index_sequence<at...>)
    {
        (ptx_set(std::get<at>(all), from[at]), ...);
    }
};

// ---- matrices of 8 x 8 elements of 16 bits: the lane 4 * i + j has elements 2 * j and 2 * j + 1 of row i ----

inline constexpr unsigned kOfMatrix = 8;
using PtxWord = unsigned __attribute__((may_alias));

// Where the lane finds its element number `half` of a matrix. The rows are at the addresses that lanes give.
template <bool shared, bool transposed>
unsigned short* ptx_element_of_matrix(const cpu::Exchange<std::uint64_t>& rows, unsigned matrix, unsigned half)
{
    const unsigned row = cpu::lane() / 4, column = cpu::lane() % 4 * 2 + half;
    const std::uint64_t at = rows.of(matrix * kOfMatrix + (transposed ? column : row));
    return ptx_pointer<unsigned short, shared>(at) + (transposed ? row : column);
}
template <bool shared, bool transposed>
struct PtxLoadMatrices : PtxAtPlace {
    // The address is the last one. One element of 4 bytes is one access.
    template <class... Operands>
    void operator()(Place place, Operands&&... operands) const
    {
        const auto all = std::forward_as_tuple(operands...);
        constexpr std::size_t kMatrices = sizeof...(Operands) - 1;
        const auto rows = exchange_of_warp(ptx_converted<std::uint64_t>(std::get<kMatrices>(all)),
                                           {"ldmatrix.sync", place.file, place.line});
        load(rows, all, std::make_index_sequence<kMatrices>());
    }

  private:
    template <class All, std::size_t... matrix>
    static void load(const cpu::Exchange<std::uint64_t>& rows, const All& all, std::index_sequence<matrix...>)
    {
        (ptx_set(std::get<matrix>(all), loaded(rows, matrix)), ...);
    }
    static unsigned loaded(const cpu::Exchange<std::uint64_t>& rows, unsigned matrix)
    {
        const unsigned short* const first = ptx_element_of_matrix<shared, transposed>(rows, matrix, 0);
        if constexpr (!transposed)
            return *reinterpret_cast<const PtxWord*>(first);
        else
            return *first | static_cast<unsigned>(*ptx_element_of_matrix<shared, true>(rows, matrix, 1)) << 16;
    }
};
template <bool shared>
using PtxLdmatrix = PtxLoadMatrices<shared, false>;
template <bool shared>
using PtxLdmatrixTrans = PtxLoadMatrices<shared, true>;

template <bool shared, bool transposed>
struct PtxStoreMatrices : PtxAtPlace {
    template <class Address, class... Parts>
    void operator()(Place place, Address address, Parts... parts) const
    {
        const auto rows =
            exchange_of_warp(ptx_converted<std::uint64_t>(address), {"stmatrix.sync", place.file, place.line});
        unsigned matrix = 0;
        (store(rows, matrix++, ptx_converted<unsigned>(parts)), ...);
    }

  private:
    static void store(const cpu::Exchange<std::uint64_t>& rows, unsigned matrix, unsigned value)
    {
        unsigned short* const first = ptx_element_of_matrix<shared, transposed>(rows, matrix, 0);
        if constexpr (!transposed) {
            *reinterpret_cast<PtxWord*>(first) = value;
        } else {
            *first = static_cast<unsigned short>(value);
            *ptx_element_of_matrix<shared, true>(rows, matrix, 1) = static_cast<unsigned short>(value >> 16);
        }
    }
};
template <bool shared>
using PtxStmatrix = PtxStoreMatrices<shared, false>;
template <bool shared>
using PtxStmatrixTrans = PtxStoreMatrices<shared, true>;

template <bool>
struct PtxMovmatrix : PtxAtPlace {
    template <class To, class From>
    void operator()(Place place, To& to, From from) const
    {
        const auto all = exchange_of_warp(ptx_converted<unsigned>(from), {"movmatrix.sync", place.file, place.line});
        const unsigned row = cpu::lane() / 4, column = cpu::lane() % 4 * 2;
        const auto of = [&](unsigned at) { return all.of(at * 4 + row / 2) >> (row % 2 * 16) & 0xFFFF; };
        ptx_set(to, of(column) | of(column + 1) << 16);
    }
};

template <Tf32Rounding rounding, bool is_finite>
struct PtxCvtTf32 {
    template <class To, class From>
    void operator()(To& to, From from) const
    {
        ptx_set(to, ptx_converted<unsigned>(tf32_of(ptx_converted<float>(from), rounding, is_finite)));
    }
};

// ---- warps ----

#define NESTBED_PTX_REDUX(name, T, function)                                                                         \
    template <bool>                                                                                                  \
    struct PtxRedux##name : PtxAtPlace {                                                                             \
        template <class To, class From>                                                                              \
        void operator()(Place place, To& to, From from, unsigned mask) const                                         \
        {                                                                                                            \
            ptx_set(to, function(mask, ptx_converted<T>(from), place.file, place.line));                             \
        }                                                                                                            \
    };
NESTBED_PTX_REDUX(AddU32, unsigned, __reduce_add_sync)
NESTBED_PTX_REDUX(MinU32, unsigned, __reduce_min_sync)
NESTBED_PTX_REDUX(MaxU32, unsigned, __reduce_max_sync)
NESTBED_PTX_REDUX(MinS32, int, __reduce_min_sync)
NESTBED_PTX_REDUX(MaxS32, int, __reduce_max_sync)
NESTBED_PTX_REDUX(And, unsigned, __reduce_and_sync)
NESTBED_PTX_REDUX(Or, unsigned, __reduce_or_sync)
NESTBED_PTX_REDUX(Xor, unsigned, __reduce_xor_sync)
#undef NESTBED_PTX_REDUX

// PTX does not say which lane is elected: here it is the first one.
template <bool>
struct PtxElect : PtxAtPlace {
    template <class Leader, class Is>
    void operator()(Place place, Leader&& leader, Is&& is_leader, unsigned mask) const
    {
        const cpu::Exchange<bool> exchange(mask, true, {"elect.sync", place.file, place.line});
        const auto first = static_cast<unsigned>(__builtin_ctz(exchange.present()));
        ptx_set(leader, first);
        ptx_set(is_leader, first == cpu::lane() ? 1 : 0);
    }
};

} // namespace nestbed::program
