// Warps: shuffles, votes, matches, reductions and __syncwarp().
#pragma once

#include "atomics.hpp"

namespace nestbed::program
{

inline unsigned lane()
{
    return cpu::linear_thread() % 32;
}

// What the lanes of a warp gave each other at one point.
template <class T>
class Exchange
{
    static_assert(sizeof(T) <= 8, "lanes exchange at most 8 bytes");

  public:
    Exchange(unsigned mask, T value)
    {
        std::uint64_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof value);
        present_ = cpu::exchange_in_warp(mask, bits, all_, false);
    }
    unsigned present() const { return present_; }
    bool has(unsigned lane) const { return (present_ >> lane & 1U) != 0; }
    std::uint64_t bits_of(unsigned lane) const { return all_[lane]; }
    T of(unsigned lane) const
    {
        T value;
        __builtin_memcpy(&value, &all_[lane], sizeof value);
        return value;
    }

  private:
    const std::uint64_t* all_ = nullptr;
    unsigned present_ = 0;
};

// The value of lane `from`, if it is there and `valid`; otherwise the caller's own.
template <class T>
T shuffled(unsigned mask, T value, unsigned from, bool valid)
{
    const Exchange<T> exchange(mask, value);
    return valid && exchange.has(from) ? exchange.of(from) : value;
}

template <class T, class Combine>
T reduced(unsigned mask, T value, Combine combine)
{
    const Exchange<T> exchange(mask, value);
    bool first = true;
    for (unsigned other = 0; other < 32; ++other)
        if (exchange.has(other)) {
            value = first ? exchange.of(other) : combine(value, exchange.of(other));
            first = false;
        }
    return value;
}

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32)
{
    const unsigned lane = nestbed::program::lane();
    const unsigned in_segment = (unsigned)width - 1;
    return nestbed::program::shuffled(mask, value, (lane & ~in_segment) + ((unsigned)from & in_segment), true);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32)
{
    const unsigned lane = nestbed::program::lane();
    const bool valid = (lane & ((unsigned)width - 1)) >= by;
    return nestbed::program::shuffled(mask, value, valid ? lane - by : lane, valid);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32)
{
    const unsigned lane = nestbed::program::lane();
    const bool valid = (lane & ((unsigned)width - 1)) + by < (unsigned)width;
    return nestbed::program::shuffled(mask, value, valid ? lane + by : lane, valid);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32)
{
    const unsigned lane = nestbed::program::lane();
    const unsigned from = (lane ^ (unsigned)by) & 31U;
    return nestbed::program::shuffled(mask, value, from, from / (unsigned)width <= lane / (unsigned)width);
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    const nestbed::program::Exchange<bool> exchange(mask, predicate != 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (exchange.has(lane) && exchange.of(lane))
            bits |= 1U << lane;
    return bits;
}
inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate == 0) == 0;
}
inline int __uni_sync(unsigned mask, int predicate)
{
    return nestbed::program::reduced(mask, predicate != 0 ? 1U : 2U, [](unsigned a, unsigned b) { return a | b; }) !=
           3;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value)
{
    const nestbed::program::Exchange<T> exchange(mask, value);
    const auto own = exchange.bits_of(nestbed::program::lane());
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (exchange.has(lane) && exchange.bits_of(lane) == own)
            bits |= 1U << lane;
    return bits;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all)
{
    const nestbed::program::Exchange<T> exchange(mask, value);
    const auto own = exchange.bits_of(nestbed::program::lane());
    *all = 1;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (exchange.has(lane) && exchange.bits_of(lane) != own)
            *all = 0;
    return *all != 0 ? exchange.present() : 0;
}
#define NESTBED_REDUCE(name, T, combined)                                                                            \
    T name(unsigned mask, T value)                                                                                   \
    {                                                                                                                \
        return nestbed::program::reduced(mask, value, [](T a, T b) -> T { return combined; });                       \
    }
template <class T>
NESTBED_REDUCE(__reduce_add_sync, T, a + b)
template <class T>
NESTBED_REDUCE(__reduce_min_sync, T, b < a ? b : a)
template <class T>
NESTBED_REDUCE(__reduce_max_sync, T, a < b ? b : a)
inline NESTBED_REDUCE(__reduce_and_sync, unsigned,
                      a& b) inline NESTBED_REDUCE(__reduce_or_sync, unsigned,
                                                  a | b) inline NESTBED_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef NESTBED_REDUCE
    inline unsigned __activemask()
{
    return nestbed::program::Exchange<bool>(0, true).present();
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFF)
{
    const std::uint64_t* all = nullptr;
    nestbed::cpu::exchange_in_warp(mask, 0, all, true);
}

// The forms without a mask, of CUDA 8: the lanes that are there.
#define NESTBED_WITHOUT_MASK(name, By)                                                                               \
    template <class T>                                                                                               \
    T name(T value, By by, int width = 32)                                                                           \
    {                                                                                                                \
        return name##_sync(0, value, by, width);                                                                     \
    }
NESTBED_WITHOUT_MASK(__shfl, int)
NESTBED_WITHOUT_MASK(__shfl_up, unsigned)
NESTBED_WITHOUT_MASK(__shfl_down, unsigned)
NESTBED_WITHOUT_MASK(__shfl_xor, int)
#undef NESTBED_WITHOUT_MASK
inline unsigned __ballot(int predicate)
{
    return __ballot_sync(0, predicate);
}
inline int __any(int predicate)
{
    return __any_sync(0, predicate);
}
inline int __all(int predicate)
{
    return __all_sync(0, predicate);
}
// NOLINTEND
