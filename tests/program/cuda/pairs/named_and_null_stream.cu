// Kind: named stream assumed in order with the NULL stream
// In a kernel a named stream is always cudaStreamNonBlocking: it does not wait for the NULL stream.
#include "../check.h"

__global__ void produce(int* data)
{
    data[threadIdx.x] = 2 * threadIdx.x; // BUG
}

__global__ void consume(const int* data, int* result)
{
    atomicAdd(result, data[threadIdx.x]); // BUG
}

__global__ void parent(int* data, int* result)
{
    if (threadIdx.x != 0)
        return;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
#ifdef BUG
    produce<<<1, 32>>>(data);
#else
    produce<<<1, 32, 0, stream>>>(data);
#endif
    consume<<<1, 32, 0, stream>>>(data, result);
    cudaStreamDestroy(stream);
}

int main()
{
    int* const data = zeros<int>(32);
    int* const result = zeros<int>();
    parent<<<1, 8>>>(data, result);
    return verdict(value_of(result), 992);
}
