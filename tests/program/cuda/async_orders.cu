// Barriers in memory, asynchronous copies, named barriers, and whether they race, by CUDA's rules: each use is there as it is right, and with
// one mistake. `./my` prints the names, each after + (right) or - (wrong); `./my NAME` runs one. The rules: CUDA Programming Guide,
// "Asynchronous Barrier", "Asynchronous Data Copies"; libcu++, "cuda::barrier", "cuda::pipeline"; PTX ISA, "mbarrier", "cp.async", "bar".
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/chrono>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "uses.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

constexpr int kThreads = 64;
constexpr int kBlocks = 2;
constexpr int kCount = kThreads * kBlocks;

static int *from, *to; // kCount numbers; kCount zeros

// A kernel NAME with the constant `right`, whose blocks have kThreads threads, and kBlocks of them.
#define USE(name, ...)                                                                                               \
    template <bool right>                                                                                            \
    __global__ void name(const int* from, int* to)                                                                   \
    {                                                                                                                \
        __VA_ARGS__;                                                                                                 \
    }                                                                                                                \
    struct Use_##name {                                                                                              \
        template <class Right>                                                                                       \
        void operator()(Right) const                                                                                 \
        {                                                                                                            \
            name<Right::value><<<kBlocks, kThreads>>>(from, to);                                                     \
        }                                                                                                            \
    };                                                                                                               \
    static const bool added_##name = add(#name, Use_##name());

// clang-format off
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ int self() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ int other() { return static_cast<int>(kThreads - 1 - threadIdx.x); }
#define BEGIN(count) __shared__ Barrier barrier; if (threadIdx.x == 0) init(&barrier, count); __syncthreads();
#define PART __shared__ int part[kThreads];

