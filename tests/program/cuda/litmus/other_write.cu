// A child reads what another thread of the block wrote, and no barrier is between.
#include "litmus.h"

__global__ void reader(const unsigned* data, unsigned* seen)
{
    *seen = *data; // BUG
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == kThreads - 1)
        *data = kFresh; // BUG
    if (threadIdx.x == 0)
        reader<<<1, 1, 0, cudaStreamFireAndForget>>>(data, seen);
}
