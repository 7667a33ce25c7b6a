// Bulk copies of bytes and of tiles of tensors, against what the host computes: each number of dimensions, tiles at and beyond the edges,
// each swizzle, steps between elements, NaN outside of the tensor, stores, and copies that change numbers.
#include "../check.h"

#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kThreads = 64;
constexpr int kMaxTile = 16384; // bytes

static int failed = 0;
static int checked = 0;
static void check(const char* name, long long at, double result, double expected)
{
    ++checked;
    if (result == expected || (std::isnan(result) && std::isnan(expected)))
        return;
    if (failed++ < 5)
        std::printf("%s: %lld: %g, not %g\n", name, at, result, expected);
}

struct Coordinates {
    std::int32_t at[5];
};

__device__ std::uint32_t address(const void* shared)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
__device__ std::uint64_t* handle(Barrier& barrier)
{
    return cuda::device::barrier_native_handle(barrier);
}

// Loads a tile, and copies the shared memory as it is.
template <int rank>
__global__ void load_tile(const __grid_constant__ CUtensorMap map, Coordinates coordinates, int bytes,
                          unsigned char* to)
{
    __shared__ alignas(1024) unsigned char tile[kMaxTile];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, kThreads);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        std::int32_t at[rank];
        for (int dimension = 0; dimension < rank; ++dimension)
            at[dimension] = coordinates.at[dimension];
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, handle(barrier));
        token = cuda::device::barrier_arrive_tx(barrier, 1, bytes);
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int i = static_cast<int>(threadIdx.x); i < bytes; i += kThreads)
        to[i] = tile[i];
}
// Stores a tile, or adds it to what is there.
template <int rank, bool adds>
__global__ void store_tile(const __grid_constant__ CUtensorMap map, Coordinates coordinates, int bytes,
                           const unsigned char* from)
{
    __shared__ alignas(1024) unsigned char tile[kMaxTile];
    for (int i = static_cast<int>(threadIdx.x); i < bytes; i += kThreads)
        tile[i] = from[i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    std::int32_t at[rank];
    for (int dimension = 0; dimension < rank; ++dimension)
        at[dimension] = coordinates.at[dimension];
    if (adds)
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at, tile);
    else
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

static PFN_cuTensorMapEncodeTiled_v12000 encoder()
{
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result));
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

struct Tensor {
    int rank;
    cuuint64_t size[5];
    cuuint64_t stride[5]; // in bytes, from the first dimension on
    cuuint32_t box[5];
    cuuint32_t steps[5];
    CUtensorMapDataType type;
    int element; // bytes
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    bool nan = false;

    std::size_t bytes() const { return size[rank - 1] * stride[rank - 1]; }
    CUtensorMap map(void* at) const
    {
        CUtensorMap made{};
        const CUresult result =
            encoder()(&made, type, rank, at, size, stride + 1, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE,
                      nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (result != CUDA_SUCCESS) {
            std::printf("no map: %d\n", static_cast<int>(result));
            std::exit(1);
        }
        return made;
    }
    int elements_of_box(int dimension) const
    {
        return static_cast<int>((box[dimension] + steps[dimension] - 1) / steps[dimension]);
    }
    int tile_bytes() const
    {
        int elements = element;
        for (int dimension = 0; dimension < rank; ++dimension)
            elements *= elements_of_box(dimension);
        return elements;
    }
    // Calls the function with where each element is in shared memory, and in the tensor (-1: it is outside).
    template <class Function>
    void each(const Coordinates& at, Function function) const
    {
        int index[5] = {};
        for (int number = 0; number < tile_bytes() / element; ++number) {
            long long place = 0;
            for (int dimension = 0; dimension < rank; ++dimension) {
                const long long here = at.at[dimension] + static_cast<long long>(index[dimension]) * steps[dimension];
                if (here < 0 || here >= static_cast<long long>(size[dimension]))
                    place = -1LL << 60;
                place += here * static_cast<long long>(stride[dimension]);
            }
            int shared = number * element;
            const int mask = (1 << static_cast<int>(swizzle)) - 1;
            shared ^= (shared >> 7 & mask) << 4;
            function(shared, place < 0 ? -1 : place);
            for (int dimension = 0; dimension < rank; ++dimension) {
                if (++index[dimension] < elements_of_box(dimension))
                    break;
                index[dimension] = 0;
            }
        }
    }
};

static unsigned next_random()
{
    static unsigned long long state = 7;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>(state >> 33);
}
template <class T>
std::vector<unsigned char> random_bytes(std::size_t bytes)
{
    std::vector<unsigned char> all(bytes);
    for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        const T value = static_cast<T>(static_cast<float>(next_random() % 200) - 100.0F);
        std::memcpy(&all[at], &value, sizeof value);
    }
    return all;
}
template <class T>
double number_at(const std::vector<unsigned char>& bytes, long long at)
{
    T value;
    std::memcpy(&value, &bytes[static_cast<std::size_t>(at)], sizeof value);
    return static_cast<double>(static_cast<float>(value));
}
static unsigned char* copied(const std::vector<unsigned char>& host)
{
    unsigned char* const on_device = memory<unsigned char>(host.size());
    CHECK(cudaMemcpy(on_device, host.data(), host.size(), cudaMemcpyHostToDevice));
    return on_device;
}
static std::vector<unsigned char> read(const unsigned char* on_device, std::size_t bytes)
{
    std::vector<unsigned char> host(bytes);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    return host;
}

