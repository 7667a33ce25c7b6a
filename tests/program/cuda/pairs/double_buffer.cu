// Kind: the two buffers are swapped at the wrong place
// Each step reads one buffer and writes the other. Without the swap of both pointers a step writes what it reads.
#include "../check.h"

constexpr int kCount = 32;

__global__ void smooth(const int* from, int* to)
{
    const int i = threadIdx.x;
    to[i] = from[i] + from[(i + 1) % kCount]; // BUG
}

__global__ void parent(int* one, int* other, int steps)
{
    const int* from = one;
    int* to = other;
    for (int step = 0; step < steps; ++step) {
        smooth<<<1, kCount>>>(from, to);
#ifdef BUG
        from = to;
        to = other;
#else
        from = to;
        to = from == one ? other : one;
#endif
    }
}

int main()
{
    int host[kCount] = {};
    host[5] = 1;
    int* const other = memory<int>(kCount);
    int* const one = copy_of(host);
    parent<<<1, 1>>>(one, other, 4);
    return verdict(value_of(one + 3), 6);
}
