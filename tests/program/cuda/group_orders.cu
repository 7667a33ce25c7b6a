// Cooperative grids, clusters, launches with attributes and launches by pointer, and whether they race, by CUDA's rules: each use is there
// as it is right, and with one mistake. `./my` prints the names, each after + (right) or - (wrong); `./my NAME` runs one. The rules: CUDA
// Programming Guide, "Cooperative Groups", "Thread Block Clusters", "Distributed Shared Memory", "Programmatic Dependent Launch"; PTX ISA,
// "barrier.cluster", "griddepcontrol".
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>

#include "uses.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 64;
constexpr int kBlocks = 4;
constexpr int kCount = kThreads * kBlocks;

static cudaStream_t n, m; // that wait for no other stream
static int *d, *d2, *sum; // kCount zeros; one

// ---- launches ----

template <class... Expected, class... Actual>
static void cooperative(void (*kernel)(Expected...), cudaStream_t stream, Actual... arguments)
{
    void* addresses[] = {&arguments...};
    check(cudaLaunchCooperativeKernel((const void*)kernel, dim3(kBlocks), dim3(kThreads), addresses, 0, stream));
}
static cudaLaunchConfig_t shape(cudaStream_t stream, cudaLaunchAttribute* attributes, unsigned count)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = kBlocks;
    config.blockDim = kThreads;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = count;
    return config;
}
static cudaLaunchAttribute cluster_of(unsigned x, unsigned y = 1)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = y;
    attribute.val.clusterDim.z = 1;
    return attribute;
}
static cudaLaunchAttribute early()
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return attribute;
}
static cudaLaunchAttribute together()
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    return attribute;
}
template <class... Expected, class... Actual>
static void clustered(unsigned blocks, void (*kernel)(Expected...), Actual... arguments)
{
    cudaLaunchAttribute attribute = cluster_of(blocks);
    const cudaLaunchConfig_t config = shape(n, &attribute, 1);
    check(cudaLaunchKernelEx(&config, kernel, arguments...));
}
template <class... Expected, class... Actual>
static void with(cudaLaunchAttribute attribute, cudaStream_t stream, void (*kernel)(Expected...), Actual... arguments)
{
    const cudaLaunchConfig_t config = shape(stream, &attribute, 1);
    check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

// ---- uses ----

// The body launches with the constant `right`.
#define USE(name, ...)                                                                                               \
    struct Use_##name {                                                                                              \
        template <class Right>                                                                                       \
        void operator()(Right) const                                                                                 \
        {                                                                                                            \
            constexpr bool right = Right::value;                                                                     \
            __VA_ARGS__;                                                                                             \
        }                                                                                                            \
    };                                                                                                               \
    static const bool added_##name = add(#name, Use_##name());

// A line for each use.
// clang-format off
__device__ int self() { return static_cast<int>(cg::this_grid().thread_rank()); }
__device__ int other() { return (self() + kThreads) % kCount; } // the same thread of the next block

// ---- grids ----
template <bool right> __global__ void read_of_others(int* d, int* to) { d[self()] = self(); if (right) cg::this_grid().sync(); to[self()] = d[other()]; }
USE(grid_sync, cooperative(read_of_others<right>, n, d, d2))
USE(grid_sync_by_attribute, with(together(), n, read_of_others<right>, d, d2))

template <bool right> __global__ void block_barrier(int* d, int* to) { d[self()] = self(); if (right) cg::this_grid().sync(); else __syncthreads(); to[self()] = d[other()]; }
USE(grid_sync_and_no_block_barrier, cooperative(block_barrier<right>, n, d, d2))

template <bool right> __global__ void write_after_read(int* d) { const int seen = d[other()]; if (right) cg::this_grid().sync(); d[self()] = seen + 1; }
USE(grid_sync_after_reads, cooperative(write_after_read<right>, n, d))

template <bool right> __global__ void steps(int* d, int* to) { for (int i = 0; i < 3; ++i) { to[self()] = d[other()] + 1; cg::this_grid().sync(); int* const last = d; if (right) { d = to; to = last; } else d[self()] = i; } }
USE(grid_sync_in_a_loop, cooperative(steps<right>, n, d, d2))

