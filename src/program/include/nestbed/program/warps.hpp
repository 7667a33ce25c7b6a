// The functions of warps without a mask, of CUDA 8. Those with a mask are the executor's.
#pragma once

#if __has_include("nestbed/kernel_functions.hpp")
#include "nestbed/kernel_functions.hpp" // beside the program `nestbed`: a copy
#else
#include "device/cpu/kernel_functions.hpp"
#endif

// NOLINTBEGIN: these names are CUDA's.
// Of the lanes that are there.
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
