// A second child in the NULL stream reads what the first child's own child wrote.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    *data = kFresh;
}

__global__ void first(unsigned* data)
{
    writer<<<1, 1>>>(data);
}

__global__ void second(const unsigned* data, unsigned* seen)
{
    *seen = *data;
}

__global__ void parent(Words words)
{
    unsigned* const data = words.data + blockIdx.x * kWordsOfInstance;
    if (threadIdx.x == 0) {
        first<<<1, 1>>>(data);
        second<<<1, 1>>>(data, words.seen + blockIdx.x);
    }
}

int main()
{
    const Words words = make_words();
    parent<<<kInstances, kThreads>>>(words);
    return judge(words);
}
