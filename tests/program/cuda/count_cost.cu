// For the cost of counting and of tracing (trace_cost.py): prints for each case its name and the median time of its runs by the
// program's own events, in microseconds. A warm-up is before each.
#include "check.h"

#include <algorithm>
#include <vector>

// The same code lies elsewhere for another PAD: caches of instructions make kernels that are launched from kernels a few
// per cent faster or slower so.
#ifdef PAD
__global__ void pad(int* a)
{
#pragma unroll
    for (int i = 0; i < 7 * PAD; ++i)
        a[i * 33] = i * 77;
}
#endif

__device__ unsigned reached;

__global__ void empty()
{
    if (threadIdx.x == 0)
        atomicAdd(&reached, 1U);
}

__global__ void tail_chain(int left)
{
    if (threadIdx.x != 0)
        return;
    atomicAdd(&reached, 1U);
    if (left > 1)
        tail_chain<<<1, 32, 0, cudaStreamTailLaunch>>>(left - 1);
}

__global__ void forget_chain(int left)
{
    if (threadIdx.x != 0)
        return;
    atomicAdd(&reached, 1U);
    if (left > 1)
        forget_chain<<<1, 32, 0, cudaStreamFireAndForget>>>(left - 1);
}

__global__ void launches(int children)
{
    for (int i = 0; i < children; ++i)
        empty<<<1, 32, 0, cudaStreamFireAndForget>>>();
}

__global__ void computes(float* values, int steps)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    float x = values[index];
    for (int i = 0; i < steps; ++i)
        x = x * 0.999F + 1.0F;
    values[index] = x;
}

unsigned expected = 0;

template <class Work>
void measure(const char* name, int runs, unsigned reaches, Work work)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times(runs);
    for (int run = -1; run < runs; ++run) {
        CHECK(cudaEventRecord(begin));
        work();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        if (run >= 0)
            CHECK(cudaEventElapsedTime(&times[run], begin, end));
    }
    expected += (runs + 1) * reaches;
    std::sort(times.begin(), times.end());
    std::printf("%s: %.2f\n", name, 1000 * times[runs / 2]);
}

int main()
{
    float* const values = zeros<float>(1 << 25);
    measure("a chain of 512 tail launches", 15, 512, [] { tail_chain<<<1, 32>>>(512); });
    measure("128 chains of 8 launches", 15, 128 * 9, [] { forget_chain<<<128, 32>>>(9); });
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1 << 15));
    measure("16384 launches by 128 blocks", 5, 16384, [] { launches<<<128, 1>>>(128); });
    measure("2048 launches of the host", 15, 2048, [] {
        for (int i = 0; i < 2048; ++i)
            empty<<<1, 32>>>();
    });
    measure("264 blocks of 1024 threads", 51, 0, [&] { computes<<<264, 1024>>>(values, 100); });
    measure("8192 blocks of 64 threads", 51, 0, [&] { computes<<<8192, 64>>>(values, 100); });
    measure("2^20 blocks of 32 threads", 15, 0, [&] { computes<<<1 << 20, 32>>>(values, 100); });
    measure("one grid of 10 ms", 5, 0, [&] { computes<<<1056, 256>>>(values, 1000000); });
    unsigned all = 0;
    CHECK(cudaMemcpyFromSymbol(&all, reached, sizeof(all)));
    return all == expected ? 0 : 1;
}