template <bool right> __global__ void halves(int* d, int* to) { auto grid = cg::this_grid(); if (right) d[self()] = 1; auto token = grid.barrier_arrive(); if (!right) d[self()] = 1; grid.barrier_wait(static_cast<decltype(token)&&>(token)); to[self()] = d[other()]; }
USE(grid_arrive_after_the_write, cooperative(halves<right>, n, d, d2))

template <bool right> __global__ void between(int* d, int* to) { auto grid = cg::this_grid(); d[self()] = 1; auto token = grid.barrier_arrive(); int seen = d[right ? self() : other()]; grid.barrier_wait(static_cast<decltype(token)&&>(token)); to[self()] = seen; }
USE(grid_own_data_before_the_wait, cooperative(between<right>, n, d, d2))

template <bool right> __global__ void by_function(int* d, int* to) { d[self()] = self(); if (right) cg::sync(cg::this_grid()); else cg::sync(cg::this_thread_block()); to[self()] = d[other()]; }
USE(grid_sync_by_function, cooperative(by_function<right>, n, d, d2))

template <class Group> __device__ void exchange(const Group& group, int* d, int* to) { d[self()] = self(); group.sync(); to[self()] = d[other()]; }
template <bool right> __global__ void by_parameter(int* d, int* to) { if constexpr (right) exchange(cg::this_grid(), d, to); else exchange(cg::this_thread_block(), d, to); }
USE(grid_as_a_parameter, cooperative(by_parameter<right>, n, d, d2))

template <bool right> __global__ void atomics(int* sum, int* to) { atomicAdd(sum, 1); if (right) cg::this_grid().sync(); if (self() == 0) *to = *sum; }
USE(grid_atomics_then_a_read, cooperative(atomics<right>, n, sum, d2))

template <bool right> __global__ void reduced(int* parts, int* to)
{
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int part = cg::reduce(tile, self(), cg::plus<int>());
    if (tile.thread_rank() == 0) parts[self() / 32] = part;
    if (right) cg::this_grid().sync(); else __syncthreads();
    if (self() == 0) for (int i = 0; i < kCount / 32; ++i) *to += parts[i];
}
USE(grid_reduction, cooperative(reduced<right>, n, d, sum))

template <bool right> __global__ void by_one(int* d, int* to) { d[self()] = 1; if (right) __syncthreads(); if (threadIdx.x == 1) for (int i = 1; i < kThreads; ++i) d[blockIdx.x * kThreads] += d[blockIdx.x * kThreads + i]; cg::this_grid().sync(); to[self()] = d[other() / kThreads * kThreads]; }
USE(grid_block_sum_before, cooperative(by_one<right>, n, d, d2))

template <bool right> __global__ void two_barriers(int* d, int* to) { d[self()] = 1; cg::this_grid().sync(); to[self()] = d[other()]; if (right) cg::this_grid().sync(); d[self()] = 2; }
USE(grid_second_barrier, cooperative(two_barriers<right>, n, d, d2))

template <bool right> __global__ void flag(int* d, int* flag, int* to) { if (self() == 1) { *d = 1; if (right) __threadfence(); atomicExch(flag, 1); } if (self() == kThreads) { while (atomicAdd(flag, 0) == 0) {} __threadfence(); *to = *d; } cg::this_grid().sync(); }
USE(grid_flag_with_fences, cooperative(flag<right>, n, d, sum, d2))

__global__ void put(int* d) { d[self()] = 1; }
USE(grids_in_one_stream, cooperative(put, n, d); cooperative(put, right ? n : m, d))
USE(grid_then_a_kernel, cooperative(put, n, d); put<<<kBlocks, kThreads, 0, right ? n : m>>>(d))

// ---- clusters ----
__device__ unsigned next() { return (cg::this_cluster().block_rank() + 1) % cg::this_cluster().num_blocks(); }

template <bool right> __global__ void remote_read(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); own[threadIdx.x] = self(); if (right) cluster.sync(); else __syncthreads(); to[self()] = cluster.map_shared_rank(own, next())[threadIdx.x]; cluster.sync(); }
USE(cluster_sync, clustered(2, remote_read<right>, d))
USE(cluster_of_four, clustered(4, remote_read<right>, d))

