// Inline PTX that computes: sums over the results of each form, as a GPU has them.
#include "../check.h"

struct Sums {
    unsigned long long of[128];
    int count;
    __device__ void add(unsigned long long value)
    {
        of[count] = of[count] * 0x100000001B3ULL + value + 1;
        ++count;
    }
};

// Of 32 bits.
#define ONE(text, to, a)                                                                                             \
    do {                                                                                                             \
        asm(text : "=r"(to) : "r"(a));                                                                               \
        sums.add(to);                                                                                                \
    } while (false)
#define TWO(text, to, a, b)                                                                                          \
    do {                                                                                                             \
        asm(text : "=r"(to) : "r"(a), "r"(b));                                                                       \
        sums.add(to);                                                                                                \
    } while (false)
#define THREE(text, to, a, b, c)                                                                                     \
    do {                                                                                                             \
        asm(text : "=r"(to) : "r"(a), "r"(b), "r"(c));                                                               \
        sums.add(to);                                                                                                \
    } while (false)

__device__ void all32(Sums& sums, unsigned a, unsigned b, unsigned c)
{
    unsigned to;
    TWO("add.u32 %0, %1, %2;", to, a, b);
    TWO("add.s32 %0, %1, %2;", to, a, b);
    TWO("sub.s32 %0, %1, %2;", to, a, b);
    TWO("mul.lo.u32 %0, %1, %2;", to, a, b);
    TWO("mul.hi.u32 %0, %1, %2;", to, a, b);
    TWO("mul.hi.s32 %0, %1, %2;", to, a, b);
    THREE("mad.lo.s32 %0, %1, %2, %3;", to, a, b, c);
    THREE("mad.hi.u32 %0, %1, %2, %3;", to, a, b, c);
    TWO("div.u32 %0, %1, %2;", to, a, b | 1);
    TWO("div.s32 %0, %1, %2;", to, a, b | 1);
    TWO("rem.u32 %0, %1, %2;", to, a, c | 1);
    TWO("rem.s32 %0, %1, %2;", to, a, c >> 20 | 1);
    THREE("dp4a.s32.s32 %0, %1, %2, %3;", to, a, b, c);
    THREE("dp4a.u32.u32 %0, %1, %2, %3;", to, a, b, c);
    THREE("dp4a.u32.s32 %0, %1, %2, %3;", to, a, b, c);
    THREE("vabsdiff4.u32.u32.u32.add"
          " %0, %1, %2, %3;",
          to, a, b, c);
    THREE("vabsdiff4.u32.s32.u32 %0, %1, %2, %3;", to, a, b, c);
    THREE("vadd4.s32.s32.s32.sat %0, %1, %2, %3;", to, a, b, c);
    THREE("vsub2.u32.u32.u32 %0, %1, %2, %3;", to, a, b, c);
    THREE("vavrg4.s32.s32.s32 %0, %1, %2, %3;", to, a, b, c);
    THREE("vmin2.s32.s32.u32.add %0, %1, %2, %3;", to, a, b, c);
    THREE("vmax4.u32.u32.u32 %0, %1, %2, %3;", to, a, b, c);
    sums.add(static_cast<unsigned>(__dp4a(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c))));
    sums.add(__dp4a(a, b, c));
    TWO("min.s32 %0, %1, %2;", to, a, b);
    TWO("max.u32 %0, %1, %2;", to, a, b);
    ONE("abs.s32 %0, %1;", to, a);
    ONE("neg.s32 %0, %1;", to, a);
    TWO("and.b32 %0, %1, %2;", to, a, b);
    TWO("or.b32 %0, %1, %2;", to, a, b);
    TWO("xor.b32 %0, %1, %2;", to, a, b);
    ONE("not.b32 %0, %1;", to, a);
    TWO("shl.b32 %0, %1, %2;", to, a, b % 40);
    TWO("shr.u32 %0, %1, %2;", to, a, b % 40);
    TWO("shr.s32 %0, %1, %2;", to, a, b % 40);
    ONE("shl.b32 %0, %1, 5;", to, a);
    ONE("popc.b32 %0, %1;", to, a);
    ONE("clz.b32 %0, %1;", to, a >> b % 32);
    ONE("brev.b32 %0, %1;", to, a);
    THREE("bfe.u32 %0, %1, %2, %3;", to, a, b % 40, c % 40);
    THREE("bfe.s32 %0, %1, %2, %3;", to, a, b % 40, c % 40);
    ONE("bfe.u32 %0, %1, 8, 8;", to, a);
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(to) : "r"(a), "r"(b), "r"(c % 40), "r"(c >> 8 & 31));
    sums.add(to);
    THREE("prmt.b32 %0, %1, %2, %3;", to, a, b, c);
    TWO("prmt.b32 %0, %1, %2, 0x5410;", to, a, b);
    THREE("lop3.b32 %0, %1, %2, %3, 0xE8;", to, a, b, c);
    THREE("lop3.b32 %0, %1, %2, %3, 0x96;", to, a, b, c);
    THREE("lop3.b32 %0, %1, %2, %3, 27;", to, a, b, c);
    THREE("shf.l.wrap.b32 %0, %1, %2, %3;", to, a, b, c);
    THREE("shf.l.clamp.b32 %0, %1, %2, %3;", to, a, b, c % 40);
    THREE("shf.r.wrap.b32 %0, %1, %2, %3;", to, a, b, c);
    THREE("shf.r.clamp.b32 %0, %1, %2, %3;", to, a, b, c % 40);
    to = a;
    asm("add.u32 %0, %0, %1;" : "+r"(to) : "r"(b));
    sums.add(to);
    asm volatile("mov.u32 %0, 0x12345;\n\t" : "=r"(to));
    sums.add(to);
}

