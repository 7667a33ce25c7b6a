#include "launcher.cuh"

__global__ void inner(int* sum)
{
    start_children(sum, 5);
}

__device__ void start_inner(int* sum)
{
    inner<<<1, 1>>>(sum);
}

__global__ void nested(int* sum)
{
    start_inner(sum);
}

void run_nested(int* sum)
{
    nested<<<1, 1>>>(sum);
}
