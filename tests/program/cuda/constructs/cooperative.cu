// Cooperative grids: their group and its barrier, both ways to launch them, attributes of the device, and a grid that is too large.
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kCount = 1000;

// Each thread adds its share; each block gives its sum; the first thread adds those.
__global__ void sum(const int* from, int* parts, int* result)
{
    const cg::grid_group grid = cg::this_grid();
    __shared__ int of_block;
    if (threadIdx.x == 0)
        of_block = 0;
    cg::sync(cg::this_thread_block());
    int own = 0;
    for (auto i = grid.thread_rank(); i < kCount; i += grid.size())
        own += from[i];
    atomicAdd(&of_block, own);
    __syncthreads();
    if (threadIdx.x == 0)
        parts[grid.block_rank()] = of_block;
    grid.sync();
    if (grid.thread_rank() == 0)
        for (unsigned block = 0; block < grid.num_blocks(); ++block)
            *result += parts[block];
}

// Ten steps in one grid: between the halves of its barrier a thread does what concerns no other one.
__global__ void steps(int* numbers, int* last, int* valid)
{
    cg::grid_group grid = cg::this_grid();
    const auto rank = static_cast<unsigned>(grid.thread_rank());
    const auto count = static_cast<unsigned>(grid.num_threads());
    numbers[rank] = static_cast<int>(rank);
    grid.sync();
    for (int step = 0; step < 10; ++step) {
        const int next = numbers[(rank + 1) % count];
        auto token = grid.barrier_arrive();
        const int value = next + step;
        grid.barrier_wait(static_cast<decltype(token)&&>(token));
        numbers[rank] = value;
        grid.sync();
    }
    if (rank == 0) {
        *last = numbers[0];
        *valid = grid.is_valid() ? static_cast<int>(grid.dim_blocks().x * 10 + grid.group_dim().y) : -1;
    }
}

__global__ void is_cooperative(int* to)
{
    *to = cg::this_grid().is_valid() ? 1 : 0;
}

int main()
{
    int host[kCount];
    for (int i = 0; i < kCount; ++i)
        host[i] = i;
    int* from = copy_of(host);
    int* parts = zeros<int>(8);
    int* result = zeros<int>();
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 64, 0));
    std::printf("%d %d\n", supported, blocks > 0 ? 1 : 0);

    void* arguments[] = {&from, &parts, &result};
    CHECK(cudaLaunchCooperativeKernel((void*)sum, dim3(8), dim3(64), arguments));
    std::printf("%d\n", value_of(result));
    CHECK(cudaLaunchCooperativeKernel(sum, dim3(4), dim3(32), arguments, 0, nullptr));
    std::printf("%d\n", value_of(result));
    const auto too_many = static_cast<unsigned>(blocks * device.multiProcessorCount + 1);
    std::printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((void*)sum, too_many, 64, arguments)));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int* const numbers = zeros<int>(128);
    int* const last = zeros<int>();
    int* const valid = zeros<int>();
    CHECK(cudaLaunchKernelEx(&config, steps, numbers, last, valid));
    std::printf("%d\n", value_of(valid));
    is_cooperative<<<1, 1>>>(valid);
    std::printf("%d\n", value_of(valid));
    return verdict(value_of(last), 55);
}
