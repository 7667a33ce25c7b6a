// Inline PTX with several instructions: carries, predicates, registers of its own, branches, numbers in place of registers.
#include "../check.h"

#include <cstdint>

__device__ void add128(uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1, uint64_t& r0, uint64_t& r1)
{
    asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;" : "=l"(r0), "=l"(r1) : "l"(a0), "l"(a1), "l"(b0), "l"(b1));
}
__device__ void add128_apart(const uint32_t* a, const uint32_t* b, uint32_t* r)
{
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r[0]) : "r"(a[0]), "r"(b[0]));
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r[1]) : "r"(a[1]), "r"(b[1]));
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r[2]) : "r"(a[2]), "r"(b[2]));
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(r[3]) : "r"(a[3]), "r"(b[3]));
}
__device__ void sub96(uint32_t* r, const uint32_t* a, const uint32_t* b)
{
    asm("sub.cc.u32 %0, %3, %6;\n\t"
        "subc.cc.u32 %1, %4, %7;\n\t"
        "subc.u32 %2, %5, %8;\n\t"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(b[0]), "r"(b[1]), "r"(b[2]));
}
__device__ void mul64(uint32_t& r0, uint32_t& r1, uint32_t& r2, uint32_t a0, uint32_t a1, uint32_t b)
{
    asm("{ .reg .u32 t;\n"
        "mul.lo.u32 %0, %3, %5; mul.hi.u32 t, %3, %5;\n"
        "mad.lo.cc.u32 %1, %4, %5, t; madc.hi.u32 %2, %4, %5, 0; }"
        : "=&r"(r0), "=&r"(r1), "=r"(r2)
        : "r"(a0), "r"(a1), "r"(b));
}
__device__ int load_if(const int* p, int use, int other)
{
    int r;
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n mov.b32 %0, %3;\n @p ld.global.s32 %0, [%1];\n}\n"
                 : "=r"(r)
                 : "l"(p), "r"(use), "r"(other));
    return r;
}
__device__ void store_if(int* p, int use, int v)
{
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global.s32 [%1], %2; @!p st.global.s32 [%1+4], -7; }" ::"r"(use),
        "l"(p), "r"(v)
        : "memory");
}
__device__ float4 load4_if(const float4* p, bool use)
{
    float4 r;
    asm volatile("{\n .reg .pred %%p;\n setp.ne.b32 %%p, %5, 0;\n"
                 " mov.f32 %0, 0f3F800000;\n mov.f32 %1, 0f40000000;\n mov.f32 %2, 1.5;\n mov.f32 %3, 0f00000000;\n"
                 " @%%p ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];\n}"
                 : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w)
                 : "l"(p), "r"((int)use));
    return r;
}
__device__ int clamp(int x, int lo, int hi)
{
    int r;
    asm("{ .reg .pred p, q; .reg .s32 t<2>;\n"
        "setp.lt.s32 p, %1, %2; selp.s32 t0, %2, %1, p; setp.gt.s32 q, t0, %3; selp.s32 t1, %3, t0, q; mov.s32 %0, "
        "t1; }"
        : "=r"(r)
        : "r"(x), "r"(lo), "r"(hi));
    return r;
}
__device__ int in_range(float x, float lo, float hi)
{
    int r;
    asm("{ .reg .pred p, q; setp.ge.f32 p, %1, %2; setp.lt.and.f32 p|q, %1, %3, p; selp.b32 %0, 1, 0, p; @q add.s32 "
        "%0, %0, 10; }"
        : "=r"(r)
        : "f"(x), "f"(lo), "f"(hi));
    return r;
}
__device__ unsigned count_bits(unsigned x)
{
    unsigned r;
    asm("{ .reg .pred p; .reg .u32 t, x;\n mov.u32 %0, 0; mov.u32 x, %1;\n"
        "LOOP: setp.eq.u32 p, x, 0; @p bra DONE;\n sub.u32 t, x, 1; and.b32 x, x, t; add.u32 %0, %0, 1; bra.uni "
        "LOOP;\nDONE:\n}"
        : "=r"(r)
        : "r"(x));
    return r;
}
__device__ int clamped_below(int x)
{
    int r;
    asm("{ .reg .pred p; setp.lt.s32 p, %1, 0; @p bra NEG; mov.s32 %0, %1; bra END; NEG: mov.s32 %0, 0; END: }"
        : "=r"(r)
        : "r"(x));
    return r;
}
__device__ int counted(int* p)
{
    int old;
    asm volatile("atom.global.add.s32 %0, [%1], 3;" : "=r"(old) : "l"(p) : "memory");
    asm volatile("red.global.add.s32 [%0], 4;" ::"l"(p) : "memory");
    return old;
}
__global__ void run(int* in, int* out, unsigned long long* big)
{
    __shared__ unsigned long long barrier;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at));
    __syncthreads();
    asm volatile("{ .reg .b64 s; .reg .pred p;\n mbarrier.arrive.shared.b64 s, [%0];\nWAIT: "
                 "mbarrier.try_wait.shared.b64 p, [%0], s;\n@!p bra WAIT;\n}" ::"r"(at)
                 : "memory");
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at), "r"(0u));
    if (threadIdx.x != 0)
        return;
    add128(~0ull, 1, 1, 2, (uint64_t&)big[0], (uint64_t&)big[1]);
    const uint32_t a[4] = {~0u, ~0u, 5, 0};
    const uint32_t b[4] = {1, 0, ~0u, 0};
    uint32_t r[4];
    add128_apart(a, b, r);
    printf("%llx %llx, %x %x %x %x\n", big[0], big[1], r[0], r[1], r[2], r[3]);
    sub96(r, b, a);
    printf("%x %x %x\n", r[0], r[1], r[2]);
    mul64(r[0], r[1], r[2], ~0u, ~0u, 0x12345678);
    printf("%x %x %x\n", r[0], r[1], r[2]);
    printf("%d %d\n", load_if(in, 1, 9), load_if(in, 0, 9));
    store_if(out, 1, 5);
    store_if(out + 2, 0, 5);
    printf("%d %d\n", out[0], out[3]);
    float4 f = load4_if((float4*)in, false);
    printf("%g %g %g %g\n", f.x, f.y, f.z, f.w);
    printf("%d %d %d, %d %d %d, %u %d %d\n", clamp(-3, 0, 7), clamp(3, 0, 7), clamp(30, 0, 7), in_range(1, 0, 2),
           in_range(-1, 0, 2), in_range(3, 0, 2), count_bits(0xf0f1), clamped_below(-4), clamped_below(4));
    out[7] = 1;
    printf("%d", counted(out + 7));
    printf(" %d\n", out[7]);
}
struct Parts {
    unsigned low : 4, high : 28;
};
// Operands are registers: variables are read before the instructions and written behind them.
__global__ void variables(unsigned* memory)
{
    __shared__ unsigned words[2];
    unsigned a = ~0u, b = ~0u, once = 3, last = 5, old, pair[2] = {1, 2};
    volatile unsigned twice = 4;
    asm("{ mul.lo.u32 %0, %2, %3; mul.hi.u32 %1, %2, %3; }" : "=&r"(a), "=&r"(b) : "r"(a), "r"(b));
    asm("{ mov.u32 %0, 100; add.u32 %0, %0, %1; }" : "=&r"(once) : "r"(once));
    asm("mov.u32 %0, %3; mov.u32 %1, %2;"
        : "=&"
          "r"(pair[0]),
          "=&r"(pair[1])
        : "r"(pair[0]), "r"(pair[1]));
    asm volatile("{ mov.u32 %0, %1; add.u32 %0, %0, %1; }" : "=&r"(twice) : "r"(twice));
    asm("{ add.u32 %0, %0, 1; add.u32 %1, %1, %0; }" : "+r"(last), "+r"(last));
    printf("%x %x %u, %u %u, %u %u\n", a, b, once, pair[0], pair[1], twice, last);
    memory[0] = 9;
    asm volatile("{ mov.u32 %0, 7; ld.global.u32 %1, [%2]; }"
                 : "=&r"(memory[0]), "=&r"(old)
                 : "l"(memory)
                 : "memory");
    memory[2] = 20;
    memory[3] = 30;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(memory[3]), "=r"(memory[2]) : "l"(memory + 2) : "memory");
    words[1] = 6;
    const Parts parts = {11, 5};
    asm volatile("{ .reg .u64 t; add.u64 t, %1, 4; ld.u32 %0, [t]; shl.b32 %0, %0, %2; add.u32 %0, %0, %3; }"
                 : "=&r"(a)
                 : "l"(words), "r"(parts.low), "r"(parts.high)
                 : "memory");
    printf("%u %u, %u %u, %u\n", old, memory[0], memory[2], memory[3], a);
}
__global__ void scopes_and_numbers(unsigned x, unsigned by, short s)
{
    unsigned r, other;
    asm volatile("{ .reg .pred p; mov.u32 %0, %1; setp.ne.u32 p, %0, 0; @p nanosleep.u32 100; }" : "=r"(r) : "r"(x));
    asm volatile("{ .reg .pred p; mov.u32 %0, %1; setp.eq.u32 p, %0, 0; @p bra END; SLEEP: nanosleep.u32 77; END: }"
                 : "=r"(other)
                 : "r"(x));
    printf("%u %u, ", r, other);
    asm("{ .reg .u32 t; mov.u32 t, %2; { .reg .u32 t; mov.u32 t, 5; }\n"
        "L: { .reg .f32 t; mov.f32 t, 0F40000000; cvt.rzi.u32.f32 %1, t; { add.u32 %1, %1, 1; } } mov.u32 %0, t; }"
        : "=&r"(r), "=&r"(other)
        : "r"(x));
    double d;
    asm("{ .reg .f64 t; mov.f64 t, 0D4000000000000000; add.f64 %0, t, 0d3FF0000000000000; }" : "=d"(d));
    short left, right, negative;
    asm("shl.b16 %0, %1, %2;" : "=h"(left) : "h"(s), "r"(by));
    asm("shr.u16 %0, %1, %2;" : "=h"(right) : "h"(s), "r"(by));
    asm("{ neg.s16 %0, %1; shr.s16 %0, %0, %2; }" : "=&h"(negative) : "h"(s), "r"(by));
    printf("%u %u %g, %d %d %d\n", r, other, d, left, right, negative);
}
// Each thread has its carry, also where it lets another one run.
__global__ void carries(const unsigned* in, unsigned* wrong)
{
    const unsigned carry = threadIdx.x % 2;
    for (int round = 0; round < 1000; ++round) {
        unsigned low, high, read;
        asm volatile("add.cc.u32 %0, %3, 1; ld.global.u32 %2, [%4]; addc.u32 %1, %2, 0;"
                     : "=&r"(low), "=&r"(high), "=&r"(read)
                     : "r"(0u - carry), "l"(in));
        if (low != 1 - carry || read != 42 || high != 42 + carry)
            atomicAdd(wrong, 1);
    }
}
int main()
{
    const int numbers[16] = {42};
    run<<<1, 2>>>(copy_of(numbers), memory<int>(16), memory<unsigned long long>(2));
    CHECK(cudaDeviceSynchronize());
    variables<<<1, 1>>>(memory<unsigned>(4));
    scopes_and_numbers<<<1, 1>>>(9, 0x10000, 3);
    unsigned* const wrong = zeros<unsigned>();
    carries<<<1, 2>>>((const unsigned*)copy_of(numbers), wrong);
    printf("%u carries wrong\n", value_of(wrong));
}
