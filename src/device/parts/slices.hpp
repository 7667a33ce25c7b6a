// The first step of the unrolled reductions: a thread adds its number of every slice of its block.
#pragma once

#include "device/parts/collective.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Returns slice[thread] + slice[thread + dim] + ... over `Slices` slices, limited to the `elements` elements from
// slice[0] on. All loads come before the first addition.
template <unsigned Slices, class T>
__device__ T sum_of_slices(const T* slice, unsigned thread, unsigned dim, unsigned long long elements)
{
    T loaded[Slices];
    for (unsigned i = 0; i < Slices; ++i) {
        const unsigned long long index = thread + static_cast<unsigned long long>(i) * dim;
        loaded[i] = index < elements ? slice[index] : T{0};
    }
    T sum{0};
    for (const T value : loaded)
        sum += value;
    return sum;
}

} // namespace nestbed::inline NESTBED_BACKEND
