// Kind: load before the wait of a programmatic launch
// The weights are the host's, so they may be read before the wait. The row is what the kernel before writes.
#include "../programmatic.h"

__global__ void produce(int* row, int number, unsigned delay_us)
{
    cudaTriggerProgrammaticLaunchCompletion();
    sleep_us(delay_us);
    row[index_of_thread()] = number; // BUG
}

__global__ void scale(const int* weights, const int* row, int* result)
{
    const int weight = weights[index_of_thread()];
#ifdef BUG
    const int value = row[index_of_thread()]; // BUG
    cudaGridDependencySynchronize();
#else
    cudaGridDependencySynchronize();
    const int value = row[index_of_thread()];
#endif
    result[index_of_thread()] = weight * value;
}

int main(int argc, char** argv)
{
    int ones[kCount];
    for (int& one : ones)
        one = 1;
    const int* const weights = copy_of(ones);
    int* const row = zeros<int>(kCount);
    int* const result = zeros<int>(kCount);
    return count_stale(argc, argv, [&](int number, int delay_us) {
        produce<<<kBlocks, kThreads>>>(row, number, delay_us);
        launch_early(kBlocks, kThreads, nullptr, scale, weights, row, result);
        return has_other_than<kCount>(number, result);
    });
}
