// Tree search by blocks that stay resident, each with a stack in shared memory. They take shares of nodes from a pool, and give
// it what they leave. The pool has
//     take(share)     by one thread of a block: the next share for the block
//     finish(rest)    by one thread of a block: its share is done, and leaves this
#pragma once

#include "workloads/search/search_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct PooledShare {
    unsigned long long first; // of the nodes that it is a share of
    SearchShare share;
};

enum class Taken : unsigned {
    share,
    none_now, // others search, and may leave some; take() is called again after a barrier
    none      // the search is over
};

template <class Tree, class Pool>
__global__ void LAUNCH_BOUNDS(1024, 1) search_resident(SearchTask<Tree> task, Pool pool)
{
    BLOCK_SHARED(unsigned, words, BlockStack<typename Tree::Node>::kWords);
    BLOCK_SHARED(PooledShare, taken, 1);
    BLOCK_SHARED(Taken, outcome, 1);
    ThreadFound found{};
    if (blockIdx.x == 0 && threadIdx.x == 0)
        task.visit_root(found);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            outcome[0] = pool.take(taken[0]);
        __syncthreads();
        if (outcome[0] == Taken::none_now)
            continue;
        if (outcome[0] == Taken::none)
            break;
        const SearchRest rest = search_share(task, taken[0].first, taken[0].share, words, found);
        if (threadIdx.x == 0)
            pool.finish(rest);
    }
    task.add_all(found);
}

// As many blocks as the device holds at once: a block may wait for others.
template <class Tree, class Pool>
std::uint32_t blocks_that_stay(const SearchJob& job)
{
    return job.context.template resident_blocks<search_resident<Tree, Pool>>(job.point.block);
}

// Share `number` of the root's children.
__host__ __device__ inline PooledShare root_share(unsigned number, unsigned root_children)
{
    const unsigned first = number * kRootChildren;
    return {0, {first, root_children - first < kRootChildren ? root_children : first + kRootChildren, true}};
}

// Share `number` of the `shares` that what a block left is divided into.
__device__ inline PooledShare share_of_rest(const SearchRest& rest, unsigned number, unsigned shares)
{
    return {rest.first,
            {share_start(rest.count, number, shares), share_start(rest.count, number + 1, shares), false}};
}

} // namespace nestbed::inline NESTBED_BACKEND
