// Kind: every thread launches instead of one
// Each thread of the parent launches the child that doubles all numbers.
#include "../check.h"

constexpr int kThreads = 8;

__global__ void double_all(int* numbers)
{
    numbers[threadIdx.x] *= 2; // BUG
}

__global__ void parent(int* numbers)
{
    numbers[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
#ifndef BUG
    if (threadIdx.x == 0)
#endif
        double_all<<<1, kThreads, 0, cudaStreamFireAndForget>>>(numbers);
}

int main()
{
    int* const numbers = memory<int>(kThreads);
    parent<<<1, kThreads>>>(numbers);
    return verdict(value_of(numbers + 3), 8);
}
