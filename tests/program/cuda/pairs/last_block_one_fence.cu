// Kind: missing fence on the side that reads
// The blocks release what they have stored, and the last one to arrive does not acquire it.
#include "../check.h"

constexpr int kThreads = 32;
constexpr int kBlocks = 3;

__global__ void sum_blocks(const int* numbers, int* parts, unsigned* arrived, int* total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        int part = 0;
        for (int i = 0; i < kThreads; ++i)
            part += numbers[blockIdx.x * kThreads + i];
        parts[blockIdx.x] = part; // BUG
        __threadfence();
        last = atomicAdd(arrived, 1U) == gridDim.x - 1;
#ifndef BUG
        __threadfence();
#endif
    }
    __syncthreads();
    if (last && threadIdx.x < kBlocks)
        atomicAdd(total, parts[threadIdx.x]); // BUG
}

__global__ void parent(const int* numbers, int* parts, unsigned* arrived, int* total)
{
    *arrived = 0;
    *total = 0;
    sum_blocks<<<kBlocks, kThreads>>>(numbers, parts, arrived, total);
}

int main()
{
    int host[kBlocks * kThreads];
    for (int i = 0; i < kBlocks * kThreads; ++i)
        host[i] = i;
    int* const parts = memory<int>(kBlocks);
    unsigned* const arrived = memory<unsigned>();
    int* const total = memory<int>();
    int* const numbers = copy_of(host);
    parent<<<1, 1>>>(numbers, parts, arrived, total);
    return verdict(value_of(total), 96 * 95 / 2);
}
