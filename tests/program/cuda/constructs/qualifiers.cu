// Qualifiers, pragmas, dimensions and functions that programs use beside the launch.
#include "../check.h"

#include <math.h>

#define TILE 4

extern "C" __global__ void plain_c(float* to)
{
    *to = sqrtf(16.0f) + max(fminf(1.0f, 2.0f), NAN) + fmaf(2.0f, 3.0f, 1.0f) + rsqrtf(0.25f);
}

static __global__ void __launch_bounds__(64, 2) bounded(int* __restrict__ to, const int* __restrict__ from)
{
    int sum = 0;
#pragma unroll 4
    for (int i = 0; i < 8; ++i)
        sum += __ldg(&from[i]);
    to[threadIdx.x] = sum + __popc(255) + __clz(1) + __ffs(8) + static_cast<int>(__brev(1U) >> 31) + __mul24(3, 5);
}

__global__ __launch_bounds__(TILE* TILE* TILE) void three_dimensions(int* to, uint3 size)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z)
        atomicAdd(to, static_cast<int>(x + 10 * y + 100 * z));
}

__global__ void vectors(float4* to)
{
    float4 value = make_float4(1, 2, 3, 4);
    const int2 pair = {5, 6};
    value.w += pair.x * pair.y;
    to[0] = value;
}

void __global__ type_first(int* to)
{
    const long long before = clock64();
    *to = clock64() >= before ? 1 : 0;
}

__global__ void parent(float* fraction, int* to, const int* from, float4* vector)
{
    plain_c<<<1, 1>>>(fraction);
    bounded<<<1, 2>>>(to, from);
    const dim3 grid(2, 2, 2);
    dim3 block;
    block.x = block.y = block.z = TILE;
    three_dimensions<<<grid, block>>>(to + 2, make_uint3(5, 6, 7));
    vectors<<<1, 1>>>(vector);
    type_first<<<1, 1>>>(to + 3);
}

int main()
{
    int host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float* fraction;
    int *to, *from;
    float4* vector;
    CHECK(cudaMalloc((void**)&fraction, sizeof(float)));
    CHECK(cudaMalloc((void**)&to, 4 * sizeof(int)));
    CHECK(cudaMalloc((void**)&from, sizeof(host)));
    CHECK(cudaMalloc((void**)&vector, sizeof(float4)));
    CHECK(cudaMemset(to, 0, 4 * sizeof(int)));
    CHECK(cudaMemcpy(from, host, sizeof(host), cudaMemcpyHostToDevice));
    parent<<<dim3(1), dim3(1)>>>(fraction, to, from, vector);
    CHECK(cudaDeviceSynchronize());
    const float4 value = value_of(vector);
    std::printf("%.1f %d %d %.0f %d\n", value_of(fraction), value_of(to), value_of(to + 1), value.x + value.w,
                value_of(to + 3));
    return verdict(value_of(to + 2), 210 * (2 + 25 + 300));
}
