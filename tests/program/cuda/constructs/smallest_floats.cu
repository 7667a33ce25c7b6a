// Numbers of 4 bits and powers of two of 8 bits: what conversions give, of all numbers of 16 bits, on the host and on the device.
#include <cstdio>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

struct Sums {
    unsigned of[8];
    __host__ __device__ void add(int at, unsigned value) { of[at] = (of[at] ^ value) * 0x01000193U; }
};

__host__ __device__ void convert(Sums& sums)
{
    for (unsigned bits = 0; bits < 65536; ++bits) {
        __half_raw half;
        half.x = static_cast<unsigned short>(bits);
        __nv_bfloat16_raw wide;
        wide.x = static_cast<unsigned short>(bits);
        const float value = static_cast<float>(__nv_bfloat16(wide));
        sums.add(0, __nv_cvt_halfraw_to_fp4(half, __NV_E2M1, cudaRoundNearest));
        sums.add(1, __nv_cvt_bfloat16raw_to_fp4(wide, __NV_E2M1, cudaRoundNearest));
        sums.add(2, __nv_cvt_float2_to_fp4x2(make_float2(value, value * 0.75F), __NV_E2M1, cudaRoundNearest));
        sums.add(3, __nv_cvt_bfloat16raw_to_e8m0(wide, __NV_SATFINITE, cudaRoundPosInf));
        sums.add(4, __nv_cvt_bfloat16raw_to_e8m0(wide, __NV_SATFINITE, cudaRoundZero));
        sums.add(5, __nv_cvt_float_to_e8m0(value * 1.001F, __NV_NOSAT, cudaRoundPosInf));
    }
    for (unsigned bits = 0; bits < 256; ++bits) {
        sums.add(6, __nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(bits)).x);
        const __half2_raw pair = __nv_cvt_fp4x2_to_halfraw2(static_cast<unsigned char>(bits), __NV_E2M1);
        sums.add(7, pair.x | static_cast<unsigned>(pair.y) << 16);
    }
}

__global__ void on_device(Sums* sums)
{
    convert(*sums);
}

int main()
{
    Sums own = {}, *sums = nullptr;
    convert(own);
    cudaMallocManaged(&sums, sizeof *sums);
    *sums = Sums{};
    on_device<<<1, 1>>>(sums);
    cudaDeviceSynchronize();
    for (int at = 0; at < 8; ++at)
        std::printf("%08x%s\n", own.of[at], own.of[at] == sums->of[at] ? "" : " on the device another one");
    return 0;
}
