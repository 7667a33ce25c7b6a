// Inline PTX that computes with registers: what the rewriter puts in place of an instruction. Sources: PTX ISA, "Integer Arithmetic
// Instructions", "Logic and Shift Instructions", "Floating-Point Instructions". Rounding is to nearest; approximations are
// computed and rounded once.
#pragma once

#include "directed_rounding.hpp"
#include "intrinsics.hpp"
#include "warps.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace nestbed::program
{

// What a register has, as another type: the same bits of a floating-point number or of a pointer, otherwise its value.
template <class To, class From>
To ptx_converted(From from)
{
    if constexpr (std::is_pointer<To>::value || std::is_pointer<From>::value) {
        return (To)(std::uintptr_t)from; // NOLINT: of a pointer or a number
    } else if constexpr (sizeof(To) == sizeof(From) &&
                         std::is_floating_point<To>::value != std::is_floating_point<From>::value) {
        To to;
        std::memcpy(&to, &from, sizeof to);
        return to;
    } else {
        return static_cast<To>(from);
    }
}

// An input: an operand of the statement, or a number in its text.
template <int number>
struct PtxOperand {
    template <class T, class Operands>
    static T of(const Operands& operands)
    {
        return ptx_converted<T>(std::get<number>(operands));
    }
    template <class Operands>
    static auto& at(Operands& operands)
    {
        return std::get<number>(operands);
    }
};
template <auto value>
struct PtxNumber {
    template <class T, class Operands>
    static T of(const Operands&)
    {
        return static_cast<T>(value);
    }
    template <class Operands>
    static auto at(Operands&)
    {
        return value;
    }
};

template <bool flushes, class T>
T ptx_flushed(T value)
{
    if constexpr (flushes && std::is_floating_point<T>::value)
        return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T(0), value) : value;
    return value;
}

// An operation whose inputs are not all of the type of the instruction.
struct PtxMixed {
};

// Calls with the operands of these numbers, in this order: `asm("st.u32 [%1], %0;" :: "r"(value), "l"(at))`.
template <std::size_t... numbers, class Call, class... Operands>
auto ptx_in_order(const Call& call, Operands&&... operands)
{
    const auto all = std::forward_as_tuple(operands...);
    return call(std::get<numbers>(all)...);
}

template <bool second, class First, class Other>
auto& ptx_chosen(First& first, Other& other)
{
    if constexpr (second)
        return other;
    else
        return first;
}
template <std::size_t number, class Call, class Operands, std::size_t... all>
auto ptx_with_address(const Call& call, const Operands& operands, std::uintptr_t address, std::index_sequence<all...>)
{
    return call(ptx_chosen<all == number>(std::get<all>(operands), address)...);
}
// A call in which the operand of this number is an address, to which the offset is added: `[%0+4]`.
template <std::size_t number, long long offset, class Call>
auto ptx_at_offset(Call call)
{
    return [call](auto&&... operands) {
        const auto all = std::forward_as_tuple(operands...);
        const auto address = (std::uintptr_t)std::get<number>(all) + offset; // NOLINT: of a pointer or a number
        return ptx_with_address<number>(call, all, address, std::index_sequence_for<decltype(operands)...>());
    };
}

template <class Operation, class T, bool flushes, class... Inputs, class To, class... Others>
void ptx_arithmetic(To& to, const Others&... others)
{
    const std::tuple<const To&, const Others&...> operands(to, others...);
    if constexpr (std::is_base_of<PtxMixed, Operation>::value)
        to = ptx_converted<To>(Operation::template of<T>(operands, Inputs()...));
    else
        to = ptx_converted<To>(
            ptx_flushed<flushes>(Operation::of(ptx_flushed<flushes>(Inputs::template of<T>(operands))...)));
}

