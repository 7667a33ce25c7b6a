// The host's side: streams, events, asynchronous copies, pinned memory, properties, error names.
#include "../check.h"

#include <vector>

__global__ void add(int* numbers, int amount)
{
    numbers[threadIdx.x] += amount;
}

__global__ void parent(int* numbers, int amount)
{
    add<<<1, 16>>>(numbers, amount);
}

int main()
{
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaSetDevice(0));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    if (devices < 1 || properties.warpSize != 32 || properties.maxThreadsPerBlock < 1024)
        return 1;
    int* pinned;
    CHECK(cudaMallocHost(&pinned, 16 * sizeof(int)));
    for (int i = 0; i < 16; ++i)
        pinned[i] = i;
    int* const numbers = memory<int>(16);
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    cudaEvent_t start, done;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&done));
    CHECK(cudaEventRecord(start, first));
    CHECK(cudaMemcpyAsync(numbers, pinned, 16 * sizeof(int), cudaMemcpyHostToDevice, first));
    parent<<<1, 1, 0, first>>>(numbers, 100);
    CHECK(cudaEventRecord(done, first));
    CHECK(cudaStreamWaitEvent(second, done, 0));
    parent<<<1, 1, 0, second>>>(numbers, 1000);
    CHECK(cudaMemcpyAsync(pinned, numbers, 16 * sizeof(int), cudaMemcpyDeviceToHost, second));
    CHECK(cudaStreamSynchronize(second));
    CHECK(cudaEventSynchronize(done));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, start, done));
    std::vector<int> copy(16);
    CHECK(cudaMemcpy(copy.data(), numbers, 16 * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("%s\n", cudaGetErrorName(cudaErrorInvalidConfiguration));
    add<<<1, 4096>>>(numbers, 1);
    std::printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
    const cudaError_t error = cudaGetLastError();
    std::printf("%s, then %s\n", cudaGetErrorName(error), cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    const int code = verdict(milliseconds >= 0 && copy[15] == pinned[15] ? copy[15] : -1, 1115);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(numbers));
    return code;
}
