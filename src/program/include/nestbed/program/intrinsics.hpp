// Mathematical intrinsics, conversions, loads and stores with cache hints, clocks.
#pragma once

#include "atomics.hpp"
#include "directed_rounding.hpp"

#include <time.h>

namespace nestbed::program
{

unsigned long long clock_ns();
void waits_for_time(std::uint32_t round);
bool is_global(const void* address);

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif
#define __assume(condition) ((void)0)

inline long long clock64()
{
    if (nestbed::cpu::ThreadContext* const thread = nestbed::cpu::current_thread) {
        thread->moved = true; // a loop may wait for a time
        ++thread->program.clock_reads;
        nestbed::program::spun(nestbed::program::kSpin);
        if (thread->program.clock_reads == 0 && thread->program.clock_rounds > 0)
            nestbed::program::waits_for_time(thread->program.clock_rounds);
    }
    return (long long)nestbed::program::clock_ns();
}
namespace nestbed::program
{
inline clock_t clock_of_kernel() // in a function of both sides perhaps that of the host
{
    return cpu::in_kernel() ? static_cast<clock_t>(clock64()) : ::clock();
}
} // namespace nestbed::program
inline unsigned __isGlobal(const void* address)
{
    return nestbed::program::is_global(address);
}

inline unsigned __isShared(const void* address)
{
    return nestbed::cpu::rank_of_shared(address) != ~0U;
}
inline size_t __cvta_generic_to_shared(const void* address)
{
    return nestbed::cpu::shared_address(address);
}
inline void* __cvta_shared_to_generic(size_t address)
{
    return nestbed::cpu::memory_of_shared_address((unsigned)address);
}
inline size_t __cvta_generic_to_global(const void* address)
{
    return (size_t)address;
}
inline void* __cvta_global_to_generic(size_t address)
{
    return (void*)address;
}

// The sum of the products of 4 bytes each, and c.
#define NESTBED_DP4A(T, Byte, Vector)                                                                                \
    inline T __dp4a(T a, T b, T c)                                                                                   \
    {                                                                                                                \
        unsigned sum = (unsigned)c;                                                                                  \
        for (int bits = 0; bits < 32; bits += 8)                                                                     \
            sum += (unsigned)((Byte)((unsigned)a >> bits) * (Byte)((unsigned)b >> bits));                            \
        return (T)sum;                                                                                               \
    }                                                                                                                \
    inline T __dp4a(Vector a, Vector b, T c)                                                                         \
    {                                                                                                                \
        return (T)((unsigned)c + (unsigned)(a.x * b.x) + (unsigned)(a.y * b.y) + (unsigned)(a.z * b.z) +             \
                   (unsigned)(a.w * b.w));                                                                           \
    }
NESTBED_DP4A(int, signed char, char4)
NESTBED_DP4A(unsigned, unsigned char, uchar4)
#undef NESTBED_DP4A

#define NESTBED_LOAD(name)                                                                                           \
    template <class T>                                                                                               \
    T name(const T* address)                                                                                         \
    {                                                                                                                \
        return *address;                                                                                             \
    }
NESTBED_LOAD(__ldcg)
NESTBED_LOAD(__ldca)
NESTBED_LOAD(__ldcs)
NESTBED_LOAD(__ldlu)
#undef NESTBED_LOAD
// Of data that is read-only for the whole kernel.
#ifdef __SANITIZE_THREAD__
extern "C" void nestbed_watched_read_only(const void* address, unsigned long bytes);
#endif
template <class T>
T __ldg(const T* address)
{
#ifdef __SANITIZE_THREAD__
    nestbed_watched_read_only(address, sizeof(T));
#endif
    return *address;
}
// A weak read that is done each time: "does not change the memory consistency behavior" (PTX ISA, "Cache Operators").
template <class T>
T __ldcv(const T* address)
{
    nestbed::program::spun(nestbed::program::kSpin);
    asm volatile("" : : : "memory");
    return *address;
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
#define NESTBED_ROUNDED(name, T, parameters, nearest, ...)                                                           \
    NESTBED_FUNCTION(name##_rn, T, parameters, nearest)                                                              \
    NESTBED_FUNCTION(name##_rz, T, parameters, NESTBED_ROUNDED_BY(zero, __VA_ARGS__))                                \
    NESTBED_FUNCTION(name##_ru, T, parameters, NESTBED_ROUNDED_BY(up, __VA_ARGS__))                                  \
    NESTBED_FUNCTION(name##_rd, T, parameters, NESTBED_ROUNDED_BY(down, __VA_ARGS__))
#define NESTBED_ROUNDED_BY(direction, function, ...)                                                                 \
    nestbed::program::function(nestbed::program::Rounding::direction, __VA_ARGS__)
#define NESTBED_CONVERTED(from, From, Wide)                                                                          \
    NESTBED_ROUNDED(__##from##2float, float, (From a), (float)a, rounded_to_float, (Wide)a)                          \
    NESTBED_ROUNDED(__##from##2double, double, (From a), (double)a, rounded_to_double, (Wide)a)
NESTBED_CONVERTED(int, int, long long)
NESTBED_CONVERTED(uint, unsigned, long long)
NESTBED_CONVERTED(ll, long long, long long)
NESTBED_CONVERTED(ull, unsigned long long, unsigned long long)
NESTBED_ROUNDED(__double2float, float, (double a), (float)a, rounded_to_float, a)
#undef NESTBED_CONVERTED

// ---- floating point ----
#define NESTBED_ARITHMETIC(T, Add, Sub, Mul, Div, Fma, Rcp, Sqrt)                                                    \
    NESTBED_ROUNDED(Add, T, (T a, T b), a + b, rounded, nestbed::program::Arithmetic::add, a, b)                     \
    NESTBED_ROUNDED(Sub, T, (T a, T b), a - b, rounded, nestbed::program::Arithmetic::subtract, a, b)                \
    NESTBED_ROUNDED(Mul, T, (T a, T b), a* b, rounded, nestbed::program::Arithmetic::multiply, a, b)                 \
    NESTBED_ROUNDED(Div, T, (T a, T b), a / b, rounded, nestbed::program::Arithmetic::divide, a, b)                  \
    NESTBED_ROUNDED(Fma, T, (T a, T b, T c), std::fma(a, b, c), rounded, nestbed::program::Arithmetic::fma, a, b, c) \
    NESTBED_ROUNDED(Rcp, T, (T a), T(1) / a, rounded, nestbed::program::Arithmetic::divide, T(1), a)                 \
    NESTBED_ROUNDED(Sqrt, T, (T a), std::sqrt(a), rounded, nestbed::program::Arithmetic::sqrt, a)
NESTBED_ARITHMETIC(float, __fadd, __fsub, __fmul, __fdiv, __fmaf, __frcp, __fsqrt)
NESTBED_ARITHMETIC(double, __dadd, __dsub, __dmul, __ddiv, __fma, __drcp, __dsqrt)
#undef NESTBED_ARITHMETIC
#undef NESTBED_ROUNDED_BY
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
