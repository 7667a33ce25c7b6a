// A child reads what the launching thread wrote before the launch.
#include "litmus.h"

__global__ void reader(const unsigned* data, unsigned* seen)
{
    *seen = *data;
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == 0) {
        *data = kFresh;
        reader<<<1, 1, 0, cudaStreamFireAndForget>>>(data, seen);
    }
}