// ---- barriers ----
USE(arrive_and_wait, PART BEGIN(kThreads) part[threadIdx.x] = self(); if (right) barrier.arrive_and_wait(); else (void)barrier.arrive(); to[self()] = part[other()])
USE(begun_before_it_is_used, PART __shared__ Barrier barrier; if (threadIdx.x == 0) init(&barrier, kThreads); if (right) __syncthreads(); else __syncwarp(); part[threadIdx.x] = self(); barrier.arrive_and_wait(); to[self()] = part[other()])
USE(write_before_the_arrival, PART BEGIN(kThreads) if (right) part[threadIdx.x] = self(); auto token = barrier.arrive(); if (!right) part[threadIdx.x] = self(); barrier.wait(std::move(token)); to[self()] = part[other()])
USE(read_after_the_wait, PART BEGIN(kThreads) part[threadIdx.x] = self(); auto token = barrier.arrive(); int seen = 0; if (!right) seen = part[other()]; barrier.wait(std::move(token)); if (right) seen = part[other()]; to[self()] = seen)
USE(own_data_before_the_wait, PART BEGIN(kThreads) part[threadIdx.x] = self(); auto token = barrier.arrive(); const int seen = part[right ? threadIdx.x : other()]; barrier.wait(std::move(token)); to[self()] = seen)
USE(second_phase, PART BEGIN(kThreads) part[threadIdx.x] = self(); barrier.arrive_and_wait(); const int seen = part[other()]; if (right) barrier.arrive_and_wait(); part[threadIdx.x] = seen; __syncthreads(); to[self()] = part[threadIdx.x])
USE(phases_in_a_loop, __shared__ int part[2][kThreads]; BEGIN(kThreads) part[0][threadIdx.x] = self(); for (int i = 0; i < 4; ++i) { barrier.arrive_and_wait(); part[right ? (i + 1) % 2 : 0][threadIdx.x] = part[right ? i % 2 : 0][other()] + 1; } barrier.arrive_and_wait(); to[self()] = part[0][threadIdx.x])
USE(try_wait, PART BEGIN(kThreads) part[threadIdx.x] = self(); auto token = barrier.arrive(); if (right) while (!barrier.try_wait_for(Barrier::arrival_token(token), cuda::std::chrono::nanoseconds(100))) {} to[self()] = part[other()])
USE(wait_parity, PART BEGIN(kThreads) part[threadIdx.x] = self(); if (!right) barrier.wait_parity(true); (void)barrier.arrive(); if (right) barrier.wait_parity(false); to[self()] = part[other()])
USE(dropped, PART BEGIN(kThreads) part[threadIdx.x] = self(); if (threadIdx.x >= 32) { barrier.arrive_and_drop(); if (!right) part[threadIdx.x] = 0; return; } barrier.arrive_and_wait(); int seen = part[threadIdx.x + 32]; part[threadIdx.x] = seen; barrier.arrive_and_wait(); to[self()] = part[31 - threadIdx.x])
USE(one_half_arrives, PART BEGIN(32) if (threadIdx.x < 32) { part[threadIdx.x] = self(); (void)barrier.arrive(); } else { if (right) barrier.wait_parity(false); to[self()] = part[threadIdx.x - 32]; })
USE(producer_and_consumer, PART __shared__ Barrier full; __shared__ Barrier empty; if (threadIdx.x == 0) { init(&full, 32); init(&empty, 32); } __syncthreads(); for (int i = 0; i < 3; ++i) { if (threadIdx.x < 32) { if (i > 0) empty.wait_parity((i - 1) % 2); part[threadIdx.x] = self() + i; (void)full.arrive(); } else { full.wait_parity(i % 2); if (!right) (void)empty.arrive(); to[self()] += part[threadIdx.x - 32]; if (right) (void)empty.arrive(); } })
USE(arrives_for_several, PART BEGIN(kThreads) part[threadIdx.x] = self(); if (right) __syncwarp(); if (threadIdx.x % 32 == 0) (void)barrier.arrive(32); barrier.wait_parity(false); to[self()] = part[other()])
struct Sum { int* part; int* sum; __device__ void operator()() noexcept { *sum = 0; for (int i = 0; i < kThreads; ++i) *sum += part[i]; } };
USE(completion, PART __shared__ int sum; __shared__ cuda::barrier<cuda::thread_scope_block, Sum> barrier; if (threadIdx.x == 0) init(&barrier, kThreads, Sum{part, &sum}); __syncthreads(); part[threadIdx.x] = self(); auto token = barrier.arrive(); if (right) barrier.wait(std::move(token)); to[self()] = sum)
USE(completion_and_late_write, PART __shared__ int sum; __shared__ cuda::barrier<cuda::thread_scope_block, Sum> barrier; if (threadIdx.x == 0) init(&barrier, kThreads, Sum{part, &sum}); __syncthreads(); part[threadIdx.x] = self(); auto token = barrier.arrive(); if (!right) part[threadIdx.x] = 0; barrier.wait(std::move(token)); to[self()] = sum)
USE(two_barriers, PART __shared__ Barrier first, second; if (threadIdx.x == 0) { init(&first, kThreads); init(&second, kThreads); } __syncthreads(); part[threadIdx.x] = self(); (void)first.arrive(); (void)second.arrive(); if (!right) ++part[threadIdx.x]; second.wait_parity(false); to[self()] = part[other()])
USE(latch, PART __shared__ cuda::latch<cuda::thread_scope_block>* latch; __shared__ alignas(8) char room[sizeof *latch]; if (threadIdx.x == 0) latch = new (room) cuda::latch<cuda::thread_scope_block>(kThreads); __syncthreads(); part[threadIdx.x] = self(); latch->count_down(); if (right) latch->wait(); to[self()] = part[other()])
USE(semaphore, __shared__ int sum; __shared__ cuda::binary_semaphore<cuda::thread_scope_block>* one; __shared__ alignas(8) char room[sizeof *one]; if (threadIdx.x == 0) { one = new (room) cuda::binary_semaphore<cuda::thread_scope_block>(1); sum = 0; } __syncthreads(); if (threadIdx.x % 32 == 0) { if (right) one->acquire(); sum += self() + 1; one->release(); } __syncthreads(); to[self()] = sum)
USE(primitives, PART __shared__ __mbarrier_t barrier; if (threadIdx.x == 0) __mbarrier_init(&barrier, kThreads); __syncthreads(); part[threadIdx.x] = self(); const auto token = __mbarrier_arrive(&barrier); if (right) while (!__mbarrier_test_wait(&barrier, token)) {} to[self()] = part[other()])

