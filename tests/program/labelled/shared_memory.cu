// Threads of a block that share memory, with and without a bug.
#include "labelled.h"

constexpr int kThreads = 64;

using Kernel = void (*)(const int*, int*, int);
// NAME_kernel, launched from a kernel. If it is a parameter of a template, an H200 says "invalid device function" (CUDA 13.0).
#define PARENT(name)                                                                                                 \
    template <Bug bug>                                                                                               \
    __global__ void name##_parent(const int* from, int* to, int count)                                               \
    {                                                                                                                \
        name##_kernel<bug><<<1, kThreads, 2 * kThreads * sizeof(int)>>>(from, to, count);                            \
    }

// From 0 to 15. Two of them are 0.
std::vector<int> some_numbers(int count, int seed)
{
    Numbers numbers(seed);
    std::vector<int> values(count);
    for (int& value : values)
        value = numbers(16);
    values[7] = values[44] = 0;
    return values;
}

std::vector<int> run_kernel(Kernel parent, const std::vector<int>& from, int results)
{
    int* const to = uninitialized<int>(results);
    parent<<<1, 1>>>(on_device(from), to, static_cast<int>(from.size()));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return on_host(to, results);
}

int sum_of(const std::vector<int>& values)
{
    int sum = 0;
    for (const int value : values)
        sum += value;
    return sum;
}

template <Bug bug>
__global__ void tree_sum_kernel(const int* from, int* to, int)
{
    __shared__ int part[kThreads];
    const int t = threadIdx.x;
    part[t] = from[t]; // also race in tree_sum.missing_barrier
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (t < stride)
            part[t] += part[t + stride]; // race in tree_sum.missing_barrier
        if constexpr (bug != Bug::kMissingBarrier)
            __syncthreads();
    }
    if (t == 0)
        *to = part[0];
}
PARENT(tree_sum)

// A tile is filled twice.
template <Bug bug>
__global__ void tile_again_kernel(const int* from, int* to, int count)
{
    __shared__ int tile[kThreads];
    const int t = threadIdx.x;
    to[t] = 0;
    for (int begin = 0; begin < count; begin += kThreads) {
        tile[t] = from[begin + t]; // race in tile_again.missing_barrier
        __syncthreads();
        to[t] += tile[kThreads - 1 - t]; // race in tile_again.missing_barrier
        if constexpr (bug != Bug::kMissingBarrier)
            __syncthreads();
    }
}
PARENT(tile_again)

// The sum of each number and its neighbours; the ends have one neighbour.
template <Bug bug>
__global__ void stencil_kernel(const int* from, int* to, int)
{
    __shared__ int tile[kThreads + (bug == Bug::kOutOfBounds ? 1 : 2)];
    const int t = threadIdx.x;
    tile[t + 1] = from[t]; // race in stencil.missing_barrier
    if (t == 0 && bug != Bug::kUninitialized)
        tile[0] = 0;
    if (t == 0 && bug != Bug::kUninitialized && bug != Bug::kOutOfBounds)
        tile[kThreads + 1] = 0; // race in stencil.missing_barrier
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    // race in stencil.missing_barrier
    // also uninitialized in stencil.missing_barrier
    // out of bounds in stencil.out_of_bounds
    // uninitialized in stencil.uninitialized
    to[t] = tile[t] + tile[t + 1] + tile[t + 2];
}
PARENT(stencil)

// Fewer numbers than threads. A thread may end before a barrier, but then nobody writes its element.
template <Bug bug>
__global__ void short_sum_kernel(const int* from, int* to, int count)
{
    __shared__ int part[kThreads];
    const int t = threadIdx.x;
    if (bug == Bug::kEarlyReturn && t >= count)
        return;
    part[t] = bug == Bug::kMissingGuard || t < count ? from[t] : 0; // out of bounds in short_sum.missing_guard
    __syncthreads();
    if (t != 0)
        return;
    *to = 0;
    for (int i = 0; i < kThreads; ++i)
        *to += part[i]; // uninitialized in short_sum.early_return
}
PARENT(short_sum)

