// What a strategy of the workload `icp` includes: the job, and the two kinds of work of an iteration.
//
//     traverse    every scan point is moved, and goes down the tree to a leaf. If it is in the box of the leaf, it is appended to the leaf's
//                 list. It reads all of the scan, and needs 32 registers and no dynamic shared memory.
//     leaf        a block copies the points of a leaf to shared memory (grain 20480: about 195 KB), and searches there for the nearest
//                 point to each scan point of the leaf's list
// The last block of the leaves decides whether there is another iteration.
// Source: search in a left-balanced tree without a stack: Wald, "A Stack-Free Traversal Algorithm for Left-Balanced k-d Trees", 2022.
#pragma once

#include "device/parts/collective.hpp"
#include "device/parts/in_block.hpp"
#include "device/workload_backend.hpp"
#include "workloads/icp/descriptor.hpp"
#include "workloads/icp/icp_model.hpp"

#include <array>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/launch_waves.hpp"
#endif

// Loops over the scan points of a thread are unrolled, so that these are in registers.
#ifdef __CUDA_ARCH__
#define NESTBED_UNROLL_POINTS _Pragma("unroll")
#else
#define NESTBED_UNROLL_POINTS
#endif

namespace nestbed::inline NESTBED_BACKEND
{

struct IcpState {
    IcpShift shift;
    unsigned iteration;
    unsigned done; // 1: the shift is found
    unsigned arrived;
};

struct IcpTask {
    const ScanPoint* scan;
    const int* splits;
    const IcpLeaf* leaves;
    const IcpPoint* points;
    unsigned* counts;       // length of the list of each leaf: 0
    const unsigned* starts; // of the list of each leaf in `lists`
    ScanPoint* lists;
    IcpSums* sums; // of each iteration: 0
    IcpState* state;
    unsigned scan_points, leaf_count, iterations;
    IcpLeaf all; // the box around all boxes, which most scan points are not in
};

struct IcpJob : PreparedRun {
    IcpTask task;
    const Buffer<IcpState>& state;
    unsigned shared_bytes; // of a block that searches leaves

