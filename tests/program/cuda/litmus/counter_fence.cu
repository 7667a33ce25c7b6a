// The block that arrives last at a counter reads what the other one wrote, with fences before and after the counter.
#include "litmus.h"

__global__ void arrivals(unsigned* data, unsigned* seen)
{
    data[blockIdx.x] = kFresh;
    __threadfence();
    if (atomicAdd(&data[2], 1U) == 0)
        return;
    __threadfence();
    *seen = data[1 - blockIdx.x];
}

__global__ void parent(Words words)
{
    if (threadIdx.x == 0)
        arrivals<<<2, 1, 0, cudaStreamFireAndForget>>>(words.data + blockIdx.x * kWordsOfInstance,
                                                       words.seen + blockIdx.x);
}

int main()
{
    const Words words = make_words();
    parent<<<kInstances, kThreads>>>(words);
    return judge(words);
}
