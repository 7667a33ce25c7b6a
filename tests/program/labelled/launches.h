// What the labelled launches share: small kernels, and runs of a kernel that launches.
#pragma once

#include "labelled.h"

constexpr int kThreads = 64;

// Runs a kernel on `numbers`, which it may change, and a result that is 0 before. Returns the result.
template <void (*kernel)(int*, int*)>
int run_kernel(int blocks, int threads, std::vector<int> numbers)
{
    int* const result = on_device(std::vector<int>{0});
    kernel<<<blocks, threads>>>(on_device(numbers), result);
    CHECK(cudaDeviceSynchronize());
    return value_of(result);
}