    LaunchShape leaves() const { return {task.leaf_count, point.block, shared_bytes}; }
};

struct IcpTraits {
    using Job = IcpJob;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{&workloads::icp};
};

__device__ inline bool is_in_box(const IcpLeaf& leaf, const ScanPoint& at)
{
    return at.x >= leaf.low[0] && at.x <= leaf.high[0] && at.y >= leaf.low[1] && at.y <= leaf.high[1] &&
           at.z >= leaf.low[2] && at.z <= leaf.high[2];
}

// The leaf of a point, which goes down the tree.
__device__ inline unsigned leaf_of(const IcpTask& task, const ScanPoint& at)
{
    unsigned node = 1; // one more than its number in `splits`
    while (node < task.leaf_count) {
        const int split = task.splits[node - 1];
        const int dimension = split & 3;
        const int here = dimension == 0 ? at.x : dimension == 1 ? at.y : at.z;
        node = 2 * node + (here >= split >> 2 ? 1 : 0);
    }
    return node - task.leaf_count;
}

// Calls act(at, leaf) for the scan points of block `block` of `blocks`, moved, that are in the box of a leaf. Points: of a thread at a
// time. Only those near the surface go down the tree.
template <unsigned Points, class Act>
__device__ __forceinline__ void for_each_scan_point(const IcpTask& task, unsigned block, unsigned blocks,
                                                    const Act& act)
{
    const IcpShift shift = task.state->shift;
    const std::size_t range = std::size_t{blockDim.x} * Points;
    for (std::size_t base = block * range + threadIdx.x; base < task.scan_points; base += blocks * range) {
        ScanPoint at[Points];
        bool near[Points];
        bool any = false;
        NESTBED_UNROLL_POINTS
        for (unsigned index = 0; index < Points; ++index) {
            const std::size_t place = base + index * blockDim.x;
            at[index] = task.scan[place < task.scan_points ? place : base];
            at[index].x += shift.x;
            at[index].y += shift.y;
            at[index].z += shift.z;
            near[index] = place < task.scan_points && is_in_box(task.all, at[index]);
            any = any || near[index];
        }
        if (!any)
            continue;
        NESTBED_UNROLL_POINTS
        for (unsigned index = 0; index < Points; ++index) {
            if (!near[index])
                continue;
            const unsigned leaf = leaf_of(task, at[index]);
            if (is_in_box(task.leaves[leaf], at[index]))
                act(at[index], leaf);
        }
    }
}

// Lists all scan points of the block for their leaves.
template <unsigned Points>
__device__ __forceinline__ void traverse(const IcpTask& task, unsigned block, unsigned blocks)
{
    for_each_scan_point<Points>(task, block, blocks, [&](const ScanPoint& at, unsigned leaf) {
        task.lists[task.starts[leaf] + atomicAdd(&task.counts[leaf], 1U)] = at;
    });
}

// Adds the nearest point of a leaf to `at`, if one is within reach. tree: the points of the leaf.
__device__ inline void add_nearest(const IcpPoint* tree, int count, const ScanPoint& at, IcpSums& sums)
{
    unsigned squared = kIcpReachSquared;
    IcpPoint nearest = ~IcpPoint{0};
    int node = count == 0 ? -1 : 0;
    int before = -1;
    unsigned dimension = 0;
    while (node >= 0) {
        const int parent = (node + 1) / 2 - 1;
        if (node >= count) {
            before = node;
            node = parent;
            dimension = dimension == 0 ? 2 : dimension - 1;
            continue;
        }
        const IcpPoint here = tree[node];
        if (before < node) { // from above: the first time
            const int x = coordinate(here, 0) - at.x;
            const int y = coordinate(here, 1) - at.y;
            const int z = coordinate(here, 2) - at.z;
            const auto distance = static_cast<unsigned>(x * x + y * y + z * z);
            if (distance < squared || (distance == squared && here < nearest)) {
                squared = distance;
                nearest = here;
            }
        }
        const int apart = (dimension == 0 ? at.x : dimension == 1 ? at.y : at.z) - coordinate(here, dimension);
        const int near_side = 2 * node + (apart > 0 ? 2 : 1);
        const int far_side = 4 * node + 3 - near_side;
        int next = parent;
        if (before < node)
            next = near_side;
        else if (before == near_side && static_cast<unsigned>(apart * apart) <= squared)
            next = far_side;
        dimension = next == parent ? (dimension == 0 ? 2 : dimension - 1) : (dimension == 2 ? 0 : dimension + 1);
        before = node;
        node = next;
    }
    if (nearest == ~IcpPoint{0})
        return;
    const auto weighted = [&](int difference) { return static_cast<unsigned long long>(difference) * at.weight; };
    ++sums.matched;
    sums.weight += at.weight;
    sums.x += weighted(coordinate(nearest, 0) - at.x);
    sums.y += weighted(coordinate(nearest, 1) - at.y);
    sums.z += weighted(coordinate(nearest, 2) - at.z);
    sums.squared += static_cast<unsigned long long>(squared) * at.weight;
}

// Adds the sums of all threads of the block to those of the iteration.
__device__ inline void add_sums(const IcpTask& task, const IcpSums& mine)
{
    IcpSums* const all = &task.sums[task.state->iteration];
    const auto add = [](unsigned long long* to, unsigned long long number) {
        number = block_sum(number);
        if (threadIdx.x == 0 && number != 0)
            atomicAdd(to, number);
    };
    add(&all->matched, mine.matched);
    add(&all->weight, mine.weight);
    add(&all->x, mine.x);
    add(&all->y, mine.y);
    add(&all->z, mine.z);
    add(&all->squared, mine.squared);
}

// Two points, which one instruction copies.
struct alignas(16) IcpPointPair {
    IcpPoint one, other;
};

// All threads of a block call it: the searches of a leaf, whose list is then empty. tree: room for its points in shared memory; copied:
// they are there already. Returns whether they are there now.
__device__ __forceinline__ bool search_leaf(const IcpTask& task, unsigned leaf, IcpPointPair* tree, bool copied)
{
    const unsigned scan_points = task.counts[leaf];
    if (scan_points == 0)
        return copied;
    const unsigned count = task.leaves[leaf].count;
    if (!copied) {
        __syncthreads(); // nobody searches the leaf before it
        const auto* const from = reinterpret_cast<const IcpPointPair*>(task.points + task.leaves[leaf].first);
        for (unsigned index = threadIdx.x; index < (count + 1) / 2; index += blockDim.x)
            tree[index] = from[index];
        __syncthreads();
    }
    IcpSums mine{};
    const ScanPoint* const list = task.lists + task.starts[leaf];
    for (unsigned index = threadIdx.x; index < scan_points; index += blockDim.x)
        add_nearest(&tree->one, static_cast<int>(count), list[index], mine);
    add_sums(task, mine);
    if (threadIdx.x == 0)
        task.counts[leaf] = 0;
    return true;
}

// By one thread, after the searches of all leaves. True if there is another iteration.
__device__ inline bool finish_iteration(const IcpTask& task)
{
    IcpState* const state = task.state;
    const IcpShift step = icp_step(task.sums[state->iteration]);
    ++state->iteration;
    state->shift = {state->shift.x + step.x, state->shift.y + step.y, state->shift.z + step.z};
    state->done = is_zero(step) || state->iteration == task.iterations ? 1 : 0;
    return state->done == 0;
}

// In all threads of a block, which is one of `blocks`: true in thread 0 of the last of them.
__device__ inline bool is_last_of(const IcpTask& task, unsigned blocks)
{
    __syncthreads();
    return threadIdx.x == 0 && is_last_block(&task.state->arrived, blocks);
}

inline constexpr unsigned kPointsPerThread = 2; // of a traversal with 32 registers

} // namespace nestbed::inline NESTBED_BACKEND
