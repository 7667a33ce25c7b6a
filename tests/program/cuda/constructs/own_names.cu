// Variables, parameters and members of the program that have the names of CUDA's built-in variables.
#include "../check.h"

struct Shape {
    dim3 gridDim;
    dim3 blockDim = {1, 1, 1};
    int threads() const { return static_cast<int>(gridDim.x * blockDim.x); }
    __host__ __device__ unsigned width() const { return blockDim.x; }
};

__global__ void count(int* counter, Shape shape)
{
    if (gridDim.x == shape.gridDim.x && blockDim.x == shape.width())
        atomicAdd(counter, 1);
}

__device__ unsigned of_parameter(dim3 blockDim, const uint3& threadIdx)
{
    return blockDim.x + threadIdx.x;
}

__global__ void hide(int* counter, unsigned gridDim)
{
    const unsigned outside = blockDim.x;
    {
        const unsigned blockDim = 10, threadIdx = 1;
        if (threadIdx == 1 && blockDim == 10)
            atomicAdd(counter, static_cast<int>(gridDim)); // 1000 of each thread
    }
    if (outside == blockDim.x && threadIdx.x == 0)
        atomicAdd(counter, static_cast<int>(of_parameter(dim3(7), threadIdx)));
}

void launch(int* counter, const dim3& gridDim, dim3 blockDim)
{
    const Shape shape{gridDim, blockDim};
    count<<<gridDim, blockDim>>>(counter, shape);
    count<<<shape.gridDim, shape.blockDim>>>(counter, shape);
}

int main(int, char** threadIdx)
{
    dim3 gridDim(3), blockDim(4);
    dim3* const blockIdx = &gridDim;
    int* const counter = zeros<int>();
    launch(counter, *blockIdx, blockDim);
    Shape shape;
    shape.gridDim = gridDim;
    shape.blockDim.x = 2;
    for (unsigned gridDim = 1; gridDim < 2; ++gridDim)
        hide<<<gridDim, blockDim>>>(counter, 1000);
    count<<<shape.gridDim, shape.blockDim>>>(counter, shape);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d\n", shape.threads(), threadIdx != nullptr);
    return verdict(value_of(counter), 12 + 12 + 4000 + 7 + 6);
}
