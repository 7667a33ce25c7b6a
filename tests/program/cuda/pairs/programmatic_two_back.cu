// Kind: read of what the last but one kernel writes, where the one between does not wait
// The wait of the last kernel is for the kernel between alone.
#include "../programmatic.h"

__global__ void produce(int* row, int number, unsigned delay_us)
{
    cudaTriggerProgrammaticLaunchCompletion();
    sleep_us(delay_us);
    row[index_of_thread()] = number; // BUG
}

// It uses nothing of the kernel before.
__global__ void count_calls(int* calls)
{
    cudaTriggerProgrammaticLaunchCompletion();
#ifndef BUG
    cudaGridDependencySynchronize();
#endif
    if (index_of_thread() == 0)
        *calls += 1;
}

__global__ void copy(const int* row, int* result)
{
    cudaGridDependencySynchronize();
    result[index_of_thread()] = row[index_of_thread()]; // BUG
}

int main(int argc, char** argv)
{
    int* const row = zeros<int>(kCount);
    int* const result = zeros<int>(kCount);
    int* const calls = zeros<int>();
    return count_stale(argc, argv, [&](int number, int delay_us) {
        produce<<<kBlocks, kThreads>>>(row, number, delay_us);
        launch_early(1, kThreads, nullptr, count_calls, calls);
        launch_early(kBlocks, kThreads, nullptr, copy, row, result);
        return has_other_than<kCount>(number, result);
    });
}