// Signed integers wrap around.
template <class T, bool = std::is_integral<T>::value>
struct PtxWrapped {
    using Type = std::make_unsigned_t<T>;
};
template <class T>
struct PtxWrapped<T, false> {
    using Type = T;
};
template <class T>
using Wrapped = typename PtxWrapped<T>::Type;

#define NESTBED_PTX(name, parameters, value)                                                                         \
    struct Ptx##name {                                                                                               \
        template <class T>                                                                                           \
        static auto of parameters                                                                                    \
        {                                                                                                            \
            return value;                                                                                            \
        }                                                                                                            \
    };
// NOLINTBEGIN(bugprone-macro-parentheses)
NESTBED_PTX(Move, (T a), a)
NESTBED_PTX(Add, (T a, T b), T(Wrapped<T>(a) + Wrapped<T>(b)))
NESTBED_PTX(Subtract, (T a, T b), T(Wrapped<T>(a) - Wrapped<T>(b)))
NESTBED_PTX(Multiply, (T a, T b), T(1U * Wrapped<T>(a) * Wrapped<T>(b)))
NESTBED_PTX(Mad, (T a, T b, T c), T(1U * Wrapped<T>(a) * Wrapped<T>(b) + Wrapped<T>(c)))
NESTBED_PTX(Fma, (T a, T b, T c), std::fma(a, b, c))
NESTBED_PTX(Min, (T a, T b), a < b || b != b ? a : b)
NESTBED_PTX(Max, (T a, T b), a > b || b != b ? a : b)
NESTBED_PTX(Abs, (T a), a < 0 ? T(-Wrapped<T>(a)) : T(a + T(0)))
NESTBED_PTX(Negate, (T a), T(-Wrapped<T>(a)))
NESTBED_PTX(And, (T a, T b), T(a& b))
NESTBED_PTX(Or, (T a, T b), T(a | b))
NESTBED_PTX(Xor, (T a, T b), T(a ^ b))
NESTBED_PTX(Not, (T a), T(std::is_same<T, bool>::value ? !a : ~a))
NESTBED_PTX(Select, (T a, T b, T c), c != 0 ? a : b)
NESTBED_PTX(Equal, (T a, T b), a == b)
NESTBED_PTX(Differs, (T a, T b), a<b || a> b)
NESTBED_PTX(Less, (T a, T b), a < b)
NESTBED_PTX(NotGreater, (T a, T b), a <= b)
NESTBED_PTX(Greater, (T a, T b), a > b)
NESTBED_PTX(NotLess, (T a, T b), a >= b)
NESTBED_PTX(EqualOrNan, (T a, T b), !(a < b || a > b))
NESTBED_PTX(DiffersOrNan, (T a, T b), a != b)
NESTBED_PTX(LessOrNan, (T a, T b), !(a >= b))
NESTBED_PTX(NotGreaterOrNan, (T a, T b), !(a > b))
NESTBED_PTX(GreaterOrNan, (T a, T b), !(a <= b))
NESTBED_PTX(NotLessOrNan, (T a, T b), !(a < b))
NESTBED_PTX(Numbers, (T a, T b), a == a && b == b)
NESTBED_PTX(Nan, (T a, T b), a != a || b != b)
NESTBED_PTX(Sqrt, (T a), std::sqrt(a))
NESTBED_PTX(Rsqrt, (T a), T(1 / std::sqrt(double(a))))
NESTBED_PTX(Rcp, (T a), 1 / a)
NESTBED_PTX(Ex2, (T a), T(std::exp2(double(a))))
NESTBED_PTX(Lg2, (T a), T(std::log2(double(a))))
NESTBED_PTX(Sin, (T a), T(std::sin(double(a))))
NESTBED_PTX(Cos, (T a), T(std::cos(double(a))))
NESTBED_PTX(Tanh, (T a), T(std::tanh(double(a))))
#undef NESTBED_PTX
// NOLINTEND(bugprone-macro-parentheses)

