// Threads that wait in loops of plain and volatile reads, in kernels, device functions and device lambdas.
#include "../check.h"

constexpr int kWays = 8;

struct Flags {
    volatile int raised[kWays];
    int lock;
};
__device__ Flags flags;

__device__ void wait_without_body(int way)
{
    while (flags.raised[way] == 0)
        ;
}

__device__ void wait_in_do(const volatile int* flag)
{
    do {
    } while (*flag == 0);
}

__device__ int wait_and_count(const volatile int* flag)
{
    int rounds = 0;
    while (*flag == 0)
        ++rounds;
    return rounds;
}

__device__ void wait_in_for(int way)
{
    for (int rounds = 0; flags.raised[way] == 0; ++rounds) {
    }
}

template <class T>
__device__ T wait_and_leave(const volatile T* flag)
{
    for (;;) {
        const T value = *flag;
        if (value != 0)
            return value;
    }
}

struct Waiter {
    const volatile int* flag;
    __device__ void operator()() const
    {
        int value;
        do {
            value = *flag;
        } while (!value);
    }
};

// A constant expression too.
__host__ __device__ constexpr int halvings(int number)
{
    int count = 0;
    while (number > 1) {
        number = number / 2;
        count += 1;
    }
    while (count < 0)
        ;
    return count;
}
static_assert(halvings(64) == 6, "");

template <class Wait>
__device__ void then_count(int way, int* counter, Wait wait)
{
    wait();
    *counter += way;
}

// Thread `way` of the first block waits for the same thread of the last block, which begins later.
__global__ void wait_all_ways(int* counters)
{
    const int way = threadIdx.x;
    if (blockIdx.x != 0) {
        if (blockIdx.x + 1 == gridDim.x)
            flags.raised[way] = 1;
        return;
    }
    const volatile int* const flag = &flags.raised[way];
    int* const counter = &counters[way];
    switch (way) {
    case 0:
        return then_count(way, counter, [] { wait_without_body(0); });
    case 1:
        return then_count(way, counter, [=] { wait_in_do(flag); });
    case 2:
        return then_count(way, counter, [=] { wait_and_count(flag); });
    case 3:
        return then_count(way, counter, [] { wait_in_for(3); });
    case 4:
        return then_count(way, counter, [=] { wait_and_leave(flag); });
    case 5:
        return then_count(way, counter, Waiter{flag});
    case 6:
        while (true)
            if (*flag)
                break;
        return then_count(way, counter, [] {});
    default:
        while (!*flag) {
            int unused = halvings(100);
            (void)unused;
        }
        return then_count(way, counter, [] {});
    }
}

int main()
{
    int* const counters = zeros<int>(kWays);
    wait_all_ways<<<4, kWays>>>(counters);
    CHECK(cudaDeviceSynchronize());
    int sum = 0;
    for (int way = 0; way < kWays; ++way)
        sum += value_of(counters + way);
    return verdict(sum, 28);
}
