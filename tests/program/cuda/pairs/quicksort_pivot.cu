// Kind: slices of two children overlap
// A quicksort whose left part keeps the pivot, which the right part begins with.
#include "../check.h"

__device__ void exchange(int* left, int* right)
{
    const int kept = *left; // BUG at times
    *left = *right;         // BUG at times
    *right = kept;          // BUG at times
}

// Sorts numbers[begin] to numbers[end - 1]. The levels end the recursion also if a slice does not become smaller.
__global__ void quicksort(int* numbers, int begin, int end, int levels)
{
    if (end - begin < 2 || levels == 0)
        return;
    int pivot = begin;
    for (int i = begin; i < end - 1; ++i) {
        if (numbers[i] < numbers[end - 1]) { // BUG
            exchange(numbers + i, numbers + pivot);
            ++pivot;
        }
    }
    exchange(numbers + pivot, numbers + end - 1);
#ifdef BUG
    quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, begin, pivot + 1, levels - 1);
    quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, pivot, end, levels - 1);
#else
    quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, begin, pivot, levels - 1);
    quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, pivot + 1, end, levels - 1);
#endif
}

int main()
{
    const int host[12] = {7, 3, 11, 0, 5, 9, 1, 10, 4, 8, 2, 6};
    int* const numbers = copy_of(host);
    quicksort<<<1, 1>>>(numbers, 0, 12, 8);
    CHECK(cudaDeviceSynchronize());
    long long sorted = 0;
    for (int i = 0; i < 12; ++i)
        sorted += value_of(numbers + i) == i;
    return verdict(sorted, 12);
}
