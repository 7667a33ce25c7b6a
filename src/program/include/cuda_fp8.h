// Numbers of 8 bits, which only conversions make and read, as in CUDA's header of this name.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include <algorithm>
#include <cmath>

namespace nestbed::program
{

struct E4m3 : SmallFormat<3, -6, 0x7F, 0x7E, 0x7F, 8> {
}; // without infinity
struct E5m2 : SmallFormat<2, -14, 0x7C, 0x7B, 0x7F, 8> {
};

template <class Format>
unsigned char small8_of(double value, bool saturates)
{
    const unsigned bits = Format::rounded(value);
    const bool too_large = (bits & 0x7F) > Format::kLargest && value == value;
    return static_cast<unsigned char>(saturates && too_large ? (bits & Format::kSign) | Format::kLargest : bits);
}

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t to)
{
    const bool saturates = saturation == __NV_SATFINITE;
    return to == __NV_E4M3 ? nestbed::program::small8_of<nestbed::program::E4m3>(x, saturates)
                           : nestbed::program::small8_of<nestbed::program::E5m2>(x, saturates);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation, __nv_fp8_interpretation_t to)
{
    return __nv_cvt_double_to_fp8(x, saturation, to);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                  __nv_fp8_interpretation_t to)
{
    return __nv_cvt_double_to_fp8(float(__half(x)), saturation, to);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t to)
{
    return __nv_cvt_double_to_fp8(float(__nv_bfloat16(x)), saturation, to);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t from)
{
    return __half(from == __NV_E4M3 ? nestbed::program::E4m3::to_float(x) : nestbed::program::E5m2::to_float(x));
}

// Of pairs: the first is in the low bits.
#define NESTBED_FP8_PAIR(Pair, pair, one)                                                                            \
    inline __nv_fp8x2_storage_t __nv_cvt_##pair##_to_fp8x2(Pair x, __nv_saturation_t saturation,                     \
                                                           __nv_fp8_interpretation_t to)                             \
    {                                                                                                                \
        const unsigned low = __nv_cvt_##one##_to_fp8(NESTBED_FP8_PART(one, x.x), saturation, to);                    \
        return (__nv_fp8x2_storage_t)(low | __nv_cvt_##one##_to_fp8(NESTBED_FP8_PART(one, x.y), saturation, to)      \
                                                << 8);                                                               \
    }
#define NESTBED_FP8_PART(one, part) NESTBED_FP8_PART_##one(part)
#define NESTBED_FP8_PART_double(part) part
#define NESTBED_FP8_PART_float(part) part
#define NESTBED_FP8_PART_halfraw(part) (__half_raw{part})
#define NESTBED_FP8_PART_bfloat16raw(part) (__nv_bfloat16_raw{part})
NESTBED_FP8_PAIR(double2, double2, double)
NESTBED_FP8_PAIR(float2, float2, float)
NESTBED_FP8_PAIR(__half2_raw, halfraw2, halfraw)
NESTBED_FP8_PAIR(__nv_bfloat162_raw, bfloat16raw2, bfloat16raw)
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t from)
{
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, from).x,
                       __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), from).x};
}