template <bool right> __global__ void __cluster_dims__(2, 1, 1) of_source(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); own[threadIdx.x] = self(); if (right) cluster.sync(); to[self()] = cluster.map_shared_rank(own, next())[threadIdx.x]; cluster.sync(); }
USE(cluster_dims, of_source<right><<<kBlocks, kThreads, 0, n>>>(d))

template <bool right> __global__ void of_two(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); own[threadIdx.x] = self(); if (right) cluster.sync(); to[cg::this_grid().thread_rank()] = cluster.map_shared_rank(own, next())[threadIdx.x]; cluster.sync(); }
USE(cluster_of_two_dimensions, cudaLaunchAttribute square = cluster_of(2, 2); cudaLaunchConfig_t config = shape(n, &square, 1); config.gridDim = dim3(2, 2); check(cudaLaunchKernelEx(&config, of_two<right>, d)))

template <bool right> __global__ void remote_write(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); cluster.sync(); cluster.map_shared_rank(own, next())[threadIdx.x] = self(); if (right) cluster.sync(); else __syncthreads(); to[self()] = own[threadIdx.x]; cluster.sync(); }
USE(cluster_sync_after_remote_writes, clustered(2, remote_write<right>, d))

template <bool right> __global__ void ends(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); own[threadIdx.x] = self(); cluster.sync(); to[self()] = cluster.map_shared_rank(own, next())[threadIdx.x]; if (right) cluster.sync(); }
USE(cluster_sync_before_the_end, clustered(2, ends<right>, d))

template <bool right> __global__ void begins(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); if (right) cluster.sync(); cluster.map_shared_rank(own, next())[threadIdx.x] = self(); cluster.sync(); to[self()] = own[threadIdx.x]; }
USE(cluster_sync_after_the_begin, clustered(2, begins<right>, d))

template <bool right> __global__ void histogram(int* to) { __shared__ int bins[kThreads]; auto cluster = cg::this_cluster(); bins[threadIdx.x] = 0; cluster.sync(); int* const bin = cluster.map_shared_rank(bins, self() % 2) + self() % 7; if (right) atomicAdd(bin, 1); else ++*bin; cluster.sync(); to[self()] = bins[threadIdx.x]; }
USE(cluster_remote_atomics, clustered(2, histogram<right>, d))

template <bool right> __global__ void counter(int* to) { __shared__ int count; auto cluster = cg::this_cluster(); if (threadIdx.x == 0) count = 0; if (right) cluster.sync(); atomicAdd(cluster.map_shared_rank(&count, 0), 1); cluster.sync(); if (cluster.thread_rank() == 0) to[blockIdx.x] = count; }
USE(cluster_counter_is_set_before, clustered(2, counter<right>, d))

template <bool right> __global__ void split(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); own[threadIdx.x] = self(); auto token = cluster.barrier_arrive(); int* const there = cluster.map_shared_rank(own, next()); int seen = 0; if (!right) seen = there[threadIdx.x]; cluster.barrier_wait(static_cast<decltype(token)&&>(token)); if (right) seen = there[threadIdx.x]; to[self()] = seen; cluster.sync(); }
USE(cluster_read_after_the_wait, clustered(2, split<right>, d))

template <bool right> __global__ void late(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); if (right) own[threadIdx.x] = self(); cluster.barrier_arrive(); if (!right) own[threadIdx.x] = self(); cluster.barrier_wait(); to[self()] = cluster.map_shared_rank(own, next())[threadIdx.x]; cluster.sync(); }
USE(cluster_arrive_after_the_write, clustered(2, late<right>, d))

template <bool right> __global__ void by_ptx(int* d, int* to) { d[self()] = 1; if (right) asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); else asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); to[self()] = d[self() ^ kThreads]; }
USE(cluster_ptx_release, clustered(2, by_ptx<right>, d, d2))

