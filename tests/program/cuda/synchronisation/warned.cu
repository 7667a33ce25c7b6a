// Barriers that only a part of the block meets, and values of lanes that may not matter.
#include <cstdio>

__global__ void last_round(const int* in, int* out, int count)
{
    __shared__ int part[64];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += 64) {
        part[threadIdx.x] += in[i];
        __syncthreads(); // WARNING
    }
    out[threadIdx.x] = part[threadIdx.x];
}

__global__ void early_return(int* out, unsigned count)
{
    if (threadIdx.x >= count)
        return;
    out[threadIdx.x] = 1;
    __syncthreads(); // WARNING
    __syncthreads(); // WARNING
    out[count - 1 - threadIdx.x] += 1;
}

__global__ void taking_turns(int* out)
{
    for (unsigned i = 0; i < 4; ++i)
        if ((threadIdx.x + i) % 2 != 0)
            __syncthreads(); // WARNING
    out[threadIdx.x] = 1;
}

__global__ void passed_by(int* out)
{
    unsigned i = 0;
    while (i++ < 4) {
        if (i == 1 + threadIdx.x / 32)
            continue;
        __syncthreads(); // WARNING
    }
    out[threadIdx.x] = 1;
}

__device__ void meet()
{
    __syncthreads(); // WARNING
}

__global__ void in_a_function(int* out)
{
    unsigned i = 0;
    do {
        if (i % 2 == threadIdx.x % 2)
            meet();
    } while (++i < 2);
    out[threadIdx.x] = 1;
}

__global__ void sum_of_twenty(int* out)
{
    int value = 1;
    if (threadIdx.x < 20)
        for (unsigned by = 16; by > 0; by /= 2)
            value += __shfl_down_sync(0x000FFFFFU, value, by); // WARNING
    out[threadIdx.x] = value;
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 1024);
    cudaMalloc(&out, 256);
    cudaMemset(in, 0, 1024);
    last_round<<<1, 64>>>(in, out, 3 * 64 + 40);
    early_return<<<1, 32>>>(out, 20);
    taking_turns<<<1, 32>>>(out);
    passed_by<<<1, 64>>>(out);
    in_a_function<<<1, 64>>>(out);
    sum_of_twenty<<<1, 32>>>(out);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