template <class T>
constexpr unsigned kPtxBits = sizeof(T) * 8;
template <class T>
using PtxTwice = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed<T>::value, __int128, unsigned __int128>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed<T>::value, long long, unsigned long long>,
                       std::conditional_t<std::is_signed<T>::value, int, unsigned>>>;

struct PtxJoin { // two halves, the low one first
    template <class T>
    static PtxTwice<T> of(T low, T high)
    {
        return static_cast<PtxTwice<T>>(low) | static_cast<PtxTwice<T>>(high) << kPtxBits<T>;
    }
};
template <class Half, class Low, class High, class From>
void ptx_halves(Low& low, High& high, const From& from)
{
    const auto whole = ptx_converted<PtxTwice<Half>>(from);
    low = ptx_converted<Low>(static_cast<Half>(whole));
    high = ptx_converted<High>(static_cast<Half>(whole >> kPtxBits<Half>));
}

enum class PtxRounding : unsigned char { none, nearest, zero, down, up };
template <PtxRounding rounding, class T>
T ptx_whole(T value)
{
    return rounding == PtxRounding::nearest ? std::nearbyint(value)
           : rounding == PtxRounding::zero  ? std::trunc(value)
           : rounding == PtxRounding::down  ? std::floor(value)
           : rounding == PtxRounding::up    ? std::ceil(value)
                                            : value;
}
// A conversion that may lose digits, in a direction.
template <class To, PtxRounding rounding, class From>
To ptx_directed(From from)
{
    constexpr Rounding direction = rounding == PtxRounding::zero   ? Rounding::zero
                                   : rounding == PtxRounding::down ? Rounding::down
                                                                   : Rounding::up;
    using Wide = std::conditional_t<std::is_floating_point<From>::value, double,
                                    std::conditional_t<std::is_signed<From>::value, long long, unsigned long long>>;
    if constexpr (rounding == PtxRounding::none || rounding == PtxRounding::nearest)
        return static_cast<To>(from);
    else if constexpr (sizeof(To) == sizeof(float))
        return rounded_to_float(direction, static_cast<Wide>(from));
    else
        return rounded_to_double(direction, static_cast<Wide>(from));
}
// PTX ISA, "cvt".
template <class To, class From, PtxRounding rounding, bool saturates>
To ptx_convert_value(From from)
{
    constexpr bool to_real = std::is_floating_point<To>::value;
    if constexpr (std::is_floating_point<From>::value && !to_real) {
        return saturated<To>(ptx_whole<rounding>(from));
    } else if constexpr (to_real) {
        To to{};
        if constexpr (std::is_same<To, From>::value)
            to = ptx_whole<rounding>(from);
        else
            to = ptx_directed<To, rounding>(from);
        return !saturates ? to : !(to > 0) ? To(0) : to > 1 ? To(1) : to;
    } else if constexpr (saturates) {
        using Wide = __int128; // has both types' values
        const Wide value = from;
        return value < std::numeric_limits<To>::min()   ? std::numeric_limits<To>::min()
               : value > std::numeric_limits<To>::max() ? std::numeric_limits<To>::max()
                                                        : static_cast<To>(from);
    } else {
        return static_cast<To>(from);
    }
}
template <class To, class From, PtxRounding rounding, bool flushes, bool saturates, class Input, class Register,
          class... Others>
void ptx_convert(Register& to, const Others&... others)
{
    const std::tuple<const Register&, const Others&...> operands(to, others...);
    const From from = ptx_flushed < flushes && sizeof(From) == sizeof(float) > (Input::template of<From>(operands));
    to = ptx_converted<Register>(ptx_flushed < flushes &&
                                 sizeof(To) ==
                                     sizeof(float) > (ptx_convert_value<To, From, rounding, saturates>(from)));
}

