// Blocks that wait for each other: a barrier of the grid that spins on an atomic.
#include "../check.h"

constexpr int kBlocks = 4;
constexpr int kThreads = 32;
__device__ unsigned arrived = 0;

__device__ void wait_for_grid(unsigned round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1U);
        while (atomicAdd(&arrived, 0U) < round * gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void rounds(int* numbers)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    const int count = gridDim.x * blockDim.x;
    numbers[index] = index;
    for (unsigned round = 1; round <= 3; ++round) {
        wait_for_grid(2 * round - 1);
        const int neighbour = numbers[(index + kThreads) % count];
        wait_for_grid(2 * round);
        numbers[index] = neighbour + 1;
    }
}

__global__ void parent(int* numbers)
{
    rounds<<<kBlocks, kThreads>>>(numbers);
}

int main()
{
    int* numbers;
    CHECK(cudaMalloc(&numbers, kBlocks * kThreads * sizeof(int)));
    parent<<<1, 1>>>(numbers);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d\n", value_of(numbers + 5), value_of(numbers + 127));
    return verdict(value_of(numbers + 1), 100);
}
