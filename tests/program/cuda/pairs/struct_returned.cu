// Kind: missing barrier
// A struct is returned by value from shared memory before all threads have stored into it.
#include "../check.h"

struct Pair {
    int left, right;
};

__device__ Pair of_neighbour(const Pair* pairs)
{
    return pairs[(threadIdx.x + 1) % blockDim.x]; // BUG
}

__global__ void child(int* differences)
{
    __shared__ Pair pairs[32];
    const int tid = threadIdx.x;
    pairs[tid] = Pair{tid, 2 * tid}; // BUG
#ifndef BUG
    __syncthreads();
#endif
    const Pair other = of_neighbour(pairs);
    differences[tid] = other.right - other.left;
}

__global__ void parent(int* differences)
{
    child<<<1, 32>>>(differences);
}

int main()
{
    int* const differences = memory<int>(32);
    parent<<<1, 1>>>(differences);
    return verdict(value_of(differences + 8), 9);
}
