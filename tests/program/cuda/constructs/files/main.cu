#include "../../check.h"
#include "tree.h"

__global__ void visit_all(int levels, int* result);

__global__ void finish(int* result)
{
    *result = nodes;
}

// tree.cu has a kernel of this name too.
static __global__ void helper() {}

int count_nodes(int levels)
{
    int* result;
    CHECK(cudaMalloc(&result, sizeof(int)));
    visit_all<<<1, 1>>>(levels, result);
    visit<<<1, 1>>>(levels, levels);
    helper<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    return value_of(result);
}
