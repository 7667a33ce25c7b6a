// The levels of tenants on the device: what a block does of a level, and what is next.
#pragma once

#include "device/parts/in_block.hpp"
#include "device/parts/request_collectives.hpp"
#include "workloads/tenants/tenants_reference.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// What the levels of a tenant have in common. Zero before a run.
struct TenantState {
    unsigned long long sum;
    unsigned long long ended_ns; // on the kernels' timer; 0: it has not ended
    unsigned nodes;
    unsigned arrived; // blocks of the level that are done
    unsigned level;   // that is next, where a form asks for it; 0: the root
    unsigned grid;    // record of the grid of this level, in a traced run of a graph
};

struct TenantsTask {
    const Tenant* tenants;
    TenantState* states;
    unsigned* widths; // of the levels of each tenant, from the root on: `stride` each. Zero before a run
    unsigned* nodes;
    unsigned stride;
    unsigned count; // tenants
    unsigned rounds;
    unsigned threshold; // a level with at most so many nodes is not given to other blocks

    __device__ unsigned* widths_of(unsigned tenant) const { return widths + tenant * stride; }
};

// What end_level() returns in a block that was not the last of its level. 0: the tenant has ended. Else: the nodes of the next level.
inline constexpr unsigned kNotLast = 0xFFFFFFFFU;
inline constexpr unsigned kLevelWords = 1; // of shared memory

__device__ inline unsigned blocks_of_level(unsigned nodes)
{
    return (nodes - 1) / blockDim.x + 1;
}

// The block writes the first nodes of the tenant.
__device__ inline void expand_root(const TenantsTask& task, unsigned number)
{
    const Tenant& tenant = task.tenants[number];
    for (unsigned index = threadIdx.x; index < tenant.width; index += blockDim.x)
        task.nodes[tenant.first + tenant.capacity + index] = child_of(tenant.root, index, true);
    if (threadIdx.x == 0)
        store_relaxed(&task.widths_of(number)[1], tenant.width);
}

// Block `block` of the `blocks` blocks of a level: adds the values of its nodes, and appends their children to the next level. A warp takes
// places for all of its children at once.
__device__ inline void process_nodes(const TenantsTask& task, unsigned number, unsigned level, unsigned block,
                                     unsigned blocks)
{
    const Tenant& tenant = task.tenants[number];
    unsigned* const widths = task.widths_of(number);
    const unsigned width = load_relaxed(&widths[level]);
    const unsigned long long rate = child_rate(tenant.width, width);
    const unsigned* const nodes = task.nodes + tenant.first + level % 2 * tenant.capacity;
    unsigned* const next = task.nodes + tenant.first + (level + 1) % 2 * tenant.capacity;
    unsigned long long sum = 0;
    for (unsigned base = block * blockDim.x; base < width; base += blocks * blockDim.x) {
        const unsigned index = base + threadIdx.x;
        unsigned node = 0;
        unsigned value = 0;
        unsigned children = 0;
        if (index < width) {
            node = nodes[index];
            value = value_of_node(node, task.rounds);
            sum += term_of(value);
            children = level < tenant.levels ? children_of(node, value, rate) : 0;
        }
        ItemsAndBlocks total = 0;
        unsigned place = static_cast<unsigned>(exclusive_scan(children, true, total));
        unsigned first = 0;
        if (threadIdx.x % kLanes == 0 && total != 0)
            first = atomicAdd(&widths[level + 1], static_cast<unsigned>(total));
        place += __shfl_sync(0xFFFFFFFFU, first, 0);
        for (unsigned child = 0; child < children; ++child)
            next[place + child] = child_of(value, child, (node & kKeeper) != 0);
    }
    for (unsigned distance = kLanes / 2; distance != 0; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFU, sum, distance);
    if (threadIdx.x % kLanes == 0 && sum != 0)
        atomicAdd(&task.states[number].sum, sum);
}

// All threads of a block call it when they have done their part of the level. `words`: kLevelWords words of shared memory.
__device__ inline unsigned end_level(const TenantsTask& task, unsigned number, unsigned level, unsigned blocks,
                                     unsigned* words)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        TenantState& state = task.states[number];
        words[0] = kNotLast;
        if (blocks == 1 || is_last_block(&state.arrived, blocks)) {
            const unsigned* const widths = task.widths_of(number);
            state.nodes += level == 0 ? 0 : load_relaxed(&widths[level]);
            words[0] = level < task.tenants[number].levels ? load_relaxed(&widths[level + 1]) : 0;
            if (words[0] == 0)
                state.ended_ns = timer_ns();
        }
    }
    __syncthreads();
    return words[0];
}

// Block `block` of the `blocks` blocks of level `level` of a tenant; of a root, only the first has work. The block that ends a level goes
// on with those after it that have at most `threshold` nodes. Returns what end_level() says of the last one that it ended; `level` is
// then the next level.
__device__ inline unsigned run_level(const TenantsTask& task, unsigned number, unsigned& level, unsigned block,
                                     unsigned blocks, unsigned* words)
{
    for (;;) {
        if (level != 0)
            process_nodes(task, number, level, block, blocks);
        else if (block == 0)
            expand_root(task, number);
        const unsigned next = end_level(task, number, level, blocks, words);
        if (next == kNotLast || next == 0)
            return next;
        ++level;
        if (next > task.threshold)
            return next;
        block = 0;
        blocks = 1;
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
