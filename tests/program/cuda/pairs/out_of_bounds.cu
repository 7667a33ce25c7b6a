// Kind: access past the end of a buffer
// The loop of the child has one step too many.
#include "../check.h"

__global__ void fill(int* numbers, int count)
{
#ifdef BUG
    for (int i = threadIdx.x; i <= count; i += blockDim.x)
#else
    for (int i = threadIdx.x; i < count; i += blockDim.x)
#endif
        numbers[i] = i; // BUG
}

__global__ void parent(int* numbers, int count)
{
    fill<<<1, 32>>>(numbers, count);
}

int main()
{
    constexpr int kCount = 100;
    int* const numbers = memory<int>(kCount);
    parent<<<1, 1>>>(numbers, kCount);
    return verdict(value_of(numbers + kCount - 1), kCount - 1);
}
