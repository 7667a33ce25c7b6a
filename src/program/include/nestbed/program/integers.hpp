// Integer intrinsics.
#pragma once

#include "builtins.hpp"

// NOLINTBEGIN: these names are CUDA's.
#define NESTBED_INTEGER(Result, name, parameters, value)                                                             \
    inline Result name parameters                                                                                    \
    {                                                                                                                \
        return value;                                                                                                \
    }
NESTBED_INTEGER(int, __popcll, (unsigned long long value), __builtin_popcountll(value))
NESTBED_INTEGER(int, __ffsll, (long long value), __builtin_ffsll(value))
NESTBED_INTEGER(int, __clz, (int value), value == 0 ? 32 : __builtin_clz((unsigned)value))
NESTBED_INTEGER(int, __clzll, (long long value), value == 0 ? 64 : __builtin_clzll((unsigned long long)value))
inline unsigned __brev(unsigned value)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit, value >>= 1U)
        reversed = reversed << 1U | (value & 1U);
    return reversed;
}
NESTBED_INTEGER(unsigned long long, __brevll, (unsigned long long value),
                (unsigned long long)__brev((unsigned)value) << 32U | __brev((unsigned)(value >> 32U)))
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const unsigned long long bytes = (unsigned long long)high << 32U | low;
    unsigned result = 0;
    for (unsigned at = 0; at < 4; ++at)
        result |= (unsigned)(bytes >> (selector >> at * 4 & 7U) * 8 & 0xFFU) << at * 8;
    return result;
}
NESTBED_INTEGER(unsigned, __funnelshift_l, (unsigned low, unsigned high, unsigned by),
                (unsigned)(((unsigned long long)high << 32U | low) << (by & 31U) >> 32U))
NESTBED_INTEGER(unsigned, __funnelshift_r, (unsigned low, unsigned high, unsigned by),
                (unsigned)(((unsigned long long)high << 32U | low) >> (by & 31U)))
NESTBED_INTEGER(unsigned, __funnelshift_lc, (unsigned low, unsigned high, unsigned by),
                by >= 32 ? low : __funnelshift_l(low, high, by))
NESTBED_INTEGER(unsigned, __funnelshift_rc, (unsigned low, unsigned high, unsigned by),
                by >= 32 ? high : __funnelshift_r(low, high, by))
NESTBED_INTEGER(unsigned, __umulhi, (unsigned a, unsigned b), (unsigned)((unsigned long long)a* b >> 32U))
NESTBED_INTEGER(int, __mulhi, (int a, int b), (int)((long long)a* b >> 32))
NESTBED_INTEGER(unsigned long long, __umul64hi, (unsigned long long a, unsigned long long b),
                (unsigned long long)((unsigned __int128)a* b >> 64U))
NESTBED_INTEGER(long long, __mul64hi, (long long a, long long b), (long long)((__int128)a* b >> 64))
NESTBED_INTEGER(int, __mul24, (int a, int b), ((int)((unsigned)a << 8U) >> 8) * ((int)((unsigned)b << 8U) >> 8))
NESTBED_INTEGER(unsigned, __umul24, (unsigned a, unsigned b), (a & 0xFFFFFFU) * (b & 0xFFFFFFU))
NESTBED_INTEGER(unsigned, __sad, (int a, int b, unsigned sum),
                sum + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b))
NESTBED_INTEGER(unsigned, __usad, (unsigned a, unsigned b, unsigned sum), sum + (a < b ? b - a : a - b))
NESTBED_INTEGER(int, __hadd, (int a, int b), (int)(((long long)a + b) >> 1))
NESTBED_INTEGER(int, __rhadd, (int a, int b), (int)(((long long)a + b + 1) >> 1))
NESTBED_INTEGER(unsigned, __uhadd, (unsigned a, unsigned b), (unsigned)(((unsigned long long)a + b) >> 1U))
NESTBED_INTEGER(unsigned, __urhadd, (unsigned a, unsigned b), (unsigned)(((unsigned long long)a + b + 1) >> 1U))
NESTBED_INTEGER(int, mul24, (int a, int b), __mul24(a, b))
NESTBED_INTEGER(unsigned, umul24, (unsigned a, unsigned b), __umul24(a, b))
NESTBED_INTEGER(long long, llmin, (long long a, long long b), a < b ? a : b)
NESTBED_INTEGER(long long, llmax, (long long a, long long b), a > b ? a : b)
NESTBED_INTEGER(unsigned, umin, (unsigned a, unsigned b), a < b ? a : b)
NESTBED_INTEGER(unsigned, umax, (unsigned a, unsigned b), a > b ? a : b)
#undef NESTBED_INTEGER
// NOLINTEND
