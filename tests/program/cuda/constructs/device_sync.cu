// The old cudaDeviceSynchronize() in kernels: for all children of the block, of every stream, and of more than one level.
#include "../check.h"

__global__ void write(int* to, int value)
{
    *to = value;
}

__global__ void write_below(int* to, int value)
{
    write<<<1, 1>>>(to, value);
    cudaDeviceSynchronize();
    *to += 1;
}

__global__ void parent(int* results)
{
    if (threadIdx.x == 0) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        write<<<1, 1>>>(&results[0], 1);
        write<<<1, 1, 0, stream>>>(&results[1], 2);
        write_below<<<1, 1>>>(&results[2], 3);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return;
        cudaStreamDestroy(stream);
    }
    __syncthreads();
    if (threadIdx.x == 1)
        results[3] = results[0] + results[1] + results[2];
    __syncthreads();
    if (threadIdx.x == 1) {
        write<<<1, 1>>>(&results[3], results[3] + 10);
        cudaDeviceSynchronize();
        results[3] += 100;
    }
}

int main()
{
    int* const results = memory<int>(4);
    parent<<<1, 2>>>(results);
    return verdict(value_of(&results[3]), 117);
}
