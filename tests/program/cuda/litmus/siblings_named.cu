// A child reads what the child before it writes. Each has a named stream of its own.
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
        cudaStream_t streams[2];
        for (cudaStream_t& stream : streams)
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        writer<<<1, 1, 0, streams[0]>>>(data);
        reader<<<1, 1, 0, streams[1]>>>(data, seen);
        for (const cudaStream_t stream : streams)
            cudaStreamDestroy(stream);
    }
}
