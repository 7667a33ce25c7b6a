// Kind: missing barrier
// Thread 0 decides for the block. The others read the decision before it is made.
#include "../check.h"

__global__ void child(int* numbers)
{
    numbers[threadIdx.x] += 1;
}

__global__ void parent(const int* wanted, int* numbers)
{
    __shared__ int decision;
    if (threadIdx.x == 0)
        decision = *wanted; // BUG
#ifndef BUG
    __syncthreads();
#endif
    if (decision > 0) // BUG
        numbers[threadIdx.x] = decision;
    __syncthreads();
    if (threadIdx.x == 0)
        child<<<1, blockDim.x>>>(numbers);
}

int main()
{
    const int one[] = {1};
    int* const numbers = zeros<int>(16);
    int* const wanted = copy_of(one);
    parent<<<1, 16>>>(wanted, numbers);
    return verdict(value_of(numbers + 9), 2);
}
