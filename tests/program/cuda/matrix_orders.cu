// Products of matrices by warps, and whether they race, by CUDA's rules: each use is there as it is right, and with one
// mistake. `./my` prints the names, each after + (right) or - (wrong); `./my NAME` runs one. The rules: CUDA Programming Guide, "Warp Matrix
// Functions"; PTX ISA, "mma", "ldmatrix", "stmatrix", "bar": these instructions order no memory, but for a barrier's.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "uses.h"

namespace wmma = nvcuda::wmma;

constexpr int kThreads = 64; // two warps
constexpr int kElements = 256;

static __half* from; // 2 * kElements numbers
static float* to;    // 2 * kElements zeros

// A kernel NAME with the constant `right`.
#define USE(name, ...)                                                                                               \
    template <bool right>                                                                                            \
    __global__ void name(const __half* from, float* to)                                                              \
    {                                                                                                                \
        __VA_ARGS__;                                                                                                 \
    }                                                                                                                \
    struct Use_##name {                                                                                              \
        template <class Right>                                                                                       \
        void operator()(Right) const                                                                                 \
        {                                                                                                            \
            name<Right::value><<<1, kThreads>>>(from, to);                                                           \
        }                                                                                                            \
    };                                                                                                               \
    static const bool added_##name = add(#name, Use_##name());

// clang-format off
using Left = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Right = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
__device__ int lane() { return static_cast<int>(threadIdx.x % 32); }
__device__ int warp() { return static_cast<int>(threadIdx.x / 32); }
__device__ unsigned address(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }
__device__ unsigned load(const void* row) { unsigned value; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(value) : "r"(address(row)) : "memory"); return value; }
__device__ unsigned load_transposed(const void* row) { unsigned value; asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(value) : "r"(address(row)) : "memory"); return value; }
__device__ void store(void* row, unsigned value) { asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(address(row)), "r"(value) : "memory"); }
__device__ void multiply(const __half* left, const __half* right, float* to) { Left a; Right b; Sums sums; wmma::load_matrix_sync(a, left, 16); wmma::load_matrix_sync(b, right, 16); wmma::fill_fragment(sums, 0.0F); wmma::mma_sync(sums, a, b, sums); wmma::store_matrix_sync(to, sums, 16, wmma::mem_row_major); }
#define TILES(type) __shared__ alignas(32) type tiles[2][kElements];
#define FILL(which) for (int i = lane(); i < kElements; i += 32) tiles[which][i] = from[which * kElements + i];

// ---- mma.h ----
USE(warp_fills_its_tile, TILES(__half) FILL(warp()) if (right) __syncwarp(); multiply(tiles[warp()], tiles[warp()], to + warp() * kElements))
USE(warp_fills_its_tile_by_rows, TILES(__half) for (int i = 0; i < 8; ++i) tiles[warp()][lane() * 8 + i] = from[lane() * 8 + i]; if (right) __syncwarp(); multiply(tiles[warp()], tiles[warp()], to + warp() * kElements))
USE(tile_of_another_warp, TILES(__half) FILL(warp()) if (right) __syncthreads(); else __syncwarp(); multiply(tiles[warp()], tiles[1 - warp()], to + warp() * kElements))
USE(tile_is_used_again, TILES(__half) for (int i = 0; i < 2; ++i) { FILL(warp()) __syncwarp(); multiply(tiles[warp()], tiles[warp()], to + warp() * kElements); if (right) __syncwarp(); })
USE(stored_sums_are_read, TILES(float) Sums sums; wmma::fill_fragment(sums, 2.0F); wmma::store_matrix_sync(tiles[warp()], sums, 16, wmma::mem_row_major); if (right) __syncwarp(); for (int i = lane(); i < kElements; i += 32) to[warp() * kElements + i] = tiles[warp()][i])
USE(stored_sums_are_loaded, TILES(float) Sums sums; wmma::fill_fragment(sums, 2.0F); wmma::store_matrix_sync(tiles[warp()], sums, 16, wmma::mem_row_major); if (right) __syncwarp(); wmma::load_matrix_sync(sums, tiles[warp()], 16, wmma::mem_col_major); wmma::store_matrix_sync(to + warp() * kElements, sums, 16, wmma::mem_row_major))
USE(two_warps_store_one_tile, Sums sums; wmma::fill_fragment(sums, 1.0F); wmma::store_matrix_sync(to + (right ? warp() * kElements : 0), sums, 16, wmma::mem_row_major))
USE(rows_lie_apart, Sums sums; wmma::fill_fragment(sums, 1.0F); wmma::store_matrix_sync(to + warp() * 16, sums, right ? 32 : 16, wmma::mem_row_major))
USE(sums_of_two_warps, TILES(float) Sums sums; wmma::fill_fragment(sums, 1.0F + static_cast<float>(warp())); wmma::store_matrix_sync(tiles[warp()], sums, 16, wmma::mem_row_major); if (right) __syncthreads(); for (int i = static_cast<int>(threadIdx.x); i < kElements; i += kThreads) to[i] = tiles[0][i] + tiles[1][i])
USE(written_from_the_global_tile, Sums sums; wmma::load_matrix_sync(sums, to, 16, wmma::mem_row_major); for (float& sum : sums.x) sum += 1; if (right) __syncthreads(); if (warp() == 0) wmma::store_matrix_sync(to, sums, 16, wmma::mem_row_major))
USE(product_orders_nothing, __shared__ int words[2]; Left a; Right b; Sums sums; wmma::fill_fragment(a, __float2half(1.0F)); wmma::fill_fragment(b, __float2half(2.0F)); wmma::fill_fragment(sums, 0.0F); if (lane() == 0) words[warp()] = 3; if (right) __syncwarp(); wmma::mma_sync(sums, a, b, sums); to[threadIdx.x] = sums.x[0] + static_cast<float>(words[warp()]))

