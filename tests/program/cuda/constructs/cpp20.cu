// C++20: concepts, ranges of the host, designated initialisers, spans, a lambda with a template parameter.
#include "../check.h"

#include <array>
#include <concepts>
#include <numeric>
#include <span>

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;

struct Options {
    int first = 0, step = 1;
    bool operator==(const Options&) const = default;
};

template <Number T>
requires(sizeof(T) >= 4) __global__ void fill(T* to, Options options)
{
    const auto of = []<class I>(I index, const Options& o) {
        return static_cast<T>(o.first + static_cast<int>(index) * o.step);
    };
    to[threadIdx.x] = of(threadIdx.x, options);
}

__global__ void parent(int* numbers)
{
    fill<<<1, 8>>>(numbers, {.first = 3, .step = 2});
}

int main()
{
    int* numbers;
    std::array<int, 8> host{};
    CHECK(cudaMalloc(&numbers, sizeof host));
    parent<<<1, 1>>>(numbers);
    CHECK(cudaDeviceSynchronize());
    const std::span<int> all(host);
    CHECK(cudaMemcpy(all.data(), numbers, all.size_bytes(), cudaMemcpyDeviceToHost));
    static_assert(Options{.step = 1} == Options{});
    return verdict(std::accumulate(all.begin(), all.end(), 0), 8 * 3 + 2 * 28);
}
