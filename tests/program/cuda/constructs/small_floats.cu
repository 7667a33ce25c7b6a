// Numbers of 16 and 8 bits: sums over the results of every function for all numbers, and for some pairs and triples, as a GPU has
// them; with an argument each. ON_HOST: those that CUDA has for the host, too.
#include "../check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#ifdef ON_HOST
#define HERE __host__
#define ON_DEVICE(value) 0
#else
#define HERE __device__
#define ON_DEVICE(value) value
#endif

constexpr int kMaxSums = 64;

struct Sums {
    unsigned long long of[kMaxSums];
    int count;
    HERE void add(unsigned long long value)
    {
        of[count] = of[count] * 0x100000001B3ULL + value + 1;
        ++count;
    }
};

HERE unsigned long long bits(__half a)
{
    return __half_as_ushort(a);
}
HERE unsigned long long bits(__nv_bfloat16 a)
{
    return __bfloat16_as_ushort(a);
}
HERE unsigned long long bits(__half2 a)
{
    return bits(a.x) | bits(a.y) << 16;
}
HERE unsigned long long bits(__nv_bfloat162 a)
{
    return bits(a.x) | bits(a.y) << 16;
}
HERE unsigned long long bits(float a)
{
    union {
        float number;
        unsigned bits;
    } both = {a};
    return a != a ? 0x7FFFFFFFU : both.bits;
}
HERE unsigned long long bits(int a)
{
    return static_cast<unsigned>(a);
}

struct Half {
    using One = __half;
    using Two = __half2;
    static HERE One of(unsigned short bits) { return __ushort_as_half(bits); }
    static HERE One of(float value, int rounding)
    {
        return rounding == 0   ? __float2half_rn(value)
               : rounding == 1 ? __float2half_rz(value)
               : rounding == 2 ? __float2half_ru(value)
                               : __float2half_rd(value);
    }
    static HERE One of(double value) { return __double2half(value); }
    static HERE void conversions(Sums& sums, One a, int i)
    {
        sums.add(ON_DEVICE(__half2int_rn(a))), sums.add(__half2int_rz(a)), sums.add(ON_DEVICE(__half2int_ru(a))),
            sums.add(ON_DEVICE(__half2int_rd(a)));
        sums.add(__half2uint_rz(a)), sums.add(ON_DEVICE(__half2short_rn(a))),
            sums.add(ON_DEVICE(__half2ushort_rd(a)));
        sums.add(ON_DEVICE(__half2ll_ru(a))), sums.add(ON_DEVICE(__half2ull_rn(a)));
        sums.add(bits(__int2half_rn(i))), sums.add(ON_DEVICE(bits(__int2half_rz(i)))),
            sums.add(ON_DEVICE(bits(__uint2half_ru(i)))),
            sums.add(ON_DEVICE(bits(__short2half_rd(static_cast<short>(i)))));
        sums.add(bits(__ll2half_rn(i * 123456789LL))), sums.add(ON_DEVICE(bits(__ull2half_rd(i * 12345ULL))));
        sums.add(bits(__half22float2(__halves2half2(a, __hneg(a))).y));
        sums.add(bits(__lowhigh2highlow(__floats2half2_rn(1.5f, i))));
    }
};
struct Bfloat {
    using One = __nv_bfloat16;
    using Two = __nv_bfloat162;
    static HERE One of(unsigned short bits) { return __ushort_as_bfloat16(bits); }
    static HERE One of(float value, int rounding)
    {
        return rounding == 0   ? __float2bfloat16_rn(value)
               : rounding == 1 ? __float2bfloat16_rz(value)
               : rounding == 2 ? __float2bfloat16_ru(value)
                               : __float2bfloat16_rd(value);
    }
    static HERE One of(double value) { return __double2bfloat16(value); }
    static HERE void conversions(Sums& sums, One a, int i)
    {
        sums.add(ON_DEVICE(__bfloat162int_rn(a))), sums.add(__bfloat162int_rz(a)),
            sums.add(ON_DEVICE(__bfloat162int_ru(a))), sums.add(ON_DEVICE(__bfloat162int_rd(a)));
        sums.add(__bfloat162uint_rz(a)), sums.add(ON_DEVICE(__bfloat162short_rn(a))),
            sums.add(ON_DEVICE(__bfloat162ushort_rd(a)));
        sums.add(ON_DEVICE(__bfloat162ll_ru(a))), sums.add(ON_DEVICE(__bfloat162ull_rn(a)));
        sums.add(bits(__int2bfloat16_rn(i))), sums.add(ON_DEVICE(bits(__int2bfloat16_rz(i)))),
            sums.add(ON_DEVICE(bits(__uint2bfloat16_ru(i)))),
            sums.add(ON_DEVICE(bits(__short2bfloat16_rd(static_cast<short>(i)))));
        sums.add(bits(__ll2bfloat16_rn(i * 123456789LL))), sums.add(ON_DEVICE(bits(__ull2bfloat16_rd(i * 12345ULL))));
        sums.add(bits(__bfloat1622float2(__halves2bfloat162(a, __hneg(a))).y));
        sums.add(bits(__lowhigh2highlow(__floats2bfloat162_rn(1.5f, i))));
    }
};

