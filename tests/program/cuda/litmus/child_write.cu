// A parent reads what its child writes, and waits for nothing.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    *data = kFresh; // BUG
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x != 0)
        return;
    writer<<<1, 1, 0, cudaStreamFireAndForget>>>(data);
    *seen = *data; // BUG
}
