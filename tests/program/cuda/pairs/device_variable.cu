// Kind: missing atomic
// The deepest level is kept in a variable of the program. The test and the store are two steps.
#include "../check.h"

__device__ int deepest;

__global__ void descend(int level, int levels)
{
#ifdef BUG
    if (level > deepest) // BUG
        deepest = level; // BUG at times
#else
    atomicMax(&deepest, level);
#endif
    if (level < levels) {
        descend<<<1, 1, 0, cudaStreamFireAndForget>>>(level + 1, levels);
        descend<<<1, 1, 0, cudaStreamFireAndForget>>>(level + 1, levels - 1);
    }
}

int main()
{
    descend<<<1, 1>>>(1, 4);
    CHECK(cudaDeviceSynchronize());
    int result;
    CHECK(cudaMemcpyFromSymbol(&result, deepest, sizeof result));
    return verdict(result, 4);
}
