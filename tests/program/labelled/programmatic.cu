// Programmatic dependent launches: a grid begins before the one before it in its stream has ended.
#include "../cuda/programmatic.h"
#include "labelled.h"

constexpr int kSum = kCount * (kCount - 1) / 2; // of 0 to kCount - 1

// The next grid waits for what this one writes, so that the trigger may come at any time.
template <bool trigger>
__global__ void fill(int* numbers)
{
    if constexpr (trigger)
        cudaTriggerProgrammaticLaunchCompletion();
    // race in stages.missing_wait, without_trigger.missing_wait, preamble.early_read, one_waits.missing_barrier
    // race in three.missing_wait, three.early_read
    numbers[index_of_thread()] = index_of_thread();
}

template <bool waits>
__global__ void sum_all(const int* numbers, int* sum)
{
    if constexpr (waits)
        cudaGridDependencySynchronize();
    for (int i = 0; i < kCount; ++i)
        // race in stages.missing_wait, without_trigger.missing_wait, three.missing_wait, handed.missing_fence
        // race in handed.missing_barrier, handed.early_trigger, of_child.missing_wait
        *sum += numbers[i];
}

template <bool trigger, bool waits>
bool stages(int)
{
    int* const sum = on_device(std::vector<int>{0});
    int* const numbers = on_device(counted(kCount, 1));
    fill<trigger><<<kBlocks, kThreads>>>(numbers);
    launch_early(1, 1, nullptr, sum_all<waits>, numbers, sum);
    return value_of(sum) == kSum;
}

// What the host has copied needs no wait, what the grid before writes does.
template <Bug bug>
__global__ void scaled_sum(const int* factor, const int* numbers, int* sum)
{
    const int scale = *factor;
    int result = 0;
    if constexpr (bug == Bug::kEarlyRead)
        result = scale * numbers[0]; // race in preamble.early_read
    cudaGridDependencySynchronize();
    for (int i = bug == Bug::kEarlyRead ? 1 : 0; i < kCount; ++i)
        result += scale * numbers[i];
    *sum = result;
}

// One thread waits for all of its block.
template <Bug bug>
__global__ void add_own(const int* numbers, int* sum)
{
    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    atomicAdd(sum, numbers[index_of_thread()]); // race in one_waits.missing_barrier
}

// A grid that does not wait leaves the one before it open, also for the next.
template <Bug bug>
__global__ void between(const int* numbers, int* copy)
{
    if constexpr (bug == Bug::kEarlyRead)
        *copy = numbers[0]; // race in three.early_read
    if constexpr (bug != Bug::kMissingWait)
        cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
}

// The data is handed over by a fence before the trigger: the next grid does not wait.
template <Bug bug>
__global__ void fill_and_hand_over(int* numbers)
{
    if constexpr (bug == Bug::kEarlyTrigger) {
        __threadfence();
        cudaTriggerProgrammaticLaunchCompletion();
    }
    // race in handed.early_trigger, handed.missing_fence, handed.missing_barrier
    numbers[index_of_thread()] = index_of_thread();
    if constexpr (bug != Bug::kMissingBarrier) // else the first thread lets the next grid begin
        __syncthreads();
    if constexpr (bug != Bug::kMissingFence)
        __threadfence();
    cudaTriggerProgrammaticLaunchCompletion();
}

// The next grid writes what this one may still read.
__global__ void sum_then_end(const int* numbers, int* sum)
{
    cudaTriggerProgrammaticLaunchCompletion();
    for (int i = 0; i < kCount; ++i)
        *sum += numbers[i]; // race in reused.missing_wait
}

template <Bug bug>
__global__ void clear(int* numbers)
{
    if constexpr (bug != Bug::kMissingWait)
        cudaGridDependencySynchronize();
    numbers[index_of_thread()] = 0; // race in reused.missing_wait
}

// A grid has ended when its children have.
__global__ void fill_below(int* numbers)
{
    numbers[threadIdx.x] = threadIdx.x; // race in of_child.missing_wait
}

__global__ void fill_by_child(int* numbers)
{
    cudaTriggerProgrammaticLaunchCompletion();
    fill_below<<<1, kCount, 0, cudaStreamFireAndForget>>>(numbers);
}

