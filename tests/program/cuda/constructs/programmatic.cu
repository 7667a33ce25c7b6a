// Programmatic dependent launches: cudaLaunchKernelEx() with its attribute, the two functions of kernels, and errors.
#include "../check.h"

__global__ void square(int* numbers)
{
    cudaTriggerProgrammaticLaunchCompletion();
    numbers[threadIdx.x] = static_cast<int>(threadIdx.x * threadIdx.x);
}

template <class T>
__global__ void sum(const T* numbers, int count, T* result)
{
    extern __shared__ int own[];
    own[threadIdx.x] = 0; // before the wait: memory of its own
    asm volatile("griddepcontrol.wait;" ::: "memory");
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
        own[threadIdx.x] += numbers[i];
    __syncthreads();
    cudaTriggerProgrammaticLaunchCompletion();
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < blockDim.x; ++i)
            *result += own[i];
}

__global__ void twice(int* result)
{
    cudaGridDependencySynchronize();
    *result *= 2;
}

int main()
{
    constexpr int kCount = 64;
    int* const numbers = zeros<int>(kCount);
    int* const result = zeros<int>();
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());

    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = dim3(8);
    config.dynamicSmemBytes = 8 * sizeof(int);
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = 2;
    square<<<1, kCount, 0, stream>>>(numbers);
    CHECK(cudaLaunchKernelEx(&config, sum<int>, numbers, kCount, result));
    config.blockDim = dim3(1);
    CHECK(cudaLaunchKernelEx(&config, twice, result));
    CHECK(cudaStreamSynchronize(stream));

    config.blockDim = dim3(2048);
    std::printf("%s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, twice, result)));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    CHECK(cudaLaunchKernelEx(&config, twice, result)); // without attributes
    CHECK(cudaStreamDestroy(stream));
    return verdict(value_of(result), 4LL * (kCount - 1) * kCount * (2 * kCount - 1) / 6);
}
