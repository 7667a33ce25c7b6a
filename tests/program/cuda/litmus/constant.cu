// A child reads constant memory that the host set before the launch of the first grid.
#include "litmus.h"

__constant__ unsigned word;

__global__ void reader(unsigned* seen)
{
    *seen = word;
}

__global__ void parent(Words words)
{
    if (threadIdx.x == 0)
        reader<<<1, 1, 0, cudaStreamFireAndForget>>>(words.seen + blockIdx.x);
}

int main()
{
    const Words words = make_words();
    CHECK(cudaMemcpyToSymbol(word, &kFresh, sizeof word));
    parent<<<kInstances, kThreads>>>(words);
    return judge(words);
}
