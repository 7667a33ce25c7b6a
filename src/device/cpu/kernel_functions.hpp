// CUDA's functions of warps on the executor: shuffles, votes, matches, reductions and __syncwarp(); those by which kernels read a
// vote; min() and max(). The testbed's kernels and users' programs share them (so it is C++17). Lanes that exchange values wait for each other;
// only __syncwarp() orders what they did in memory, as on a GPU.
#pragma once

#if __has_include("device/cpu/thread.hpp")
#include "device/cpu/thread.hpp"
#else
#include "nestbed/thread.hpp" // beside the program `nestbed`: a copy
#endif

#include <cmath>
#include <cstdint>

namespace nestbed::cpu
{

// They access no memory of the program, so the race detector need not see them.
#define NESTBED_UNWATCHED __attribute__((no_sanitize("thread")))

NESTBED_UNWATCHED inline unsigned lane()
{
    const uint3 index = current_thread->thread_index;
    const dim3& dim = current_thread->block_dim;
    return (index.x + dim.x * (index.y + dim.y * index.z)) % 32;
}

// What the lanes of a warp gave each other at one point.
template <class T>
class Exchange
{
    static_assert(sizeof(T) <= 8, "lanes exchange at most 8 bytes");

  public:
    NESTBED_UNWATCHED Exchange(unsigned mask, T value, const CallPlace& place)
    {
        std::uint64_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof value);
        present_ = exchange_in_warp(mask, bits, all_, false, place);
    }
    NESTBED_UNWATCHED unsigned present() const { return present_; }
    NESTBED_UNWATCHED bool has(unsigned lane) const { return (present_ >> lane & 1U) != 0; }
    NESTBED_UNWATCHED std::uint64_t bits_of(unsigned lane) const { return all_[lane]; }
    NESTBED_UNWATCHED T of(unsigned lane) const
    {
        T value;
        __builtin_memcpy(&value, &all_[lane], sizeof value);
        return value;
    }

  private:
    const std::uint64_t* all_ = nullptr;
    unsigned present_ = 0;
};

// What becomes known of a lane that is to give its value, and takes no part.
enum class Absent : unsigned char { ignored, warned, wrong };

// The value of lane `from`, if it is there and `valid`; otherwise the caller's own.
template <class T>
NESTBED_UNWATCHED inline T shuffled(unsigned mask, T value, unsigned from, bool valid, Absent absent,
                                    const CallPlace& place)
{
    const Exchange<T> exchange(mask, value, place);
    if (valid && exchange.has(from))
        return exchange.of(from);
    if (valid && (mask >> lane() & 1U) != 0 && absent != Absent::ignored)
        lane_is_absent(mask, from, absent == Absent::warned, place);
    return value;
}

template <class Given, class T, class Combine>
NESTBED_UNWATCHED inline T reduced(const Given& exchange, T value, Combine combine)
{
    bool first = true;
    for (unsigned other = 0; other < 32; ++other)
        if (exchange.has(other)) {
            value = first ? exchange.of(other) : combine(value, exchange.of(other));
            first = false;
        }
    return value;
}

} // namespace nestbed::cpu