template <class Format>
HERE void all(Sums& sums)
{
    using One = typename Format::One;
    using Two = typename Format::Two;
    unsigned state = 1;
    for (int i = 0; i < 65536; ++i) {
        const One a = Format::of(static_cast<unsigned short>(i));
        state = state * 1664525u + 1013904223u;
        const One b = Format::of(static_cast<unsigned short>(state >> 16));
        state = state * 1664525u + 1013904223u;
        const One c = Format::of(static_cast<unsigned short>(state >> 16));
        // Near in size: sums and products in which rounding matters.
        const One d = Format::of(static_cast<unsigned short>((i & 0xFC00) + (state >> 22)));
        sums.count = 0;
        sums.add(bits(static_cast<float>(a)));
        for (int rounding = 0; rounding < 4; ++rounding)
            sums.add(
                bits(Format::of(static_cast<float>(a) * (1 + static_cast<float>(state >> 20) / 8192), rounding)));
        sums.add(
            bits(Format::of(static_cast<double>(static_cast<float>(a)) * (1 + static_cast<double>(state) / 8e12))));
        Format::conversions(sums, a, static_cast<int>(state) >> (i % 31));
        if (i % 8 != 7)
            continue;
        sums.add(bits(a + b)), sums.add(bits(a - d)), sums.add(bits(a * b)), sums.add(bits(a / c));
        sums.add(bits(__hadd(a, d))), sums.add(bits(__hmul(d, c))), sums.add(bits(__hadd_sat(a, b))),
            sums.add(bits(__hmul_sat(a, d)));
        sums.add(ON_DEVICE(bits(__hfma(a, b, c)))), sums.add(ON_DEVICE(bits(__hfma(a, d, c)))),
            sums.add(ON_DEVICE(bits(__hfma_sat(a, b, d)))), sums.add(ON_DEVICE(bits(__hfma_relu(d, b, c))));
        sums.add(bits(__hneg(a))), sums.add(bits(__habs(a))), sums.add(bits(__hmax(a, b))),
            sums.add(bits(__hmin(a, b)));
        sums.add(bits(__hmax_nan(a, b))), sums.add(bits(__hmin_nan(a, d)));
        sums.add(__heq(a, b) + 2 * __hne(a, d) + 4 * __hlt(a, b) + 8 * __hle(a, b) + 16 * __hgt(a, d) +
                 32 * __hge(a, d));
        sums.add(__hequ(a, b) + 2 * __hneu(a, d) + 4 * __hltu(a, b) + 8 * __hleu(a, b) + 16 * __hgtu(a, d) +
                 32 * __hgeu(a, d));
        sums.add((a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (a >= d) + 16 * __hisnan(a) + 32 * (__hisinf(a) + 1));
        const Two p(a, b), q(c, d);
        sums.add(bits(p + q)), sums.add(bits(__hmul2(p, q))), sums.add(ON_DEVICE(bits(__hfma2(p, q, p)))),
            sums.add(bits(__h2div(p, q)));
        sums.add(bits(__heq2(p, q))), sums.add(__hblt2(p, q)), sums.add(__hgt2_mask(p, q)),
            sums.add(bits(__hmax2(p, q))), sums.add(bits(__habs2(__hneg2(p))));
        sums.add(ON_DEVICE(bits(hfloor(a)))), sums.add(ON_DEVICE(bits(hceil(a)))),
            sums.add(ON_DEVICE(bits(htrunc(a)))), sums.add(ON_DEVICE(bits(hrint(a))));
        sums.add(ON_DEVICE(bits(h2floor(p))));
    }
}

// The first of each pair: E4M3.
HERE void all8(Sums& e4m3, Sums& e5m2)
{
    for (int i = 0; i < 65536; ++i) {
        const __half half = __ushort_as_half(static_cast<unsigned short>(i));
        const __nv_bfloat16 bfloat = __ushort_as_bfloat16(static_cast<unsigned short>(i));
        for (__nv_fp8_interpretation_t kind : {__NV_E4M3, __NV_E5M2}) {
            Sums& sums = kind == __NV_E4M3 ? e4m3 : e5m2;
            sums.count = 0;
            for (__nv_saturation_t saturation : {__NV_NOSAT, __NV_SATFINITE}) {
                sums.add(__nv_cvt_halfraw_to_fp8(half, saturation, kind));
                sums.add(__nv_cvt_bfloat16raw_to_fp8(bfloat, saturation, kind));
                sums.add(__nv_cvt_float_to_fp8(static_cast<float>(bfloat) * (1 + i / 6e6f), saturation, kind));
                sums.add(__nv_cvt_double_to_fp8(static_cast<double>(static_cast<float>(half)) * (1 + i / 1e9),
                                                saturation, kind));
                sums.add(__nv_cvt_float2_to_fp8x2(make_float2(bfloat, half), saturation, kind));
            }
            sums.add(static_cast<__half_raw>(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(i), kind)).x);
            sums.add(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(i), kind).y);
        }
        __nv_fp8_e4m3 a(half);
        __nv_fp8_e5m2 b(bfloat);
        e4m3.add(a.__x), e5m2.add(b.__x);
        e4m3.add(bits(static_cast<float>(a))), e5m2.add(bits(static_cast<float>(b)));
        e4m3.add(static_cast<int>(a)), e5m2.add(static_cast<int>(b));
        const __nv_fp8x4_e4m3 four(make_float4(half, bfloat, 1.3f, i));
        e4m3.add(four.__x), e5m2.add(bits(static_cast<float4>(four).w));
    }
}

