// Kind: two children write the same element
// Each child has a place of its own for its result. One of them uses the other's.
#include "../check.h"

__global__ void store_largest(const int* numbers, int count, int* place)
{
    int largest = numbers[0];
    for (int i = 1; i < count; ++i)
        largest = max(largest, numbers[i]);
    *place = largest; // BUG
}

__global__ void parent(const int* numbers, int count, int* largest)
{
    const int half = count / 2;
    store_largest<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, half, &largest[0]);
#ifdef BUG
    store_largest<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers + half, count - half, &largest[0]);
#else
    store_largest<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers + half, count - half, &largest[1]);
#endif
}

int main()
{
    const int host[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    int* const largest = zeros<int>(2);
    int* const numbers = copy_of(host);
    parent<<<1, 1>>>(numbers, 8, largest);
    return verdict(value_of(&largest[0]) * 10 + value_of(&largest[1]), 49);
}