#define NESTBED_FP8(Type, Type2, Type4, kind)                                                                        \
    struct Type {                                                                                                    \
        __nv_fp8_storage_t __x;                                                                                      \
        Type() = default;                                                                                            \
        explicit Type(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}                            \
        explicit Type(float x) : Type(double(x)) {}                                                                  \
        explicit Type(__half x) : Type(float(x)) {}                                                                  \
        explicit Type(__nv_bfloat16 x) : Type(float(x)) {}                                                           \
        template <class Integer, class = std::enable_if_t<std::is_integral<Integer>::value>>                         \
        explicit Type(Integer x) : __x(__nv_cvt_double_to_fp8(double(x), __NV_SATFINITE, kind))                      \
        {                                                                                                            \
        }                                                                                                            \
        explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); }                              \
        explicit operator float() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }                       \
        explicit operator double() const { return float(*this); }                                                    \
        explicit operator __nv_bfloat16() const { return float(*this); }                                             \
        explicit operator bool() const { return (__x & 0x7F) != 0; }                                                 \
        template <class Integer, class = std::enable_if_t<std::is_integral<Integer>::value>>                         \
        explicit operator Integer() const                                                                            \
        {                                                                                                            \
            return nestbed::program::small_to_integer<Integer>(float(*this), nestbed::program::SmallRounding::zero); \
        }                                                                                                            \
    };                                                                                                               \
    struct alignas(2) Type2 {                                                                                        \
        __nv_fp8x2_storage_t __x;                                                                                    \
        Type2() = default;                                                                                           \
        explicit Type2(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                       \
        explicit Type2(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                         \
        explicit Type2(__half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                      \
        explicit Type2(__nv_bfloat162 x) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, kind)) {}           \
        explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }                          \
        explicit operator float2() const { return __half22float2(__half2(*this)); }                                  \
    };                                                                                                               \
    struct alignas(4) Type4 {                                                                                        \
        __nv_fp8x4_storage_t __x;                                                                                    \
        Type4() = default;                                                                                           \
        explicit Type4(float4 x)                                                                                     \
            : __x(Type2(make_float2(x.x, x.y)).__x | (unsigned)Type2(make_float2(x.z, x.w)).__x << 16)               \
        {                                                                                                            \
        }                                                                                                            \
        explicit Type4(__half2 low, __half2 high) : __x(Type2(low).__x | (unsigned)Type2(high).__x << 16) {}         \
        explicit Type4(__nv_bfloat162 low, __nv_bfloat162 high)                                                      \
            : __x(Type2(low).__x | (unsigned)Type2(high).__x << 16)                                                  \
        {                                                                                                            \
        }                                                                                                            \
        explicit operator float4() const                                                                             \
        {                                                                                                            \
            Type2 low, high;                                                                                         \
            low.__x = (__nv_fp8x2_storage_t)__x;                                                                     \
            high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                                            \
            const float2 a = float2(low), b = float2(high);                                                          \
            return make_float4(a.x, a.y, b.x, b.y);                                                                  \
        }                                                                                                            \
    };
NESTBED_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
NESTBED_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)

// Powers of two, for scales: without a sign, and 0xFF is NaN.
inline unsigned char __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturation, cudaRoundMode rounding)
{
    constexpr int kBias = 127;
    const double size = std::fabs(x);
    if (std::isnan(x) || (std::isinf(x) && saturation == __NV_NOSAT))
        return 0xFF;
    if (size == 0)
        return 0;
    if (std::isinf(x))
        return 0xFE;
    const int exponent = std::ilogb(size) + (rounding == cudaRoundPosInf && std::ldexp(1.0, std::ilogb(size)) < size);
    const int most = saturation == __NV_SATFINITE ? 0xFE : 0xFF;
    return (unsigned char)std::min(std::max(exponent + kBias, 0), most);
}
inline unsigned char __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturation, cudaRoundMode rounding)
{
    return __nv_cvt_double_to_e8m0(x, saturation, rounding);
}
inline unsigned char __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                  cudaRoundMode rounding)
{
    return __nv_cvt_double_to_e8m0(float(__nv_bfloat16(x)), saturation, rounding);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturation, cudaRoundMode rounding)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_e8m0(x.x, saturation, rounding) |
                                  __nv_cvt_float_to_e8m0(x.y, saturation, rounding) << 8);
}
inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(unsigned char x)
{
    return __nv_bfloat16(x == 0xFF ? std::nanf("") : std::ldexp(1.0F, x - 127));
}
struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    explicit __nv_fp8_e8m0(double x) : __x(__nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit __nv_fp8_e8m0(float x) : __nv_fp8_e8m0(double(x)) {}
    explicit __nv_fp8_e8m0(__half x) : __nv_fp8_e8m0(float(x)) {}
    explicit __nv_fp8_e8m0(__nv_bfloat16 x) : __nv_fp8_e8m0(float(x)) {}
    explicit operator __nv_bfloat16() const { return __nv_cvt_e8m0_to_bf16raw(__x); }
    explicit operator float() const { return __nv_bfloat16(*this); }
    explicit operator double() const { return float(*this); }
};
// NOLINTEND
