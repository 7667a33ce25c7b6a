// What programs with programmatic launches share: the launch, a delay in a kernel, and a count of the runs that read old values.
#pragma once

#include "check.h"

constexpr int kBlocks = 4;
constexpr int kThreads = 64;
constexpr int kCount = kBlocks * kThreads;

__device__ inline int index_of_thread()
{
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// Delays what comes next by about this time.
__device__ inline void sleep_us(unsigned time_us)
{
    for (unsigned slept_us = 0; slept_us < time_us; slept_us += 10)
        __nanosleep(10'000);
}

// Launches a kernel that need not wait for the end of the one before it in the stream.
template <class... Expected, class... Actual>
void launch_early(int blocks, int threads, cudaStream_t stream, void (*kernel)(Expected...), Actual... arguments)
{
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

// Whether one of the numbers is another one, after all kernels.
template <int count>
bool has_other_than(int number, const int* numbers)
{
    int on_host[count];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(on_host, numbers, sizeof on_host, cudaMemcpyDeviceToHost));
    for (const int each : on_host)
        if (each != number)
            return true;
    return false;
}

// `is_stale(number, delay_us)` runs the kernels, which pass this number on, and returns whether one of them read an older one. The
// first argument of the program is the number of runs, the second is the delay in microseconds.
template <class IsStale>
int count_stale(int argc, char** argv, IsStale is_stale)
{
    const int runs = argc > 1 ? std::atoi(argv[1]) : 2;
    const int delay_us = argc > 2 ? std::atoi(argv[2]) : 100;
    int number = 0;
    int stale[2] = {};
    for (const bool delayed : {false, true})
        for (int run = 0; run < runs; ++run)
            stale[delayed] += is_stale(++number, delayed ? delay_us : 0) ? 1 : 0;
    std::printf("%s: %d of %d runs were stale, with a delay of %d us %d of %d\n",
                stale[0] + stale[1] == 0 ? "right" : "STALE", stale[0], runs, delay_us, stale[1], runs);
    return 0;
}
