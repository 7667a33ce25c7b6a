// A child reads constant memory that the host set before the launch of the first grid.
#define BEFORE_THE_FIRST_GRID set_word()
void set_word();
#include "litmus.h"

__constant__ unsigned word;

void set_word()
{
    CHECK(cudaMemcpyToSymbol(word, &kFresh, sizeof word));
}

__global__ void reader(unsigned* seen)
{
    *seen = word;
}

__device__ void instance(unsigned*, unsigned* seen)
{
    if (threadIdx.x == 0)
        reader<<<1, 1, 0, cudaStreamFireAndForget>>>(seen);
}
