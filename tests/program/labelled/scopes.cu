// Atomic operations and fences whose scope is the block: right among the threads of a block, wrong between blocks.
#include "launches.h"

#include <cuda/atomic>

// The cell that a block uses: its own, or the one of all blocks.
template <Bug bug>
__device__ int cell_of_block()
{
    return bug == Bug::kBlockScope ? 0 : blockIdx.x;
}

template <Bug bug>
__global__ void counter_kernel(int* numbers, int* result)
{
    const int sum = atomicAdd_block(numbers + cell_of_block<bug>(), 1); // race in counter.block_scope
    if (sum == 1000)
        *result = 1;
}

// Warp 1 of each block waits for warp 0 of the same block, or of the block before.
template <Bug bug>
__global__ void handoff_kernel(int* numbers, int* result)
{
    int* const flags = numbers + gridDim.x;
    if (threadIdx.x == 0) {
        numbers[blockIdx.x] = 10; // race in handoff.block_scope, handoff.missing_fence
        if constexpr (bug != Bug::kMissingFence)
            __threadfence_block();
        atomicExch_block(flags + blockIdx.x, 1); // race in handoff.block_scope
    } else if (threadIdx.x == 32) {
        const int other = bug == Bug::kBlockScope ? (blockIdx.x + 1) % gridDim.x : blockIdx.x;
        while (atomicCAS_block(flags + other, 2, 2) == 0) { // race in handoff.block_scope
        }
        if constexpr (bug != Bug::kMissingFence)
            __threadfence_block();
        atomicAdd(result, numbers[other]); // race in handoff.block_scope, handoff.missing_fence
    }
}

// Fences of a block's scope around atomics that all threads of the device see.
template <Bug bug>
__global__ void last_warp_kernel(int* numbers, int* result)
{
    if (threadIdx.x % 32 != 0)
        return;
    const int warp = blockIdx.x * 2 + threadIdx.x / 32;
    int* const arrived = numbers + 8 + cell_of_block<bug>();
    const int first = bug == Bug::kBlockScope ? 0 : blockIdx.x * 2;
    const int count = bug == Bug::kBlockScope ? 8 : 2;
    numbers[warp] = 1; // race in last_warp.block_scope, last_warp.missing_fence
    if constexpr (bug != Bug::kMissingFence)
        __threadfence_block();
    if (atomicAdd(arrived, 1) != count - 1)
        return;
    if constexpr (bug != Bug::kMissingFence)
        __threadfence_block();
    int sum = 0;
    for (int i = 0; i < count; ++i)
        sum += numbers[first + i]; // race in last_warp.block_scope, last_warp.missing_fence
    atomicAdd(result, sum);
}

// The fences have the scope of the device, the counter has that of the block.
template <Bug bug>
__global__ void last_arrival_kernel(int* numbers, int* result)
{
    int* const arrived = numbers + 4;
    numbers[blockIdx.x] = 1; // race in last_arrival.block_scope
    __threadfence();
    int before;
    if constexpr (bug == Bug::kBlockScope)
        before = atomicAdd_block(arrived, 1); // race in last_arrival.block_scope
    else
        before = atomicAdd(arrived, 1);
    if (before != 3)
        return;
    __threadfence();
    for (int i = 0; i < 4; ++i)
        *result += numbers[i]; // race in last_arrival.block_scope
}

// A lock for each block, or one for all.
template <Bug bug>
__global__ void lock_kernel(int* numbers, int* result)
{
    const int cell = cell_of_block<bug>();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS_block(numbers + 4 + cell, 0, 1) != 0) { // race in lock.block_scope
        }
        __threadfence_block();
        ++numbers[cell]; // race in lock.block_scope
        __threadfence_block();
        atomicExch_block(numbers + 4 + cell, 0); // race in lock.block_scope
    }
    __syncthreads();
    if (bug != Bug::kBlockScope && threadIdx.x == 0)
        atomicAdd(result, numbers[cell]);
}

// The same with cuda::atomic_ref, which releases and acquires.
template <Bug bug, cuda::thread_scope scope>
__global__ void reference_kernel(int* numbers, int* result)
{
    const int other = bug == Bug::kBlockScope ? (blockIdx.x + 1) % gridDim.x : blockIdx.x;
    if (threadIdx.x == 0) {
        numbers[blockIdx.x] = 10; // race in reference.block_scope
        // race in reference.block_scope
        cuda::atomic_ref<int, scope>(numbers[4 + blockIdx.x]).store(1, cuda::std::memory_order_release);
    } else if (threadIdx.x == 32) {
        // race in reference.block_scope
        while (cuda::atomic_ref<int, scope>(numbers[4 + other]).load(cuda::std::memory_order_acquire) == 0) {
        }
        atomicAdd(result, numbers[other]); // race in reference.block_scope
    }
}

template <Bug bug, cuda::thread_scope scope>
bool reference(int)
{
    return run_kernel<reference_kernel<bug, scope>>(4, 64, std::vector<int>(8, 0)) == 40;
}

// In shared memory the scope of the block is always enough.
template <Bug bug>
__global__ void histogram_kernel(int* numbers, int* result)
{
    __shared__ int counts[8];
    if (threadIdx.x < 8)
        counts[threadIdx.x] = 0; // race in histogram.missing_barrier
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    // race in histogram.missing_barrier; also uninitialized in histogram.missing_barrier
    atomicAdd_block(counts + threadIdx.x % 8, 1);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(numbers + threadIdx.x, counts[threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(result, counts[0]);
}

int main(int argc, char** argv)
{
    constexpr auto kOfBlock = cuda::thread_scope_block;
    constexpr auto kOfDevice = cuda::thread_scope_device;

    std::vector<Variant> all{{"reference", Bug::kNone, reference<Bug::kNone, kOfBlock>},
                             {"reference to device", Bug::kNone, reference<Bug::kNone, kOfDevice>},
                             {"reference", Bug::kBlockScope, reference<Bug::kBlockScope, kOfBlock>}};
    add_kernel<Bug::kNone, Bug::kBlockScope>(all, "counter", [](auto bug, int) {
        return run_kernel<counter_kernel<bug>>(4, 64, std::vector<int>(4, 0)) == 0;
    });
    add_kernel<Bug::kNone, Bug::kBlockScope, Bug::kMissingFence>(all, "handoff", [](auto bug, int) {
        return run_kernel<handoff_kernel<bug>>(3, 64, std::vector<int>(6, 0)) == 30;
    });
    add_kernel<Bug::kNone, Bug::kBlockScope, Bug::kMissingFence>(all, "last_warp", [](auto bug, int) {
        return run_kernel<last_warp_kernel<bug>>(4, 64, std::vector<int>(12, 0)) == 8;
    });
    add_kernel<Bug::kNone, Bug::kBlockScope>(all, "last_arrival", [](auto bug, int) {
        return run_kernel<last_arrival_kernel<bug>>(4, 1, std::vector<int>(5, 0)) == 4;
    });
    add_kernel<Bug::kNone, Bug::kBlockScope>(all, "lock", [](auto bug, int) {
        return run_kernel<lock_kernel<bug>>(4, 64, std::vector<int>(8, 0)) == (bug == Bug::kBlockScope ? 0 : 8);
    });
    add_kernel<Bug::kNone, Bug::kMissingBarrier>(all, "histogram", [](auto bug, int) {
        return run_kernel<histogram_kernel<bug>>(3, 64, std::vector<int>(8, 0)) == 24;
    });
    return run_variant(argc, argv, all);
}