// Threads that end early where nobody reads their elements: no bug.
template <Bug bug>
__global__ void ended_threads_kernel(const int* from, int* to, int count)
{
    __shared__ int part[kThreads];
    const int t = threadIdx.x;
    if (t >= count)
        return;
    part[t] = from[t]; // race in ended_threads.missing_barrier
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    // race in ended_threads.missing_barrier
    // also uninitialized in ended_threads.missing_barrier
    to[t] = part[count - 1 - t];
}
PARENT(ended_threads)

// Both halves of the block exchange.
template <Bug bug>
__global__ void two_halves_kernel(const int* from, int* to, int)
{
    __shared__ int part[kThreads];
    const int t = threadIdx.x;
    if (t < kThreads / 2) {
        part[t] = from[t];
        if constexpr (bug == Bug::kBranchBarrier)
            __syncthreads();
    } else {
        part[t] = -from[t];
        if constexpr (bug == Bug::kBranchBarrier)
            __syncthreads();
    }
    if constexpr (bug != Bug::kBranchBarrier)
        __syncthreads();
    to[t] = part[kThreads - 1 - t];
}
PARENT(two_halves)

// Each thread has the sum of the numbers up to its own.
template <Bug bug>
__global__ void prefix_kernel(const int* from, int* to, int)
{
    __shared__ int sums[kThreads];
    const int t = threadIdx.x;
    sums[t] = from[t]; // also race in prefix.missing_barrier
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
        const int before = t >= distance ? sums[t - distance] : 0; // race in prefix.missing_barrier
        if constexpr (bug != Bug::kMissingBarrier)
            __syncthreads();
        sums[t] += before; // race in prefix.missing_barrier
        __syncthreads();
    }
    to[t] = sums[t];
}
PARENT(prefix)

// How often there is each of 16 numbers.
template <Bug bug>
__global__ void histogram_kernel(const int* from, int* to, int)
{
    __shared__ int counts[16];
    const int t = threadIdx.x;
    if (t < 16 && bug != Bug::kUninitialized)
        counts[t] = 0;
    __syncthreads();
    if constexpr (bug == Bug::kMissingAtomic)
        ++counts[from[t]]; // race in histogram.missing_atomic
    else
        // race in histogram.missing_barrier
        // uninitialized in histogram.uninitialized
        atomicAdd(&counts[from[t]], 1);
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    if (t < 16)
        to[t] = counts[t]; // race in histogram.missing_barrier; also uninitialized in histogram.uninitialized
}
PARENT(histogram)