template <bool right> __global__ void by_mapa(int* to) { __shared__ int own[kThreads]; own[threadIdx.x] = self(); if (right) { asm volatile("barrier.cluster.arrive;" ::: "memory"); asm volatile("barrier.cluster.wait;" ::: "memory"); } unsigned rank; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)); int* there; asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own + threadIdx.x), "r"(rank ^ 1)); to[self()] = *there; cg::this_cluster().sync(); }
USE(cluster_ptx_mapa, clustered(2, by_mapa<right>, d))

template <bool right> __global__ void global(int* d, int* to) { d[self()] = 1; cg::this_cluster().sync(); to[self()] = d[right ? self() ^ kThreads : self() ^ 2 * kThreads]; }
USE(cluster_is_not_the_grid, clustered(2, global<right>, d, d2))

template <bool right> __global__ void both(int* d, int* to) { d[self()] = 1; if (right) cg::this_grid().sync(); else cg::this_cluster().sync(); to[self()] = d[self() ^ 2 * kThreads]; }
USE(cooperative_grid_of_clusters, cudaLaunchAttribute all[2] = {cluster_of(2), together()}; const cudaLaunchConfig_t config = shape(n, all, 2); check(cudaLaunchKernelEx(&config, both<right>, d, d2)))

template <bool right> __global__ void of_one(int* to) { __shared__ int own[kThreads]; own[threadIdx.x] = self(); if (right) cg::this_cluster().sync(); to[self()] = own[kThreads - 1 - threadIdx.x]; }
USE(cluster_of_one_block, of_one<right><<<kBlocks, kThreads, 0, n>>>(d))

template <bool right> __global__ void own_rank(int* to) { __shared__ int own[kThreads]; auto cluster = cg::this_cluster(); own[threadIdx.x] = self(); if (right) __syncthreads(); to[self()] = cluster.map_shared_rank(own, cluster.block_rank())[kThreads - 1 - threadIdx.x]; }
USE(cluster_own_rank, clustered(2, own_rank<right>, d))

template <bool right> __global__ void dynamic(int* to) { extern __shared__ int bytes[]; auto cluster = cg::this_cluster(); bytes[threadIdx.x] = self(); if (right) cluster.sync(); to[self()] = cluster.map_shared_rank(bytes, next())[threadIdx.x]; cluster.sync(); }
USE(cluster_dynamic_shared_memory, cudaLaunchAttribute two = cluster_of(2); cudaLaunchConfig_t config = shape(n, &two, 1); config.dynamicSmemBytes = kThreads * sizeof(int); check(cudaLaunchKernelEx(&config, dynamic<right>, d)))

template <bool right> __global__ void rounds(int* to) { __shared__ int own[2][kThreads]; auto cluster = cg::this_cluster(); own[0][threadIdx.x] = self(); for (int i = 0; i < 4; ++i) { cluster.sync(); const int seen = cluster.map_shared_rank(own[right ? i % 2 : 0], next())[threadIdx.x]; own[right ? 1 - i % 2 : 0][threadIdx.x] = seen + 1; } cluster.sync(); to[self()] = own[0][threadIdx.x]; }
USE(cluster_two_buffers, clustered(2, rounds<right>, d))

template <bool right> __global__ void some_end(int* d, int* to) { d[self()] = 1; if (threadIdx.x == 7) return; cg::this_cluster().sync(); to[self()] = d[(self() ^ kThreads) / kThreads * kThreads + (right ? 8 : 7)]; }
USE(cluster_without_ended_threads, clustered(2, some_end<right>, d, d2))

// ---- programmatic launches ----
template <bool right> __global__ void second(const int* d, int* to) { if (right) cudaGridDependencySynchronize(); to[self()] = d[other()]; }
USE(dependency_wait, put<<<kBlocks, kThreads, 0, n>>>(d); with(early(), n, second<right>, d, d2))

template <bool right> __global__ void second_of_grid(const int* d, int* to) { if (self() == 0) cudaGridDependencySynchronize(); if (right) cg::this_grid().sync(); to[self()] = d[other()]; }
USE(dependency_wait_by_one_thread, put<<<kBlocks, kThreads, 0, n>>>(d); cudaLaunchAttribute all[2] = {early(), together()}; const cudaLaunchConfig_t config = shape(n, all, 2); check(cudaLaunchKernelEx(&config, second_of_grid<right>, d, d2)))

