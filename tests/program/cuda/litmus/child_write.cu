// A parent reads what its child writes, and waits for nothing.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    *data = kFresh; // BUG
}

__global__ void parent(Words words)
{
    unsigned* const data = words.data + blockIdx.x * kWordsOfInstance;
    if (threadIdx.x != 0)
        return;
    writer<<<1, 1, 0, cudaStreamFireAndForget>>>(data);
    words.seen[blockIdx.x] = *data; // BUG
}

int main()
{
    const Words words = make_words();
    parent<<<kInstances, kThreads>>>(words);
    return judge(words);
}