// Whether one of the numbers is zero. All who know it write the same: that is a race, too.
template <Bug bug>
__global__ void any_zero_kernel(const int* from, int* to, int)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (from[threadIdx.x] == 0) {
        if constexpr (bug == Bug::kPlainFlag)
            found = 1; // race in any_zero.plain_flag
        else
            atomicExch(&found, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *to = found;
}
PARENT(any_zero)

// Two arrays in the dynamic shared memory.
template <Bug bug>
__global__ void two_arrays_kernel(const int* from, int* to, int)
{
    extern __shared__ int memory[];
    int* const numbers = memory;
    int* const squares = memory + (bug == Bug::kOverlap       ? kThreads - 1
                                   : bug == Bug::kOutOfBounds ? kThreads + 1
                                                              : kThreads);
    const int t = threadIdx.x;
    numbers[t] = from[t];           // race in two_arrays.overlap
    squares[t] = from[t] * from[t]; // race in two_arrays.overlap; out of bounds in two_arrays.out_of_bounds
    __syncthreads();
    to[t] = numbers[kThreads - 1 - t] + squares[t]; // out of bounds in two_arrays.out_of_bounds
}
PARENT(two_arrays)

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    add_kernel<Bug::kNone, Bug::kMissingBarrier>(all, "tree_sum", [](auto bug, int seed) {
        const std::vector<int> from = some_numbers(kThreads, seed);
        return run_kernel(tree_sum_parent<bug>, from, 1)[0] == sum_of(from);
    });
    add_kernel<Bug::kNone, Bug::kMissingBarrier>(all, "tile_again", [](auto bug, int seed) {
        const std::vector<int> from = some_numbers(2 * kThreads, seed);
        const std::vector<int> to = run_kernel(tile_again_parent<bug>, from, kThreads);
        return sum_of(to) == sum_of(from) && to[0] == from[kThreads - 1] + from[2 * kThreads - 1];
    });
    add_kernel<Bug::kNone, Bug::kMissingBarrier, Bug::kOutOfBounds, Bug::kUninitialized>(
        all, "stencil", [](auto bug, int seed) {
            const std::vector<int> from = some_numbers(kThreads, seed);
            const std::vector<int> to = run_kernel(stencil_parent<bug>, from, kThreads);
            for (int i = 0; i < kThreads; ++i)
                if (to[i] != (i > 0 ? from[i - 1] : 0) + from[i] + (i < kThreads - 1 ? from[i + 1] : 0))
                    return false;
            return true;
        });
    add_kernel<Bug::kNone, Bug::kEarlyReturn, Bug::kMissingGuard>(all, "short_sum", [](auto bug, int seed) {
        const std::vector<int> from = some_numbers(kThreads - 5, seed);
        return run_kernel(short_sum_parent<bug>, from, 1)[0] == sum_of(from);
    });
    add_kernel<Bug::kNone, Bug::kMissingBarrier>(all, "ended_threads", [](auto bug, int seed) {
        const std::vector<int> from = some_numbers(kThreads - 5, seed);
        const std::vector<int> to = run_kernel(ended_threads_parent<bug>, from, kThreads - 5);
        return std::equal(from.rbegin(), from.rend(), to.begin());
    });
    add_kernel<Bug::kNone, Bug::kBranchBarrier>(all, "two_halves", [](auto bug, int seed) {
        const std::vector<int> from = some_numbers(kThreads, seed);
        const std::vector<int> to = run_kernel(two_halves_parent<bug>, from, kThreads);
        return to[0] == -from[kThreads - 1] && to[kThreads - 1] == from[0];
    });
    add_kernel<Bug::kNone, Bug::kMissingBarrier>(all, "prefix", [](auto bug, int seed) {
        const std::vector<int> from = some_numbers(kThreads, seed);
        const std::vector<int> to = run_kernel(prefix_parent<bug>, from, kThreads);
        for (int i = 0, sum = 0; i < kThreads; ++i)
            if (to[i] != (sum += from[i]))
                return false;
        return true;
    });
    add_kernel<Bug::kNone, Bug::kMissingAtomic, Bug::kMissingBarrier, Bug::kUninitialized>(
        all, "histogram", [](auto bug, int seed) {
            const std::vector<int> from = some_numbers(kThreads, seed);
            const std::vector<int> to = run_kernel(histogram_parent<bug>, from, 16);
            for (int i = 0; i < 16; ++i)
                if (to[i] != std::count(from.begin(), from.end(), i))
                    return false;
            return true;
        });
    add_kernel<Bug::kNone, Bug::kPlainFlag>(all, "any_zero", [](auto bug, int seed) {
        const std::vector<int> from = some_numbers(kThreads, seed);
        return run_kernel(any_zero_parent<bug>, from, 1)[0] == (std::count(from.begin(), from.end(), 0) > 0);
    });
    add_kernel<Bug::kNone, Bug::kOverlap, Bug::kOutOfBounds>(all, "two_arrays", [](auto bug, int seed) {
        const std::vector<int> from = some_numbers(kThreads, seed);
        const std::vector<int> to = run_kernel(two_arrays_parent<bug>, from, kThreads);
        return to[0] == from[kThreads - 1] + from[0] * from[0] && to[63] == from[0] + from[63] * from[63];
    });
    variant(all, "two_halves", Bug::kBranchBarrier).shows = "fault";
    return run_variant(argc, argv, all);
}