// ---- tiles of several warps ----
USE(tile_of_two_warps, PART const auto tile = cg::tiled_partition<64>(cg::this_thread_block()); part[threadIdx.x] = self(); if (right) tile.sync(); to[self()] = part[other()])
USE(sum_of_a_tile_orders_nothing, PART const auto tile = cg::tiled_partition<64>(cg::this_thread_block()); part[threadIdx.x] = self(); if (right) tile.sync(); const int all = cg::reduce(tile, self(), cg::plus<int>()); to[self()] = part[other()] + all)
USE(copy_of_a_tile, PART const auto tile = cg::tiled_partition<64>(cg::this_thread_block()); cg::memcpy_async(tile, part, from, sizeof part); if (right) cg::wait(tile); else tile.sync(); to[self()] = part[other()])

// ---- the host ----
using SystemLatch = cuda::latch<cuda::thread_scope_system>;
static __global__ void count_down(SystemLatch* latch, int* numbers) { numbers[blockIdx.x] = 7; latch->count_down(); }
struct Use_latch_of_the_host {
    template <class Right>
    void operator()(Right) const
    {
        SystemLatch* latch;
        int* numbers;
        check(cudaMallocManaged(&latch, sizeof *latch));
        check(cudaMallocManaged(&numbers, kBlocks * sizeof(int)));
        new (latch) SystemLatch(kBlocks);
        count_down<<<kBlocks, 1>>>(latch, numbers);
        if (Right::value) latch->wait();
        printf("%d\n", numbers[0] + numbers[1]);
    }
};
static const bool added_latch_of_the_host = add("latch_of_the_host", Use_latch_of_the_host());

