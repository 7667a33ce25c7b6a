// Bulk copies between global and shared memory, and whether they race, by CUDA's rules: each use is there as it is right, and with one mistake.
// `./my` prints the names, each after + (right) or - (wrong); `./my NAME` runs one. The rules: PTX ISA, "Asynchronous Data Movement and
// Conversion Instructions" (completion, async proxy), "Proxies", "Memory Consistency Model" (proxy-preserved base causality order); CUDA
// Programming Guide, "Asynchronous Data Copies using the Tensor Memory Accelerator".
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "uses.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace ptx = cuda::ptx;
namespace cde = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kThreads = 64;
constexpr int kBlocks = 2;
constexpr int kCount = 2 * kThreads * kBlocks;
constexpr int kBytes = kThreads * sizeof(int); // of the part of a block

static int *from, *to; // kCount numbers, in 8 rows of 32; kCount zeros
static CUtensorMap from_map, to_map;

// A kernel NAME with the constant `right`, whose blocks have kThreads threads, and kBlocks of them.
#define USE_WITH(name, attributes, ...)                                                                              \
    template <bool right>                                                                                            \
    __global__ void attributes name(const int* from, int* to, const __grid_constant__ CUtensorMap from_map,          \
                                    const __grid_constant__ CUtensorMap to_map)                                      \
    {                                                                                                                \
        __VA_ARGS__;                                                                                                 \
    }                                                                                                                \
    struct Use_##name {                                                                                              \
        template <class Right>                                                                                       \
        void operator()(Right) const                                                                                 \
        {                                                                                                            \
            name<Right::value><<<kBlocks, kThreads>>>(from, to, from_map, to_map);                                   \
        }                                                                                                            \
    };                                                                                                               \
    static const bool added_##name = add(#name, Use_##name());
#define USE(name, ...) USE_WITH(name, , __VA_ARGS__)

// clang-format off
__device__ int thread() { return static_cast<int>(threadIdx.x); }
__device__ int self() { return static_cast<int>(blockIdx.x * kThreads + threadIdx.x); }
__device__ int other() { return static_cast<int>(kThreads - 1 - threadIdx.x); }
__device__ int row() { return static_cast<int>(blockIdx.x) * 2; } // 2 rows have the numbers of a block
__device__ std::uint32_t address(const void* at) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(at)); }
__device__ void load(void* shared, const void* global, int bytes, std::uint64_t* barrier) { ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, shared, global, static_cast<std::uint32_t>(bytes), barrier); }
__device__ void store(void* global, const void* shared, int bytes) { ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, global, shared, static_cast<std::uint32_t>(bytes)); }
__device__ void expect(std::uint64_t* barrier, int bytes) { ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, static_cast<std::uint32_t>(bytes)); }
__device__ void wait(std::uint64_t* barrier, unsigned parity) { while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {} }
__device__ void commit() { ptx::cp_async_bulk_commit_group(); }
__device__ void fence() { ptx::fence_proxy_async(); }
#define PART __shared__ alignas(128) int part[kThreads];
// Barriers for one arrival and what is copied.
#define BEGIN(count) __shared__ alignas(8) std::uint64_t barriers[count]; if (threadIdx.x == 0) { for (std::uint64_t& each : barriers) ptx::mbarrier_init(&each, 1); fence(); } __syncthreads();
#define FIRST if (threadIdx.x == 0)

