// Kind: missing sync() of a tile
// Tiles of eight threads exchange through shared memory.
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void rotate(const int* from, int* to)
{
    __shared__ int values[32];
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int* const mine = values + (threadIdx.x / 8) * 8;
    mine[tile.thread_rank()] = from[threadIdx.x]; // BUG
#ifndef BUG
    tile.sync();
#endif
    to[threadIdx.x] = mine[(tile.thread_rank() + 1) % 8]; // BUG
}

__global__ void parent(const int* from, int* to)
{
    rotate<<<1, 32>>>(from, to);
}

int main()
{
    int host[32];
    for (int i = 0; i < 32; ++i)
        host[i] = i * i;
    int* const to = memory<int>(32);
    int* const from = copy_of(host);
    parent<<<1, 1>>>(from, to);
    return verdict(value_of(to + 15), 64);
}
