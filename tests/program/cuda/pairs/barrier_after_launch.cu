// Kind: barrier in the wrong place
// The block waits for its threads after the launch, not before it.
#include "../check.h"

constexpr int kThreads = 64;

__global__ void reverse(const int* from, int* to)
{
    to[threadIdx.x] = from[kThreads - 1 - threadIdx.x]; // BUG
}

__global__ void prepare(int* from, int* to)
{
    from[threadIdx.x] = 3 * threadIdx.x; // BUG
#ifdef BUG
    if (threadIdx.x == 0)
        reverse<<<1, kThreads, 0, cudaStreamFireAndForget>>>(from, to);
    __syncthreads();
#else
    __syncthreads();
    if (threadIdx.x == 0)
        reverse<<<1, kThreads, 0, cudaStreamFireAndForget>>>(from, to);
#endif
}

int main()
{
    int* const from = memory<int>(kThreads);
    int* const to = memory<int>(kThreads);
    prepare<<<1, kThreads>>>(from, to);
    return verdict(value_of(to), 189);
}
