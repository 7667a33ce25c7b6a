// What CUB's functions for the device add up in, and what they give for nothing: flags of one byte decide how many children a kernel launches.
#include "../check.h"

#include <cub/cub.cuh>

#if defined(CUB_VERSION) && CUB_VERSION >= 300000 // which has no names of its own for these
#include <thrust/iterator/counting_iterator.h>

#include <cuda/functional>
#include <cuda/std/functional>
using Sum = cuda::std::plus<>;
using Least = cuda::minimum<>;
using Most = cuda::maximum<>;
using Counting = thrust::counting_iterator<int>;
#else
using Sum = cub::Sum;
using Least = cub::Min;
using Most = cub::Max;
using Counting = cub::CountingInputIterator<int>;
#endif

constexpr int kCount = 1000;

static void* storage;
static size_t bytes = 1 << 20;

struct Add {
    __host__ __device__ double operator()(double left, double right) const { return left + right; }
};
// Of the threads of the first warp all call it.
struct Before {
    int calls;
    __device__ int operator()(int) { return 10 * ++calls; }
};

__global__ void child(int* counter)
{
    atomicAdd(counter, 1);
}

__global__ void parent(int* counter, const int* sum)
{
    if (threadIdx.x < *sum / 100)
        child<<<1, 1>>>(counter);
}

__global__ void prefix(int* calls)
{
    using Scan = cub::BlockScan<int, 64>;
    __shared__ Scan::TempStorage temp;
    Before before{0};
    int sum;
    Scan(temp).ExclusiveSum(1, sum, before);
    if (sum != 10 + static_cast<int>(threadIdx.x))
        sum = -1000;
    atomicAdd(calls, sum < 0 ? sum : before.calls);
}

template <class T>
static void show(const char* name, const T* at)
{
    std::printf("%s %g\n", name, static_cast<double>(value_of(at)));
}

int main()
{
    unsigned char ones[kCount];
    double halves[kCount];
    int keys[kCount];
    for (int i = 0; i < kCount; ++i) {
        ones[i] = 1;
        halves[i] = 0.5;
        keys[i] = i / 500;
    }
    const int offsets[] = {0, 500, 500, kCount};
    const auto* const flags = copy_of(ones);
    const auto* const doubles = copy_of(halves);
    const auto* const sorted = copy_of(keys);
    const auto* const limits = copy_of(offsets);
    int* const counter = zeros<int>();
    int* const calls = zeros<int>();
    int* const out = memory<int>(kCount);
    int* const unique = memory<int>(kCount);
    int* const runs = memory<int>();
    double* const real = memory<double>(kCount);
    float* const single = memory<float>();
    auto* const pair = memory<cub::KeyValuePair<int, int>>();
    cub::CachingDeviceAllocator allocator(8U, 3U, 7U);
    CHECK(allocator.DeviceAllocate(0, &storage, bytes));

    CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, flags, out, kCount));
    show("exclusive", out + kCount - 1);
    CHECK(cub::DeviceScan::InclusiveSum(storage, bytes, flags, out, kCount));
    show("inclusive", out + kCount - 1);
    CHECK(cub::DeviceReduce::ReduceByKey(storage, bytes, sorted, unique, flags, out, runs, Sum(), kCount));
    show("by key", out + 1);
    CHECK(cub::DeviceSegmentedReduce::Sum(storage, bytes, flags, out, 3, limits, limits + 1));
    show("of a segment", out + 2);
    show("of an empty one", out + 1);
    CHECK(cub::DeviceReduce::Reduce(storage, bytes, doubles, real, kCount, Add(), 0));
    show("of doubles from an int", real);
    CHECK(cub::DeviceScan::ExclusiveScan(storage, bytes, doubles, real, Add(), 0, kCount));
    show("before the last", real + kCount - 1);
    CHECK(cub::DeviceReduce::Min(storage, bytes, single, single, 0));
    show("the least of none", single);
    CHECK(cub::DeviceReduce::ArgMax(storage, bytes, sorted, pair, 0));
    std::printf("the greatest of none %d %d\n", value_of(pair).key, value_of(pair).value);

    Counting from(3);
    from += 4;
    const auto before = from--;
    std::printf("iterators %d %d %d %d\n", *before, *(before - 2), from < before,
                static_cast<int>(Most()(2U, 3ULL) + Least()(short(4), 5)));

    prefix<<<1, 64>>>(calls);
    show("calls", calls);
    CHECK(cub::DeviceReduce::Sum(storage, bytes, flags, out, kCount));
    parent<<<1, 32>>>(counter, out);
    const int children = value_of(counter);
    CHECK(allocator.DeviceFree(0, storage));
    return verdict(children, 10);
}
