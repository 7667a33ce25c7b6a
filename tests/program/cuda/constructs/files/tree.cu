#include "tree.h"

// main.cu has a kernel of this name too.
static __global__ void helper()
{
    nodes += 0;
}

__device__ int nodes = 0;

__device__ bool is_leaf(int level, int levels)
{
    return level == levels;
}

__global__ void visit(int level, int levels)
{
    atomicAdd(&nodes, 1);
    if (is_leaf(level, levels))
        return;
    visit<<<1, 1, 0, cudaStreamFireAndForget>>>(level + 1, levels);
    visit<<<1, 1, 0, cudaStreamFireAndForget>>>(level + 1, levels);
}

__global__ void visit_all(int levels, int* result)
{
    helper<<<1, 1>>>();
    visit<<<1, 1>>>(0, levels);
    finish<<<1, 1, 0, cudaStreamTailLaunch>>>(result);
}
