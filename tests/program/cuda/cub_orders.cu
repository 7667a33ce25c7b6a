// CUB's primitives of blocks and warps and its functions for the device, and whether they race: each use is there as it is right, and with one
// mistake. `./my` prints the names, each after + (right) or - (wrong); `./my NAME` runs one. The rules: CUB, "Temporary storage", "Snippets".
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>

#include "uses.h"

constexpr int kThreads = 64;
constexpr int kItems = 4;
constexpr int kCount = kThreads * kItems;

static cudaStream_t n, m; // that wait for no other stream
static int *from, *to;    // kCount numbers; 2 * kCount zeros
static void* storage;
static size_t bytes = 1 << 20;

struct Most {
    __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
struct Less {
    __host__ __device__ bool operator()(int a, int b) const { return a % 16 < b % 16; }
};
struct Greater {
    __host__ __device__ bool operator()(int a, int b) const { return b < a; }
};
struct Differs {
    __host__ __device__ int operator()(int a, int b) const { return a / 8 != b / 8; }
};
struct Minus {
    __host__ __device__ int operator()(int a, int b) const { return a - b; }
};
struct Odd {
    __host__ __device__ bool operator()(int a) const { return a % 2 != 0; }
};
struct Running {
    int total;
    __device__ int operator()(int all)
    {
        const int before = total;
        total += all;
        return before;
    }
};

#define ADD(name, ...)                                                                                               \
    struct Use_##name {                                                                                              \
        template <class Right>                                                                                       \
        void operator()(Right) const                                                                                 \
        {                                                                                                            \
            constexpr bool right = Right::value;                                                                     \
            (void)right;                                                                                             \
            __VA_ARGS__;                                                                                             \
        }                                                                                                            \
    };                                                                                                               \
    static const bool added_##name = add(#name, Use_##name());
// A kernel with the constant `right`, of one block.
#define USE(name, ...)                                                                                               \
    template <bool right>                                                                                            \
    __global__ void name(const int* from, int* to)                                                                   \
    {                                                                                                                \
        __VA_ARGS__;                                                                                                 \
    }                                                                                                                \
    ADD(name, name<right><<<1, kThreads, 0, n>>>(from, to))
// clang-format off
#define OF(...) using Primitive = __VA_ARGS__; __shared__ typename Primitive::TempStorage temp; const int self = threadIdx.x; (void)self;
#define AGAIN if (right) __syncthreads();
#define ITEMS int items[kItems]; for (int i = 0; i < kItems; ++i) items[i] = from[self * kItems + i];
#define KEEP for (int i = 0; i < kItems; ++i) to[self * kItems + i] = items[i];

