// As nested_reduce.cu without its barriers and without the wait for the child: the launching thread does not wait for the other threads.
#include "sums.h"

__global__ void reduce_nosync(int* all_numbers, int* sums, int size)
{
    int* const numbers = all_numbers + blockIdx.x * blockDim.x;
    const int tid = threadIdx.x;
    const int half = size / 2;
    if (half == 1 && tid == 0)
        sums[blockIdx.x] = numbers[0] + numbers[1]; // BUG

    // Each thread adds a pair of numbers, and the first one launches a block for what is left.
    if (half > 1 && tid < half) {
        numbers[tid] += numbers[tid + half]; // BUG
        if (tid == 0)
            reduce_nosync<<<1, half>>>(numbers, &sums[blockIdx.x], half);
    }
}

int main(int argc, char** argv)
{
    const Input input = make_input(argc, argv);
    reduce_nosync<<<input.blocks, input.threads>>>(input.numbers, input.sums, input.threads);
    return judge(input);
}
