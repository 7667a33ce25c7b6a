// Inline PTX whose operands are not in the order of their numbers; addresses with an offset, registers of two halves, conversions.
#include "../check.h"

struct Words {
    unsigned sum, difference, added, old, twice, product;
    unsigned char byte;
};

__global__ void run(Words* to, int n)
{
    unsigned word;
    asm volatile("st.release.sys.global.u8 [%1], %0;" ::"r"(n + 200), "l"(&to->byte) : "memory");
    asm volatile("ld.acquire.sys.global.u8 %0, [%1];" : "=r"(word) : "l"(&to->byte) : "memory");
    asm volatile("st.global.u32 [%1], %0;" ::"r"(word + 7), "l"(&to->sum) : "memory");
    asm("sub.u32 %0, %2, %1;" : "=r"(to->difference) : "r"(3), "r"(10));
    asm volatile("atom.global.add.u32 %0, [%2], %1;" : "=r"(to->old) : "r"(5), "l"(&to->added) : "memory");
    asm("mad.lo.u32 %0, %1, %1, %2;" : "=r"(to->twice) : "r"(4), "r"(1));
    asm("mad.lo.u32 %0, %2, %1, %2;" : "=r"(to->product) : "r"(4), "r"(3));
}

struct Others {
    unsigned long long joined;
    unsigned low, high, loaded, joined_shorts;
    float pair[4];
    int whole[4], rounded[4];
    float directed[3];
    unsigned char clamped;
};

__global__ void others(Others* to, const float* from, int three)
{
    const auto number = static_cast<unsigned>(three);
    asm("mov.b64 %0, {%1, %2};" : "=l"(to->joined) : "r"(number), "r"(4U));
    asm("mov.b64 {%0, %1}, %2;" : "=r"(to->high), "=r"(to->low) : "l"(to->joined));
    asm("mov.b32 %0, {%1, %2};"
        : "=r"(to->joined_shorts)
        : "h"(static_cast<unsigned short>(number)), "h"(static_cast<unsigned short>(5)));
    asm volatile("st.global.u32 [%0 + 4], %1;" ::"l"(&to->high), "r"(number + 6) : "memory");
    asm volatile("ld.global.u32 %0, [%1+-4];" : "=r"(to->high) : "l"(&to->joined_shorts) : "memory");
    asm volatile("ld.global.v2.f32 {%0, %1}, [%2+8];" : "=f"(to->pair[0]), "=f"(to->pair[1]) : "l"(from) : "memory");
    asm volatile("st.global.v2.f32 [%1+0x8], {%2, %0};" : : "f"(from[0]), "l"(to->pair), "f"(from[1]) : "memory");
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(to->whole[0]) : "f"(from[0]));
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(to->whole[1]) : "f"(from[0]));
    asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(to->whole[2]) : "f"(from[0]));
    asm("cvt.rpi.s32.f32 %0, %1;" : "=r"(to->whole[3]) : "f"(from[0]));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(to->rounded[0]) : "r"(three * 100));
    asm("cvt.s8.s32 %0, %1;" : "=r"(to->rounded[1]) : "r"(three * 100));
    asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(to->rounded[2]) : "f"(from[0]));
    asm("cvt.rzi.s32.f64 %0, %1;" : "=r"(to->rounded[3]) : "d"(1e20));
    asm("cvt.rn.f32.u32 %0, %1;" : "=f"(to->directed[0]) : "r"(16777217U * number));
    asm("cvt.rp.f32.s32 %0, %1;" : "=f"(to->directed[1]) : "r"(16777217));
    asm("cvt.rz.f32.f64 %0, %1;" : "=f"(to->directed[2]) : "d"(16777219.0));
    unsigned byte;
    asm("cvt.rni.u8.f32 %0, %1;" : "=r"(byte) : "f"(from[2]));
    to->clamped = static_cast<unsigned char>(byte);
}

int main()
{
    Words* const words = zeros<Words>();
    run<<<1, 1>>>(words, 1);
    const Words got = value_of(words);
    std::printf("%u %u %u %u %u %u %d\n", got.sum, got.difference, got.added, got.old, got.twice, got.product,
                got.byte);
    const float host[] = {-2.5F, 3.5F, 300.0F, 0.25F};
    const float* const numbers = copy_of(host);
    Others* const to = zeros<Others>();
    others<<<1, 1>>>(to, numbers, 3);
    const Others all = value_of(to);
    std::printf("%llx %u %u %u %x\n", all.joined, all.low, all.high, all.loaded, all.joined_shorts);
    std::printf("%g %g %g %g\n", all.pair[0], all.pair[1], all.pair[2], all.pair[3]);
    std::printf("%d %d %d %d, %d %d %d %d\n", all.whole[0], all.whole[1], all.whole[2], all.whole[3], all.rounded[0],
                all.rounded[1], all.rounded[2], all.rounded[3]);
    std::printf("%.1f %.1f %.1f %d\n", all.directed[0], all.directed[1], all.directed[2], all.clamped);
    return 0;
}
