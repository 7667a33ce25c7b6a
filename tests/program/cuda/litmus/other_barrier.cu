// A child reads what another thread of the block wrote before a barrier, after which the child was launched.
#include "litmus.h"

__global__ void reader(const unsigned* data, unsigned* seen)
{
    *seen = *data;
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == kThreads - 1)
        *data = kFresh;
    __syncthreads();
    if (threadIdx.x == 0)
        reader<<<1, 1, 0, cudaStreamFireAndForget>>>(data, seen);
}
