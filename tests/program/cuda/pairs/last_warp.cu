// Kind: missing __syncwarp() between rounds of a reduction
// The last 32 threads of the block sum without a barrier, as if a warp ran in lockstep.
#include "../check.h"

constexpr int kThreads = 64;

__global__ void sum_all(const int* numbers, int* sum)
{
    __shared__ int part[kThreads];
    const int tid = threadIdx.x;
    part[tid] = numbers[tid];
    __syncthreads();
    if (tid >= 32)
        return;
    for (int stride = 32; stride > 0; stride /= 2) {
        int other = 0;
        if (tid < stride)
            other = part[tid + stride]; // BUG
#ifndef BUG
        __syncwarp();
#endif
        if (tid < stride)
            part[tid] += other; // BUG
#ifndef BUG
        __syncwarp();
#endif
    }
    if (tid == 0)
        *sum = part[0];
}

__global__ void parent(const int* numbers, int* sum)
{
    sum_all<<<1, kThreads, 0, cudaStreamTailLaunch>>>(numbers, sum);
}

int main()
{
    int host[kThreads];
    for (int i = 0; i < kThreads; ++i)
        host[i] = 2 * i;
    int* const sum = memory<int>();
    int* const numbers = copy_of(host);
    parent<<<1, 1>>>(numbers, sum);
    return verdict(value_of(sum), kThreads * (kThreads - 1));
}
