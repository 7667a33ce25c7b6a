// Kind: wait of a programmatic launch in one branch only
// The blocks of the last, incomplete part take the other branch.
#include "../programmatic.h"

__global__ void produce(int* row, int number, unsigned delay_us)
{
    cudaTriggerProgrammaticLaunchCompletion();
    sleep_us(delay_us);
    row[index_of_thread()] = number; // BUG
}

__global__ void copy(const int* row, int whole, int* result)
{
    const int i = index_of_thread();
#ifdef BUG
    if (i < whole) {
        cudaGridDependencySynchronize();
        result[i] = row[i];
    } else {
        result[i] = row[i]; // BUG
    }
#else
    cudaGridDependencySynchronize();
    if (i < whole)
        result[i] = row[i];
    else
        result[i] = row[i];
#endif
}

int main(int argc, char** argv)
{
    int* const row = zeros<int>(kCount);
    int* const result = zeros<int>(kCount);
    return count_stale(argc, argv, [&](int number, int delay_us) {
        produce<<<kBlocks, kThreads>>>(row, number, delay_us);
        launch_early(kBlocks, kThreads, nullptr, copy, row, kCount - kThreads, result);
        return has_other_than<kCount>(number, result);
    });
}
