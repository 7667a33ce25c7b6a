// Kind: missing fence
// The last block to arrive at the counter sums what all blocks have stored. Atomics alone do not order the stores.
#include "../check.h"

constexpr int kBlocks = 4;
__device__ unsigned arrived = 0;

__global__ void sum_blocks(int* parts, int* total)
{
    parts[blockIdx.x] = 10 + blockIdx.x; // BUG
#ifndef BUG
    __threadfence();
#endif
    if (atomicAdd(&arrived, 1) != gridDim.x - 1)
        return;
#ifndef BUG
    __threadfence();
#endif
    int all = 0;
    for (int i = 0; i < kBlocks; ++i)
        all += parts[i]; // BUG
    *total = all;
}

__global__ void parent(int* parts, int* total)
{
    sum_blocks<<<kBlocks, 1>>>(parts, total);
}

int main()
{
    int* const parts = memory<int>(kBlocks);
    int* const total = memory<int>();
    parent<<<1, 1>>>(parts, total);
    return verdict(value_of(total), 46);
}
