// Numbers of 16 and 8 bits: what cuda_fp16.h, cuda_bf16.h and cuda_fp8.h have in common. Each operation is computed exactly enough
// and rounded once, to nearest even; every NaN becomes 0x7FFF, as on a GPU.
#pragma once

#include "nestbed/program.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace nestbed::program
{

enum class SmallRounding : unsigned char { nearest, zero, up, down };

// A format of IEEE 754: bits of the fraction, exponent of the smallest normal number, bits of the positive infinity, of the
// largest number, and of NaN.
template <int fraction, int min_exponent, unsigned infinity, unsigned largest, unsigned nan, int bits = 16>
struct SmallFormat {
    static constexpr unsigned kLargest = largest;
    static constexpr unsigned kNan = nan;
    static constexpr unsigned kSign = 1U << (bits - 1);

    // Exact for every number of up to 64 significant bits. What is too large becomes infinite, or as the direction says.
    static unsigned rounded(long double value, SmallRounding rounding = SmallRounding::nearest)
    {
        if (std::isnan(value))
            return nan;
        const bool negative = std::signbit(value);
        const unsigned sign = negative ? kSign : 0;
        const long double size = std::fabs(value);
        if (std::isinf(size) || size == 0)
            return sign | (size == 0 ? 0 : infinity);
        const int exponent = std::max(std::ilogb(size), min_exponent);
        const long double units = std::ldexp(size, fraction - exponent); // of the last place
        long double whole = std::floor(units);
        const long double rest = units - whole;
        const bool up = rounding == SmallRounding::nearest ? rest > 0.5L || (rest == 0.5L && std::fmod(whole, 2) == 1)
                        : rounding == SmallRounding::up    ? rest > 0 && !negative
                        : rounding == SmallRounding::down  ? rest > 0 && negative
                                                           : false;
        whole += up;
        // A carry goes on into the exponent.
        const long double all = whole + std::ldexp(static_cast<long double>(exponent - min_exponent), fraction);
        const bool away =
            rounding == SmallRounding::nearest || rounding == (negative ? SmallRounding::down : SmallRounding::up);
        if (all > largest)
            return sign | (away ? infinity : largest);
        return sign | static_cast<unsigned>(all);
    }
    static float to_float(unsigned number)
    {
        const unsigned size = number & (kSign - 1);
        const float sign = (number & kSign) != 0 ? -1.0F : 1.0F;
        if (size > largest)
            return size == infinity && infinity != nan ? sign * std::numeric_limits<float>::infinity()
                                                       : std::numeric_limits<float>::quiet_NaN();
        const int exponent = static_cast<int>(size >> fraction);
        const unsigned rest = size & ((1U << fraction) - 1);
        return sign * (exponent == 0 ? std::ldexp(static_cast<float>(rest), min_exponent - fraction)
                                     : std::ldexp(static_cast<float>(rest | (1U << fraction)),
                                                  min_exponent - fraction + exponent - 1));
    }
};

struct Half : SmallFormat<10, -14, 0x7C00, 0x7BFF, 0x7FFF> {
    static unsigned short of(float value)
    {
        if (value != value)
            return kNan;
        const _Float16 small = static_cast<_Float16>(value);
        unsigned short bits;
        std::memcpy(&bits, &small, sizeof bits);
        return bits;
    }
    static float to_float(unsigned short bits)
    {
        _Float16 small;
        std::memcpy(&small, &bits, sizeof small);
        return static_cast<float>(small);
    }
};
struct Bfloat : SmallFormat<7, -126, 0x7F80, 0x7F7F, 0x7FFF> {
    static unsigned short of(float value)
    {
        if (value != value)
            return kNan;
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return static_cast<unsigned short>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
    }
    static float to_float(unsigned short number)
    {
        const std::uint32_t bits = static_cast<std::uint32_t>(number) << 16;
        float value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
};

// Of the result of an operation.
template <class Format>
unsigned short small_of(double value)
{
    const float single = static_cast<float>(value);
    return static_cast<double>(single) == value || value != value
               ? Format::of(single)
               : static_cast<unsigned short>(Format::rounded(value));
}
// A conversion to bfloat16 keeps the first bits of a NaN.
template <class Format>
unsigned short small_of_double(double value)
{
    if (!std::is_same<Format, Bfloat>::value || value == value)
        return small_of<Format>(value);
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<unsigned short>((bits >> 48 & 0x8000) | 0x7FC0 | (bits >> 45 & 0x7F));
}
template <class Format, class T>
unsigned short small_of_integer(T value, SmallRounding rounding = SmallRounding::nearest)
{
    return static_cast<unsigned short>(Format::rounded(static_cast<long double>(value), rounding));
}
// The sum of three numbers' product is rounded to odd first, so that a second rounding is right (Boldo and Melquiond, 2008).
template <class Format>
unsigned short small_fma(float a, float b, float c)
{
    const double product = static_cast<double>(a) * b; // exact
    double sum = product + c;
    const double of_c = sum - product;
    const double error = (product - (sum - of_c)) + (static_cast<double>(c) - of_c);
    std::uint64_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && std::isfinite(sum) && (bits & 1) == 0)
        sum = std::nextafter(sum, error > 0 ? std::numeric_limits<double>::infinity()
                                            : -std::numeric_limits<double>::infinity());
    return small_of<Format>(sum);
}
template <class To>
To small_to_integer(float value, SmallRounding rounding)
{
    const float whole = rounding == SmallRounding::nearest ? std::nearbyint(value)
                        : rounding == SmallRounding::zero  ? std::trunc(value)
                        : rounding == SmallRounding::up    ? std::ceil(value)
                                                           : std::floor(value);
    if (std::isnan(whole))
        return sizeof(To) == 8 ? std::numeric_limits<To>::min() : To(0);
    if (whole >= std::ldexp(1.0F, std::numeric_limits<To>::digits))
        return std::numeric_limits<To>::max();
    if (whole <= static_cast<float>(std::numeric_limits<To>::min()))
        return std::numeric_limits<To>::min();
    return static_cast<To>(whole);
}
inline float clamped(float value)
{
    return value > 0 ? std::min(value, 1.0F) : 0.0F; // NaN becomes 0
}

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
// ---- the types ----
#define NESTBED_SMALL_FLOAT(Small, Small2, Format)                                                                   \
    struct Small##_raw {                                                                                             \
        unsigned short x;                                                                                            \
    };                                                                                                               \
    struct alignas(4) Small2##_raw {                                                                                 \
        unsigned short x, y;                                                                                         \
    };                                                                                                               \
    struct Small {                                                                                                   \
        unsigned short __x;                                                                                          \
        Small() = default;                                                                                           \
        constexpr Small(const Small##_raw& raw) : __x(raw.x) {}                                                      \
        Small(float value) : __x(nestbed::program::Format::of(value)) {}                                             \
        Small(double value) : __x(nestbed::program::small_of_double<nestbed::program::Format>(value)) {}             \
        NESTBED_SMALL_INTEGERS(NESTBED_SMALL_FROM, Small, Format)                                                    \
        constexpr Small& operator=(const Small##_raw& raw)                                                           \
        {                                                                                                            \
            __x = raw.x;                                                                                             \
            return *this;                                                                                            \
        }                                                                                                            \
        constexpr operator Small##_raw() const { return Small##_raw{__x}; }                                          \
        operator float() const { return nestbed::program::Format::to_float(__x); }                                   \
        constexpr operator bool() const { return (__x & 0x7FFF) != 0; }                                              \
        NESTBED_SMALL_INTEGERS(NESTBED_SMALL_TO, Small, Format)                                                      \
        NESTBED_SMALL_TO(signed char, Small, Format)                                                                 \
        NESTBED_SMALL_TO(unsigned char, Small, Format) NESTBED_SMALL_TO(char, Small, Format)                         \
    };                                                                                                               \
    struct alignas(4) Small2 {                                                                                       \
        Small x, y;                                                                                                  \
        Small2() = default;                                                                                          \
        constexpr Small2(const Small& a, const Small& b) : x(a), y(b) {}                                             \
        constexpr Small2(const Small2##_raw& raw) : x(Small##_raw{raw.x}), y(Small##_raw{raw.y}) {}                  \
        constexpr operator Small2##_raw() const { return Small2##_raw{x.__x, y.__x}; }                               \
    };
#define NESTBED_SMALL_INTEGERS(one, Small, Format)                                                                   \
    one(short, Small, Format) one(unsigned short, Small, Format) one(int, Small, Format)                             \
        one(unsigned, Small, Format) one(long, Small, Format) one(unsigned long, Small, Format)                      \
            one(long long, Small, Format) one(unsigned long long, Small, Format)
#define NESTBED_SMALL_FROM(Integer, Small, Format)                                                                   \
    Small(Integer value) : __x(nestbed::program::small_of_integer<nestbed::program::Format>(value)) {}
#define NESTBED_SMALL_TO(Integer, Small, Format)                                                                     \
    operator Integer() const                                                                                         \
    {                                                                                                                \
        return nestbed::program::small_to_integer<Integer>(float(*this), nestbed::program::SmallRounding::zero);     \
    }

// ---- arithmetic, comparisons, functions: they have the same names for both types ----
#define NESTBED_SMALL_BINARY(Small, Small2, Format, name, op)                                                        \
    inline Small __h##name(Small a, Small b)                                                                         \
    {                                                                                                                \
        return Small##_raw{nestbed::program::small_of<nestbed::program::Format>(double(float(a)) op float(b))};      \
    }                                                                                                                \
    inline Small2 __h##name##2(Small2 a, Small2 b)                                                                   \
    {                                                                                                                \
        return {__h##name(a.x, b.x), __h##name(a.y, b.y)};                                                           \
    }                                                                                                                \
    inline Small __h##name##_rn(Small a, Small b)                                                                    \
    {                                                                                                                \
        return __h##name(a, b);                                                                                      \
    }                                                                                                                \
    inline Small2 __h##name##2_rn(Small2 a, Small2 b)                                                                \
    {                                                                                                                \
        return __h##name##2(a, b);                                                                                   \
    }                                                                                                                \
    inline Small __h##name##_sat(Small a, Small b)                                                                   \
    {                                                                                                                \
        return nestbed::program::clamped(__h##name(a, b));                                                           \
    }                                                                                                                \
    inline Small2 __h##name##2_sat(Small2 a, Small2 b)                                                               \
    {                                                                                                                \
        return {__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)};                                               \
    }                                                                                                                \
    inline Small operator op(const Small& a, const Small& b)                                                         \
    {                                                                                                                \
        return __h##name(a, b);                                                                                      \
    }                                                                                                                \
    inline Small2 operator op(const Small2& a, const Small2& b)                                                      \
    {                                                                                                                \
        return __h##name##2(a, b);                                                                                   \
    }                                                                                                                \
    inline Small& operator op##=(Small& a, const Small& b)                                                           \
    {                                                                                                                \
        return a = a op b;                                                                                           \
    }                                                                                                                \
    inline Small2& operator op##=(Small2& a, const Small2& b)                                                        \
    {                                                                                                                \
        return a = a op b;                                                                                           \
    }
// `unordered`: what a NaN makes of it in the form with a u.
#define NESTBED_SMALL_COMPARISON(Small, Small2, name, op)                                                            \
    inline bool __h##name(Small a, Small b)                                                                          \
    {                                                                                                                \
        return float(a) op float(b) && !std::isunordered(float(a), float(b));                                        \
    }                                                                                                                \
    inline bool __h##name##u(Small a, Small b)                                                                       \
    {                                                                                                                \
        return float(a) op float(b) || std::isunordered(float(a), float(b));                                         \
    }                                                                                                                \
    NESTBED_SMALL_COMPARISON2(Small, Small2, name)                                                                   \
    NESTBED_SMALL_COMPARISON2(Small, Small2, name##u)                                                                \
    inline bool operator op(const Small& a, const Small& b)                                                          \
    {                                                                                                                \
        return float(a) op float(b);                                                                                 \
    }
#define NESTBED_SMALL_COMPARISON2(Small, Small2, name)                                                               \
    NESTBED_SMALL_OF_PAIR(Small, Small2, name)                                                                       \
    inline unsigned NESTBED_SMALL_MASK(name)(Small2 a, Small2 b)                                                     \
    {                                                                                                                \
        return (__h##name(a.x, b.x) ? 0xFFFFU : 0) | (__h##name(a.y, b.y) ? 0xFFFF0000U : 0);                        \
    }
#define NESTBED_SMALL_MASK(name) __h##name##2_mask
#define NESTBED_SMALL_OF_PAIR(Small, Small2, name)                                                                   \
    inline Small2 __h##name##2(Small2 a, Small2 b)                                                                   \
    {                                                                                                                \
        return {Small(__h##name(a.x, b.x) ? 1.0F : 0.0F), Small(__h##name(a.y, b.y) ? 1.0F : 0.0F)};                 \
    }                                                                                                                \
    inline bool __hb##name##2(Small2 a, Small2 b)                                                                    \
    {                                                                                                                \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                           \
    }
#define NESTBED_SMALL_FUNCTION(Small, Small2, Format, name, value)                                                   \
    inline Small h##name(Small a)                                                                                    \
    {                                                                                                                \
        const float x = a;                                                                                           \
        return Small##_raw{nestbed::program::small_of<nestbed::program::Format>(value)};                             \
    }                                                                                                                \
    inline Small2 h2##name(Small2 a)                                                                                 \
    {                                                                                                                \
        return {h##name(a.x), h##name(a.y)};                                                                         \
    }
// A function of two numbers, and of two pairs.
#define NESTBED_SMALL_SELECT(Small, Small2, name, ...)                                                               \
    inline Small name(Small a, Small b)                                                                              \
    {                                                                                                                \
        __VA_ARGS__                                                                                                  \
    }                                                                                                                \
    inline Small2 name##2(Small2 a, Small2 b)                                                                        \
    {                                                                                                                \
        return {name(a.x, b.x), name(a.y, b.y)};                                                                     \
    }
#define NESTBED_SMALL_FMA(Small, Small2, Format, name, change)                                                       \
    inline Small __hfma##name(Small a, Small b, Small c)                                                             \
    {                                                                                                                \
        const float x = Small(Small##_raw{nestbed::program::small_fma<nestbed::program::Format>(a, b, c)});          \
        return Small(change);                                                                                        \
    }                                                                                                                \
    inline Small2 __hfma2##name(Small2 a, Small2 b, Small2 c)                                                        \
    {                                                                                                                \
        return {__hfma##name(a.x, b.x, c.x), __hfma##name(a.y, b.y, c.y)};                                           \
    }
#define NESTBED_SMALL_OPERATIONS(Small, Small2, Format)                                                              \
    NESTBED_SMALL_BINARY(Small, Small2, Format, add, +)                                                              \
    NESTBED_SMALL_BINARY(Small, Small2, Format, sub, -)                                                              \
    NESTBED_SMALL_BINARY(Small, Small2, Format, mul, *)                                                              \
    inline Small __hdiv(Small a, Small b)                                                                            \
    {                                                                                                                \
        return Small##_raw{nestbed::program::small_of<nestbed::program::Format>(double(float(a)) / float(b))};       \
    }                                                                                                                \
    inline Small2 __h2div(Small2 a, Small2 b)                                                                        \
    {                                                                                                                \
        return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)};                                                                 \
    }                                                                                                                \
    inline Small operator/(const Small& a, const Small& b)                                                           \
    {                                                                                                                \
        return __hdiv(a, b);                                                                                         \
    }                                                                                                                \
    inline Small2 operator/(const Small2& a, const Small2& b)                                                        \
    {                                                                                                                \
        return __h2div(a, b);                                                                                        \
    }                                                                                                                \
    inline Small& operator/=(Small& a, const Small& b)                                                               \
    {                                                                                                                \
        return a = a / b;                                                                                            \
    }                                                                                                                \
    inline Small2& operator/=(Small2& a, const Small2& b)                                                            \
    {                                                                                                                \
        return a = a / b;                                                                                            \
    }                                                                                                                \
    NESTBED_SMALL_FMA(Small, Small2, Format, , x)                                                                    \
    NESTBED_SMALL_FMA(Small, Small2, Format, _rn, x)                                                                 \
    NESTBED_SMALL_FMA(Small, Small2, Format, _sat, nestbed::program::clamped(x))                                     \
    NESTBED_SMALL_FMA(Small, Small2, Format, _relu, x < 0 ? 0.0F : x)                                                \
    inline bool __hisnan(Small a)                                                                                    \
    {                                                                                                                \
        return std::isnan(float(a));                                                                                 \
    }                                                                                                                \
    inline Small __hneg(Small a)                                                                                     \
    {                                                                                                                \
        return Small##_raw{(unsigned short)(__hisnan(a) ? 0x7FFF : a.__x ^ 0x8000)};                                 \
    }                                                                                                                \
    inline Small __habs(Small a)                                                                                     \
    {                                                                                                                \
        return Small##_raw{(unsigned short)(__hisnan(a) ? 0x7FFF : a.__x & 0x7FFF)};                                 \
    }                                                                                                                \
    inline Small2 __hneg2(Small2 a)                                                                                  \
    {                                                                                                                \
        return {__hneg(a.x), __hneg(a.y)};                                                                           \
    }                                                                                                                \
    inline Small2 __habs2(Small2 a)                                                                                  \
    {                                                                                                                \
        return {__habs(a.x), __habs(a.y)};                                                                           \
    }                                                                                                                \
    inline Small operator+(const Small& a)                                                                           \
    {                                                                                                                \
        return a;                                                                                                    \
    }                                                                                                                \
    inline Small operator-(const Small& a)                                                                           \
    {                                                                                                                \
        return __hneg(a);                                                                                            \
    }                                                                                                                \
    inline Small2 operator-(const Small2& a)                                                                         \
    {                                                                                                                \
        return __hneg2(a);                                                                                           \
    }                                                                                                                \
    inline Small& operator++(Small& a)                                                                               \
    {                                                                                                                \
        return a += Small(1.0F);                                                                                     \
    }                                                                                                                \
    inline Small& operator--(Small& a)                                                                               \
    {                                                                                                                \
        return a -= Small(1.0F);                                                                                     \
    }                                                                                                                \
    NESTBED_SMALL_COMPARISON(Small, Small2, eq, ==)                                                                  \
    NESTBED_SMALL_COMPARISON(Small, Small2, ne, !=)                                                                  \
    NESTBED_SMALL_COMPARISON(Small, Small2, lt, <)                                                                   \
    NESTBED_SMALL_COMPARISON(Small, Small2, le, <=)                                                                  \
    NESTBED_SMALL_COMPARISON(Small, Small2, gt, >)                                                                   \
    NESTBED_SMALL_COMPARISON(Small, Small2, ge, >=)                                                                  \
    inline int __hisinf(Small a)                                                                                     \
    {                                                                                                                \
        return std::isinf(float(a)) ? (float(a) < 0 ? -1 : 1) : 0;                                                   \
    }                                                                                                                \
    inline Small2 __hisnan2(Small2 a)                                                                                \
    {                                                                                                                \
        return {Small(__hisnan(a.x) ? 1.0F : 0.0F), Small(__hisnan(a.y) ? 1.0F : 0.0F)};                             \
    }                                                                                                                \
    /* One NaN loses, but not in the forms with _nan. Of two zeros +0 is the greater. */                             \
    NESTBED_SMALL_SELECT(Small, Small2, __hmax_nan,                                                                  \
                         if (__hisnan(a) || __hisnan(b)) return Small(Small##_raw{0x7FFF});                          \
                         return a > b || (a == b && (a.__x & 0x8000) == 0) ? a : b;)                                 \
    NESTBED_SMALL_SELECT(Small, Small2, __hmin_nan,                                                                  \
                         if (__hisnan(a) || __hisnan(b)) return Small(Small##_raw{0x7FFF});                          \
                         return a < b || (a == b && (a.__x & 0x8000) != 0) ? a : b;)                                 \
    NESTBED_SMALL_SELECT(Small, Small2, __hmax, if (__hisnan(a) != __hisnan(b)) return __hisnan(a) ? b : a;          \
                         return __hmax_nan(a, b);)                                                                   \
    NESTBED_SMALL_SELECT(Small, Small2, __hmin, if (__hisnan(a) != __hisnan(b)) return __hisnan(a) ? b : a;          \
                         return __hmin_nan(a, b);)                                                                   \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, sqrt, std::sqrt(double(x)))                                        \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, rsqrt, 1.0 / std::sqrt(double(x)))                                 \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, rcp, 1.0 / double(x))                                              \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, exp, std::exp(double(x)))                                          \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, exp2, std::exp2(double(x)))                                        \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, exp10, std::pow(10.0, double(x)))                                  \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, log, std::log(double(x)))                                          \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, log2, std::log2(double(x)))                                        \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, log10, std::log10(double(x)))                                      \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, sin, std::sin(double(x)))                                          \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, cos, std::cos(double(x)))                                          \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, tanh, std::tanh(double(x)))                                        \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, floor, std::floor(x))                                              \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, ceil, std::ceil(x))                                                \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, trunc, std::trunc(x))                                              \
    NESTBED_SMALL_FUNCTION(Small, Small2, Format, rint, std::nearbyint(x))                                           \
    /* Each half of a pair is an atomic operation of its own. */                                                     \
    inline Small atomicAdd(Small* address, Small value)                                                              \
    {                                                                                                                \
        const unsigned short old = nestbed::program::atomic_update<unsigned short>(                                  \
            reinterpret_cast<unsigned short*>(address),                                                              \
            [value](unsigned short was) { return (Small(Small##_raw{was}) + value).__x; }, __ATOMIC_RELAXED);        \
        return Small##_raw{old};                                                                                     \
    }                                                                                                                \
    inline Small2 atomicAdd(Small2* address, Small2 value)                                                           \
    {                                                                                                                \
        const Small first = atomicAdd(&address->x, value.x);                                                         \
        return {first, atomicAdd(&address->y, value.y)};                                                             \
    }

// ---- conversions: `small` and `small2` are parts of the names ----
#define NESTBED_SMALL_DIRECTED(Small, Format, small, name, rounding)                                                 \
    inline Small __float2##small##name(float value)                                                                  \
    {                                                                                                                \
        return Small##_raw{(unsigned short)nestbed::program::Format::rounded(value, rounding)};                      \
    }                                                                                                                \
    NESTBED_SMALL_DIRECTED_INTEGER(Small, Format, small, name, rounding, short, short)                               \
    NESTBED_SMALL_DIRECTED_INTEGER(Small, Format, small, name, rounding, ushort, unsigned short)                     \
    NESTBED_SMALL_DIRECTED_INTEGER(Small, Format, small, name, rounding, int, int)                                   \
    NESTBED_SMALL_DIRECTED_INTEGER(Small, Format, small, name, rounding, uint, unsigned)                             \
    NESTBED_SMALL_DIRECTED_INTEGER(Small, Format, small, name, rounding, ll, long long)                              \
    NESTBED_SMALL_DIRECTED_INTEGER(Small, Format, small, name, rounding, ull, unsigned long long)
#define NESTBED_SMALL_DIRECTED_INTEGER(Small, Format, small, name, rounding, integer, Integer)                       \
    inline Small __##integer##2##small##name(Integer value)                                                          \
    {                                                                                                                \
        return Small##_raw{nestbed::program::small_of_integer<nestbed::program::Format>(value, rounding)};           \
    }                                                                                                                \
    inline Integer __##small##2##integer##name(Small value)                                                          \
    {                                                                                                                \
        return nestbed::program::small_to_integer<Integer>(value, rounding);                                         \
    }
#define NESTBED_SMALL_CONVERSIONS(Small, Small2, Format, small, small2)                                              \
    inline Small __float2##small(float value)                                                                        \
    {                                                                                                                \
        return value;                                                                                                \
    }                                                                                                                \
    inline Small __double2##small(double value)                                                                      \
    {                                                                                                                \
        return value;                                                                                                \
    }                                                                                                                \
    inline float __##small##2float(Small value)                                                                      \
    {                                                                                                                \
        return value;                                                                                                \
    }                                                                                                                \
    NESTBED_SMALL_DIRECTED(Small, Format, small, _rn, nestbed::program::SmallRounding::nearest)                      \
    NESTBED_SMALL_DIRECTED(Small, Format, small, _rz, nestbed::program::SmallRounding::zero)                         \
    NESTBED_SMALL_DIRECTED(Small, Format, small, _ru, nestbed::program::SmallRounding::up)                           \
    NESTBED_SMALL_DIRECTED(Small, Format, small, _rd, nestbed::program::SmallRounding::down)                         \
    inline Small2 __##small##2##small2(Small value)                                                                  \
    {                                                                                                                \
        return {value, value};                                                                                       \
    }                                                                                                                \
    inline Small2 __float2##small2##_rn(float value)                                                                 \
    {                                                                                                                \
        return {Small(value), Small(value)};                                                                         \
    }                                                                                                                \
    inline Small2 __floats2##small2##_rn(float a, float b)                                                           \
    {                                                                                                                \
        return {Small(a), Small(b)};                                                                                 \
    }                                                                                                                \
    inline Small2 __float22##small2##_rn(float2 value)                                                               \
    {                                                                                                                \
        return {Small(value.x), Small(value.y)};                                                                     \
    }                                                                                                                \
    inline float2 __##small2##2float2(Small2 value)                                                                  \
    {                                                                                                                \
        return make_float2(value.x, value.y);                                                                        \
    }                                                                                                                \
    inline short __##small##_as_short(Small value)                                                                   \
    {                                                                                                                \
        return (short)value.__x;                                                                                     \
    }                                                                                                                \
    inline unsigned short __##small##_as_ushort(Small value)                                                         \
    {                                                                                                                \
        return value.__x;                                                                                            \
    }                                                                                                                \
    inline Small __short_as_##small(short bits)                                                                      \
    {                                                                                                                \
        return Small##_raw{(unsigned short)bits};                                                                    \
    }                                                                                                                \
    inline Small __ushort_as_##small(unsigned short bits)                                                            \
    {                                                                                                                \
        return Small##_raw{bits};                                                                                    \
    }                                                                                                                \
    NESTBED_SMALL_PAIRS(Small, Small2, small, small2)
#define NESTBED_SMALL_PAIRS(Small, Small2, small, small2)                                                            \
    inline Small2 __halves2##small2(Small a, Small b)                                                                \
    {                                                                                                                \
        return {a, b};                                                                                               \
    }                                                                                                                \
    inline Small2 make_##small2(Small a, Small b)                                                                    \
    {                                                                                                                \
        return {a, b};                                                                                               \
    }                                                                                                                \
    inline Small __low2##small(Small2 value)                                                                         \
    {                                                                                                                \
        return value.x;                                                                                              \
    }                                                                                                                \
    inline Small __high2##small(Small2 value)                                                                        \
    {                                                                                                                \
        return value.y;                                                                                              \
    }                                                                                                                \
    inline float __low2float(Small2 value)                                                                           \
    {                                                                                                                \
        return value.x;                                                                                              \
    }                                                                                                                \
    inline float __high2float(Small2 value)                                                                          \
    {                                                                                                                \
        return value.y;                                                                                              \
    }                                                                                                                \
    inline Small2 __low2##small2(Small2 value)                                                                       \
    {                                                                                                                \
        return {value.x, value.x};                                                                                   \
    }                                                                                                                \
    inline Small2 __high2##small2(Small2 value)                                                                      \
    {                                                                                                                \
        return {value.y, value.y};                                                                                   \
    }                                                                                                                \
    inline Small2 __lows2##small2(Small2 a, Small2 b)                                                                \
    {                                                                                                                \
        return {a.x, b.x};                                                                                           \
    }                                                                                                                \
    inline Small2 __highs2##small2(Small2 a, Small2 b)                                                               \
    {                                                                                                                \
        return {a.y, b.y};                                                                                           \
    }                                                                                                                \
    inline Small2 __lowhigh2highlow(Small2 value)                                                                    \
    {                                                                                                                \
        return {value.y, value.x};                                                                                   \
    }
// NOLINTEND
