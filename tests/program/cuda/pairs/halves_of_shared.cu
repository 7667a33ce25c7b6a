// Kind: wrong offset in shared memory
// A block has two arrays in its dynamic shared memory. The second one begins one element too early.
#include "../check.h"

constexpr int kThreads = 32;

__global__ void child(int* result)
{
    extern __shared__ int memory[];
    int* const sums = memory;
#ifdef BUG
    int* const products = memory + blockDim.x - 1;
#else
    int* const products = memory + blockDim.x;
#endif
    sums[threadIdx.x] = threadIdx.x + 2;     // BUG
    products[threadIdx.x] = threadIdx.x * 2; // BUG
    __syncthreads();
    result[threadIdx.x] = sums[threadIdx.x] + products[threadIdx.x];
}

__global__ void parent(int* result)
{
    child<<<1, kThreads, 2 * kThreads * sizeof(int)>>>(result);
}

int main()
{
    int* const result = memory<int>(kThreads);
    parent<<<1, 1>>>(result);
    return verdict(value_of(result + kThreads - 1), 95);
}
