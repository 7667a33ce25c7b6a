// Tiles of several warps: their ranks, barriers, votes, shuffles, reductions and scans; tiles of tiles.
#include "../check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

constexpr unsigned kThreads = 512;

template <unsigned size>
__device__ unsigned of_tile(const cg::thread_block& block, unsigned* shared)
{
    const auto tile = cg::tiled_partition<size>(block);
    const unsigned thread = block.thread_rank(), rank = tile.thread_rank();
    shared[thread] = thread * thread;
    tile.sync();
    unsigned sum = shared[thread / size * size + (rank + 1) % size];
    tile.sync();
    sum = sum * 31 + rank + tile.meta_group_rank() * 1000 + tile.meta_group_size() * 100000 + tile.num_threads();
    sum = sum * 31 + cg::reduce(tile, thread ^ 5U, cg::plus<unsigned>());
    sum = sum * 31 + cg::reduce(tile, thread ^ 77U, cg::less<unsigned>());
    sum = sum * 31 + cg::inclusive_scan(tile, thread % 7, cg::plus<unsigned>());
    sum = sum * 31 + cg::exclusive_scan(tile, thread % 11, cg::plus<unsigned>());
    sum = sum * 31 + tile.shfl(thread * 3, static_cast<int>(size) - 2);
    sum = sum * 31 + static_cast<unsigned>(tile.any(thread == 200) != 0) +
          2 * static_cast<unsigned>(tile.all(thread >= 256) != 0);
    const auto warp = cg::tiled_partition<32>(tile);
    return sum * 31 + warp.meta_group_rank() + 100 * warp.meta_group_size() + warp.shfl(thread, 3);
}
template <unsigned size>
static unsigned expected(unsigned thread)
{
    const unsigned first = thread / size * size, rank = thread % size;
    unsigned total = 0, least = ~0U, inclusive = 0, exclusive = 0;
    for (unsigned each = first; each < first + size; ++each) {
        total += each ^ 5U;
        least = (each ^ 77U) < least ? each ^ 77U : least;
        inclusive += each <= thread ? each % 7 : 0;
        exclusive += each < thread ? each % 11 : 0;
    }
    const unsigned next = first + (rank + 1) % size;
    unsigned sum = next * next;
    sum = sum * 31 + rank + thread / size * 1000 + kThreads / size * 100000 + size;
    sum = ((sum * 31 + total) * 31 + least) * 31 + inclusive;
    sum = (sum * 31 + exclusive) * 31 + (first + size - 2) * 3;
    sum = sum * 31 + (first <= 200 && 200 < first + size) + 2 * (first >= 256);
    return sum * 31 + rank / 32 + 100 * (size / 32) + thread / 32 * 32 + 3;
}

__global__ void tiles(unsigned* to)
{
    __shared__ cg::block_tile_memory<kThreads> memory;
    __shared__ unsigned shared[kThreads];
    const cg::thread_block block = cg::this_thread_block(memory);
    unsigned* const own = to + 4 * block.thread_rank();
    own[0] = of_tile<64>(block, shared);
    block.sync();
    own[1] = of_tile<128>(block, shared);
    block.sync();
    own[2] = of_tile<256>(block, shared);
    block.sync();
    own[3] = of_tile<512>(block, shared);
}

int main()
{
    unsigned* const to = memory<unsigned>(4 * kThreads);
    tiles<<<1, kThreads>>>(to);
    CHECK(cudaDeviceSynchronize());
    static unsigned results[4 * kThreads];
    CHECK(cudaMemcpy(results, to, sizeof results, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
        const unsigned right[4] = {expected<64>(thread), expected<128>(thread), expected<256>(thread),
                                   expected<512>(thread)};
        for (int i = 0; i < 4; ++i)
            wrong += results[4 * thread + i] != right[i];
    }
    return verdict(wrong, 0);
}
