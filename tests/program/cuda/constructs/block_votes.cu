// __syncthreads_count(), __syncthreads_and() and __syncthreads_or() decide how many children a block launches.
#include "../check.h"

__global__ void child(int* counter)
{
    atomicAdd(counter, 1);
}

__global__ void parent(int* counter, int* votes)
{
    const int odd = __syncthreads_count(threadIdx.x % 2);
    const int all = __syncthreads_and(threadIdx.x < 64);
    const int none = __syncthreads_or(threadIdx.x > 100);
    if (threadIdx.x == 0) {
        votes[0] = odd;
        votes[1] = all != 0;
        votes[2] = none != 0;
    }
    if (threadIdx.x < odd / 8)
        child<<<1, 1>>>(counter);
}

int main()
{
    int* const counter = zeros<int>();
    int* const votes = memory<int>(3);
    parent<<<1, 48>>>(counter, votes);
    std::printf("%d %d %d\n", value_of(votes), value_of(votes + 1), value_of(votes + 2));
    return verdict(value_of(counter), 3);
}