template <int rank, class T>
void check_tiles(const char* name, const Tensor& of, const std::vector<Coordinates>& tiles)
{
    const int bytes = of.tile_bytes();
    const auto all = random_bytes<T>(of.bytes());
    for (const Coordinates& at : tiles) {
        unsigned char* const to = zeros<unsigned char>(bytes);
        load_tile<rank><<<1, kThreads>>>(of.map(copied(all)), at, bytes, to);
        const auto loaded = read(to, bytes);
        of.each(at, [&](int shared, long long place) {
            check(name, shared, number_at<T>(loaded, shared),
                  place >= 0 ? number_at<T>(all, place)
                  : of.nan   ? NAN
                             : 0);
        });
        const bool begins_inside = std::all_of(at.at, at.at + rank, [](std::int32_t each) { return each >= 0; });
        if (of.nan || of.steps[rank - 1] != 1 || !begins_inside)
            continue;
        const auto tile = random_bytes<T>(bytes);
        for (const bool adds : {false, true}) {
            auto expected = all;
            of.each(at, [&](int shared, long long place) {
                if (place < 0)
                    return;
                const T value = static_cast<T>(
                    static_cast<float>(number_at<T>(tile, shared) + (adds ? number_at<T>(all, place) : 0)));
                std::memcpy(&expected[static_cast<std::size_t>(place)], &value, sizeof value);
            });
            unsigned char* const tensor = copied(all);
            if (adds)
                store_tile<rank, true><<<1, kThreads>>>(of.map(tensor), at, bytes, copied(tile));
            else
                store_tile<rank, false><<<1, kThreads>>>(of.map(tensor), at, bytes, copied(tile));
            const auto result = read(tensor, all.size());
            for (std::size_t place = 0; place + sizeof(T) <= all.size(); place += sizeof(T))
                check(name, static_cast<long long>(place), number_at<T>(result, static_cast<long long>(place)),
                      number_at<T>(expected, static_cast<long long>(place)));
        }
    }
}

// ---- bytes ----