// ---- blocks ----
USE(reduce, OF(cub::BlockReduce<int, kThreads>) const int sum = Primitive(temp).Sum(from[self]); AGAIN const int most = Primitive(temp).Reduce(from[self], Most()); if (self == 0) { to[0] = sum; to[1] = most; })
USE(reduce_items, OF(cub::BlockReduce<int, kThreads>) ITEMS int sum = Primitive(temp).Sum(items); AGAIN int part = Primitive(temp).Sum(from[self], 37); if (self == 0) { to[0] = sum; to[1] = part; })
USE(reduce_result_of_the_first, __shared__ int sum; OF(cub::BlockReduce<int, kThreads, cub::BLOCK_REDUCE_RAKING>) const int own = Primitive(temp).Sum(from[self]); if (self == 0) sum = own; AGAIN to[self] = sum)
USE(scan, OF(cub::BlockScan<int, kThreads>) int a, b, all; Primitive(temp).ExclusiveSum(from[self], a); AGAIN Primitive(temp).InclusiveSum(from[self], b, all); to[self] = a; to[kThreads + self] = b + all)
USE(scan_items, OF(cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>) ITEMS Primitive(temp).ExclusiveSum(items, items); AGAIN Primitive(temp).InclusiveScan(items, items, Most()); KEEP)
USE(scan_with_prefix, OF(cub::BlockScan<int, kThreads>) Running running{5}; for (int i = 0; i < kItems; ++i) { int sum; Primitive(temp).ExclusiveSum(from[i * kThreads + self], sum, running); AGAIN to[i * kThreads + self] = sum; })
USE(scan_with_initial, OF(cub::BlockScan<int, kThreads>) int most, all; Primitive(temp).ExclusiveScan(from[self], most, 3, Most()); AGAIN Primitive(temp).ExclusiveScan(from[self], all, 100, Most()); to[self] = most + all)
USE(union_of_storages, using Reduce = cub::BlockReduce<int, kThreads>; using Scan = cub::BlockScan<int, kThreads>; __shared__ union { typename Reduce::TempStorage reduce; typename Scan::TempStorage scan; } temp; const int sum = Reduce(temp.reduce).Sum(from[threadIdx.x]); AGAIN int before; Scan(temp.scan).ExclusiveSum(from[threadIdx.x], before); to[threadIdx.x] = before; if (threadIdx.x == 0) to[kThreads] = sum)
USE(load_and_store, OF(cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>) int items[kItems]; Primitive(temp).Load(from, items); AGAIN Primitive(temp).Load(from, items, 101, -1); KEEP)
USE(load_of_other_kinds, using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_STRIPED>; using Direct = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_DIRECT>; using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>; __shared__ typename Store::TempStorage temp; int items[kItems], others[kItems]; Load().Load(from, items); Direct().Load(from, others); Store(temp).Store(to, items); AGAIN Store(temp).Store(to + kCount, others, 200))
USE(exchange, OF(cub::BlockExchange<int, kThreads, kItems>) ITEMS Primitive(temp).BlockedToStriped(items); AGAIN Primitive(temp).WarpStripedToBlocked(items); KEEP)
USE(exchange_scatter, OF(cub::BlockExchange<int, kThreads, kItems>) ITEMS int ranks[kItems]; for (int i = 0; i < kItems; ++i) ranks[i] = kCount - 1 - (self * kItems + i); Primitive(temp).ScatterToBlocked(items, ranks); AGAIN Primitive(temp).StripedToBlocked(items); KEEP)
USE(radix_sort, OF(cub::BlockRadixSort<int, kThreads, kItems>) ITEMS Primitive(temp).Sort(items); AGAIN Primitive(temp).SortDescending(items, 2, 6); KEEP)
USE(radix_sort_of_pairs, OF(cub::BlockRadixSort<float, kThreads, kItems, int>) ITEMS float keys[kItems]; for (int i = 0; i < kItems; ++i) keys[i] = 0.5F * (items[i] % 32 - 16); Primitive(temp).Sort(keys, items); AGAIN Primitive(temp).SortDescendingBlockedToStriped(keys, items); KEEP)
USE(merge_sort, OF(cub::BlockMergeSort<int, kThreads, kItems>) ITEMS Primitive(temp).Sort(items, Less()); AGAIN Primitive(temp).Sort(items, Greater()); KEEP)
USE(histogram, OF(cub::BlockHistogram<int, kThreads, kItems, 16, cub::BLOCK_HISTO_ATOMIC>) __shared__ unsigned bins[16]; ITEMS for (int& item : items) item %= 16; Primitive(temp).Histogram(items, bins); AGAIN if (self < 16) to[self] = static_cast<int>(bins[15 - self]))
USE(discontinuity, OF(cub::BlockDiscontinuity<int, kThreads>) ITEMS int heads[kItems], tails[kItems]; Primitive(temp).FlagHeads(heads, items, Differs()); AGAIN Primitive(temp).FlagTails(tails, items, Differs()); for (int i = 0; i < kItems; ++i) items[i] = heads[i] + 2 * tails[i]; KEEP)
USE(adjacent_difference, OF(cub::BlockAdjacentDifference<int, kThreads>) ITEMS int left[kItems]; Primitive(temp).SubtractLeft(items, left, Minus()); AGAIN Primitive(temp).SubtractRight(left, items, Minus()); KEEP)
USE(shuffle, OF(cub::BlockShuffle<int, kThreads>) int a = 0, b = 0; Primitive(temp).Offset(from[self], a, 1); AGAIN Primitive(temp).Rotate(from[self], b, 5); to[self] = a * 3 + b)

