// Kind: counter not reset
// The counter of arrivals still has the value of the last launch: every block takes itself for the last one.
#include "../check.h"

constexpr unsigned kBlocks = 3;

__global__ void sum_blocks(int number, int* parts, unsigned* arrived, int* total)
{
    parts[blockIdx.x] = number + blockIdx.x; // BUG
    __threadfence();
    if (atomicAdd(arrived, 1U) < kBlocks - 1)
        return;
    __threadfence();
    int all = 0;
    for (unsigned i = 0; i < kBlocks; ++i)
        all += parts[i]; // BUG
    *total = all;        // BUG
#ifndef BUG
    atomicExch(arrived, 0U);
#endif
}

__global__ void parent(int* parts, unsigned* arrived, int* total)
{
    sum_blocks<<<kBlocks, 1>>>(0, parts, arrived, total);
    sum_blocks<<<kBlocks, 1>>>(10, parts, arrived, total);
}

int main()
{
    int* const parts = memory<int>(kBlocks);
    unsigned* const arrived = zeros<unsigned>();
    int* const total = memory<int>();
    parent<<<1, 1>>>(parts, arrived, total);
    return verdict(value_of(total), 33);
}
