// Launches that a limit of their kernel refuses, from the host and from a kernel: launch bounds, static and dynamic shared memory
// together, and what cudaFuncSetAttribute() allows one kernel alone. What cudaFuncGetAttributes() says of each.
#include "../check.h"

template <int threads>
struct Shape {
    static constexpr int kThreads = threads;
};

__device__ int ran = 0;

__global__ void __launch_bounds__(96) declared(int* last);
__global__ void declared(int* last)
{
    if (threadIdx.x == blockDim.x - 1)
        *last = atomicAdd(&ran, 1);
}

template <class S>
__launch_bounds__(S::kThreads + S::kThreads, 1) __global__ void of_template(int* last)
{
    if (threadIdx.x == blockDim.x - 1)
        *last = atomicAdd(&ran, 1);
}

// Each instance has memory of its own.
template <int count>
__device__ int rotated(int value)
{
    __shared__ int values[count];
    values[threadIdx.x] = value;
    __syncthreads();
    return values[(threadIdx.x + 1) % blockDim.x];
}

template <int count>
__global__ void with_static(int* last)
{
    extern __shared__ int more[];
    __shared__ int own[500];
    own[threadIdx.x] =
        rotated<count>(static_cast<int>(threadIdx.x)) + rotated<2 * count>(static_cast<int>(threadIdx.x));
    more[threadIdx.x] = own[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&ran, 1);
        *last = more[blockDim.x - 1] + own[0];
    }
}

__global__ void parent(int* last)
{
    declared<<<1, 97>>>(last);
    const int bounds = cudaGetLastError();
    with_static<1000><<<1, 32, 49152 - 14000 + 4>>>(last);
    const int together = cudaGetLastError();
    with_static<1000><<<1, 32, 60000>>>(last);
    const int much = cudaGetLastError();
    declared<<<1, 96>>>(last);
    with_static<1000><<<1, 32, 49152 - 14000>>>(last);
    printf("from a kernel: %d %d %d, then %d\n", bounds, together, much, static_cast<int>(cudaGetLastError()));
}

template <class Kernel>
void show(const char* name, Kernel kernel)
{
    cudaFuncAttributes of;
    CHECK(cudaFuncGetAttributes(&of, kernel));
    std::printf("%s: %d threads, %d bytes static, %d dynamic\n", name, of.maxThreadsPerBlock,
                static_cast<int>(of.sharedSizeBytes), of.maxDynamicSharedSizeBytes);
}

int error_of_host()
{
    const int error = cudaGetLastError();
    CHECK(cudaDeviceSynchronize());
    return error;
}

int main()
{
    int* const last = zeros<int>();
    show("declared", declared);
    show("of_template", of_template<Shape<32>>);
    show("with_static<100>", with_static<100>);
    show("with_static<1000>", with_static<1000>);
    declared<<<1, 97>>>(last);
    const int bounds = error_of_host();
    of_template<Shape<32>><<<1, 65>>>(last);
    const int of_instance = error_of_host();
    of_template<Shape<64>><<<1, 65>>>(last);
    const int of_other = error_of_host();
    with_static<1000><<<1, 32, 40000>>>(last);
    const int together = error_of_host();
    with_static<100><<<1, 32, 40000>>>(last);
    std::printf("from the host: %d %d %d %d %d\n", bounds, of_instance, of_other, together, error_of_host());

    CHECK(cudaFuncSetAttribute(with_static<1000>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    with_static<1000><<<1, 32, 60000>>>(last);
    const int allowed = error_of_host();
    with_static<100><<<1, 32, 60000>>>(last);
    const int of_another = error_of_host();
    const int fits =
        cudaFuncSetAttribute(with_static<100>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 - 3200);
    const int exceeds =
        cudaFuncSetAttribute(with_static<100>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 - 3200 + 1);
    static_cast<void>(cudaGetLastError());
    std::printf("after an opt-in: %d %d; %d %d\n", allowed, of_another, fits, exceeds);
    CHECK(cudaFuncSetAttribute(with_static<1000>, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152 - 14000));
    parent<<<1, 1>>>(last);
    return verdict(value_of(last), 2) | (cudaGetLastError() != cudaSuccess);
}
