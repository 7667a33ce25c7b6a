// Cooperative groups of a block and of tiles.
#include "../check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <class Group>
__device__ int sum_of_group(const Group& group, int value)
{
    for (int offset = group.size() / 2; offset > 0; offset /= 2)
        value += group.shfl_down(value, offset);
    return value;
}

// Values of 16 and 24 bytes, in shuffles, reductions and scans; and a group of any kind.
struct Best {
    double value;
    int at;
};

__device__ unsigned rank_in(const cg::thread_group& group)
{
    group.sync();
    return static_cast<unsigned>(group.thread_rank() + 100 * group.size());
}

__global__ void wide(int* to)
{
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int lane = static_cast<int>(warp.thread_rank());
    const Best own{static_cast<double>(lane * 7 % 32), lane};
    const auto larger = [](const Best& a, const Best& b) { return a.value < b.value ? b : a; };
    const Best best = cg::reduce(warp, own, larger);
    const Best best_before = cg::inclusive_scan(warp, own, larger);
    const double4 next = warp.shfl_down(make_double4(lane, 1, 2, 10 * lane), 1);
    const unsigned ranks = rank_in(cg::this_thread_block()) + rank_in(warp) +
                           rank_in(cg::tiled_partition(cg::thread_group(cg::this_thread_block()), 8));
    if (lane == 20) {
        to[0] = best.at;
        to[1] = best_before.at;
        to[2] = static_cast<int>(next.x + next.w);
        to[3] = static_cast<int>(ranks);
    }
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
    int* const of_wide = memory<int>(4);
    wide<<<1, 32>>>(of_wide);
    std::printf("%d %d %d %d\n", value_of(of_wide), value_of(of_wide + 1), value_of(of_wide + 2),
                value_of(of_wide + 3));
    return verdict(value_of(counter), 40);
}
