// Each block halves its part and launches a block for the rest. The parent waits for the child, as the device runtime before CUDA 12
// let it: no GPU of today runs this program.
#include "sums.h"

__global__ void reduce(int* all_numbers, int* sums, int size)
{
    int* const numbers = all_numbers + blockIdx.x * blockDim.x;
    const int tid = threadIdx.x;
    const int half = size / 2;
    if (half == 1 && tid == 0)
        sums[blockIdx.x] = numbers[0] + numbers[1];
    if (half > 1 && tid < half)
        numbers[tid] += numbers[tid + half];
    __syncthreads();
    if (half > 1 && tid == 0) {
        reduce<<<1, half>>>(numbers, &sums[blockIdx.x], half);
        cudaDeviceSynchronize();
    }
    __syncthreads();
}

int main(int argc, char** argv)
{
    const Input input = make_input(argc, argv);
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 16));
    reduce<<<input.blocks, input.threads>>>(input.numbers, input.sums, input.threads);
    return judge(input);
}
