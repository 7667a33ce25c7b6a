// Blocks of one grid that pass data on: the last block, flags, locks, queues, a barrier of the grid; and lanes of a warp.
#include "launches.h"

// The last block to arrive sums what all blocks wrote.
__device__ unsigned arrived = 0;

template <Bug bug, bool release, bool acquire>
__global__ void last_block_kernel(int* numbers, int* result)
{
    if (threadIdx.x == 0) {
        // race in last_block.missing_fence, last_block without release.missing_fence, last_block.block_scope
        // race in last_block without acquire.missing_fence
        numbers[blockIdx.x] = 10 + blockIdx.x;
        if constexpr (bug == Bug::kBlockScope)
            __threadfence_block();
        else if constexpr (release)
            __threadfence();
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            if constexpr (acquire)
                __threadfence();
            for (int i = 0; i < gridDim.x; ++i)
                // race in last_block.missing_fence, last_block without release.missing_fence, last_block.block_scope
                // race in last_block without acquire.missing_fence
                *result += numbers[i];
        }
    }
}

template <Bug bug, bool release, bool acquire>
bool last_block(int)
{
    return run_kernel<last_block_kernel<bug, release, acquire>>(4, 32, counted(4, 0)) == 46;
}

// The same, where all threads write, meet at a barrier, and one of them counts.
template <Bug bug>
__global__ void last_block_barrier_kernel(int* numbers, int* result)
{
    __shared__ bool last;
    // race in last_block_barrier.missing_fence, last_block_barrier.missing_barrier
    numbers[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    if constexpr (bug != Bug::kMissingFence)
        __threadfence();
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int i = 0; i < gridDim.x * blockDim.x; ++i)
            // race in last_block_barrier.missing_fence, last_block_barrier.missing_barrier
            *result += numbers[i];
}

// Block 1 waits for block 0.
template <Bug bug>
__global__ void handoff_kernel(int* numbers, int* result)
{
    int* const flag = numbers + 1;
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        numbers[0] = 42; // race in handoff.missing_fence, handoff.plain_flag
        if constexpr (bug != Bug::kMissingFence)
            __threadfence();
        if constexpr (bug == Bug::kPlainFlag)
            *flag = 1; // race in handoff.plain_flag
        else
            atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) { // race in handoff.plain_flag
        }
        if constexpr (bug != Bug::kMissingFence)
            __threadfence();
        *result = numbers[0]; // race in handoff.missing_fence, handoff.plain_flag
    }
}

// A lock around a plain counter.
template <Bug bug>
__global__ void lock_kernel(int* numbers, int* result)
{
    if (threadIdx.x != 0)
        return;
    int* const lock = numbers;
    while (atomicCAS(lock, 0, 1) != 0) { // race in lock.plain_write
    }
    if constexpr (bug != Bug::kMissingFence)
        __threadfence();
    ++*result; // race in lock.missing_fence, lock.plain_write
    if constexpr (bug != Bug::kMissingFence)
        __threadfence();
    if constexpr (bug == Bug::kPlainWrite)
        *lock = 0; // race in lock.plain_write
    else
        atomicExch(lock, 0);
}

// Blocks that stay take the next item from a counter.
template <Bug bug>
__global__ void queue_kernel(int* numbers, int* result)
{
    __shared__ int item;
    int* const next = numbers;
    for (;;) {
        if (threadIdx.x == 0) {
            if constexpr (bug == Bug::kMissingAtomic)
                item = (*next)++; // race in queue.missing_atomic
            else
                item = atomicAdd(next, 1); // race in queue.missing_barrier
        }
        __syncthreads();
        if (item >= 10) // race in queue.missing_barrier
            return;
        if (threadIdx.x == 32)
            atomicAdd(result, item); // also race in queue.missing_barrier
        if constexpr (bug != Bug::kMissingBarrier)
            __syncthreads();
    }
}

// All blocks wait for each other at a counter.
template <Bug bug>
__global__ void grid_barrier_kernel(int* numbers, int* result)
{
    if (threadIdx.x != 0)
        return;
    numbers[1 + blockIdx.x] = 5 + blockIdx.x; // race in grid_barrier.missing_fence
    if constexpr (bug != Bug::kMissingFence)
        __threadfence();
    atomicAdd(numbers, 1);
    while (atomicAdd(numbers, 0) < static_cast<int>(gridDim.x)) {
    }
    if constexpr (bug != Bug::kMissingFence)
        __threadfence();
    atomicAdd(result, numbers[1 + (blockIdx.x + 1) % gridDim.x]); // race in grid_barrier.missing_fence
}

// The sum of each number and its right neighbour, which may be of another block.
template <Bug bug>
__global__ void neighbours_kernel(int* numbers, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int count = gridDim.x * blockDim.x;
    int* const to = bug == Bug::kInPlace ? numbers : numbers + count;
    to[i] = numbers[i] + numbers[(i + 1) % count]; // race in neighbours.in_place
    atomicAdd(result, to[i]);                      // also race in neighbours.in_place
}

// A warp sums through shared memory.
template <Bug bug, class Memory>
__global__ void warp_sum_kernel(int* numbers, int* result)
{
    __shared__ int part[64];
    Memory* const mine = part;
    const int lane = threadIdx.x;
    mine[lane] = numbers[lane]; // also race in warp_sum.missing_syncwarp
    mine[lane + 32] = 0;        // also race in warp_sum.missing_syncwarp
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        const int other = mine[lane + offset]; // race in warp_sum.missing_syncwarp
        if constexpr (bug != Bug::kMissingSyncwarp)
            __syncwarp();
        mine[lane] += other; // race in warp_sum.missing_syncwarp
        if constexpr (bug != Bug::kMissingSyncwarp)
            __syncwarp();
    }
    if (lane == 0)
        *result = mine[0];
}

