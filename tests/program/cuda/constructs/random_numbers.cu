// Random numbers in kernels: XORWOW and Philox, of several sequences and offsets.
#include "../check.h"

#include <curand_kernel.h>
#include <curand_philox4x32_x.h>

template <class State>
__global__ void draw(unsigned* bits, float* numbers, unsigned long long seed)
{
    State state;
    curand_init(seed, threadIdx.x * 1234567ULL, threadIdx.x * 3, &state);
    unsigned all = 0;
    float sum = 0;
    for (int i = 0; i < 10; ++i) {
        all = all * 31 + curand(&state);
        sum += curand_uniform(&state);
    }
    skipahead(1000ULL, &state);
    all = all * 31 + curand(&state);
    bits[threadIdx.x] = all;
    numbers[threadIdx.x] = sum + curand_normal(&state) + curand_normal(&state);
}
__global__ void draw_four(unsigned* bits, float* numbers)
{
    curandStatePhilox4_32_10_t state;
    curand_init(5, 0, 1, &state);
    const uint4 four = curand4(&state);
    const float4 uniform = curand_uniform4(&state), normal = curand_normal4(&state);
    bits[0] = four.x + 3 * four.y + 5 * four.z + 7 * four.w;
    numbers[0] = uniform.x + 2 * uniform.y + 3 * uniform.z + 4 * uniform.w + normal.x + normal.w;
}

int main()
{
    unsigned* bits = nullptr;
    float* numbers = nullptr;
    CHECK(cudaMallocManaged(&bits, 64));
    CHECK(cudaMallocManaged(&numbers, 64));
    for (int way = 0; way < 3; ++way) {
        if (way == 0)
            draw<curandState><<<1, 4>>>(bits, numbers, 1234);
        else if (way == 1)
            draw<curandStatePhilox4_32_10_t><<<1, 4>>>(bits, numbers, 0x123456789ABCDEFULL);
        else
            draw_four<<<1, 1>>>(bits, numbers);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < (way == 2 ? 1 : 4); ++i)
            std::printf("%08x %.4f\n", bits[i], numbers[i]);
    }
    return 0;
}
