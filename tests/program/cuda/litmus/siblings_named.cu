// A child reads what the child before it writes. Each has a named stream of its own.
#include "litmus.h"

__global__ void writer(unsigned* data)
{
    *data = kFresh; // BUG
}

__global__ void reader(const unsigned* data, unsigned* seen)
{
    *seen = *data; // BUG
}

__global__ void parent(Words words)
{
    unsigned* const data = words.data + blockIdx.x * kWordsOfInstance;
    if (threadIdx.x == 0) {
        cudaStream_t streams[2];
        for (cudaStream_t& stream : streams)
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        writer<<<1, 1, 0, streams[0]>>>(data);
        reader<<<1, 1, 0, streams[1]>>>(data, words.seen + blockIdx.x);
        for (const cudaStream_t stream : streams)
            cudaStreamDestroy(stream);
    }
}

int main()
{
    const Words words = make_words();
    parent<<<kInstances, kThreads>>>(words);
    return judge(words);
}
