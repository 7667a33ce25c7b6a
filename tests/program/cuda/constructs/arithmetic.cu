// Directed rounding, conversions out of range and of NaN, what printf() returns, complex numbers.
#include "../check.h"

#include <cuComplex.h>

__global__ void rounded(float* f, double* d)
{
    f[0] = __fadd_rd(1.0f, 1e-10f);
    f[1] = __fadd_ru(1.0f, 1e-10f);
    f[2] = __fsub_rz(1.0f, 1e-10f);
    f[3] = __fmul_ru(0.1f, 0.1f);
    f[4] = __fdiv_rz(1.0f, 3.0f);
    f[5] = __fdiv_ru(1.0f, 3.0f);
    f[6] = __fmaf_rd(0.1f, 0.1f, 1.0f);
    f[7] = __frcp_ru(3.0f);
    f[8] = __fsqrt_rd(2.0f);
    f[9] = __int2float_rz(16777219);
    f[10] = __int2float_ru(16777217);
    f[11] = __uint2float_rd(4294967295U);
    f[12] = __ll2float_ru(-9007199254740993LL);
    f[13] = __ull2float_rz(18446744073709551615ULL);
    f[14] = __double2float_rd(0.1);
    f[15] = __double2float_ru(0.1);
    d[0] = __dadd_rd(1.0, -1e-30);
    d[1] = __dmul_ru(0.1, 3.0);
    d[2] = __ddiv_rz(-1.0, 3.0);
    d[3] = __fma_ru(0.1, 0.1, 1.0);
    d[4] = __dsqrt_ru(2.0);
    d[5] = __drcp_rd(3.0);
    d[6] = __ll2double_rz(9007199254740993LL);
    d[7] = __ull2double_ru(18446744073709551615ULL);
}

__global__ void converted(float nan, float large, double nan_d, long long* to)
{
    to[0] = __float2int_rz(nan);
    to[1] = __float2uint_rn(nan);
    to[2] = __float2ll_rn(nan);
    to[3] = (long long)__float2ull_rz(nan);
    to[4] = __double2int_rz(nan_d);
    to[5] = __double2uint_rz(nan_d);
    to[6] = __double2ll_rz(nan_d);
    to[7] = __float2int_rz(large);
    to[8] = __float2int_rz(-large);
    to[9] = __float2uint_rz(-large);
    to[10] = __float2ll_rz(large);
    to[11] =
        __float2int_rn(2.5f) * 1000 + __float2int_rd(-2.5f) * 100 + __float2int_ru(2.5f) * 10 + __float2int_rz(-2.5f);
}

template <class From, class To>
__host__ __device__ long long cast(From from)
{
    return static_cast<long long>(static_cast<To>(from));
}

template <class From>
__global__ void casts(const From* from, long long* to)
{
    const From value = from[threadIdx.x];
    long long* const row = to + threadIdx.x * 9;
    row[0] = static_cast<signed char>(value);
    row[1] = static_cast<unsigned char>(value);
    row[2] = static_cast<short>(value);
    row[3] = cast<From, unsigned short>(value);
    row[4] = cast<From, int>(value);
    row[5] = static_cast<unsigned>(value);
    row[6] = cast<From, long long>(value);
    row[7] = static_cast<long long>(static_cast<unsigned long long>(value));
    row[8] = static_cast<int>(floor(value));
}

template <class From>
void print_casts()
{
    constexpr int kValues = 5;
    const From values[kValues] = {NAN, From(1e30), From(-1e30), From(70000.5), From(-1.5)};
    const From* const from = copy_of(values);
    long long* const to = zeros<long long>(kValues * 9);
    casts<<<1, kValues>>>(from, to);
    for (int i = 0; i < kValues * 9; ++i)
        std::printf("%lld%c", value_of(to + i), i % 9 == 8 ? '\n' : ' ');
}

__global__ void printing(int* returned)
{
    returned[0] = printf("%d %s %5.2f %c %%\n", 1, "x", 2.5, 'c');
    returned[1] = printf("none\n");
}

__global__ void complex(float* out)
{
    const cuDoubleComplex wide = cuComplexFloatToDouble(make_cuFloatComplex(3.0f, 4.0f));
    const cuFloatComplex one = cuCdivf(cuComplexDoubleToFloat(wide), make_cuFloatComplex(3.0f, 4.0f));
    *out = float(cuCabs(wide)) + cuCrealf(one) + cuCimag(cuCfma(wide, wide, wide));
}

int main()
{
    float* const f = zeros<float>(16);
    double* const d = zeros<double>(8);
    long long* const to = zeros<long long>(12);
    int* const returned = zeros<int>(2);
    rounded<<<1, 1>>>(f, d);
    for (int i = 0; i < 16; ++i)
        std::printf("%.9g%c", value_of(f + i), i % 4 == 3 ? '\n' : ' ');
    for (int i = 0; i < 8; ++i)
        std::printf("%.17g%c", value_of(d + i), i % 4 == 3 ? '\n' : ' ');
    converted<<<1, 1>>>(NAN, 1e30f, NAN, to);
    for (int i = 0; i < 12; ++i)
        std::printf("%lld%c", value_of(to + i), i % 4 == 3 ? '\n' : ' ');
    print_casts<float>();
    print_casts<double>();
    printing<<<1, 1>>>(returned);
    std::printf("%d %d\n", value_of(returned), value_of(returned + 1));
    complex<<<1, 1>>>(f);
    return verdict((long long)value_of(f), 5 + 1 + 28);
}