// ---- copies ----
USE(copy_with_barrier, PART BEGIN(kThreads) cuda::memcpy_async(cg::this_thread_block(), part, from, sizeof part, barrier); if (right) barrier.arrive_and_wait(); else __syncthreads(); to[self()] = part[other()])
USE(copy_aligned_with_barrier, __shared__ alignas(16) int part[kThreads]; BEGIN(kThreads) cuda::memcpy_async(cg::this_thread_block(), part, from, cuda::aligned_size_t<16>(sizeof part), barrier); auto token = barrier.arrive(); if (right) barrier.wait(std::move(token)); to[self()] = part[other()])
USE(copies_of_threads_with_barrier, PART BEGIN(kThreads) cuda::memcpy_async(part + threadIdx.x, from + self(), sizeof(int), barrier); if (right) barrier.arrive_and_wait(); to[self()] = part[right ? other() : threadIdx.x])
USE(source_is_kept_until_the_wait, PART BEGIN(kThreads) to[self()] = 1; __syncthreads(); cuda::memcpy_async(cg::this_thread_block(), part, static_cast<const int*>(to + blockIdx.x * kThreads), sizeof part, barrier); if (right) barrier.arrive_and_wait(); to[self()] = part[threadIdx.x]; if (!right) barrier.arrive_and_wait())
USE(bytes_expected, __shared__ alignas(16) int part[kThreads]; __shared__ Barrier barrier; if (threadIdx.x == 0) { init(&barrier, kThreads); asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); } __syncthreads(); Barrier::arrival_token token; if (threadIdx.x == 0) { cuda::device::memcpy_async_tx(part, from, cuda::aligned_size_t<16>(sizeof part), barrier); token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof part); } else token = barrier.arrive(); if (right) barrier.wait(std::move(token)); to[self()] = part[other()])
USE(copy_of_a_group, PART cg::memcpy_async(cg::this_thread_block(), part, from, sizeof part); if (right) cg::wait(cg::this_thread_block()); else __syncthreads(); to[self()] = part[other()])
USE(copy_of_other_types, __shared__ alignas(16) char part[kThreads * sizeof(int)]; BEGIN(kThreads) cuda::memcpy_async(cg::this_thread_block(), part, from, cuda::aligned_size_t<4>(sizeof part), barrier); if (right) barrier.arrive_and_wait(); to[self()] = reinterpret_cast<const int*>(part)[other()])
USE(copy_of_void, PART BEGIN(kThreads) void* const place = part + threadIdx.x; cuda::memcpy_async(place, static_cast<const void*>(from + self()), sizeof(int), barrier); if (right) barrier.arrive_and_wait(); to[self()] = part[right ? other() : threadIdx.x])
USE(copy_of_counts, PART cg::memcpy_async(cg::this_thread_block(), part, +kThreads, from, +kCount); if (right) cg::wait(cg::this_thread_block()); else __syncthreads(); to[self()] = part[other()])
USE(copies_of_a_group_but_the_last, __shared__ int parts[2][kThreads]; const auto block = cg::this_thread_block(); cg::memcpy_async(block, parts[0], from, sizeof parts[0]); cg::memcpy_async(block, parts[1], from, sizeof parts[1]); cg::wait_prior<1>(block); to[self()] = parts[right ? 0 : 1][other()]; cg::wait(block))
USE(primitive_copies, PART __pipeline_memcpy_async(part + threadIdx.x, from + self(), sizeof(int)); __pipeline_commit(); if (right) __pipeline_wait_prior(0); to[self()] = part[threadIdx.x])
USE(primitive_copies_and_barrier, PART __pipeline_memcpy_async(part + threadIdx.x, from + self(), sizeof(int)); __pipeline_commit(); __pipeline_wait_prior(0); if (right) __syncthreads(); to[self()] = part[other()])
USE(primitive_barrier_before_the_wait, PART __pipeline_memcpy_async(part + threadIdx.x, from + self(), sizeof(int)); __pipeline_commit(); if (!right) __syncthreads(); __pipeline_wait_prior(0); if (right) __syncthreads(); to[self()] = part[other()])
USE(primitive_copies_are_committed, PART __pipeline_memcpy_async(part + threadIdx.x, from + self(), sizeof(int)); if (right) __pipeline_commit(); __pipeline_wait_prior(0); to[self()] = part[threadIdx.x])
USE(primitive_copies_of_two_groups, __shared__ int parts[2][kThreads]; for (int i = 0; i < 2; ++i) { __pipeline_memcpy_async(parts[i] + threadIdx.x, from + self(), sizeof(int)); __pipeline_commit(); } __pipeline_wait_prior(1); to[self()] = parts[right ? 0 : 1][threadIdx.x])
USE(primitive_zeros, PART __pipeline_memcpy_async(part + threadIdx.x, from + self(), sizeof(int), threadIdx.x % 2 * 4); __pipeline_commit(); if (right) __pipeline_wait_prior(0); to[self()] = part[threadIdx.x])
USE(primitive_copies_with_barrier, PART __shared__ __mbarrier_t barrier; if (threadIdx.x == 0) __mbarrier_init(&barrier, kThreads); __syncthreads(); __pipeline_memcpy_async(part + threadIdx.x, from + self(), sizeof(int)); if (right) __pipeline_arrive_on(&barrier); const auto token = __mbarrier_arrive(&barrier); while (!__mbarrier_test_wait(&barrier, token)) {} to[self()] = part[other()])
USE(buffer_is_used_again, PART int sum = 0; for (int i = 0; i < 2; ++i) { __pipeline_memcpy_async(part + threadIdx.x, from + self(), sizeof(int)); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); sum += part[other()]; if (right) __syncthreads(); } to[self()] = sum)

