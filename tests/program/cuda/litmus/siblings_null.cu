// A child reads what the child before it in the NULL stream wrote.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    *data = kFresh;
}

__global__ void reader(const unsigned* data, unsigned* seen)
{
    *seen = *data;
}

__device__ void instance(unsigned* data, unsigned* seen)
{
    if (threadIdx.x == 0) {
        writer<<<1, 1>>>(data);
        reader<<<1, 1>>>(data, seen);
    }
}
