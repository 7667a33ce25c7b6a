// What CUB's primitives of warps and blocks share: their storage, and operations.
#pragma once

#include "nestbed/cuda_std.hpp"
#include "nestbed/program/barrier_objects.hpp"
#include <cooperative_groups.h>

#include <new>
#include <type_traits>

// NOLINTBEGIN: these names are CUB's.
namespace cub
{

struct NullType {
};
template <class Key, class Value>
struct KeyValuePair {
    Key key;
    Value value;
};

namespace nestbed_own
{

// Values in shared memory, of any type: it may be part of a union.
template <class T, int count>
struct Slots {
    alignas(T) unsigned char bytes[sizeof(T) * count];
    T& operator[](int at) { return reinterpret_cast<T*>(bytes)[at]; }
    void put(int at, const T& value) { new (reinterpret_cast<T*>(bytes) + at) T(value); }
};
// Reads what another thread has written, as CUB's functions may: a write before the next barrier is a race.
template <class T, int count>
void hold(Slots<T, count>& slots, int at)
{
    const T value = slots[at % count];
    asm volatile("" : : "r"(&value) : "memory");
}

// A block of so many threads, each of which has per_thread items, one after another.
template <class T, int threads, int per_thread>
struct Items {
    using Storage = Slots<T, threads * per_thread>;

    // Writes its items to their places, and reads those from others.
    template <class To, class From>
    static void exchange(Storage& slots, const T (&in)[per_thread], T (&out)[per_thread], To to, From from,
                         const char* file, unsigned line)
    {
        for (int i = 0; i < per_thread; ++i)
            if (const int place = to(i); place >= 0 && place < threads * per_thread)
                slots.put(place, in[i]);
        __syncthreads(file, line);
        for (int i = 0; i < per_thread; ++i)
            out[i] = slots[from(i)];
        hold(slots, (own() + 1) * per_thread);
    }
    // One thread does it with the items of all.
    template <class Work>
    static void together(Storage& slots, const T (&in)[per_thread], T (&out)[per_thread], Work work, const char* file,
                         unsigned line)
    {
        for (int i = 0; i < per_thread; ++i)
            slots.put(own() * per_thread + i, in[i]);
        __syncthreads(file, line);
        if (own() == 0)
            work(&slots[0]);
        __syncthreads(file, line, 1);
        for (int i = 0; i < per_thread; ++i)
            out[i] = slots[own() * per_thread + i];
        hold(slots, (own() + 1) * per_thread);
    }
    static int own() { return static_cast<int>(nestbed::cpu::linear_thread()); }
};

// The storage that a primitive has if it is given none.
template <class Storage>
Storage& private_storage()
{
    static constexpr char kKey = 0;
    return nestbed::program::shared<Storage>(&kKey, "TempStorage");
}

// As a warp adds up by __shfl_down_sync().
template <class T, class Operation>
T tree(T* values, int count, Operation operation)
{
    for (int by = 1; by < count; by *= 2)
        for (int at = 0; at + by < count; ++at)
            values[at] = operation(values[at], values[at + by]);
    return values[0];
}

// Of arguments of two types, as cuda::std::plus<>, cuda::minimum<> and cuda::maximum<>.
struct Plus {
    template <class Left, class Right>
    auto operator()(const Left& left, const Right& right) const
    {
        return left + right;
    }
};
struct Least {
    template <class Left, class Right>
    std::common_type_t<Left, Right> operator()(const Left& left, const Right& right) const
    {
        return right < left ? right : left;
    }
};
struct Greatest {
    template <class Left, class Right>
    std::common_type_t<Left, Right> operator()(const Left& left, const Right& right) const
    {
        return left < right ? right : left;
    }
};

} // namespace nestbed_own

using Sum = nestbed_own::Plus;
using Min = nestbed_own::Least;
using Max = nestbed_own::Greatest;

#define NESTBED_STORAGE(name)                                                                                        \
  public:                                                                                                            \
    name() : storage_(nestbed_own::private_storage<TempStorage>()) {}                                                \
    explicit name(TempStorage& storage) : storage_(storage) {}                                                       \
                                                                                                                     \
  private:                                                                                                           \
    TempStorage& storage_;                                                                                           \
                                                                                                                     \
  public:

inline unsigned LaneId()
{
    return nestbed::cpu::lane();
}
inline unsigned WarpId()
{
    return nestbed::cpu::linear_thread() / 32;
}

} // namespace cub
// NOLINTEND
