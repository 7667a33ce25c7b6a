// The block that arrives last at a counter reads what the other one wrote, without fences.
#include "litmus.h"

__global__ void arrivals(unsigned* data, unsigned* seen)
{
    data[blockIdx.x] = kFresh; // BUG
    if (atomicAdd(&data[2], 1U) == 0)
        return;
    *seen = data[1 - blockIdx.x]; // BUG
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == 0)
        arrivals<<<2, 1, 0, cudaStreamFireAndForget>>>(data, seen);
}
