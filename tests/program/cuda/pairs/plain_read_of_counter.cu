// Kind: plain read of an atomic counter
// One child prints how far the others have come. It reads the counter without an atomic.
#include "../check.h"

__global__ void work(int* done)
{
    atomicAdd(done, 1); // BUG
}

__global__ void progress(int* done, int* seen)
{
#ifdef BUG
    *seen = *done; // BUG
#else
    *seen = atomicAdd(done, 0);
#endif
}

__global__ void parent(int* done, int* seen)
{
    work<<<4, 8, 0, cudaStreamFireAndForget>>>(done);
    progress<<<1, 1, 0, cudaStreamFireAndForget>>>(done, seen);
}

int main()
{
    int* const done = zeros<int>();
    int* const seen = memory<int>();
    parent<<<1, 1>>>(done, seen);
    return verdict(value_of(seen) <= 32 ? value_of(done) : -1, 32);
}