struct PtxMultiplyWide {
    template <class T>
    static PtxTwice<T> of(T a, T b)
    {
        return static_cast<PtxTwice<T>>(a) * static_cast<PtxTwice<T>>(b);
    }
};
struct PtxMultiplyHigh {
    template <class T>
    static T of(T a, T b)
    {
        return static_cast<T>(PtxMultiplyWide::of(a, b) >> kPtxBits<T>);
    }
};
// The carry of the last instruction with .cc, which a thread keeps from statement to statement.
struct PtxCarry {
    __attribute__((no_sanitize("thread"))) static bool get() { return cpu::current_thread->program.carry; }
    __attribute__((no_sanitize("thread"))) static void set(bool carry) { cpu::current_thread->program.carry = carry; }
};
struct PtxSum {
    template <class T>
    static bool overflows(T a, T b, T& to)
    {
        return __builtin_add_overflow(a, b, &to);
    }
};
struct PtxDifference {
    template <class T>
    static bool overflows(T a, T b, T& to)
    {
        return __builtin_sub_overflow(a, b, &to);
    }
};
template <class Operation, bool takes, bool gives>
struct PtxWithCarry {
    template <class T>
    static T of(T a, T b)
    {
        Wrapped<T> to = 0;
        const bool first = Operation::template overflows<Wrapped<T>>(a, b, to);
        const bool second = Operation::template overflows<Wrapped<T>>(to, takes && PtxCarry::get() ? 1 : 0, to);
        if (gives)
            PtxCarry::set(first || second);
        return static_cast<T>(to);
    }
};
template <class Product, bool takes, bool gives>
struct PtxMadWithCarry {
    template <class T>
    static T of(T a, T b, T c)
    {
        return PtxWithCarry<PtxSum, takes, gives>::of(static_cast<T>(Product::of(a, b)), c);
    }
};
struct PtxMadWide : PtxMixed { // the last one is twice as wide
    template <class T, class Operands, class First, class Second, class Third>
    static auto of(const Operands& operands, First, Second, Third)
    {
        const auto product = PtxMultiplyWide::of(First::template of<T>(operands), Second::template of<T>(operands));
        return PtxAdd::of(product, Third::template of<PtxTwice<T>>(operands));
    }
};
struct PtxMadHigh {
    template <class T>
    static T of(T a, T b, T c)
    {
        return PtxAdd::of(PtxMultiplyHigh::of(a, b), c);
    }
};
// Of integers by 0: "the result is unspecified" (PTX ISA, "div"); a GPU gives all ones.
struct PtxDivide {
    template <class T>
    static T of(T a, T b)
    {
        if constexpr (std::is_integral<T>::value)
            if (b == 0 || (std::is_signed<T>::value && b == T(-1)))
                return b == 0 ? T(-1) : PtxNegate::of(a);
        return a / b;
    }
};
struct PtxRemainder {
    template <class T>
    static T of(T a, T b)
    {
        return PtxSubtract::of(a, PtxMultiply::of(PtxDivide::of(a, b), b));
    }
};
// A shift by more bits than there are shifts all out. The amount is of 32 bits.
struct PtxShiftLeft : PtxMixed {
    template <class T, class Operands, class First, class Second>
    static T of(const Operands& operands, First, Second)
    {
        const T a = First::template of<T>(operands);
        const auto bits = Second::template of<unsigned>(operands);
        return bits >= kPtxBits<T> ? T(0) : static_cast<T>(static_cast<Wrapped<T>>(a) << bits);
    }
};
struct PtxShiftRight : PtxMixed {
    template <class T, class Operands, class First, class Second>
    static T of(const Operands& operands, First, Second)
    {
        const T a = First::template of<T>(operands);
        const auto bits = Second::template of<unsigned>(operands);
        return bits >= kPtxBits<T> ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> bits);
    }
};
struct PtxPopc {
    template <class T>
    static unsigned of(T a)
    {
        return static_cast<unsigned>(__builtin_popcountll(static_cast<Wrapped<T>>(a)));
    }
};
struct PtxClz {
    template <class T>
    static unsigned of(T a)
    {
        const unsigned long long bits = static_cast<Wrapped<T>>(a);
        return bits == 0 ? kPtxBits<T> : static_cast<unsigned>(__builtin_clzll(bits)) - (64 - kPtxBits<T>);
    }
};
struct PtxBrev {
    template <class T>
    static T of(T a)
    {
        Wrapped<T> from = static_cast<Wrapped<T>>(a), to = 0;
        for (unsigned bit = 0; bit < kPtxBits<T>; ++bit, from >>= 1)
            to = static_cast<Wrapped<T>>(to << 1 | (from & 1));
        return static_cast<T>(to);
    }
};
// Position and length are the low 8 bits. Of a signed number the last bit of the field, or of the number, is repeated.
struct PtxBfe {
    template <class T>
    static T of(T a, T at, T length)
    {
        const unsigned from = static_cast<unsigned>(at) & 0xFF, bits = static_cast<unsigned>(length) & 0xFF;
        const unsigned last = from + bits - 1 < kPtxBits<T> - 1 ? from + bits - 1 : kPtxBits<T> - 1;
        const bool negative = std::is_signed<T>::value && bits != 0 && (static_cast<Wrapped<T>>(a) >> last & 1) != 0;
        Wrapped<T> field = negative ? static_cast<Wrapped<T>>(-1) : 0;
        for (unsigned bit = 0; bit < bits && bit < kPtxBits<T> && from + bit < kPtxBits<T>; ++bit) {
            const Wrapped<T> mask = static_cast<Wrapped<T>>(1) << bit;
            field = (static_cast<Wrapped<T>>(a) >> (from + bit) & 1) != 0 ? field | mask : field & ~mask;
        }
        return static_cast<T>(field);
    }
};
struct PtxBfi {
    template <class T>
    static T of(T a, T into, T at, T length)
    {
        const unsigned from = static_cast<unsigned>(at) & 0xFF, bits = static_cast<unsigned>(length) & 0xFF;
        for (unsigned bit = 0; bit < bits && from + bit < kPtxBits<T>; ++bit) {
            const T mask = static_cast<T>(1) << (from + bit);
            into = (a >> bit & 1) != 0 ? into | mask : into & ~mask;
        }
        return into;
    }
};
struct PtxPrmt {
    template <class T>
    static T of(T a, T b, T selector)
    {
        const unsigned long long bytes =
            static_cast<unsigned>(a) | static_cast<unsigned long long>(static_cast<unsigned>(b)) << 32;
        unsigned to = 0;
        for (unsigned byte = 0; byte < 4; ++byte) {
            const unsigned chosen = static_cast<unsigned>(selector) >> (4 * byte);
            const unsigned one = static_cast<unsigned>(bytes >> (8 * (chosen & 7))) & 0xFF;
            to |= ((chosen & 8) == 0 ? one : (one & 0x80) != 0 ? 0xFFU : 0U) << (8 * byte); // 8: its sign alone
        }
        return static_cast<T>(to);
    }
};
struct PtxLop3 {
    template <class T>
    static T of(T a, T b, T c, T table)
    {
        T to = 0;
        for (unsigned row = 0; row < 8; ++row)
            if ((table >> row & 1) != 0)
                to |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
        return to;
    }
};
template <bool wraps>
unsigned ptx_funnel(unsigned by)
{
    return wraps ? by & 31 : by < 32 ? by : 32;
}
template <bool wraps>
struct PtxShfLeft {
    static unsigned of(unsigned low, unsigned high, unsigned by)
    {
        const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
        return static_cast<unsigned>(both << ptx_funnel<wraps>(by) >> 32);
    }
};
template <bool wraps>
struct PtxShfRight {
    static unsigned of(unsigned low, unsigned high, unsigned by)
    {
        const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
        return static_cast<unsigned>(both >> ptx_funnel<wraps>(by));
    }
};

