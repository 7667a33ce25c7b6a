// Kind: slices of two children overlap
// Each child increments its slice. With the wrong end it takes the first element of its neighbour too.
#include "../check.h"

constexpr int kSlice = 16;
constexpr int kChildren = 4;

__global__ void increment(int* numbers, int begin, int end)
{
    for (int i = begin; i < end; ++i)
        numbers[i] += 1; // BUG
}

__global__ void parent(int* numbers)
{
    const int begin = threadIdx.x * kSlice;
#ifdef BUG
    const int end = min(begin + kSlice + 1, kChildren * kSlice);
#else
    const int end = begin + kSlice;
#endif
    increment<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, begin, end);
}

int main()
{
    int* const numbers = zeros<int>(kChildren * kSlice);
    parent<<<1, kChildren>>>(numbers);
    return verdict(value_of(numbers + kSlice), 1);
}
