// Partial sums of several ranks, then their all-reduce with the residual, five times: ten programmatic launches, in a stream or as a
// captured graph. Each rank is a block. In a step it writes its own part for all, raises its flag, waits for those of the others, and adds.
#include "chain.h"

#include <cuda/atomic>

constexpr int kRanks = 3;
constexpr int kWidth = 32;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

template <Bug bug, bool handed>
__global__ void partial_sums(const float* weights, const float* hidden, float* partial, unsigned delay_us)
{
    const int lane = static_cast<int>(threadIdx.x);
    const int rank = static_cast<int>(blockIdx.x);
    const float weight = weights[rank * kWidth + lane]; // of the host
    cudaTriggerProgrammaticLaunchCompletion();
    if constexpr (!handed)
        cudaGridDependencySynchronize();
    const float next = hidden[(lane + rank) % kWidth]; // race in missing_wait, early_trigger
    sleep_us(delay_us);
    partial[rank * kWidth + lane] = weight * next; // race in missing_wait, early_trigger
}

// What each rank has written for this step is in one of two buffers: the other one may still be read.
template <Bug bug, bool handed>
__global__ void all_reduce(const float* partial, int step, float* exchanged, int* flags, float* hidden,
                           unsigned delay_us)
{
    const int lane = static_cast<int>(threadIdx.x);
    const int rank = static_cast<int>(blockIdx.x);
    float* const buffer = exchanged + step % 2 * kRanks * kWidth;
    if constexpr (!handed || bug == Bug::kEarlyTrigger)
        cudaTriggerProgrammaticLaunchCompletion();
    if constexpr (bug != Bug::kMissingWait)
        cudaGridDependencySynchronize();
    buffer[rank * kWidth + lane] = partial[rank * kWidth + lane]; // race in missing_wait, early_trigger
    __syncthreads();
    if (lane == 0) {
        Flag(flags[rank]).store(step + 1, cuda::memory_order_release);
        for (int other = 0; other < kRanks; ++other)
            while (Flag(flags[other]).load(cuda::memory_order_acquire) < step + 1)
                __nanosleep(20);
    }
    __syncthreads();
    sleep_us(delay_us);
    // Each rank adds for its own lanes, and writes the result for all ranks.
    if (lane % kRanks == rank) {
        float sum = hidden[lane]; // race in missing_wait, early_trigger
        for (int other = 0; other < kRanks; ++other)
            sum += buffer[other * kWidth + lane]; // race in missing_wait, early_trigger
        hidden[lane] = sum;                       // race in missing_wait, early_trigger
    }
    if constexpr (handed && bug != Bug::kEarlyTrigger) {
        __syncthreads();
        __threadfence();
        cudaTriggerProgrammaticLaunchCompletion();
    }
}

std::vector<float> on_the_host(const std::vector<float>& weights, std::vector<float> hidden)
{
    for (int step = 0; step < kSteps; ++step) {
        std::vector<float> next = hidden;
        for (int rank = 0; rank < kRanks; ++rank)
            for (int lane = 0; lane < kWidth; ++lane)
                next[lane] += weights[rank * kWidth + lane] * hidden[(lane + rank) % kWidth];
        hidden = next;
    }
    return hidden;
}

template <Bug bug, bool handed>
bool is_right(bool captured, int seed)
{
    Numbers numbers(seed);
    const unsigned delay_us = 10U * static_cast<unsigned>(seed);
    const std::vector<float> weights = uneven(numbers, kRanks * kWidth, 1);
    const std::vector<float> hidden = uneven(numbers, kWidth, 3);
    const float* const device_weights = on_device(weights);
    float* const device_hidden = on_device(hidden);
    float* const partial = on_device(std::vector<float>(kRanks * kWidth, 0));
    float* const exchanged = on_device(std::vector<float>(2 * kRanks * kWidth, 0));
    int* const flags = on_device(std::vector<int>(kRanks, 0));
    run_steps(captured, [&](cudaStream_t stream, int step) {
        launch_early(kRanks, kWidth, stream, partial_sums<bug, handed>, device_weights, device_hidden, partial,
                     delay_us);
        launch_early(kRanks, kWidth, stream, all_reduce<bug, handed>, partial, step, exchanged, flags, device_hidden,
                     delay_us);
    });
    return is_close(on_host(device_hidden, kWidth), on_the_host(weights, hidden));
}

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    for (const bool captured : {false, true}) {
        add_kernel<Bug::kNone, Bug::kMissingWait>(
            all, captured ? "reduced_graph" : "reduced",
            [captured](auto bug, int seed) { return is_right<bug, false>(captured, seed); });
        // The all-reduce hands its result over: a fence before its trigger, and the partial sums do not wait.
        add_kernel<Bug::kNone, Bug::kEarlyTrigger>(
            all, captured ? "reduced_handed_graph" : "reduced_handed",
            [captured](auto bug, int seed) { return is_right<bug, true>(captured, seed); });
    }
    return run_variant(argc, argv, all);
}