// Bytes of the type Byte by bytes of b, which are signed as T.
template <class Byte>
struct PtxDp4a {
    template <class T>
    static T of(T a, T b, T c)
    {
        using Other = std::conditional_t<std::is_signed<T>::value, signed char, unsigned char>;
        auto sum = static_cast<unsigned>(c);
        for (unsigned bits = 0; bits < 32; bits += 8)
            sum += static_cast<unsigned>(static_cast<Byte>(static_cast<unsigned>(a) >> bits) *
                                         static_cast<Other>(static_cast<unsigned>(b) >> bits));
        return static_cast<T>(sum);
    }
};

// Video instructions: the same for each byte or half of a register, then perhaps their sum and another number (PTX ISA, "SIMD Video
// Instructions").
#define NESTBED_VIDEO(name, value)                                                                                   \
    struct PtxVideo##name {                                                                                          \
        static int of(int a, int b) { return value; }                                                                \
    };
NESTBED_VIDEO(Add, a + b)
NESTBED_VIDEO(Subtract, a - b)
NESTBED_VIDEO(Average, (a + b + (a + b >= 0 ? 1 : 0)) >> 1)
NESTBED_VIDEO(Min, a < b ? a : b)
NESTBED_VIDEO(Max, a > b ? a : b)
NESTBED_VIDEO(Difference, a > b ? a - b : b - a)
#undef NESTBED_VIDEO
template <class T>
int ptx_part(T of, unsigned shift, unsigned bits)
{
    const unsigned part = static_cast<unsigned>(of) >> shift << (32 - bits);
    return static_cast<int>(std::is_signed<T>::value ? static_cast<int>(part) >> (32 - bits) : part >> (32 - bits));
}
template <class Operation, unsigned parts, class Result, class First, class Second, bool saturates, bool adds,
          class To, class Left, class Right, class Last>
