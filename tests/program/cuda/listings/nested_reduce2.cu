// One child for all blocks: the first thread of the first block launches it. Nothing makes it wait for the other threads, nor for the
// other blocks.
#include "sums.h"

__global__ void reduce2(int* all_numbers, int* sums, int half, int width)
{
    int* const numbers = all_numbers + blockIdx.x * width;
    if (half == 1 && threadIdx.x == 0) {
        sums[blockIdx.x] = numbers[0] + numbers[1]; // BUG
        return;
    }
    numbers[threadIdx.x] += numbers[threadIdx.x + half]; // BUG
    if (threadIdx.x == 0 && blockIdx.x == 0)
        reduce2<<<gridDim.x, half / 2>>>(all_numbers, sums, half / 2, width);
}

int main(int argc, char** argv)
{
    const Input input = make_input(argc, argv);
    reduce2<<<input.blocks, input.threads / 2>>>(input.numbers, input.sums, input.threads / 2, input.threads);
    return judge(input);
}