// ---- pipelines ----
USE(pipeline_of_a_thread, PART auto pipe = cuda::make_pipeline(); pipe.producer_acquire(); cuda::memcpy_async(part + threadIdx.x, from + self(), sizeof(int), pipe); pipe.producer_commit(); if (right) pipe.consumer_wait(); to[self()] = part[threadIdx.x]; pipe.consumer_release())
USE(pipeline_of_a_thread_and_others, PART auto pipe = cuda::make_pipeline(); cuda::memcpy_async(cg::this_thread_block(), part, from, sizeof part, pipe); pipe.producer_commit(); pipe.consumer_wait(); if (right) __syncthreads(); to[self()] = part[other()])
USE(pipeline_wait_prior, __shared__ int parts[2][kThreads]; auto pipe = cuda::make_pipeline(); for (int i = 0; i < 2; ++i) { pipe.producer_acquire(); cuda::memcpy_async(parts[i] + threadIdx.x, from + self(), sizeof(int), pipe); pipe.producer_commit(); } cuda::pipeline_consumer_wait_prior<1>(pipe); to[self()] = parts[right ? 0 : 1][threadIdx.x])
USE(pipeline_in_order, __shared__ int parts[2][kThreads]; auto pipe = cuda::make_pipeline(); for (int i = 0; i < 2; ++i) { cuda::memcpy_async(parts[i] + threadIdx.x, from + self(), sizeof(int), pipe); pipe.producer_commit(); } int sum = 0; for (int i = 0; i < 2; ++i) { pipe.consumer_wait(); sum += parts[right ? i : 1 - i][threadIdx.x]; pipe.consumer_release(); } to[self()] = sum)
USE(pipeline_of_a_block, __shared__ int parts[2][kThreads]; __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state; const auto block = cg::this_thread_block(); auto pipe = cuda::make_pipeline(block, &state); int sum = 0; for (int i = 0; i < 4; ++i) { pipe.producer_acquire(); cuda::memcpy_async(block, parts[right ? i % 2 : 0], from + i, sizeof parts[0], pipe); pipe.producer_commit(); if (i > 0) { pipe.consumer_wait(); sum += parts[right ? (i - 1) % 2 : 0][other()]; pipe.consumer_release(); } } pipe.consumer_wait(); sum += parts[right ? 1 : 0][other()]; pipe.consumer_release(); to[self()] = sum)
USE(pipeline_of_a_block_release, PART __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state; const auto block = cg::this_thread_block(); auto pipe = cuda::make_pipeline(block, &state); int sum = 0; for (int i = 0; i < 2; ++i) { pipe.producer_acquire(); cuda::memcpy_async(block, part, from + i, sizeof part, pipe); pipe.producer_commit(); pipe.consumer_wait(); if (right) sum += part[other()]; pipe.consumer_release(); if (!right) sum += part[other()]; } to[self()] = sum)
USE(pipeline_of_roles, PART __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state; const auto block = cg::this_thread_block(); const bool produces = threadIdx.x < 32; auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer); int sum = 0; for (int i = 0; i < 3; ++i) { if (produces) { pipe.producer_acquire(); cuda::memcpy_async(part + threadIdx.x, from + threadIdx.x + i, sizeof(int), pipe); pipe.producer_commit(); } else { if (!right) sum += part[threadIdx.x - 32]; pipe.consumer_wait(); if (right) sum += part[threadIdx.x - 32]; pipe.consumer_release(); } } to[self()] = sum)
USE(pipeline_of_counts, PART __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state; const auto block = cg::this_thread_block(); auto pipe = cuda::make_pipeline(block, &state, 32); for (int i = 0; i < 2; ++i) { if (threadIdx.x < 32) { if (!right) part[threadIdx.x] = from[threadIdx.x + i]; pipe.producer_acquire(); if (right) part[threadIdx.x] = from[threadIdx.x + i]; pipe.producer_commit(); } else { pipe.consumer_wait(); to[self()] += part[threadIdx.x - 32]; pipe.consumer_release(); } })

