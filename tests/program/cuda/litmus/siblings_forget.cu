// A child reads what the child before it writes. Both are launched by fire and forget.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    *data = kFresh; // BUG
}

__global__ void reader(const unsigned* data, unsigned* seen)
{
    *seen = *data; // BUG
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == 0) {
        writer<<<1, 1, 0, cudaStreamFireAndForget>>>(data);
        reader<<<1, 1, 0, cudaStreamFireAndForget>>>(data, seen);
    }
}