__device__ void all64(Sums& sums, unsigned long long a, unsigned long long b, unsigned c)
{
    unsigned long long to;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(to) : "r"(c), "r"(static_cast<unsigned>(a)));
    sums.add(to);
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(to) : "r"(c), "r"(static_cast<unsigned>(a)));
    sums.add(to);
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(to) : "r"(c), "r"(static_cast<unsigned>(b)), "l"(a));
    sums.add(to);
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(to) : "l"(a), "l"(b));
    sums.add(to);
    asm("mul.hi.s64 %0, %1, %2;" : "=l"(to) : "l"(a), "l"(b));
    sums.add(to);
    asm("mad.lo.u64 %0, %1, %2, %3;" : "=l"(to) : "l"(a), "l"(b), "l"(a));
    sums.add(to);
    asm("shr.s64 %0, %1, %2;" : "=l"(to) : "l"(a), "r"(c % 80));
    sums.add(to);
    asm("max.s64 %0, %1, %2;" : "=l"(to) : "l"(a), "l"(b));
    sums.add(to);
    unsigned count;
    asm("popc.b64 %0, %1;" : "=r"(count) : "l"(a));
    sums.add(count);
    asm("clz.b64 %0, %1;" : "=r"(count) : "l"(a >> c % 64));
    sums.add(count);
    asm("brev.b64 %0, %1;" : "=l"(to) : "l"(a));
    sums.add(to);
    asm("bfe.s64 %0, %1, %2, %3;" : "=l"(to) : "l"(a), "r"(c % 70), "r"(c >> 8 & 63));
    sums.add(to);
}

__device__ void floats(Sums& sums, float a, float b, double c)
{
    float to;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(to) : "f"(a), "f"(b));
    sums.add(__float_as_uint(to));
    asm("mul.f32 %0, %1, %2;" : "=f"(to) : "f"(a), "f"(b));
    sums.add(__float_as_uint(to));
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(to) : "f"(a), "f"(b), "f"(a));
    sums.add(__float_as_uint(to));
    asm("fma.rn.ftz.f32 %0, %1, %2, %1;" : "=f"(to) : "f"(a * 1e-30f), "f"(b * 1e-12f));
    sums.add(__float_as_uint(to));
    asm("min.f32 %0, %1, %2;" : "=f"(to) : "f"(a), "f"(b));
    sums.add(__float_as_uint(to));
    asm("neg.f32 %0, %1;" : "=f"(to) : "f"(a));
    sums.add(__float_as_uint(to));
    asm("abs.f32 %0, %1;" : "=f"(to) : "f"(a));
    sums.add(__float_as_uint(to));
    asm("sqrt.rn.f32 %0, %1;" : "=f"(to) : "f"(fabsf(a)));
    sums.add(__float_as_uint(to));
    double wide;
    asm("fma.rn.f64 %0, %1, %2, %1;" : "=d"(wide) : "d"(c), "d"(static_cast<double>(a)));
    sums.add(static_cast<unsigned long long>(__double_as_longlong(wide)));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(to) : "f"(2.0f));
    sums.add(static_cast<unsigned long long>(to + 0.5f));
    asm volatile("nanosleep.u32 %0;" ::"r"(1u));
}

__global__ void run(Sums* sums)
{
    unsigned long long state = 12345;
    for (int i = 0; i < 2000; ++i) {
        unsigned next[6];
        for (unsigned& one : next) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            one = static_cast<unsigned>(state >> 32) >> (state >> 27 & 31 & -(i & 1));
        }
        sums->count = 0;
        all32(*sums, next[0], next[1], next[2]);
        all64(*sums, static_cast<unsigned long long>(next[3]) << 32 | next[4],
              static_cast<unsigned long long>(next[1]) << 32 | next[5], next[2]);
        floats(*sums, static_cast<int>(next[0]) * 1e-3f, static_cast<int>(next[1]) * 1e-5f, next[2] * 1e-7);
    }
}

int main(int argc, char**)
{
    Sums* const sums = zeros<Sums>();
    run<<<1, 1>>>(sums);
    static Sums got;
    CHECK(cudaMemcpy(&got, sums, sizeof got, cudaMemcpyDeviceToHost));
    unsigned long long all = 0;
    for (int i = 0; i < got.count; ++i) {
        all = all * 0x100000001B3ULL + got.of[i];
        if (argc > 1)
            std::printf("%d %016llx\n", i, got.of[i]);
    }
    std::printf("%d: %016llx\n", got.count, all);
    return 0;
}
