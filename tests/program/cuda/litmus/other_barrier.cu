// A child reads what another thread of the block wrote before a barrier, after which the child was launched.
#include "litmus.h"

__global__ void reader(const unsigned* data, unsigned* seen)
{
    *seen = *data;
}

__global__ void parent(Words words)
{
    unsigned* const data = words.data + blockIdx.x * kWordsOfInstance;
    if (threadIdx.x == kThreads - 1)
        *data = kFresh;
    __syncthreads();
    if (threadIdx.x == 0)
        reader<<<1, 1, 0, cudaStreamFireAndForget>>>(data, words.seen + blockIdx.x);
}

int main()
{
    const Words words = make_words();
    parent<<<kInstances, kThreads>>>(words);
    return judge(words);
}
