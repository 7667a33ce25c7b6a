// Kind: event recorded too early
// A stream of the host waits for what an event captured. What its stream got after the record is not part of it.
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
    int* const early = memory<int>(32);
    int* const late = memory<int>(32);
    int* const result = memory<int>();
    cudaStream_t first, second;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    produce<<<1, 32, 0, first>>>(early, 2);
    CHECK(cudaEventRecord(event, first));
    produce<<<1, 32, 0, first>>>(late, 2);
    CHECK(cudaStreamWaitEvent(second, event, 0));
#ifdef BUG
    consume<<<1, 1, 0, second>>>(late, result);
#else
    consume<<<1, 1, 0, second>>>(early, result);
#endif
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return verdict(value_of(result), 4);
}
