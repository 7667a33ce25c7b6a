// Kind: parent reads after a stream's wait
// A stream that waits for an event does not make the kernel wait.
#include "../check.h"

__global__ void produce(int* data)
{
    data[threadIdx.x] = 2; // BUG
}

__global__ void consume(const int* data, int* result)
{
    *result = data[0] + data[31];
}

__global__ void parent(int* data, int* result)
{
    cudaStream_t first, second;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    produce<<<1, 32, 0, first>>>(data);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
#ifdef BUG
    *result = data[0] + data[31]; // BUG
#else
    consume<<<1, 1, 0, second>>>(data, result);
#endif
    cudaEventDestroy(event);
}

int main()
{
    int* const data = memory<int>(32);
    int* const result = memory<int>();
    parent<<<1, 1>>>(data, result);
    return verdict(value_of(result), 4);
}