void ptx_video(To& to, const Left& left, const Right& right, const Last& last)
{
    constexpr unsigned bits = 32 / parts;
    constexpr int least = std::is_signed<Result>::value ? -(1 << (bits - 1)) : 0;
    constexpr int most = std::is_signed<Result>::value ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    unsigned all = 0;
    auto sum = static_cast<unsigned>(last);
    for (unsigned shift = 0; shift < 32; shift += bits) {
        int part = Operation::of(ptx_part(static_cast<First>(left), shift, bits),
                                 ptx_part(static_cast<Second>(right), shift, bits));
        if (saturates)
            part = part < least ? least : part > most ? most : part;
        all |= (static_cast<unsigned>(part) & ((1U << bits) - 1)) << shift;
        sum += static_cast<unsigned>(part);
    }
    to = static_cast<To>(adds ? sum : all);
}

// Of a cache, which no thread can tell.
template <class... Operands>
void ptx_nothing(const Operands&...)
{
}

enum class PtxShuffle { lane, up, down, butterfly };
// The third input has the size of the segments: its bits from 8 on are those of the lane that a segment keeps (PTX ISA, "shfl.sync").
template <PtxShuffle shuffle, class Value, class Lane, class Control, class Mask, class To, class... Others>
void ptx_shfl(To& to, const Others&... others)
{
    const std::tuple<const To&, const Others&...> operands(to, others...);
    const unsigned mask = Mask::template of<unsigned>(operands), value = Value::template of<unsigned>(operands);
    const int by = Lane::template of<int>(operands);
    const int width = 32 - (Control::template of<int>(operands) >> 8 & 31);
    if constexpr (shuffle == PtxShuffle::lane)
        to = ptx_converted<To>(__shfl_sync(mask, value, by, width));
    else if constexpr (shuffle == PtxShuffle::up)
        to = ptx_converted<To>(__shfl_up_sync(mask, value, by, width));
    else if constexpr (shuffle == PtxShuffle::down)
        to = ptx_converted<To>(__shfl_down_sync(mask, value, by, width));
    else
        to = ptx_converted<To>(__shfl_xor_sync(mask, value, by, width));
}

} // namespace nestbed::program
