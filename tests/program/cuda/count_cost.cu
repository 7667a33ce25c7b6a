// For the cost of counting: 16384 launches of empty kernels from kernels, as many from the host, or one long kernel.
//   count_cost device | host | compute
// Prints the time from the first launch to the end of all, in microseconds.
#include "check.h"

#include <chrono>
#include <cstring>

constexpr int kWaves = 16; // of 1024 launches, within the default limit of pending launches

__global__ void empty() {}

__global__ void launches_four()
{
    for (int i = 0; i < 4; ++i)
        empty<<<1, 32, 0, cudaStreamFireAndForget>>>();
}

__global__ void computes(float* value, int steps)
{
    float x = static_cast<float>(threadIdx.x);
    for (int i = 0; i < steps; ++i)
        x = x * 0.999F + 1.0F;
    value[blockIdx.x * blockDim.x + threadIdx.x] = x;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        empty<<<1, 32, 0, cudaStreamFireAndForget>>>();
}

void run(const char* what, float* values)
{
    if (std::strcmp(what, "compute") == 0)
        computes<<<1056, 256>>>(values, 200000);
    else if (std::strcmp(what, "host") == 0)
        for (int i = 0; i < kWaves * 1024; ++i)
            empty<<<1, 32>>>();
    else
        for (int i = 0; i < kWaves; ++i)
            launches_four<<<256, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char** argv)
{
    const char* const what = argc > 1 ? argv[1] : "device";
    float* values = nullptr;
    CHECK(cudaMalloc(&values, 1056 * 256 * sizeof(float)));
    run(what, values);
    const auto begin = std::chrono::steady_clock::now();
    run(what, values);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    std::printf("%.1f\n", time.count());
    return 0;
}
