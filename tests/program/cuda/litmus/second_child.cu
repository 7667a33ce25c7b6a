// A second child in the NULL stream reads what the first child's own child wrote.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    *data = kFresh;
}

__global__ void first(unsigned* data)
{
    writer<<<1, 1>>>(data);
}

__global__ void second(const unsigned* data, unsigned* seen)
{
    *seen = *data;
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == 0) {
        first<<<1, 1>>>(data);
        second<<<1, 1>>>(data, seen);
    }
}
