// Mathematical intrinsics, conversions, loads and stores with cache hints, clocks.
#pragma once

#include "atomics.hpp"

#include <limits>

namespace nestbed::program
{

unsigned long long clock_ns();
bool is_global(const void* address);

// CUDA's conversions saturate, and turn NaN into 0.
template <class To, class From>
To saturated(From value)
{
    if (std::isnan(value))
        return 0;
    if (value <= static_cast<From>(std::numeric_limits<To>::min()))
        return std::numeric_limits<To>::min();
    if (value >= static_cast<From>(std::numeric_limits<To>::max()))
        return std::numeric_limits<To>::max();
    return static_cast<To>(value);
}

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif
#define __assume(condition) ((void)0)

inline long long clock64()
{
    if (nestbed::cpu::current_thread != nullptr)
        nestbed::cpu::current_thread->moved = true; // a loop may wait for a time
    nestbed::program::spun(nestbed::program::kSpin);
    return (long long)nestbed::program::clock_ns();
}
inline unsigned long long __globaltimer()
{
    return (unsigned long long)clock64();
}
inline unsigned __isGlobal(const void* address)
{
    return nestbed::program::is_global(address);
}

#define NESTBED_LOAD(name)                                                                                           \
    template <class T>                                                                                               \
    T name(const T* address)                                                                                         \
    {                                                                                                                \
        return *address;                                                                                             \
    }
NESTBED_LOAD(__ldg)
NESTBED_LOAD(__ldcg)
NESTBED_LOAD(__ldca)
NESTBED_LOAD(__ldcs)
NESTBED_LOAD(__ldlu)
#undef NESTBED_LOAD
template <class T>
T __ldcv(const T* address)
{
    nestbed::program::spun(nestbed::program::kSpin);
    return *(const volatile T*)address;
}
#define NESTBED_STORE(name)                                                                                          \
    template <class T>                                                                                               \
    void name(T* address, nestbed::program::NotDeduced<T> value)                                                     \
    {                                                                                                                \
        *address = value;                                                                                            \
    }
NESTBED_STORE(__stwb)
NESTBED_STORE(__stcg)
NESTBED_STORE(__stcs)
NESTBED_STORE(__stwt)
#undef NESTBED_STORE

// ---- bits and conversions ----
#define NESTBED_BITS(name, To, From)                                                                                 \
    inline To name(From value)                                                                                       \
    {                                                                                                                \
        return nestbed::program::bits_as<To>(value);                                                                 \
    }
NESTBED_BITS(__int_as_float, float, int)
NESTBED_BITS(__uint_as_float, float, unsigned)
NESTBED_BITS(__float_as_int, int, float)
NESTBED_BITS(__float_as_uint, unsigned, float)
NESTBED_BITS(__longlong_as_double, double, long long)
NESTBED_BITS(__double_as_longlong, long long, double)
#undef NESTBED_BITS
inline int __double2hiint(double value)
{
    return (int)(__double_as_longlong(value) >> 32);
}
inline int __double2loint(double value)
{
    return (int)__double_as_longlong(value);
}
inline double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32U | (unsigned)low));
}
#define NESTBED_FUNCTION(name, Result, parameters, value)                                                            \
    inline Result name parameters                                                                                    \
    {                                                                                                                \
        return value;                                                                                                \
    }
