// A quicksort whose partition is a loop of one thread, and which sorts short parts itself; named streams as in many samples.
#include "../check.h"

#include <algorithm>
#include <vector>

constexpr int kShort = 8;
constexpr int kMaxDepth = 16;

__device__ void selection_sort(unsigned* numbers, int left, int right)
{
    for (int i = left; i < right; ++i) {
        int smallest = i;
        for (int j = i + 1; j <= right; ++j)
            if (numbers[j] < numbers[smallest])
                smallest = j;
        const unsigned kept = numbers[i];
        numbers[i] = numbers[smallest];
        numbers[smallest] = kept;
    }
}

__global__ void quicksort(unsigned* numbers, int left, int right, int depth)
{
    if (depth >= kMaxDepth || right - left <= kShort) {
        selection_sort(numbers, left, right);
        return;
    }
    unsigned* low = numbers + left;
    unsigned* high = numbers + right;
    const unsigned pivot = numbers[(left + right) / 2];
    while (low <= high) {
        while (*low < pivot)
            ++low;
        while (*high > pivot)
            --high;
        if (low <= high) {
            const unsigned kept = *low;
            *low++ = *high;
            *high-- = kept;
        }
    }
    const int end_of_left = static_cast<int>(high - numbers);
    const int begin_of_right = static_cast<int>(low - numbers);
    cudaStream_t stream;
    if (left < end_of_left) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(numbers, left, end_of_left, depth + 1);
        cudaStreamDestroy(stream);
    }
    if (begin_of_right < right) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(numbers, begin_of_right, right, depth + 1);
        cudaStreamDestroy(stream);
    }
}

int main()
{
    std::vector<unsigned> host(200);
    unsigned state = 1;
    for (unsigned& number : host) {
        state = state * 1664525U + 1013904223U;
        number = state >> 20;
    }
    unsigned* const numbers = memory<unsigned>(host.size());
    CHECK(cudaMemcpy(numbers, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    quicksort<<<1, 1>>>(numbers, 0, static_cast<int>(host.size()) - 1, 0);
    CHECK(cudaDeviceSynchronize());
    std::sort(host.begin(), host.end());
    std::vector<unsigned> sorted(host.size());
    CHECK(cudaMemcpy(sorted.data(), numbers, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return verdict(sorted == host, 1);
}