// NOLINTBEGIN: these names are CUDA's.
template <class T>
NESTBED_UNWATCHED inline T __shfl_sync(unsigned mask, T value, int from, int width = 32, NESTBED_PLACE)
{
    const unsigned lane = nestbed::cpu::lane();
    const unsigned in_segment = (unsigned)width - 1;
    return nestbed::cpu::shuffled(mask, value, (lane & ~in_segment) + ((unsigned)from & in_segment), true,
                                  nestbed::cpu::Absent::wrong, {"__shfl_sync", file, line});
}
template <class T>
NESTBED_UNWATCHED inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, NESTBED_PLACE)
{
    const unsigned lane = nestbed::cpu::lane();
    const bool valid = (lane & ((unsigned)width - 1)) >= by;
    return nestbed::cpu::shuffled(mask, value, valid ? lane - by : lane, valid, nestbed::cpu::Absent::warned,
                                  {"__shfl_up_sync", file, line});
}
// In a sum over 2 * by lanes, the other lanes read values that nobody needs.
template <class T>
NESTBED_UNWATCHED inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, NESTBED_PLACE)
{
    const unsigned lane = nestbed::cpu::lane();
    const unsigned in_segment = lane & ((unsigned)width - 1);
    const bool valid = in_segment + by < (unsigned)width;
    return nestbed::cpu::shuffled(mask, value, valid ? lane + by : lane, valid,
                                  in_segment < by ? nestbed::cpu::Absent::warned : nestbed::cpu::Absent::ignored,
                                  {"__shfl_down_sync", file, line});
}
template <class T>
NESTBED_UNWATCHED inline T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32, NESTBED_PLACE)
{
    const unsigned lane = nestbed::cpu::lane();
    const unsigned from = (lane ^ (unsigned)by) & 31U;
    return nestbed::cpu::shuffled(mask, value, from, from / (unsigned)width <= lane / (unsigned)width,
                                  nestbed::cpu::Absent::wrong, {"__shfl_xor_sync", file, line});
}
NESTBED_UNWATCHED inline unsigned __ballot_sync(unsigned mask, int predicate, NESTBED_PLACE)
{
    return nestbed::cpu::ballot_in_warp(mask, predicate != 0, {"__ballot_sync", file, line});
}
NESTBED_UNWATCHED inline int __any_sync(unsigned mask, int predicate, NESTBED_PLACE)
{
    return nestbed::cpu::ballot_in_warp(mask, predicate != 0, {"__any_sync", file, line}) != 0;
}
NESTBED_UNWATCHED inline int __all_sync(unsigned mask, int predicate, NESTBED_PLACE)
{
    return nestbed::cpu::ballot_in_warp(mask, predicate == 0, {"__all_sync", file, line}) == 0;
}
NESTBED_UNWATCHED inline int __uni_sync(unsigned mask, int predicate, NESTBED_PLACE)
{
    const unsigned value = predicate != 0 ? 1U : 2U;
    const nestbed::cpu::Exchange<unsigned> exchange(mask, value, {"__uni_sync", file, line});
    return nestbed::cpu::reduced(exchange, value, [](unsigned a, unsigned b) { return a | b; }) != 3;
}
template <class T>
NESTBED_UNWATCHED inline unsigned __match_any_sync(unsigned mask, T value, NESTBED_PLACE)
{
    const nestbed::cpu::Exchange<T> exchange(mask, value, {"__match_any_sync", file, line});
    const auto own = exchange.bits_of(nestbed::cpu::lane());
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (exchange.has(lane) && exchange.bits_of(lane) == own)
            bits |= 1U << lane;
    return bits;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all, NESTBED_PLACE)
{
    const nestbed::cpu::Exchange<T> exchange(mask, value, {"__match_all_sync", file, line});
    const auto own = exchange.bits_of(nestbed::cpu::lane());
    *all = 1;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (exchange.has(lane) && exchange.bits_of(lane) != own)
            *all = 0;
    return *all != 0 ? exchange.present() : 0;
}
#define NESTBED_REDUCE(name, combined)                                                                               \
    template <class T>                                                                                               \
    NESTBED_UNWATCHED T name(unsigned mask, T value, NESTBED_PLACE)                                                  \
    {                                                                                                                \
        const nestbed::cpu::Exchange<T> exchange(mask, value, {#name, file, line});                                  \
        return nestbed::cpu::reduced(exchange, value, [](T a, T b) -> T { return combined; });                       \
    }
NESTBED_REDUCE(__reduce_add_sync, a + b)
NESTBED_REDUCE(__reduce_min_sync, b < a ? b : a)
NESTBED_REDUCE(__reduce_max_sync, a < b ? b : a)
#undef NESTBED_REDUCE
#define NESTBED_REDUCE(name, combined)                                                                               \
    NESTBED_UNWATCHED inline unsigned name(unsigned mask, unsigned value, NESTBED_PLACE)                             \
    {                                                                                                                \
        const nestbed::cpu::Exchange<unsigned> exchange(mask, value, {#name, file, line});                           \
        return nestbed::cpu::reduced(exchange, value, [](unsigned a, unsigned b) { return combined; });              \
    }
NESTBED_REDUCE(__reduce_and_sync, (a & b))
NESTBED_REDUCE(__reduce_or_sync, (a | b))
NESTBED_REDUCE(__reduce_xor_sync, (a ^ b))
#undef NESTBED_REDUCE
NESTBED_UNWATCHED inline unsigned __activemask()
{
    return nestbed::cpu::Exchange<bool>(0, true, {}).present();
}
NESTBED_UNWATCHED inline void __syncwarp(unsigned mask = 0xFFFFFFFF, NESTBED_PLACE)
{
    const std::uint64_t* all = nullptr;
    nestbed::cpu::exchange_in_warp(mask, 0, all, true, {"__syncwarp", file, line});
}
inline int __popc(unsigned value)
{
    return __builtin_popcount(value);
}
inline int __ffs(int value)
{
    return __builtin_ffs(value);
}
#define NESTBED_MIN_MAX(A, B, Result, least, greatest)                                                               \
    inline Result min(A first, B second)                                                                             \
    {                                                                                                                \
        const Result a = static_cast<Result>(first), b = static_cast<Result>(second);                                \
        return least;                                                                                                \
    }                                                                                                                \
    inline Result max(A first, B second)                                                                             \
    {                                                                                                                \
        const Result a = static_cast<Result>(first), b = static_cast<Result>(second);                                \
        return greatest;                                                                                             \
    }
#define NESTBED_MIN_MAX_OF(Signed, Unsigned)                                                                         \
    NESTBED_MIN_MAX(Signed, Signed, Signed, b < a ? b : a, a < b ? b : a)                                            \
    NESTBED_MIN_MAX(Unsigned, Unsigned, Unsigned, b < a ? b : a, a < b ? b : a)                                      \
    NESTBED_MIN_MAX(Signed, Unsigned, Unsigned, b < a ? b : a, a < b ? b : a)                                        \
    NESTBED_MIN_MAX(Unsigned, Signed, Unsigned, b < a ? b : a, a < b ? b : a)
NESTBED_MIN_MAX_OF(int, unsigned)
NESTBED_MIN_MAX_OF(long, unsigned long)
NESTBED_MIN_MAX_OF(long long, unsigned long long)
NESTBED_MIN_MAX(float, float, float, std::fmin(a, b), std::fmax(a, b)) // of a number and a NaN: the number
NESTBED_MIN_MAX(double, double, double, std::fmin(a, b), std::fmax(a, b))
NESTBED_MIN_MAX(float, double, double, std::fmin(a, b), std::fmax(a, b))
NESTBED_MIN_MAX(double, float, double, std::fmin(a, b), std::fmax(a, b))
#undef NESTBED_MIN_MAX_OF
#undef NESTBED_MIN_MAX
// For a thread that waits for what another one writes.
inline void __nanosleep(unsigned /*ns*/)
{
    if (nestbed::cpu::in_kernel())
        nestbed::cpu::give_way();
}
// NOLINTEND
