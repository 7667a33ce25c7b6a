// Threads that end before a barrier that the others reach, as in many programs of today.
#include "../check.h"

__global__ void sum_some(const int* numbers, int count, int* sum)
{
    __shared__ int part[64];
    const int tid = threadIdx.x;
    if (tid >= count)
        return;
    part[tid] = numbers[tid];
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (tid < stride && tid + stride < count)
            part[tid] += part[tid + stride];
        __syncthreads();
    }
    if (tid != 0)
        return;
    *sum = part[0];
    if (count > 1)
        sum_some<<<1, 64>>>(numbers, count / 2, sum + 1);
}

int main()
{
    int host[50];
    for (int i = 0; i < 50; ++i)
        host[i] = i;
    int *numbers, *sums;
    CHECK(cudaMalloc(&numbers, sizeof host));
    CHECK(cudaMalloc(&sums, 8 * sizeof(int)));
    CHECK(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
    sum_some<<<1, 64>>>(numbers, 50, sums);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 6; ++i)
        std::printf("%d\n", value_of(sums + i));
    return verdict(value_of(sums), 50 * 49 / 2);
}
