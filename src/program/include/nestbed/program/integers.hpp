// Integer intrinsics, and min() and max().
#pragma once

#include "language.hpp"

// NOLINTBEGIN: these names are CUDA's.
inline int __popc(unsigned value)
{
    return __builtin_popcount(value);
}
inline int __popcll(unsigned long long value)
{
    return __builtin_popcountll(value);
}
inline int __ffs(int value)
{
    return __builtin_ffs(value);
}
inline int __ffsll(long long value)
{
    return __builtin_ffsll(value);
}
inline int __clz(int value)
{
    return value == 0 ? 32 : __builtin_clz((unsigned)value);
}
inline int __clzll(long long value)
{
    return value == 0 ? 64 : __builtin_clzll((unsigned long long)value);
}
inline unsigned __brev(unsigned value)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit, value >>= 1U)
        reversed = reversed << 1U | (value & 1U);
    return reversed;
}
inline unsigned long long __brevll(unsigned long long value)
{
    return (unsigned long long)__brev((unsigned)value) << 32U | __brev((unsigned)(value >> 32U));
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const unsigned long long bytes = (unsigned long long)high << 32U | low;
    unsigned result = 0;
    for (unsigned at = 0; at < 4; ++at)
        result |= (unsigned)(bytes >> (selector >> at * 4 & 7U) * 8 & 0xFFU) << at * 8;
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32U | low) << (by & 31U) >> 32U);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32U | low) >> (by & 31U));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? low : __funnelshift_l(low, high, by);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? high : __funnelshift_r(low, high, by);
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32U);
}
inline int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64U);
}
inline long long __mul64hi(long long a, long long b)
{
    return (long long)((__int128)a * b >> 64);
}
inline int __mul24(int a, int b)
{
    return ((int)((unsigned)a << 8U) >> 8) * ((int)((unsigned)b << 8U) >> 8);
}
inline unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xFFFFFFU) * (b & 0xFFFFFFU);
}
inline unsigned __sad(int a, int b, unsigned sum)
{
    return sum + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned sum)
{
    return sum + (a < b ? b - a : a - b);
}
inline int __hadd(int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
inline int __rhadd(int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
inline unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b) >> 1U);
}
inline unsigned __urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1U);
}

#define NESTBED_MIN_MAX(A, B, Result)                                                                                \
    inline Result min(A a, B b)                                                                                      \
    {                                                                                                                \
        return (Result)a < (Result)b ? (Result)a : (Result)b;                                                        \
    }                                                                                                                \
    inline Result max(A a, B b)                                                                                      \
    {                                                                                                                \
        return (Result)a > (Result)b ? (Result)a : (Result)b;                                                        \
    }
#define NESTBED_MIN_MAX_OF(Signed, Unsigned)                                                                         \
    NESTBED_MIN_MAX(Signed, Signed, Signed)                                                                          \
    NESTBED_MIN_MAX(Unsigned, Unsigned, Unsigned)                                                                    \
    NESTBED_MIN_MAX(Signed, Unsigned, Unsigned)                                                                      \
    NESTBED_MIN_MAX(Unsigned, Signed, Unsigned)
NESTBED_MIN_MAX_OF(int, unsigned)
NESTBED_MIN_MAX_OF(long, unsigned long)
NESTBED_MIN_MAX_OF(long long, unsigned long long)
NESTBED_MIN_MAX(float, float, float)
NESTBED_MIN_MAX(double, double, double)
NESTBED_MIN_MAX(float, double, double)
NESTBED_MIN_MAX(double, float, double)
#undef NESTBED_MIN_MAX
#undef NESTBED_MIN_MAX_OF
inline int mul24(int a, int b)
{
    return __mul24(a, b);
}
inline unsigned umul24(unsigned a, unsigned b)
{
    return __umul24(a, b);
}
inline long long llmin(long long a, long long b)
{
    return a < b ? a : b;
}
inline long long llmax(long long a, long long b)
{
    return a > b ? a : b;
}
inline unsigned umin(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
inline unsigned umax(unsigned a, unsigned b)
{
    return a > b ? a : b;
}
// NOLINTEND