#define NESTBED_TO_INTEGER(from, From, to, To)                                                                       \
    NESTBED_FUNCTION(__##from##2##to##_rn, To, (From v), nestbed::program::saturated<To>(std::nearbyint(v)))         \
    NESTBED_FUNCTION(__##from##2##to##_rz, To, (From v), nestbed::program::saturated<To>(std::trunc(v)))             \
    NESTBED_FUNCTION(__##from##2##to##_ru, To, (From v), nestbed::program::saturated<To>(std::ceil(v)))              \
    NESTBED_FUNCTION(__##from##2##to##_rd, To, (From v), nestbed::program::saturated<To>(std::floor(v)))
NESTBED_TO_INTEGER(float, float, int, int)
NESTBED_TO_INTEGER(float, float, uint, unsigned)
NESTBED_TO_INTEGER(float, float, ll, long long)
NESTBED_TO_INTEGER(float, float, ull, unsigned long long)
NESTBED_TO_INTEGER(double, double, int, int)
NESTBED_TO_INTEGER(double, double, uint, unsigned)
NESTBED_TO_INTEGER(double, double, ll, long long)
NESTBED_TO_INTEGER(double, double, ull, unsigned long long)
#undef NESTBED_TO_INTEGER
// The executor rounds to nearest, whatever the name says.
#define NESTBED_ROUNDED(name, T, parameters, value)                                                                  \
    NESTBED_FUNCTION(name##_rn, T, parameters, value)                                                                \
    NESTBED_FUNCTION(name##_rz, T, parameters, value)                                                                \
    NESTBED_FUNCTION(name##_ru, T, parameters, value)                                                                \
    NESTBED_FUNCTION(name##_rd, T, parameters, value)
NESTBED_ROUNDED(__int2float, float, (int a), (float)a)
NESTBED_ROUNDED(__uint2float, float, (unsigned a), (float)a)
NESTBED_ROUNDED(__ll2float, float, (long long a), (float)a)
NESTBED_ROUNDED(__ull2float, float, (unsigned long long a), (float)a)
NESTBED_ROUNDED(__int2double, double, (int a), (double)a)
NESTBED_ROUNDED(__uint2double, double, (unsigned a), (double)a)
NESTBED_ROUNDED(__ll2double, double, (long long a), (double)a)
NESTBED_ROUNDED(__ull2double, double, (unsigned long long a), (double)a)
NESTBED_ROUNDED(__double2float, float, (double a), (float)a)

// ---- floating point ----
NESTBED_ROUNDED(__fadd, float, (float a, float b), a + b)
NESTBED_ROUNDED(__fsub, float, (float a, float b), a - b)
NESTBED_ROUNDED(__fmul, float, (float a, float b), a* b)
NESTBED_ROUNDED(__fdiv, float, (float a, float b), a / b)
NESTBED_ROUNDED(__fmaf, float, (float a, float b, float c), std::fma(a, b, c))
NESTBED_ROUNDED(__frcp, float, (float a), 1.0F / a)
NESTBED_ROUNDED(__fsqrt, float, (float a), std::sqrt(a))
NESTBED_ROUNDED(__dadd, double, (double a, double b), a + b)
NESTBED_ROUNDED(__dsub, double, (double a, double b), a - b)
NESTBED_ROUNDED(__dmul, double, (double a, double b), a* b)
NESTBED_ROUNDED(__ddiv, double, (double a, double b), a / b)
NESTBED_ROUNDED(__fma, double, (double a, double b, double c), std::fma(a, b, c))
NESTBED_ROUNDED(__drcp, double, (double a), 1.0 / a)
NESTBED_ROUNDED(__dsqrt, double, (double a), std::sqrt(a))
#undef NESTBED_ROUNDED
NESTBED_FUNCTION(__frsqrt_rn, float, (float a), 1.0F / std::sqrt(a))
NESTBED_FUNCTION(rsqrtf, float, (float a), 1.0F / std::sqrt(a))
NESTBED_FUNCTION(rsqrt, double, (double a), 1.0 / std::sqrt(a))
NESTBED_FUNCTION(rcbrtf, float, (float a), 1.0F / std::cbrt(a))
NESTBED_FUNCTION(rcbrt, double, (double a), 1.0 / std::cbrt(a))
NESTBED_FUNCTION(__sinf, float, (float a), std::sin(a))
NESTBED_FUNCTION(__cosf, float, (float a), std::cos(a))
NESTBED_FUNCTION(__tanf, float, (float a), std::tan(a))
NESTBED_FUNCTION(__expf, float, (float a), std::exp(a))
NESTBED_FUNCTION(__exp10f, float, (float a), std::pow(10.0F, a))
NESTBED_FUNCTION(__logf, float, (float a), std::log(a))
NESTBED_FUNCTION(__log2f, float, (float a), std::log2(a))
NESTBED_FUNCTION(__log10f, float, (float a), std::log10(a))
NESTBED_FUNCTION(__saturatef, float, (float a), a > 0.0F ? (a < 1.0F ? a : 1.0F) : 0.0F)
NESTBED_FUNCTION(sinpif, float, (float a), (float)std::sin(M_PI* a))
NESTBED_FUNCTION(sinpi, double, (double a), std::sin(M_PI* a))
NESTBED_FUNCTION(cospif, float, (float a), (float)std::cos(M_PI* a))
NESTBED_FUNCTION(cospi, double, (double a), std::cos(M_PI* a))
NESTBED_FUNCTION(normcdff, float, (float a), (float)(0.5 * std::erfc(-a * M_SQRT1_2)))
NESTBED_FUNCTION(normcdf, double, (double a), 0.5 * std::erfc(-a * M_SQRT1_2))
NESTBED_FUNCTION(__powf, float, (float a, float b), std::pow(a, b))
NESTBED_FUNCTION(__fdividef, float, (float a, float b), a / b)
NESTBED_FUNCTION(fdividef, float, (float a, float b), a / b)
#undef NESTBED_FUNCTION
inline void __sincosf(float a, float* sine, float* cosine)
{
    *sine = std::sin(a);
    *cosine = std::cos(a);
}
inline void sincospif(float a, float* sine, float* cosine)
{
    *sine = sinpif(a);
    *cosine = cospif(a);
}
inline void sincospi(double a, double* sine, double* cosine)
{
    *sine = sinpi(a);
    *cosine = cospi(a);
}

// NOLINTEND
