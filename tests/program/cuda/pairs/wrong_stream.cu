// Kind: wrong stream
// The second child reads what the first writes, but is launched into another stream.
#include "../check.h"

__global__ void produce(int* data)
{
    data[threadIdx.x] = threadIdx.x + 1; // BUG
}

__global__ void consume(const int* data, int* result)
{
    *result = data[0] + data[31]; // BUG
}

__global__ void parent(int* data, int* result)
{
    cudaStream_t one, other;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    produce<<<1, 32, 0, one>>>(data);
#ifdef BUG
    consume<<<1, 1, 0, other>>>(data, result);
#else
    consume<<<1, 1, 0, one>>>(data, result);
#endif
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
}

int main()
{
    int* const data = zeros<int>(32);
    int* const result = memory<int>();
    parent<<<1, 1>>>(data, result);
    return verdict(value_of(result), 33);
}