#ifdef ON_HOST
int main(int argc, char**)
{
    static Sums half, bfloat, e4m3, e5m2;
    all8(e4m3, e5m2);
    all<Half>(half);
    all<Bfloat>(bfloat);
#else
__global__ void run(Sums* sums)
{
    if (threadIdx.x == 0)
        all<Half>(sums[0]);
    else if (threadIdx.x == 1)
        all<Bfloat>(sums[1]);
    else
        all8(sums[2], sums[3]);
}

__global__ void adds(__half* sum, __half2* sums)
{
    atomicAdd(sum, __float2half(1.0f));
    atomicAdd(sums, __floats2half2_rn(0.5f, threadIdx.x % 2));
    const __half other = __shfl_xor_sync(0xFFFFFFFFu, __int2half_rn(threadIdx.x), 1);
    if (threadIdx.x == 4)
        sums[1] = __half2half2(other);
}

int main(int argc, char**)
{
    Sums* const sums = zeros<Sums>(4);
    run<<<1, 3>>>(sums);
    static Sums both[4];
    CHECK(cudaMemcpy(both, sums, sizeof both, cudaMemcpyDeviceToHost));
    const Sums &half = both[0], &bfloat = both[1], &e4m3 = both[2], &e5m2 = both[3];
    __half* const sum = zeros<__half>();
    __half2* const pairs = zeros<__half2>(2);
    adds<<<1, 32>>>(sum, pairs);
    __half2 got[2];
    __half one;
    CHECK(cudaMemcpy(got, pairs, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&one, sum, sizeof one, cudaMemcpyDeviceToHost));
    std::printf("%g %g %g %g\n", static_cast<float>(one), static_cast<float>(got[0].x), static_cast<float>(got[0].y),
                static_cast<float>(got[1].y));
#endif
    for (const Sums* one : {&half, &bfloat, &e4m3, &e5m2}) {
        unsigned long long all = 0;
        for (int i = 0; i < one->count; ++i) {
            all = all * 0x100000001B3ULL + one->of[i];
            if (argc > 1)
                std::printf("%d %016llx\n", i, one->of[i]);
        }
        std::printf("%d: %016llx\n", one->count, all);
    }
    return 0;
}