template <bool waits>
bool of_child(int)
{
    int* const sum = on_device(std::vector<int>{0});
    int* const numbers = on_device(counted(kCount, 1));
    fill_by_child<<<1, 1>>>(numbers);
    launch_early(1, 1, nullptr, sum_all<waits>, numbers, sum);
    return value_of(sum) == kSum;
}

// A copy between two grids: neither overlaps the other.
bool copy_between(int)
{
    int* const sum = on_device(std::vector<int>{0});
    int* const numbers = on_device(counted(kCount, 1));
    int* const copy = on_device(counted(kCount, 1));
    fill<true><<<kBlocks, kThreads>>>(numbers);
    CHECK(cudaMemcpyAsync(copy, numbers, kCount * sizeof(int), cudaMemcpyDeviceToDevice));
    launch_early(1, 1, nullptr, sum_all<false>, copy, sum);
    return value_of(sum) == kSum;
}

int main(int argc, char** argv)
{
    std::vector<Variant> all{{"stages", Bug::kNone, stages<true, true>},
                             {"stages", Bug::kMissingWait, stages<true, false>},
                             {"without_trigger", Bug::kNone, stages<false, true>},
                             {"without_trigger", Bug::kMissingWait, stages<false, false>},
                             {"of_child", Bug::kNone, of_child<true>},
                             {"of_child", Bug::kMissingWait, of_child<false>},
                             {"copy_between", Bug::kNone, copy_between}};
    add_kernel<Bug::kNone, Bug::kEarlyRead>(all, "preamble", [](auto bug, int) {
        int* const sum = on_device(std::vector<int>{0});
        int* const numbers = on_device(counted(kCount, 1));
        int* const factor = on_device(std::vector<int>{3});
        fill<true><<<kBlocks, kThreads>>>(numbers);
        launch_early(1, 1, nullptr, scaled_sum<bug>, factor, numbers, sum);
        return value_of(sum) == 3 * kSum;
    });
    add_kernel<Bug::kNone, Bug::kMissingBarrier>(all, "one_waits", [](auto bug, int) {
        int* const sum = on_device(std::vector<int>{0});
        int* const numbers = on_device(counted(kCount, 1));
        fill<true><<<kBlocks, kThreads>>>(numbers);
        launch_early(kBlocks, kThreads, nullptr, add_own<bug>, numbers, sum);
        return value_of(sum) == kSum;
    });
    add_kernel<Bug::kNone, Bug::kMissingWait, Bug::kEarlyRead>(all, "three", [](auto bug, int) {
        int* const sum = on_device(std::vector<int>{0});
        int* const copy = on_device(std::vector<int>{0});
        int* const numbers = on_device(counted(kCount, 1));
        fill<true><<<kBlocks, kThreads>>>(numbers);
        launch_early(1, 1, nullptr, between<bug>, numbers, copy);
        launch_early(1, 1, nullptr, sum_all<true>, numbers, sum);
        return value_of(sum) == kSum && value_of(copy) == 0;
    });
    add_kernel<Bug::kNone, Bug::kEarlyTrigger, Bug::kMissingFence, Bug::kMissingBarrier>(
        all, "handed", [](auto bug, int) {
            int* const sum = on_device(std::vector<int>{0});
            int* const numbers = on_device(counted(kCount, 1));
            fill_and_hand_over<bug><<<kBlocks, kThreads>>>(numbers);
            launch_early(1, 1, nullptr, sum_all<false>, numbers, sum);
            return value_of(sum) == kSum;
        });
    add_kernel<Bug::kNone, Bug::kMissingWait>(all, "reused", [](auto bug, int) {
        int* const sum = on_device(std::vector<int>{0});
        int* const numbers = on_device(counted(kCount, 0));
        sum_then_end<<<1, 1>>>(numbers, sum);
        launch_early(kBlocks, kThreads, nullptr, clear<bug>, numbers);
        return value_of(sum) == kSum && value_of(numbers + kCount - 1) == 0;
    });
    return run_variant(argc, argv, all);
}
