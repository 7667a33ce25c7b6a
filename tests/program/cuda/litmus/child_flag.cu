// A parent reads what its child wrote before it raised a flag. The parent waits for the flag.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    data[0] = kFresh;
    __threadfence();
    atomicExch(&data[1], 1U);
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x != 0)
        return;
    writer<<<1, 1>>>(data);
    while (atomicAdd(&data[1], 0U) == 0) {
    }
    __threadfence();
    *seen = data[0];
}
