// Kind: trigger in a loop, taken for a handover of each part
// Only the first trigger of a block counts. The next kernel may begin then, and the fences order the first part alone.
#include "../programmatic.h"

constexpr int kParts = 4;

__global__ void produce(int* parts, int number, unsigned delay_us)
{
    for (int part = 0; part < kParts; ++part) {
        if (part > 0)
            sleep_us(delay_us / kParts);
        parts[part * kCount + index_of_thread()] = number; // BUG
        __syncthreads();
        __threadfence();
        cudaTriggerProgrammaticLaunchCompletion();
    }
}

__global__ void copy(const int* parts, int* result)
{
#ifndef BUG
    cudaGridDependencySynchronize();
#endif
    for (int part = 0; part < kParts; ++part)
        result[part * kCount + index_of_thread()] = parts[part * kCount + index_of_thread()]; // BUG
}

int main(int argc, char** argv)
{
    int* const parts = zeros<int>(kParts * kCount);
    int* const result = zeros<int>(kParts * kCount);
    return count_stale(argc, argv, [&](int number, int delay_us) {
        produce<<<kBlocks, kThreads>>>(parts, number, delay_us);
        launch_early(kBlocks, kThreads, nullptr, copy, parts, result);
        return has_other_than<kParts * kCount>(number, result);
    });
}
