// Kind: buffer that the next but one kernel writes again
// The kernel between lets the last one begin before it has waited for the first, which may still read the buffer.
#include "../programmatic.h"

__global__ void read_late(const int* buffer, int* result, unsigned delay_us)
{
    cudaTriggerProgrammaticLaunchCompletion();
    sleep_us(delay_us);
    result[index_of_thread()] = buffer[index_of_thread()]; // BUG
}

__global__ void pass_on(const int* result, int* sum)
{
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    atomicAdd(sum, result[index_of_thread()]);
}

__global__ void refill(int* buffer, int number)
{
#ifndef BUG
    cudaGridDependencySynchronize();
#endif
    buffer[index_of_thread()] = number; // BUG
}

int main(int argc, char** argv)
{
    int* const buffer = zeros<int>(kCount);
    int* const result = zeros<int>(kCount);
    int* const sum = zeros<int>();
    return count_stale(argc, argv, [&](int number, int delay_us) {
        read_late<<<kBlocks, kThreads>>>(buffer, result, delay_us);
        launch_early(kBlocks, kThreads, nullptr, pass_on, result, sum);
        launch_early(kBlocks, kThreads, nullptr, refill, buffer, number);
        return has_other_than<kCount>(number - 1, result);
    });
}
