// The tail launch of a grid reads what a grandchild of that grid wrote.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    *data = kFresh;
}

__global__ void child(unsigned* data)
{
    writer<<<1, 1, 0, cudaStreamFireAndForget>>>(data);
}

__global__ void reader(const unsigned* data, unsigned* seen)
{
    *seen = *data;
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == 0) {
        child<<<1, 1, 0, cudaStreamFireAndForget>>>(data);
        reader<<<1, 1, 0, cudaStreamTailLaunch>>>(data, seen);
    }
}
