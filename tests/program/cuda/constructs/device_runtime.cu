// What the device runtime refuses: streams of the host and of the parent, events with timing, copies of local and shared memory, of NULL, and
// of other kinds. The numbers are of CUDA's errors.
#include "../check.h"

__global__ void leaf(int* ran)
{
    atomicAdd(ran, 1);
}

__device__ int error_of_launch(cudaStream_t stream, int* ran)
{
    leaf<<<1, 1, 0, stream>>>(ran);
    return cudaGetLastError();
}

__global__ void with_stream(cudaStream_t of_another, int* ran, int* error)
{
    *error = error_of_launch(of_another, ran);
}

__global__ void parent(cudaStream_t of_host, int* numbers, int* errors)
{
    __shared__ int shared[4];
    int local[4] = {1, 2, 3, 4};
    cudaStream_t own;
    cudaEvent_t event;
    errors[0] = error_of_launch(of_host, numbers);
    errors[1] = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    errors[2] = error_of_launch(own, numbers);
    with_stream<<<1, 1>>>(own, numbers, errors + 3);
    errors[4] = cudaEventCreateWithFlags(&event, cudaEventDefault);
    errors[5] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    errors[6] = cudaEventRecord(event, own);
    errors[7] = cudaMemcpyAsync(numbers + 4, local, sizeof local, cudaMemcpyDeviceToDevice, own);
    errors[8] = cudaMemcpyAsync(numbers + 4, shared, sizeof shared, cudaMemcpyDeviceToDevice, own);
    errors[9] = cudaMemsetAsync(shared, 0, sizeof shared, own);
    errors[10] = cudaMemcpyAsync(nullptr, numbers, 16, cudaMemcpyDeviceToDevice, own);
    errors[11] = cudaMemcpyAsync(numbers + 4, numbers, 16, cudaMemcpyHostToDevice, own);
}

int main()
{
    constexpr int kErrors = 12;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int* const numbers = zeros<int>(8);
    int* const errors = zeros<int>(kErrors);
    parent<<<1, 1>>>(stream, numbers, errors);
    for (int i = 0; i < kErrors; ++i)
        std::printf(i == 0 ? "%d" : " %d", value_of(errors + i));
    std::printf("\n%d\n", value_of(numbers + 4));
    CHECK(cudaStreamDestroy(stream));
    return verdict(value_of(numbers), 1);
}
