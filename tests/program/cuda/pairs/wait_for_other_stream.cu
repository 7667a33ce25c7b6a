// Kind: host waits for another stream
// The host waits for one stream, and launches into a third one what needs the other.
#include "../check.h"

__global__ void produce(int* data, int value)
{
    data[threadIdx.x] = value; // BUG
}

__global__ void consume(const int* data, int* result)
{
    *result = data[0] + data[31]; // BUG
}

int main()
{
    int* const left = memory<int>(32);
    int* const right = memory<int>(32);
    int* const result = memory<int>();
    cudaStream_t streams[3];
    cudaEvent_t event;
    for (cudaStream_t& stream : streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    produce<<<1, 32, 0, streams[0]>>>(left, 1);
    produce<<<1, 32, 0, streams[1]>>>(right, 2);
    CHECK(cudaEventRecord(event, streams[1]));
    CHECK(cudaStreamSynchronize(streams[0]));
#ifndef BUG
    CHECK(cudaEventSynchronize(event));
#endif
    consume<<<1, 1, 0, streams[2]>>>(left, result);
    consume<<<1, 1, 0, streams[2]>>>(right, result);
    return verdict(value_of(result), 4);
}
