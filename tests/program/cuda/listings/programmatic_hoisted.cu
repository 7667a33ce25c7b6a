// Right as it is written: each branch waits before it reads what the kernel before writes. But nvcc 13.0 takes the memory behind a pointer
// with `const` and `__restrict__` for memory that does not change while the kernel runs, and loads above the waits. With
// -DREPAIRED the pointer has no `__restrict__`. The executor runs the source, so it sees no race; nestbed races --sass does.
#include "../programmatic.h"

#ifdef REPAIRED
using Row = const int*;
#else
using Row = const int* __restrict__;
#endif

__global__ void produce(int* row, int number, unsigned delay_us)
{
    cudaTriggerProgrammaticLaunchCompletion();
    sleep_us(delay_us);
    row[index_of_thread()] = number;
}

__global__ void copy(Row row, int whole, int* __restrict__ result)
{
    const int i = index_of_thread();
    if (i < whole) {
        cudaGridDependencySynchronize();
        result[i] = row[i];
    } else {
        cudaGridDependencySynchronize();
        result[i] = row[i] + 1;
    }
}

int main(int argc, char** argv)
{
    int* const row = zeros<int>(kCount);
    int* const result = zeros<int>(kCount);
    return count_stale(argc, argv, [&](int number, int delay_us) {
        produce<<<kBlocks, kThreads>>>(row, number, delay_us);
        launch_early(kBlocks, kThreads, nullptr, copy, static_cast<const int*>(row), kCount, result);
        return has_other_than<kCount>(number, result);
    });
}