// ---- PTX ----
__device__ unsigned address(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }
__device__ void copy(int* to, const int* from) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(address(to)), "l"(from) : "memory"); }
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int prior> __device__ void wait_group() { asm volatile("cp.async.wait_group %0;" ::"n"(prior) : "memory"); }
#define MBARRIER(count) __shared__ unsigned long long object; if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&object)), "r"(count) : "memory"); __syncthreads(); const unsigned barrier = address(&object);
__device__ void mbarrier_arrive(unsigned barrier) { asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
__device__ unsigned mbarrier_has_ended(unsigned barrier, unsigned parity) { unsigned ended; asm volatile("{\n\t.reg .pred done;\n\tmbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n\tselp.b32 %0, 1, 0, done;\n\t}" : "=r"(ended) : "r"(barrier), "r"(parity) : "memory"); return ended; }
__device__ void mbarrier_wait(unsigned barrier, unsigned parity) { asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory"); }
USE(ptx_copies, PART copy(part + threadIdx.x, from + self()); commit(); if (right) wait_group<0>(); to[self()] = part[threadIdx.x])
USE(ptx_copies_all, PART copy(part + threadIdx.x, from + self()); if (right) asm volatile("cp.async.wait_all;" ::: "memory"); else wait_group<0>(); to[self()] = part[threadIdx.x])
USE(ptx_copies_of_groups, __shared__ int parts[3][kThreads]; for (int i = 0; i < 3; ++i) { copy(parts[i] + threadIdx.x, from + self() + i); commit(); } wait_group<1>(); to[self()] = parts[right ? 1 : 2][threadIdx.x])
USE(ptx_copies_and_barrier, PART copy(part + threadIdx.x, from + self()); commit(); if (!right) __syncthreads(); wait_group<0>(); if (right) __syncthreads(); to[self()] = part[other()])
USE(ptx_copies_with_zeros, __shared__ alignas(16) int part[kThreads]; if (threadIdx.x < 16) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(address(part + 4 * threadIdx.x)), "l"(from + 4 * threadIdx.x), "r"(4 * (threadIdx.x % 5)) : "memory"); commit(); if (right) wait_group<0>(); __syncthreads(); to[self()] = part[other()])
USE(ptx_copies_of_some, PART part[threadIdx.x] = 7; asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %0, 0;\n @p cp.async.ca.shared.global [%1], [%2], 4;\n}\n" ::"r"(static_cast<int>(threadIdx.x % 3)), "r"(address(part + threadIdx.x)), "l"(from + self()) : "memory"); commit(); if (right) wait_group<0>(); to[self()] = part[threadIdx.x])
USE(ptx_mbarrier_test, PART MBARRIER(kThreads) part[threadIdx.x] = self(); mbarrier_arrive(barrier); if (right) while (mbarrier_has_ended(barrier, 0) == 0) {} to[self()] = part[other()])
USE(ptx_mbarrier_wait, PART MBARRIER(kThreads) for (unsigned i = 0; i < 3; ++i) { part[threadIdx.x] = self() + i; mbarrier_arrive(barrier); mbarrier_wait(barrier, 0); to[self()] += part[other()]; if (right) mbarrier_arrive(barrier); else __syncwarp(); if (!right) break; mbarrier_wait(barrier, 1); } if (!right) part[threadIdx.x] = 0)
USE(ptx_mbarrier_state, PART MBARRIER(kThreads) part[threadIdx.x] = self(); unsigned long long state; asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory"); for (unsigned ended = !right; ended == 0;) asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ended) : "r"(barrier), "l"(state) : "memory"); to[self()] = part[other()])
USE(ptx_mbarrier_drop, PART MBARRIER(kThreads) part[threadIdx.x] = self(); unsigned long long state; if (threadIdx.x < 32) { asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory"); if (!right) part[threadIdx.x] = 0; return; } mbarrier_arrive(barrier); mbarrier_wait(barrier, 0); to[self()] = part[other()]; mbarrier_arrive(barrier); mbarrier_wait(barrier, 1); to[self()] += part[threadIdx.x])
USE(ptx_mbarrier_bytes, PART MBARRIER(1) if (threadIdx.x == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(256u) : "memory"); part[threadIdx.x] = self(); if (right) __syncthreads(); if (threadIdx.x == 1) asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(256u) : "memory"); mbarrier_wait(barrier, 0); to[self()] = part[other()])
USE(ptx_copies_arrive, PART MBARRIER(kThreads) copy(part + threadIdx.x, from + self()); if (right) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory"); else mbarrier_arrive(barrier); mbarrier_wait(barrier, 0); to[self()] = part[other()])
USE(ptx_copies_arrive_besides, PART MBARRIER(kThreads) copy(part + threadIdx.x, from + self()); if (right) asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(barrier) : "memory"); mbarrier_arrive(barrier); mbarrier_wait(barrier, 0); to[self()] = part[other()])
USE(ptx_shared_memory, PART asm volatile("st.shared.u32 [%0], %1;" ::"r"(address(part + threadIdx.x)), "r"(self()) : "memory"); if (right) __syncthreads(); int seen; asm volatile("ld.shared.u32 %0, [%1];" : "=r"(seen) : "r"(address(part + other())) : "memory"); to[self()] = seen)
USE(ptx_shared_atomics, __shared__ unsigned sum; if (threadIdx.x == 0) sum = 0; __syncthreads(); if (right) asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address(&sum)), "r"(self()) : "memory"); else sum += self(); __syncthreads(); to[self()] = sum)
USE(ptx_vectors, __shared__ alignas(16) int part[kThreads]; if (threadIdx.x < 16) { int a, b, c, d; asm volatile("ld.global.nc.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(from + 4 * threadIdx.x)); asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address(part + 4 * threadIdx.x)), "r"(a), "r"(b), "r"(c), "r"(d) : "memory"); } if (right) __syncthreads(); to[self()] = part[other()])
USE(ptx_address, PART unsigned at; asm("{ .reg .u64 generic; cvta.to.shared.u64 generic, %1; cvt.u32.u64 %0, generic; }" : "=r"(at) : "l"(part + threadIdx.x)); asm volatile("st.shared.s32 [%0], %1;" ::"r"(at), "r"(self()) : "memory"); if (right) __syncthreads(); to[self()] = *static_cast<int*>(__cvta_shared_to_generic(address(part + other()))))

// ---- named barriers ----
USE(bar_of_all, PART part[threadIdx.x] = self(); if (right) asm volatile("bar.sync 1;" ::: "memory"); to[self()] = part[other()])
USE(bar_of_a_count, PART part[threadIdx.x] = self(); asm volatile("bar.sync %0, %1;" ::"r"(right ? 3 : 3 + threadIdx.x / 32), "r"(right ? kThreads : 32) : "memory"); to[self()] = part[other()])
USE(bar_of_warps, PART part[threadIdx.x] = self(); if (right) asm volatile("barrier.sync %0, 32;" ::"r"(1 + threadIdx.x / 32) : "memory"); to[self()] = part[threadIdx.x ^ 31])
USE(bar_arrive, PART if (threadIdx.x < 32) { part[threadIdx.x] = self(); asm volatile("bar.arrive 2, 64;" ::: "memory"); if (!right) part[threadIdx.x] = 0; } else { asm volatile("bar.sync 2, 64;" ::: "memory"); to[self()] = part[threadIdx.x - 32]; })
USE(bar_producer_and_consumer, PART for (int i = 0; i < 3; ++i) { if (threadIdx.x < 32) { asm volatile("bar.sync 1, 64;" ::: "memory"); part[threadIdx.x] = self() + i; asm volatile("bar.arrive 2, 64;" ::: "memory"); } else { if (right || i == 0) asm volatile("bar.arrive 1, 64;" ::: "memory"); asm volatile("bar.sync 2, 64;" ::: "memory"); if (!right) asm volatile("bar.arrive 1, 64;" ::: "memory"); to[self()] += part[threadIdx.x - 32]; } })
// clang-format on

int main(int count, char** words)
{
    if (count == 1)
        return list_cases();
    static int numbers[2 * kCount];
    for (int i = 0; i < 2 * kCount; ++i)
        numbers[i] = 3 * i + 1;
    check(cudaMalloc(&from, sizeof numbers));
    check(cudaMalloc(&to, kCount * sizeof(int)));
    check(cudaMemcpy(from, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    check(cudaMemset(to, 0, kCount * sizeof(int)));
    cases().at(words[1]).run();
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(numbers, to, kCount * sizeof(int), cudaMemcpyDeviceToHost));
    unsigned hash = 0;
    for (int i = 0; i < kCount; ++i)
        hash = 31 * hash + static_cast<unsigned>(numbers[i]);
    printf("%08x\n", hash);
    return 0;
}
