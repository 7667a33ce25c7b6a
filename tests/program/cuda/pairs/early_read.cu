// Kind: early read of a child's result
// The parent uses what its child computes, and waits for nothing but its own block.
#include "../check.h"

__global__ void fibonacci(int n, int* result)
{
    int a = 0, b = 1;
    for (int i = 0; i < n; ++i) {
        const int next = a + b;
        a = b;
        b = next;
    }
    *result = a; // BUG
}

__global__ void double_it(const int* result, int* twice)
{
    *twice = 2 * *result;
}

__global__ void parent(int* result, int* twice)
{
    if (threadIdx.x == 0)
        fibonacci<<<1, 1>>>(10, result);
    __syncthreads();
#ifdef BUG
    if (threadIdx.x == 1)
        *twice = 2 * *result; // BUG
#else
    if (threadIdx.x == 1)
        double_it<<<1, 1, 0, cudaStreamTailLaunch>>>(result, twice);
#endif
}

int main()
{
    int* const result = zeros<int>();
    int* const twice = memory<int>();
    parent<<<1, 32>>>(result, twice);
    return verdict(value_of(twice), 110);
}
