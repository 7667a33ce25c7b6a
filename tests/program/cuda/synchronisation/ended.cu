// Kernels that cannot go on: which one is the argument.
#include <cstring>

__global__ void mask(int* out)
{
    if (threadIdx.x <= 8)
        out[threadIdx.x] = static_cast<int>(__ballot_sync(0x000000FFU, 1));
}

__global__ void lanes(int* out)
{
    int value = 1;
    if (threadIdx.x < 16)
        value = __shfl_sync(0xFFFFFFFFU, value, 3);
    __syncthreads();
    out[threadIdx.x] = value;
}

__global__ void masks(int* out)
{
    out[threadIdx.x] = 1;
    __syncwarp(threadIdx.x < 16 ? 0xFFFFFFFFU : 0x7FFFFFFFU | 1U << threadIdx.x % 32);
}

__global__ void two_barriers(int* out)
{
    for (unsigned i = threadIdx.x; i < 50; i += blockDim.x) {
        out[i] = 1;
        __syncthreads();
    }
    __syncthreads();
}

__global__ void parent(int* out)
{
    two_barriers<<<1, 32>>>(out);
}

__global__ void one_line(int* out)
{
    out[threadIdx.x] = 1;
    // clang-format off
    if (threadIdx.x < 32) __syncthreads(); else __syncthreads();
    // clang-format on
}

int main(int, char** arguments)
{
    int* out;
    cudaMalloc(&out, 1024);
    const char* const which = arguments[1];
    if (std::strcmp(which, "mask") == 0)
        mask<<<1, 32>>>(out);
    if (std::strcmp(which, "lanes") == 0)
        lanes<<<1, 32>>>(out);
    if (std::strcmp(which, "masks") == 0)
        masks<<<1, 32>>>(out);
    if (std::strcmp(which, "child") == 0)
        parent<<<1, 1>>>(out);
    if (std::strcmp(which, "line") == 0)
        one_line<<<1, 64>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
