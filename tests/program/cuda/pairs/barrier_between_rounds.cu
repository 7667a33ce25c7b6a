// Kind: missing barrier between rounds of a reduction
// Each child sums its slice in shared memory. Threads of one round read what others have added in the round before.
#include "../check.h"

constexpr int kThreads = 128;
constexpr int kChildren = 2;

__global__ void sum_slice(const int* numbers, int* sums)
{
    __shared__ int part[kThreads];
    const int tid = threadIdx.x;
    part[tid] = numbers[blockIdx.x * kThreads + tid];
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            part[tid] += part[tid + stride]; // BUG
#ifndef BUG
        __syncthreads();
#endif
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void parent(const int* numbers, int* sums)
{
    sum_slice<<<kChildren, kThreads>>>(numbers, sums);
}

int main()
{
    int host[kChildren * kThreads];
    for (int i = 0; i < kChildren * kThreads; ++i)
        host[i] = i;
    int* const sums = memory<int>(kChildren);
    int* const numbers = copy_of(host);
    parent<<<1, 1>>>(numbers, sums);
    return verdict(value_of(sums) + value_of(sums + 1), 256 * 255 / 2);
}
