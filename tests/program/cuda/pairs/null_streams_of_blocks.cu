// Kind: NULL streams of two blocks assumed in order
// Each block has a NULL stream of its own.
#include "../check.h"

__global__ void produce(int* data)
{
    data[threadIdx.x] = threadIdx.x; // BUG
}

__global__ void consume(const int* data, int* result)
{
    int largest = 0;
    for (int i = 0; i < 32; ++i)
        largest = max(largest, data[i]); // BUG
    *result = largest;
}

__global__ void parent(int* data, int* result)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
        produce<<<1, 32>>>(data);
#ifdef BUG
    if (blockIdx.x == 1)
        consume<<<1, 1>>>(data, result);
#else
    if (blockIdx.x == 0)
        consume<<<1, 1>>>(data, result);
#endif
}

int main()
{
    int* const data = zeros<int>(32);
    int* const result = memory<int>();
    parent<<<2, 32>>>(data, result);
    return verdict(value_of(result), 31);
}
