// Kind: tail launch made fire and forget
// Block 0 launches the second step, which reads what all blocks have stored.
#include "../check.h"

constexpr int kBlocks = 4;
constexpr int kThreads = 32;
#ifdef BUG
#define SECOND_STEP_STREAM cudaStreamFireAndForget
#else
#define SECOND_STEP_STREAM cudaStreamTailLaunch
#endif

__global__ void second_step(const int* parts, int* sum)
{
    int all = 0;
    for (int i = 0; i < kBlocks * kThreads; ++i)
        all += parts[i]; // BUG
    *sum = all;
}

__global__ void first_step(int* parts, int* sum)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    parts[index] = index; // BUG
    __syncthreads();
    if (index == 0)
        second_step<<<1, 1, 0, SECOND_STEP_STREAM>>>(parts, sum);
}

int main()
{
    int* const parts = zeros<int>(kBlocks * kThreads);
    int* const sum = memory<int>();
    first_step<<<kBlocks, kThreads>>>(parts, sum);
    return verdict(value_of(sum), 128 * 127 / 2);
}
