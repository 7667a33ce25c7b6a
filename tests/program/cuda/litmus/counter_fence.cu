// The block that arrives last at a counter reads what the other one wrote, with fences before and after the counter.
#include "litmus.h"

__global__ void arrivals(unsigned* data, unsigned* seen)
{
    data[blockIdx.x] = kFresh;
    __threadfence();
    if (atomicAdd(&data[2], 1U) == 0)
        return;
    __threadfence();
    *seen = data[1 - blockIdx.x];
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == 0)
        arrivals<<<2, 1, 0, cudaStreamFireAndForget>>>(data, seen);
}
