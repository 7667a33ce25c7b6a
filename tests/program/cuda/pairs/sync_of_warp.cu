// Kind: missing __syncwarp()
// Lanes read what their neighbour stores in shared memory. Threads of a warp do not run in lockstep.
#include "../check.h"

__global__ void swap_pairs(const int* from, int* to)
{
    __shared__ int lanes[32];
    lanes[threadIdx.x] = from[threadIdx.x]; // BUG
#ifndef BUG
    __syncwarp();
#endif
    to[threadIdx.x] = lanes[threadIdx.x ^ 1]; // BUG
}

__global__ void parent(int* from, int* to)
{
    from[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 0)
        swap_pairs<<<1, 32>>>(from, to);
}

int main()
{
    int* const from = memory<int>(32);
    int* const to = memory<int>(32);
    parent<<<1, 32>>>(from, to);
    return verdict(value_of(to + 6), 7);
}