// ---- PTX ----
USE(rows_are_loaded, __shared__ alignas(16) unsigned rows[2][8][4]; rows[warp()][lane() / 4][lane() % 4] = static_cast<unsigned>(lane()); if (right) __syncthreads(); to[threadIdx.x] = static_cast<float>(load(rows[1 - warp()][lane() % 8])))
USE(rows_are_loaded_transposed, __shared__ alignas(16) unsigned rows[2][8][4]; rows[warp()][lane() / 4][lane() % 4] = static_cast<unsigned>(lane()); if (right) __syncwarp(); to[threadIdx.x] = static_cast<float>(load_transposed(rows[warp()][lane() % 8])))
USE(rows_are_stored, __shared__ alignas(16) unsigned rows[2][8][4]; store(rows[warp()][lane() % 8], threadIdx.x); if (right) __syncwarp(); to[threadIdx.x] = static_cast<float>(rows[warp()][lane() % 8][lane() / 8]))
USE(rows_are_stored_and_loaded, __shared__ alignas(16) unsigned rows[2][8][4]; store(rows[warp()][lane() % 8], threadIdx.x); if (right) __syncwarp(); to[threadIdx.x] = static_cast<float>(load_transposed(rows[warp()][lane() % 8])))
USE(two_warps_store_rows, __shared__ alignas(16) unsigned rows[2][8][4]; store(rows[right ? warp() : 0][lane() % 8], threadIdx.x); __syncthreads(); to[threadIdx.x] = static_cast<float>(rows[0][lane() % 8][lane() / 8]))
USE(votes_are_a_barrier, __shared__ int part[kThreads]; part[threadIdx.x] = lane(); unsigned votes = 0; if (right) asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p;}" : "=r"(votes) : "r"(lane() % 3) : "memory"); to[threadIdx.x] = static_cast<float>(part[kThreads - 1 - threadIdx.x] + static_cast<int>(votes)))
USE(votes_of_a_named_barrier, __shared__ int part[kThreads]; part[threadIdx.x] = lane(); unsigned votes; asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, %2, %3, p; selp.u32 %0, 1, 0, q;}" : "=r"(votes) : "r"(lane() % 3), "r"(right ? 3 : 1 + warp()), "r"(right ? kThreads : 32) : "memory"); to[threadIdx.x] = static_cast<float>(part[kThreads - 1 - threadIdx.x] + static_cast<int>(votes)))
// clang-format on

int main(int words, char** word)
{
    if (words == 1)
        return list_cases();
    std::vector<__half> numbers(2 * kElements);
    for (int i = 0; i < 2 * kElements; ++i)
        numbers[i] = __float2half(static_cast<float>(i * 7 % 11));
    check(cudaMalloc(&from, numbers.size() * sizeof(__half)));
    check(cudaMalloc(&to, numbers.size() * sizeof(float)));
    check(cudaMemcpy(from, numbers.data(), numbers.size() * sizeof(__half), cudaMemcpyHostToDevice));
    check(cudaMemset(to, 0, numbers.size() * sizeof(float)));
    cases().at(word[1]).run();
    std::vector<float> results(2 * kElements);
    check(cudaMemcpy(results.data(), to, results.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < 2 * kElements; ++i)
        sum += (i + 1) * static_cast<double>(results[i]);
    printf("%.0f\n", sum);
    return 0;
}