// ---- loads ----
USE(load_is_waited_for, PART BEGIN(1) FIRST { expect(barriers, kBytes); load(part, from + blockIdx.x * kThreads, kBytes, barriers); } if (right) wait(barriers, 0); else __syncthreads(); to[self()] = part[other()])
USE(load_is_waited_for_by_all_who_read, PART BEGIN(1) FIRST { expect(barriers, kBytes); load(part, from, kBytes, barriers); } if (right || threadIdx.x < 32) wait(barriers, 0); to[self()] = part[other()])
USE(load_is_waited_for_by_one_before_a_barrier, PART BEGIN(1) FIRST { expect(barriers, kBytes); load(part, from, kBytes, barriers); wait(barriers, 0); } if (right) __syncthreads(); to[self()] = part[other()])
USE(load_by_ptx, PART BEGIN(1) FIRST { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(address(barriers)), "r"(kBytes) : "memory"); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(address(part)), "l"(from), "r"(kBytes), "r"(address(barriers)) : "memory"); } if (right) asm volatile("{.reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@p bra DONE;\nbra WAIT;\nDONE:}" :: "r"(address(barriers)) : "memory"); else __syncthreads(); to[self()] = part[other()])
USE(load_with_a_policy, PART BEGIN(1) FIRST { expect(barriers, kBytes); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" :: "r"(address(part)), "l"(from), "r"(kBytes), "r"(address(barriers)), "l"(0x14F0000000000000ULL) : "memory"); } if (right) wait(barriers, 0); to[self()] = part[other()])
USE(load_by_cuda_device, PART __shared__ Barrier barrier; FIRST { init(&barrier, kThreads); fence(); } __syncthreads(); Barrier::arrival_token token; FIRST { cde::cp_async_bulk_global_to_shared(part, from, kBytes, barrier); token = cuda::device::barrier_arrive_tx(barrier, 1, kBytes); } else token = barrier.arrive(); if (right) barrier.wait(std::move(token)); to[self()] = part[other()])
USE(load_over_what_was_read, PART BEGIN(1) part[thread()] = 3; fence(); __syncthreads(); const int seen = part[other()]; if (right) __syncthreads(); FIRST { expect(barriers, kBytes); load(part, from, kBytes, barriers); } wait(barriers, 0); to[self()] = part[other()] + seen)
USE(load_over_what_was_written, PART BEGIN(1) part[thread()] = 3; if (right) fence(); __syncthreads(); FIRST { expect(barriers, kBytes); load(part, from, kBytes, barriers); } wait(barriers, 0); to[self()] = part[other()])
USE(load_of_what_was_written, PART BEGIN(1) to[self()] = self(); if (right) fence(); __syncthreads(); FIRST { expect(barriers, kBytes); load(part, to + blockIdx.x * kThreads, kBytes, barriers); } wait(barriers, 0); to[kCount / 2 + self()] = part[other()])
USE(fence_by_the_thread_that_copies, PART BEGIN(1) to[self()] = self(); __syncthreads(); FIRST { if (right) fence(); expect(barriers, kBytes); load(part, to + blockIdx.x * kThreads, kBytes, barriers); } wait(barriers, 0); to[kCount / 2 + self()] = part[other()])
USE(source_is_kept, PART BEGIN(1) FIRST { expect(barriers, kBytes); load(part, to + blockIdx.x * kThreads, kBytes, barriers); } if (right) wait(barriers, 0); to[self()] = 5; if (!right) wait(barriers, 0); to[kCount / 2 + self()] = part[other()])
USE(two_stages, __shared__ alignas(16) int parts[2][kThreads]; BEGIN(2) FIRST for (int i = 0; i < 2; ++i) { expect(&barriers[i], kBytes); load(parts[i], from + i * kThreads, kBytes, &barriers[i]); } for (int i = 0; i < 2; ++i) { wait(&barriers[right ? i : 1], 0); to[self()] += parts[i][other()]; } wait(&barriers[0], 0))
USE(wait_for_the_other_stage, __shared__ alignas(16) int parts[2][kThreads]; BEGIN(2) FIRST for (int i = 0; i < 2; ++i) { expect(&barriers[i], kBytes); load(parts[i], from + i * kThreads, kBytes, &barriers[i]); } wait(&barriers[right ? 1 : 0], 0); to[self()] = parts[1][other()]; wait(&barriers[0], 0); wait(&barriers[1], 0))
USE(two_loads_of_one_barrier, __shared__ alignas(16) int parts[2][kThreads]; BEGIN(1) FIRST { expect(barriers, 2 * kBytes); for (int i = 0; i < 2; ++i) load(parts[i], from + i * kThreads, kBytes, barriers); } if (right) wait(barriers, 0); to[self()] = parts[0][other()] + parts[1][thread()])
USE(ring_of_stages, __shared__ alignas(16) int parts[2][kThreads]; __shared__ alignas(8) std::uint64_t empty[2]; BEGIN(2) FIRST { for (std::uint64_t& each : empty) ptx::mbarrier_init(&each, 32); fence(); } __syncthreads(); if (threadIdx.x == 32) for (int i = 0; i < 4; ++i) { if (i >= 2 && (right || i != 3)) wait(&empty[i % 2], 0); expect(&barriers[i % 2], kBytes); load(parts[i % 2], from + i * kThreads, kBytes, &barriers[i % 2]); } if (threadIdx.x < 32) { int sum = 0; for (int i = 0; i < 4; ++i) { wait(&barriers[i % 2], i / 2); sum += parts[i % 2][other()]; ptx::mbarrier_arrive(&empty[i % 2]); } to[self()] = sum; })

// ---- stores ----
USE(store_after_a_fence, PART part[thread()] = self(); if (right) fence(); __syncthreads(); FIRST { store(to + blockIdx.x * kThreads, part, kBytes); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(store_after_a_fence_by_one, PART part[thread()] = self(); __syncthreads(); FIRST { if (right) fence(); store(to + blockIdx.x * kThreads, part, kBytes); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(store_after_a_barrier, PART part[thread()] = self(); fence(); if (right) __syncthreads(); FIRST { store(to + blockIdx.x * kThreads, part, kBytes); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(fence_before_the_write, PART if (!right) fence(); part[thread()] = self(); if (right) fence(); __syncthreads(); FIRST { store(to + blockIdx.x * kThreads, part, kBytes); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(part_is_used_again, PART part[thread()] = self(); fence(); __syncthreads(); FIRST { store(to + blockIdx.x * kThreads, part, kBytes); commit(); if (right) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); } __syncthreads(); part[thread()] = 1; if (!right) FIRST ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()))
USE(store_is_committed, PART part[thread()] = self(); fence(); __syncthreads(); FIRST { store(to + blockIdx.x * kThreads, part, kBytes); if (right) commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); } __syncthreads(); part[thread()] = 1)
USE(stored_numbers_are_read, PART part[thread()] = self(); fence(); __syncthreads(); FIRST { store(to + blockIdx.x * kThreads, part, kBytes); commit(); if (right) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>()); else ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); } __syncthreads(); to[kCount / 2 + self()] = to[blockIdx.x * kThreads + other()])
USE(stores_of_two_groups, __shared__ alignas(16) int parts[2][kThreads]; parts[0][thread()] = self(); parts[1][thread()] = 7; fence(); __syncthreads(); FIRST { for (int i = 0; i < 2; ++i) { store(to + i * kCount / 2 + blockIdx.x * kThreads, parts[i], kBytes); commit(); } ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>()); } __syncthreads(); parts[right ? 0 : 1][thread()] = 1; FIRST ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()))
USE(two_stores_of_one_place, PART part[thread()] = 4; fence(); __syncthreads(); FIRST { for (int i = 0; i < 2; ++i) { store(to + blockIdx.x * kThreads, part, kBytes); commit(); if (right) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>()); } ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(blocks_store_one_place, PART part[thread()] = 4; fence(); __syncthreads(); FIRST { store(to + (right ? blockIdx.x * kThreads : 0), part, kBytes); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(blocks_add_to_one_place, PART part[thread()] = self(); fence(); __syncthreads(); FIRST { if (right) ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, to, part, kBytes); else store(to, part, kBytes); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(added_while_it_is_written, PART part[thread()] = self(); fence(); __syncthreads(); FIRST { ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, to, part, kBytes); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); } if (threadIdx.x == 1) { if (right) atomicAdd(to, 1); else to[0] = 1; })
USE(store_by_cuda_device, PART part[thread()] = self(); if (right) cde::fence_proxy_async_shared_cta(); __syncthreads(); FIRST { cde::cp_async_bulk_shared_to_global(to + blockIdx.x * kThreads, part, kBytes); cde::cp_async_bulk_commit_group(); cde::cp_async_bulk_wait_group_read<0>(); })
USE(store_by_ptx, PART part[thread()] = self(); if (right) asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads(); FIRST { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(to + blockIdx.x * kThreads), "r"(address(part)), "n"(kBytes) : "memory"); asm volatile("cp.async.bulk.commit_group;\n" ::: "memory"); asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(0) : "memory"); })
USE(loaded_and_stored_again, PART BEGIN(1) FIRST { expect(barriers, kBytes); load(part, from, kBytes, barriers); if (right) wait(barriers, 0); store(to + blockIdx.x * kThreads, part, kBytes); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); wait(barriers, 0); })

// ---- tiles ----
USE(tile_is_waited_for, PART BEGIN(1) FIRST { expect(barriers, kBytes); const std::int32_t at[] = {0, row()}; ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, part, &from_map, at, barriers); } if (right) wait(barriers, 0); to[self()] = part[other()])
USE(tile_by_ptx, PART BEGIN(1) FIRST { expect(barriers, kBytes); asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(address(part)), "l"(&from_map), "r"(0), "r"(row()), "r"(address(barriers)) : "memory"); } if (right) wait(barriers, 0); to[self()] = part[other()])
USE(tile_by_cuda_device, PART __shared__ Barrier barrier; FIRST { init(&barrier, kThreads); fence(); } __syncthreads(); Barrier::arrival_token token; FIRST { cde::cp_async_bulk_tensor_2d_global_to_shared(part, &from_map, 0, row(), barrier); token = cuda::device::barrier_arrive_tx(barrier, 1, kBytes); } else token = barrier.arrive(); if (right) barrier.wait(std::move(token)); to[self()] = part[other()])
USE(tile_beyond_the_edge, PART BEGIN(1) FIRST { expect(barriers, kBytes); const std::int32_t at[] = {16, 7}; ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, part, &from_map, at, barriers); } if (right) wait(barriers, 0); to[self()] = part[other()])
USE(tile_is_stored, PART part[thread()] = self(); if (right) fence(); __syncthreads(); FIRST { const std::int32_t at[] = {0, row()}; ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to_map, at, part); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(tile_is_stored_by_ptx, PART part[thread()] = self(); if (right) fence(); __syncthreads(); FIRST { asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" :: "l"(&to_map), "r"(0), "r"(row()), "r"(address(part)) : "memory"); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(tiles_overlap, PART part[thread()] = self(); fence(); __syncthreads(); FIRST { const std::int32_t at[] = {0, right ? row() : row() / 2}; ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to_map, at, part); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(tiles_are_added, PART part[thread()] = self(); fence(); __syncthreads(); FIRST { const std::int32_t at[] = {0, 1}; if (right) ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &to_map, at, part); else ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to_map, at, part); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); })
USE(rows_beside_a_tile, PART part[thread()] = self(); fence(); __syncthreads(); FIRST { const std::int32_t at[] = {0, 2 + 2 * static_cast<int>(blockIdx.x)}; ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to_map, at, part); commit(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); } if (blockIdx.x == 0 && threadIdx.x >= 32) to[(right ? 6 : 5) * 32 + thread() - 32] = 1)

// ---- clusters ----
USE_WITH(load_for_both_blocks, __cluster_dims__(2), PART BEGIN(1) FIRST expect(barriers, kBytes); ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait(); if (threadIdx.x == 0 && blockIdx.x == 0) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" :: "r"(address(part)), "l"(from), "r"(kBytes), "r"(address(barriers)), "h"(static_cast<unsigned short>(3)) : "memory"); if (right || blockIdx.x == 0) wait(barriers, 0); to[self()] = part[other()]; ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait())
USE_WITH(tile_for_both_blocks, __cluster_dims__(2), PART BEGIN(1) FIRST expect(barriers, kBytes); ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait(); if (threadIdx.x == 0 && blockIdx.x == 1) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" :: "r"(address(part)), "l"(&from_map), "r"(0), "r"(3), "r"(address(barriers)), "h"(static_cast<unsigned short>(3)) : "memory"); if (right || blockIdx.x == 0) wait(barriers, 0); to[self()] = part[other()]; ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait())
USE_WITH(part_is_sent, __cluster_dims__(2), __shared__ alignas(16) int mine[kThreads]; PART BEGIN(1) mine[thread()] = self(); if (right) fence(); FIRST expect(barriers, kBytes); ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait(); FIRST { unsigned other_part, other_barrier; asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other_part) : "r"(address(part)), "r"(1 - blockIdx.x)); asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other_barrier) : "r"(address(barriers)), "r"(1 - blockIdx.x)); asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(other_part), "r"(address(mine)), "r"(kBytes), "r"(other_barrier) : "memory"); } wait(barriers, 0); to[self()] = part[other()]; ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait())
// clang-format on

static void make_map(CUtensorMap* map, int* numbers)
{
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result;
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result));
    const cuuint64_t size[] = {32, 8}, stride[] = {128};
    const cuuint32_t box[] = {32, 2}, steps[] = {1, 1};
    if (reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function)(
            map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, numbers, size, stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
            CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(1);
}

int main(int words, char** word)
{
    if (words == 1)
        return list_cases();
    int numbers[kCount];
    for (int i = 0; i < kCount; ++i)
        numbers[i] = i * 37 % 101;
    check(cudaMalloc(&from, sizeof numbers));
    check(cudaMalloc(&to, sizeof numbers));
    check(cudaMemcpy(from, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    check(cudaMemset(to, 0, sizeof numbers));
    make_map(&from_map, from);
    make_map(&to_map, to);
    cases().at(word[1]).run();
    check(cudaMemcpy(numbers, to, sizeof numbers, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < kCount; ++i)
        sum += static_cast<long long>(i + 1) * numbers[i];
    printf("%lld\n", sum);
    return 0;
}
