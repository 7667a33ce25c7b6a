// Kind: missing barrier
// Thread 0 launches the child before the other threads have stored what the child reads.
#include "../check.h"

constexpr int kThreads = 64;

__global__ void add_up(const int* squares, int* sum)
{
    int all = 0;
    for (int i = 0; i < kThreads; ++i)
        all += squares[i]; // BUG
    *sum = all;
}

__global__ void square(int* squares, int* sum)
{
    squares[threadIdx.x] = threadIdx.x * threadIdx.x; // BUG
#ifndef BUG
    __syncthreads();
#endif
    if (threadIdx.x == 0)
        add_up<<<1, 1>>>(squares, sum);
}

int main()
{
    int* const squares = memory<int>(kThreads);
    int* const sum = memory<int>();
    square<<<1, kThreads>>>(squares, sum);
    return verdict(value_of(sum), 85344);
}
