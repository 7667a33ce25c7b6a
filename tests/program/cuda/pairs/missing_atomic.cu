// Kind: missing atomic
// The children of all threads add to one number.
#include "../check.h"

__global__ void count_even(int number, int* even)
{
    if (number % 2 != 0)
        return;
#ifdef BUG
    *even += 1; // BUG
#else
    atomicAdd(even, 1);
#endif
}

__global__ void parent(int* even)
{
    count_even<<<1, 1, 0, cudaStreamFireAndForget>>>(threadIdx.x, even);
}

int main()
{
    int* const even = zeros<int>();
    parent<<<1, 20>>>(even);
    return verdict(value_of(even), 10);
}
