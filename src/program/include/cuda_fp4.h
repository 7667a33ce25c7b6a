// Numbers of 4 bits, which only conversions make and read, as in CUDA's header of this name. A pair has its first one in the low bits.
#pragma once

#include "cuda_fp8.h"

namespace nestbed::program
{

struct E2m1 : SmallFormat<1, 0, 0x7, 0x7, 0x7, 4> {
}; // without infinity and NaN

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };

inline __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t, cudaRoundMode)
{
    return (__nv_fp4_storage_t)nestbed::program::E2m1::rounded(x); // to nearest, the only mode that CUDA has
}
inline __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t)
{
    return __half(nestbed::program::E2m1::to_float(x & 0xF));
}
inline __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t from)
{
    return __half2_raw{__nv_cvt_fp4_to_halfraw(x, from).x, __nv_cvt_fp4_to_halfraw(x >> 4, from).x};
}
#define NESTBED_FP4(One, one, Pair, pair, value)                                                                     \
    inline __nv_fp4_storage_t __nv_cvt_##one##_to_fp4(One x, __nv_fp4_interpretation_t to, cudaRoundMode rounding)   \
    {                                                                                                                \
        return __nv_cvt_double_to_fp4(value, to, rounding);                                                          \
    }                                                                                                                \
    inline __nv_fp4x2_storage_t __nv_cvt_##pair##_to_fp4x2(Pair x, __nv_fp4_interpretation_t to,                     \
                                                           cudaRoundMode rounding)                                   \
    {                                                                                                                \
        return (__nv_fp4x2_storage_t)(__nv_cvt_##one##_to_fp4(One{x.x}, to, rounding) |                              \
                                      __nv_cvt_##one##_to_fp4(One{x.y}, to, rounding) << 4);                         \
    }
NESTBED_FP4(float, float, float2, float2, x)
NESTBED_FP4(__half_raw, halfraw, __half2_raw, halfraw2, float(__half(x)))
NESTBED_FP4(__nv_bfloat16_raw, bfloat16raw, __nv_bfloat162_raw, bfloat16raw2, float(__nv_bfloat16(x)))
#undef NESTBED_FP4
inline __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 x, __nv_fp4_interpretation_t to, cudaRoundMode rounding)
{
    return (__nv_fp4x2_storage_t)(__nv_cvt_double_to_fp4(x.x, to, rounding) |
                                  __nv_cvt_double_to_fp4(x.y, to, rounding) << 4);
}

struct __nv_fp4_e2m1 {
    __nv_fp4_storage_t __x;
    __nv_fp4_e2m1() = default;
    template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value>>
    explicit __nv_fp4_e2m1(Number x) : __x(__nv_cvt_double_to_fp4(double(x), __NV_E2M1, cudaRoundNearest))
    {
    }
    explicit __nv_fp4_e2m1(__half x) : __nv_fp4_e2m1(float(x)) {}
    explicit __nv_fp4_e2m1(__nv_bfloat16 x) : __nv_fp4_e2m1(float(x)) {}
    explicit operator __half() const { return __nv_cvt_fp4_to_halfraw(__x, __NV_E2M1); }
    explicit operator float() const { return __half(*this); }
    explicit operator double() const { return float(*this); }
    explicit operator __nv_bfloat16() const { return float(*this); }
    explicit operator bool() const { return (__x & 0x7) != 0; }
    template <class Integer, class = std::enable_if_t<std::is_integral<Integer>::value>>
    explicit operator Integer() const
    {
        return nestbed::program::small_to_integer<Integer>(float(*this), nestbed::program::SmallRounding::zero);
    }
};
struct __nv_fp4x2_e2m1 {
    __nv_fp4x2_storage_t __x;
    __nv_fp4x2_e2m1() = default;
    explicit __nv_fp4x2_e2m1(double2 x) : __x(__nv_cvt_double2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
    explicit __nv_fp4x2_e2m1(float2 x) : __x(__nv_cvt_float2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
    explicit __nv_fp4x2_e2m1(__half2 x) : __x(__nv_cvt_halfraw2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
    explicit __nv_fp4x2_e2m1(__nv_bfloat162 x) : __x(__nv_cvt_bfloat16raw2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest))
    {
    }
    explicit operator __half2() const { return __nv_cvt_fp4x2_to_halfraw2(__x, __NV_E2M1); }
    explicit operator float2() const { return __half22float2(__half2(*this)); }
};
struct alignas(2) __nv_fp4x4_e2m1 {
    __nv_fp4x4_storage_t __x;
    __nv_fp4x4_e2m1() = default;
    explicit __nv_fp4x4_e2m1(float4 x)
        : __nv_fp4x4_e2m1(__nv_fp4x2_e2m1(make_float2(x.x, x.y)), __nv_fp4x2_e2m1(make_float2(x.z, x.w)))
    {
    }
    explicit __nv_fp4x4_e2m1(double4 x)
        : __nv_fp4x4_e2m1(__nv_fp4x2_e2m1(make_double2(x.x, x.y)), __nv_fp4x2_e2m1(make_double2(x.z, x.w)))
    {
    }
    explicit __nv_fp4x4_e2m1(__half2 low, __half2 high) : __nv_fp4x4_e2m1(__nv_fp4x2_e2m1(low), __nv_fp4x2_e2m1(high))
    {
    }
    explicit __nv_fp4x4_e2m1(__nv_bfloat162 low, __nv_bfloat162 high)
        : __nv_fp4x4_e2m1(__nv_fp4x2_e2m1(low), __nv_fp4x2_e2m1(high))
    {
    }
    explicit operator float4() const
    {
        __nv_fp4x2_e2m1 low, high;
        low.__x = (__nv_fp4x2_storage_t)__x;
        high.__x = (__nv_fp4x2_storage_t)(__x >> 8);
        const float2 a = float2(low), b = float2(high);
        return make_float4(a.x, a.y, b.x, b.y);
    }

  private:
    __nv_fp4x4_e2m1(__nv_fp4x2_e2m1 low, __nv_fp4x2_e2m1 high)
        : __x((__nv_fp4x4_storage_t)(low.__x | (unsigned)high.__x << 8))
    {
    }
};
// NOLINTEND
