// Kind: host does not synchronise two streams
// The second kernel is in another stream of the host, and nothing makes it wait for the first.
#include "../check.h"

__global__ void produce(int* data)
{
    data[threadIdx.x] = threadIdx.x; // BUG
}

__global__ void consume(const int* data, int* result)
{
    *result = data[7] + data[8]; // BUG
}

int main()
{
    int* const data = zeros<int>(32);
    int* const result = memory<int>();
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    produce<<<1, 32, 0, first>>>(data);
#ifndef BUG
    CHECK(cudaStreamSynchronize(first));
#endif
    consume<<<1, 1, 0, second>>>(data, result);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return verdict(value_of(result), 15);
}
