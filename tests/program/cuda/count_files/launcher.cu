#include "launcher.cuh"

__global__ void add_one(int* sum)
{
    atomicAdd(sum, 1);
}

__device__ void start_children(int* sum, int children)
{
    for (int i = 0; i < children; ++i)
        add_one<<<1, 1>>>(sum);
}

void run_on_host(int* sum)
{
    add_one<<<1, 4>>>(sum);
}
