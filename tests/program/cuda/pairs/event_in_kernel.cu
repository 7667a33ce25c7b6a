// Kind: event of another launch
// A kernel orders its streams by an event. It captures the launches before the record alone, and orders nothing of the kernel itself.
#include "../check.h"

__global__ void produce(int* data, int value)
{
    data[threadIdx.x] = value; // BUG
}

__global__ void consume(const int* data, int* result)
{
    *result = data[0] + data[31]; // BUG
}

__global__ void parent(int* data, int* result)
{
    cudaStream_t first, second;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    produce<<<1, 32, 0, first>>>(data, 2);
    cudaEventRecord(event, first);
    produce<<<1, 32, 0, first>>>(data + 32, 2);
    cudaStreamWaitEvent(second, event, 0);
#ifdef BUG
    consume<<<1, 1, 0, second>>>(data + 32, result);
#else
    consume<<<1, 1, 0, second>>>(data, result);
#endif
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}

int main()
{
    int* const data = memory<int>(64);
    int* const result = memory<int>();
    parent<<<1, 1>>>(data, result);
    return verdict(value_of(result), 4);
}