template <Bug bug, class Memory>
bool warp_sum(int)
{
    return run_kernel<warp_sum_kernel<bug, Memory>>(1, 32, counted(32, 0)) == 31 * 32 / 2;
}

// The lanes with an even number go to a list: one lane reserves places for all of them.
template <Bug bug>
__global__ void compact_kernel(int* numbers, int* result)
{
    const unsigned lane = threadIdx.x % 32;
    const bool mine = threadIdx.x % 2 == 0;
    const unsigned who = __ballot_sync(0xFFFFFFFF, mine);
    const int leader = __ffs(static_cast<int>(who)) - 1;
    int begin = 0;
    if (lane == leader) {
        if constexpr (bug == Bug::kMissingAtomic) {
            begin = *result;               // race in compact.missing_atomic
            *result = begin + __popc(who); // race in compact.missing_atomic
        } else
            begin = atomicAdd(result, __popc(who));
    }
    begin = __shfl_sync(0xFFFFFFFF, begin, leader);
    const int before = bug == Bug::kOverlap ? lane / 4 : __popc(who & ((1U << lane) - 1));
    if (mine)
        numbers[begin + before] = threadIdx.x; // race in compact.overlap; also race in compact.missing_atomic
}

// Memory of the device's heap.
__device__ int* shared_by_blocks = nullptr;

template <Bug bug>
__global__ void heap_kernel(int*, int* result)
{
    if (blockIdx.x == 0) {
        int* const memory = static_cast<int*>(malloc(2 * sizeof(int)));
        memory[0] = 0;
        __threadfence();
        atomicExch(reinterpret_cast<unsigned long long*>(&shared_by_blocks),
                   reinterpret_cast<unsigned long long>(memory));
    } else {
        unsigned long long there = 0;
        while (there == 0)
            there = atomicAdd(reinterpret_cast<unsigned long long*>(&shared_by_blocks), 0ULL);
        __threadfence();
        int* const memory = reinterpret_cast<int*>(there);
        if constexpr (bug == Bug::kMissingAtomic)
            ++*memory; // race in heap.missing_atomic
        else
            atomicAdd(memory, 1);
        atomicAdd(result, 1);
    }
}

// Threads write bytes of one number: memory of their own.
__global__ void bytes_kernel(int* numbers, int* result)
{
    unsigned char* const bytes = reinterpret_cast<unsigned char*>(numbers);
    bytes[blockIdx.x] = 1;
    atomicAdd(result, 1);
}

bool bytes(int)
{
    return run_kernel<bytes_kernel>(4, 1, {0}) == 4;
}

int main(int argc, char** argv)
{
    std::vector<Variant> all{
        {"last_block", Bug::kNone, last_block<Bug::kNone, true, true>},
        {"last_block", Bug::kMissingFence, last_block<Bug::kMissingFence, false, false>},
        {"last_block without release", Bug::kMissingFence, last_block<Bug::kMissingFence, false, true>},
        {"last_block without acquire", Bug::kMissingFence, last_block<Bug::kMissingFence, true, false>},
        {"last_block", Bug::kBlockScope, last_block<Bug::kBlockScope, true, true>},
        {"warp_sum", Bug::kNone, warp_sum<Bug::kNone, int>},
        {"warp_sum", Bug::kMissingSyncwarp, warp_sum<Bug::kMissingSyncwarp, int>},
        {"warp_sum, volatile", Bug::kMissingSyncwarp, warp_sum<Bug::kMissingSyncwarp, volatile int>, "",
         "Pairs of atomic or volatile accesses."},
        {"bytes", Bug::kNone, bytes}};
    add_kernel<Bug::kNone, Bug::kMissingFence, Bug::kMissingBarrier>(all, "last_block_barrier", [](auto bug, int) {
        return run_kernel<last_block_barrier_kernel<bug>>(3, 64, std::vector<int>(192, 0)) == 192;
    });
    add_kernel<Bug::kNone, Bug::kMissingFence, Bug::kPlainFlag>(all, "handoff", [](auto bug, int) {
        return run_kernel<handoff_kernel<bug>>(2, 32, {0, 0}) == 42;
    });
    add_kernel<Bug::kNone, Bug::kMissingFence, Bug::kPlainWrite>(
        all, "lock", [](auto bug, int) { return run_kernel<lock_kernel<bug>>(4, 32, {0}) == 4; });
    add_kernel<Bug::kNone, Bug::kMissingAtomic, Bug::kMissingBarrier>(
        all, "queue", [](auto bug, int) { return run_kernel<queue_kernel<bug>>(2, 64, {0}) == 45; });
    add_kernel<Bug::kNone, Bug::kMissingFence>(all, "grid_barrier", [](auto bug, int) {
        return run_kernel<grid_barrier_kernel<bug>>(3, 32, {0, 0, 0, 0}) == 18;
    });
    add_kernel<Bug::kNone, Bug::kInPlace>(all, "neighbours", [](auto bug, int) {
        return run_kernel<neighbours_kernel<bug>>(2, 32, counted(128, 0)) == 2 * (63 * 64 / 2);
    });
    add_kernel<Bug::kNone, Bug::kMissingAtomic, Bug::kOverlap>(
        all, "compact", [](auto bug, int) { return run_kernel<compact_kernel<bug>>(1, 64, counted(64, 0)) == 32; });
    add_kernel<Bug::kNone, Bug::kMissingAtomic>(
        all, "heap", [](auto bug, int) { return run_kernel<heap_kernel<bug>>(3, 1, {0}) == 2; });
    return run_variant(argc, argv, all);
}
