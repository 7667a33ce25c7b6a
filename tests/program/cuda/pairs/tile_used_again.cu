// Kind: missing barrier before shared memory is used again
// The next tile is loaded while other threads still read the last one.
#include "../check.h"

constexpr int kThreads = 32;
constexpr int kTiles = 3;

__global__ void dot_with_all(const int* numbers, int* products)
{
    __shared__ int tile[kThreads];
    int sum = 0;
    for (int number = 0; number < kTiles; ++number) {
        tile[threadIdx.x] = numbers[number * kThreads + threadIdx.x]; // BUG
        __syncthreads();
        for (int i = 0; i < kThreads; ++i)
            sum += tile[i]; // BUG
#ifndef BUG
        __syncthreads();
#endif
    }
    products[threadIdx.x] = sum * numbers[threadIdx.x];
}

__global__ void parent(const int* numbers, int* products)
{
    if (threadIdx.x == 0)
        dot_with_all<<<1, kThreads>>>(numbers, products);
}

int main()
{
    int host[kTiles * kThreads];
    for (int i = 0; i < kTiles * kThreads; ++i)
        host[i] = i % 7;
    int* const products = memory<int>(kThreads);
    int* const numbers = copy_of(host);
    parent<<<1, kThreads>>>(numbers, products);
    return verdict(value_of(products + 5), 5 * 283);
}