template <bool right> __global__ void second_of_cluster(const int* d, int* to) { auto cluster = cg::this_cluster(); if (cluster.thread_rank() == 0) cudaGridDependencySynchronize(); if (right) cluster.sync(); to[self()] = d[other()]; }
USE(dependency_wait_by_one_of_a_cluster, put<<<kBlocks, kThreads, 0, n>>>(d); cudaLaunchAttribute all[2] = {early(), cluster_of(4)}; const cudaLaunchConfig_t config = shape(n, all, 2); check(cudaLaunchKernelEx(&config, second_of_cluster<right>, d, d2)))

template <bool right> __global__ void first(int* d) { if (!right) cudaTriggerProgrammaticLaunchCompletion(); d[self()] = 1; if (right) { __syncthreads(); __threadfence(); cudaTriggerProgrammaticLaunchCompletion(); } }
__global__ void without_wait(const int* d, int* to) { to[self()] = d[self()]; }
template <bool right> __global__ void first_by_all(int* d) { d[self()] = 1; __threadfence(); if (right) __syncthreads(); asm volatile("griddepcontrol.launch_dependents;"); if (!right) d[self()] = 2; }
USE(trigger_then_a_wait, first<right><<<kBlocks, kThreads, 0, n>>>(d); with(early(), n, second<right>, d, d2))
USE(trigger_after_the_last_write, first_by_all<right><<<kBlocks, kThreads, 0, n>>>(d); with(early(), n, second<right>, d, d2))
USE(host_waits_for_the_stream_of_an_early_launch, put<<<kBlocks, kThreads, 0, n>>>(d); with(early(), n, second<true>, d, d2); if (right) check(cudaStreamSynchronize(n)); put<<<kBlocks, kThreads, 0, m>>>(d2))

// ---- launches by pointer ----
using Kernel = void (*)(int*);
static void by_pointer(Kernel kernel, cudaStream_t stream) { void* arguments[] = {&d}; check(cudaLaunchKernel((const void*)kernel, dim3(kBlocks), dim3(kThreads), arguments, 0, stream)); }
USE(launch_by_pointer, by_pointer(put, n); by_pointer(put, right ? n : m))
USE(launch_by_pointer_and_configuration, Kernel kernel = put; kernel<<<kBlocks, kThreads, 0, n>>>(d); kernel<<<kBlocks, kThreads, 0, right ? n : m>>>(d))
USE(launch_by_configuration, void* arguments[] = {&d}; cudaLaunchConfig_t config = shape(n, nullptr, 0); check(cudaLaunchKernelExC(&config, (const void*)put, arguments)); config.stream = right ? n : m; check(cudaLaunchKernelExC(&config, (const void*)put, arguments)))
USE(launch_with_priority, cudaLaunchAttribute attribute = {}; attribute.id = cudaLaunchAttributePriority; with(attribute, n, put, d); with(attribute, right ? n : m, put, d))

int main(int count, char** words)
{
    if (count == 1)
        return list_cases();
    check(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&m, cudaStreamNonBlocking));
    check(cudaMalloc(&d, kCount * sizeof(int)));
    check(cudaMalloc(&d2, kCount * sizeof(int)));
    check(cudaMalloc(&sum, sizeof(int)));
    check(cudaMemset(d, 0, kCount * sizeof(int)));
    check(cudaMemset(d2, 0, kCount * sizeof(int)));
    check(cudaMemset(sum, 0, sizeof(int)));
    check(cudaDeviceSynchronize());
    cases().at(words[1]).run();
    check(cudaDeviceSynchronize());
    static int seen[2 * kCount + 1]; // a program that is right prints the same on every machine
    check(cudaMemcpy(seen, d, kCount * sizeof(int), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(seen + kCount, d2, kCount * sizeof(int), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(seen + 2 * kCount, sum, sizeof(int), cudaMemcpyDeviceToHost));
    unsigned hash = 0;
    for (const int value : seen)
        hash = 31 * hash + static_cast<unsigned>(value);
    printf("%08x\n", hash);
    return 0;
}
// clang-format on
