// Limits of the device: pending launches below 32 count as 32, and what a chain of launches reaches then.
#include "../check.h"

__global__ void chain(int* reached, int level)
{
    atomicMax(reached, level);
    if (level < 100) {
        chain<<<1, 1>>>(reached, level + 1);
        cudaGetLastError(); // the last launch is refused, and the program knows
    }
}

int main()
{
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 10));
    int* const reached = zeros<int>();
    chain<<<1, 1>>>(reached, 1);
    return verdict(value_of(reached), 33);
}
