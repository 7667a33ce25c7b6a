// Kind: read of memory that nothing has written
// The sums are added to what cudaMalloc() returned.
#include "../check.h"

__global__ void add(const int* numbers, int count, int* sum)
{
    int all = 0;
    for (int i = 0; i < count; ++i)
        all += numbers[i];
    *sum += all; // BUG
}

__global__ void parent(const int* numbers, int count, int* sums)
{
    const int each = count / blockDim.x;
    add<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers + threadIdx.x * each, each, sums + threadIdx.x);
}

int main()
{
    const int host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int* const sums = memory<int>(2);
    int* const numbers = copy_of(host);
#ifndef BUG
    CHECK(cudaMemset(sums, 0, 2 * sizeof(int)));
#endif
    parent<<<1, 2>>>(numbers, 8, sums);
    return verdict(value_of(sums) * 100 + value_of(sums + 1), 1026);
}
