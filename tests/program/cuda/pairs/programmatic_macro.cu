// Kind: wait of a programmatic launch that a macro removes
// The host launches programmatically on every GPU of compute capability 9.0 or later. The macro of the kernel asks for a later one.
#include "../programmatic.h"

#ifdef BUG
#define FIRST_ARCHITECTURE 1000
#else
#define FIRST_ARCHITECTURE 900
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= FIRST_ARCHITECTURE
#define WAIT_FOR_PREVIOUS_KERNEL() cudaGridDependencySynchronize()
#else
#define WAIT_FOR_PREVIOUS_KERNEL()
#endif

__global__ void produce(int* row, int number, unsigned delay_us)
{
    cudaTriggerProgrammaticLaunchCompletion();
    sleep_us(delay_us);
    row[index_of_thread()] = number; // BUG
}

__global__ void copy(const int* row, int* result)
{
    WAIT_FOR_PREVIOUS_KERNEL();
    result[index_of_thread()] = row[index_of_thread()]; // BUG
}

int main(int argc, char** argv)
{
    int* const row = zeros<int>(kCount);
    int* const result = zeros<int>(kCount);
    return count_stale(argc, argv, [&](int number, int delay_us) {
        produce<<<kBlocks, kThreads>>>(row, number, delay_us);
        launch_early(kBlocks, kThreads, nullptr, copy, row, result);
        return has_other_than<kCount>(number, result);
    });
}
