// Kind: counter reset while others use it
// Block 0 empties the list of the next level while other blocks already append to it.
#include "../check.h"

constexpr int kThreads = 16;
constexpr int kBlocks = 2;

__global__ void append_even(int* list, int* length)
{
    const int number = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUG
    if (number == 0)
        *length = 0; // BUG
    __syncthreads();
#endif
    if (number % 2 == 0) {
        const int place = atomicAdd(length, 1); // BUG
        list[place] = number;                   // BUG at times
    }
}

__global__ void parent(int* list, int* length)
{
    *length = 0;
    append_even<<<kBlocks, kThreads>>>(list, length);
}

int main()
{
    int* const list = memory<int>(kBlocks * kThreads);
    int* const length = memory<int>();
    parent<<<1, 1>>>(list, length);
    return verdict(value_of(length), kBlocks * kThreads / 2);
}