constexpr int kNumbers = 256;
__global__ void change_bytes(float* floats, int* integers, const int* from, int* to)
{
    __shared__ alignas(16) float part[kNumbers];
    __shared__ alignas(16) int numbers[kNumbers];
    __shared__ alignas(8) std::uint64_t barrier;
    const unsigned thread = threadIdx.x;
    if (thread == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (thread == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof numbers);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         address(numbers)),
                     "l"(from), "r"(512), "r"(address(&barrier))
                     : "memory");
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, numbers + 128, from + 128, 512, &barrier);
    }
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
    for (unsigned i = thread; i < kNumbers; i += kThreads) {
        part[i] = static_cast<float>(numbers[i]) * 0.5F;
        numbers[i] = numbers[i] * 3;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (thread == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(numbers)),
                     "r"(1024)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(floats),
                     "r"(address(part)), "r"(1024)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(integers),
                     "r"(address(numbers)), "n"(1024)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
static void check_bytes()
{
    int from[kNumbers], integers[kNumbers];
    float floats[kNumbers];
    for (int i = 0; i < kNumbers; ++i) {
        from[i] = static_cast<int>(next_random() % 1000) - 500;
        integers[i] = static_cast<int>(next_random() % 1000) - 500;
        floats[i] = static_cast<float>(next_random() % 64) * 0.25F;
    }
    float* const changed_floats = copy_of(floats);
    int* const changed = copy_of(integers);
    int* const to = zeros<int>(kNumbers);
    change_bytes<<<1, kThreads>>>(changed_floats, changed, copy_of(from), to);
    for (int i = 0; i < kNumbers; ++i) {
        check("bytes", i, value_of(to + i), 3 * from[i]);
        check("add.f32", i, value_of(changed_floats + i), floats[i] + static_cast<float>(from[i]) * 0.5F);
        check("max.s32", i, value_of(changed + i), std::max(3 * from[i], integers[i]));
    }
}

int main()
{
    check_bytes();
    std::printf("bytes: %d of %d wrong\n", failed, checked);

    constexpr auto kInt = CU_TENSOR_MAP_DATA_TYPE_INT32;
    constexpr auto kFloat = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    constexpr auto kHalf = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    check_tiles<1, int>("1d", {1, {100}, {4}, {32}, {1}, kInt, 4}, {{{0}}, {{64}}, {{80}}, {{-16}}, {{200}}});
    check_tiles<2, int>("2d", {2, {20, 30}, {4, 96}, {8, 16}, {1, 1}, kInt, 4},
                        {{{0, 0}}, {{12, 14}}, {{16, 20}}, {{-4, -3}}, {{8, 40}}});
    check_tiles<3, float>("3d", {3, {12, 7, 5}, {4, 48, 48 * 8}, {4, 3, 2}, {1, 1, 1}, kFloat, 4},
                          {{{0, 0, 0}}, {{4, 5, 3}}, {{-4, -1, 4}}});
    check_tiles<4, __half>("4d", {4, {16, 3, 4, 5}, {2, 32, 96, 480}, {8, 2, 3, 2}, {1, 1, 1, 1}, kHalf, 2},
                           {{{0, 0, 0, 0}}, {{8, 2, 2, 4}}});
    check_tiles<5, int>("5d", {5, {8, 3, 2, 3, 2}, {4, 32, 96, 192, 640}, {4, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, kInt, 4},
                        {{{0, 0, 0, 0, 0}}, {{4, 1, -1, 2, 1}}});
    std::printf("tiles: %d of %d wrong\n", failed, checked);

    check_tiles<2, int>("32 bytes", {2, {64, 40}, {4, 256}, {8, 32}, {1, 1}, kInt, 4, CU_TENSOR_MAP_SWIZZLE_32B},
                        {{{0, 0}}, {{60, 20}}});
    check_tiles<2, int>("64 bytes", {2, {64, 40}, {4, 256}, {16, 32}, {1, 1}, kInt, 4, CU_TENSOR_MAP_SWIZZLE_64B},
                        {{{0, 0}}, {{-4, 30}}});
    check_tiles<2, __half>("128 bytes",
                           {2, {64, 40}, {2, 128}, {64, 16}, {1, 1}, kHalf, 2, CU_TENSOR_MAP_SWIZZLE_128B},
                           {{{0, 0}}, {{8, 33}}});
    check_tiles<3, int>("128 bytes in 3d",
                        {3, {64, 8, 4}, {4, 256, 2048}, {32, 4, 2}, {1, 1, 1}, kInt, 4, CU_TENSOR_MAP_SWIZZLE_128B},
                        {{{0, 0, 0}}, {{32, 6, 3}}});
    std::printf("swizzles: %d of %d wrong\n", failed, checked);

    check_tiles<2, float>("steps", {2, {16, 40}, {4, 64}, {8, 16}, {1, 2}, kFloat, 4}, {{{0, 0}}, {{8, 31}}});
    check_tiles<2, float>("NaN", {2, {20, 30}, {4, 96}, {8, 16}, {1, 1}, kFloat, 4, CU_TENSOR_MAP_SWIZZLE_NONE, true},
                          {{{16, 20}}, {{-4, -3}}});
    std::printf("steps and NaN: %d of %d wrong\n", failed, checked);
    return verdict(failed, 0);
}
