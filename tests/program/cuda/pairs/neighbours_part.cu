// Kind: child reads what another block of its parent writes
// Each block of the parent launches a child that also reads the neighbour's part. A barrier is for one block only.
#include "../check.h"

constexpr int kBlocks = 3;

__global__ void with_neighbour(const int* parts, int* sums, int block)
{
    sums[block] = parts[block] + parts[(block + 1) % kBlocks]; // BUG
}

__global__ void with_neighbours(const int* parts, int* sums)
{
    sums[threadIdx.x] = parts[threadIdx.x] + parts[(threadIdx.x + 1) % kBlocks];
}

__global__ void parent(int* parts, int* sums)
{
    if (threadIdx.x == 1)
        parts[blockIdx.x] = blockIdx.x + 1; // BUG
    __syncthreads();
#ifdef BUG
    if (threadIdx.x == 0)
        with_neighbour<<<1, 1>>>(parts, sums, blockIdx.x);
#else
    if (threadIdx.x == 0 && blockIdx.x == 0)
        with_neighbours<<<1, kBlocks, 0, cudaStreamTailLaunch>>>(parts, sums);
#endif
}

int main()
{
    int* const parts = zeros<int>(kBlocks);
    int* const sums = memory<int>(kBlocks);
    parent<<<kBlocks, 2>>>(parts, sums);
    return verdict(value_of(sums + 1), 5);
}
