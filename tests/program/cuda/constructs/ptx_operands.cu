// Inline PTX whose operands are not in the order of their numbers.
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

int main()
{
    Words* const words = zeros<Words>();
    run<<<1, 1>>>(words, 1);
    const Words got = value_of(words);
    std::printf("%u %u %u %u %u %u %d\n", got.sum, got.difference, got.added, got.old, got.twice, got.product,
                got.byte);
    return 0;
}
