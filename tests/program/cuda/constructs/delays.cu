// Kernels that wait for a time: all threads of all blocks, by each clock. Another thread's flag comes before the time is over.
#include "../check.h"

constexpr long long kCycles = 4000000000;

__global__ void wait(int* waited)
{
    const long long begin = clock64();
    while (clock64() - begin < kCycles)
        ;
    atomicAdd(waited, 1);
}

__global__ void wait_by_low_half(int* waited)
{
    const unsigned begin = (unsigned)clock();
    while ((unsigned)clock() - begin < 1000000000u)
        ;
    atomicAdd(waited, 1);
}

__global__ void wait_by_timer(int* waited)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < 2000000000ull);
    atomicAdd(waited, 1);
}

// A time limit of a loop that waits for something else.
__global__ void wait_for_flag(int* flag, int* seen)
{
    if (threadIdx.x == 32) {
        for (int i = 0; i < 1000; ++i)
            atomicAdd(&flag[1], 1);
        atomicExch(&flag[0], 1);
    } else if (threadIdx.x == 0) {
        const long long begin = clock64();
        while (atomicAdd(&flag[0], 0) == 0 && clock64() - begin < kCycles)
            ;
        *seen = atomicAdd(&flag[0], 0);
    }
}

int main()
{
    int* waited = zeros<int>();
    int* flag = zeros<int>(2);
    int* seen = zeros<int>();
    wait<<<16, 64>>>(waited);
    wait_by_low_half<<<4, 32>>>(waited);
    wait_by_timer<<<16, 64>>>(waited);
    wait_for_flag<<<1, 64>>>(flag, seen);
    CHECK(cudaDeviceSynchronize());
    printf("seen: %d\n", value_of(seen));
    return verdict(value_of(waited), 2 * 16 * 64 + 4 * 32);
}
