// Cooperative groups of a block and of tiles.
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class Group>
__device__ int sum_of_group(const Group& group, int value)
{
    for (int offset = group.size() / 2; offset > 0; offset /= 2)
        value += group.shfl_down(value, offset);
    return value;
}

__global__ void child(int* counter)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ int arrived;
    if (block.thread_rank() == 0)
        arrived = 0;
    block.sync();
    atomicAdd(&arrived, 1);
    cg::sync(block);
    if (block.thread_rank() == 0)
        *counter = arrived + static_cast<int>(block.group_index().x + block.thread_index().x);
}

__global__ void parent(int* results, int* counter)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const cg::thread_block_tile<4> four = cg::tiled_partition<4>(warp);
    const int of_warp = sum_of_group(warp, threadIdx.x);
    const int of_four = sum_of_group(four, threadIdx.x);
    if (warp.thread_rank() == 0)
        results[warp.meta_group_rank()] = of_warp;
    if (four.thread_rank() == 0)
        results[2 + threadIdx.x / 4] = of_four;
    const unsigned odd = four.ballot(threadIdx.x % 2 == 1);
    const bool any = four.any(threadIdx.x == 5);
    const int first = four.shfl(static_cast<int>(threadIdx.x), 0);
    if (threadIdx.x == 6)
        results[18] =
            static_cast<int>(odd) * 100 + any * 10 + first + static_cast<int>(four.size() + warp.num_threads());
    block.sync();
    if (block.thread_rank() == 0)
        child<<<1, 40>>>(counter);
}

int main()
{
    int* const results = memory<int>(19);
    int* const counter = memory<int>();
    parent<<<1, 64>>>(results, counter);
    for (int i = 0; i < 19; ++i)
        std::printf("%d\n", value_of(results + i));
    return verdict(value_of(counter), 40);
}