// ---- warps ----
USE(warp_reduce, using Warp = cub::WarpReduce<int>; __shared__ typename Warp::TempStorage temp[kThreads / 32]; __shared__ int sums[kThreads / 32]; const int warp = threadIdx.x / 32; const int sum = Warp(temp[warp]).Sum(from[threadIdx.x]); if (threadIdx.x % 32 == 0) sums[warp] = sum; AGAIN to[threadIdx.x] = sums[1 - warp])
USE(warp_scan, using Warp = cub::WarpScan<int, 16>; __shared__ typename Warp::TempStorage temp[kThreads / 16]; __shared__ int sums[kThreads]; const int warp = threadIdx.x / 16; int sum; Warp(temp[warp]).InclusiveSum(from[threadIdx.x], sum); sums[threadIdx.x] = sum; AGAIN to[threadIdx.x] = sums[kThreads - 1 - threadIdx.x])

// ---- the device ----
__global__ void put(int* to, int value) { to[threadIdx.x] = value + static_cast<int>(threadIdx.x); }
ADD(device_sum, check(cub::DeviceReduce::Sum(storage, bytes, from, to, kCount, n)); put<<<1, 8, 0, right ? n : m>>>(to, 3))
ADD(device_max_of_a_kernel, put<<<1, kThreads, 0, n>>>(to, 7); check(cub::DeviceReduce::Max(storage, bytes, to, to + kCount, kThreads, right ? n : m)))
ADD(device_storage_of_two, check(cub::DeviceReduce::Min(storage, bytes, from, to, kCount, n)); check(cub::DeviceReduce::Sum(storage, bytes, from, to + 1, kCount, right ? n : m)))
ADD(device_scan, check(cub::DeviceScan::ExclusiveSum(storage, bytes, from, to, kCount, n)); check(cub::DeviceScan::InclusiveScan(storage, bytes, to, to + kCount, Most(), kCount, right ? n : m)))
ADD(device_radix_sort, check(cub::DeviceRadixSort::SortKeys(storage, bytes, from, to, kCount, 0, 32, n)); check(cub::DeviceRadixSort::SortPairsDescending(storage, bytes, from, to + kCount, to, to, 1, 0, 32, right ? n : m)))
ADD(device_merge_sort, check(cudaMemcpyAsync(to, from, kCount * sizeof(int), cudaMemcpyDeviceToDevice, right ? n : m)); check(cub::DeviceMergeSort::StableSortKeys(storage, bytes, to, kCount, Less(), n)))
ADD(device_select, check(cub::DeviceSelect::If(storage, bytes, from, to, to + kCount, kCount, Odd(), n)); check(cub::DeviceSelect::Unique(storage, bytes, to, to + kCount + 8, to + kCount + 1, 50, right ? n : m)))
ADD(device_partition, check(cub::DevicePartition::If(storage, bytes, from, to, to + kCount, kCount, Odd(), n)); put<<<1, 8, 0, right ? n : m>>>(to + kCount, 1))
ADD(device_runs, put<<<1, kThreads, 0, n>>>(to, 0); check(cub::DeviceRunLengthEncode::Encode(storage, bytes, to, to + 64, to + 128, to + 192, kThreads, right ? n : m)))
ADD(device_histogram, check(cub::DeviceHistogram::HistogramEven(storage, bytes, from, to, 9, 0, 800, kCount, n)); put<<<1, 8, 0, right ? n : m>>>(to, 1))
ADD(device_segments, put<<<1, 5, 0, n>>>(to, 0); check(cub::DeviceSegmentedReduce::Sum(storage, bytes, from, to + 8, 4, to, to + 1, right ? n : m)))
// clang-format on

int main(int count, char** words)
{
    if (count == 1)
        return list_cases();
    static int numbers[2 * kCount];
    for (int i = 0; i < kCount; ++i)
        numbers[i] = i * 2654435761U % 1000;
    check(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&m, cudaStreamNonBlocking));
    check(cudaMalloc(&from, sizeof numbers));
    check(cudaMalloc(&to, sizeof numbers));
    check(cudaMalloc(&storage, bytes));
    check(cudaMemcpy(from, numbers, kCount * sizeof(int), cudaMemcpyHostToDevice));
    check(cudaMemset(to, 0, sizeof numbers));
    check(cudaDeviceSynchronize());
    cases().at(words[1]).run();
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(numbers, to, sizeof numbers, cudaMemcpyDeviceToHost));
    unsigned hash = 0;
    for (const int value : numbers)
        hash = 31 * hash + static_cast<unsigned>(value);
    printf("%08x\n", hash);
    return 0;
}
