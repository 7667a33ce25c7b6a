// What the host puts into streams, and whether it races, by CUDA's rules: each case is right or wrong. `./my` prints the names, each after
// + (right) or - (wrong); `./my NAME` runs one. The rules: CUDA Runtime API, "API synchronization behavior"; CUDA Programming
// Guide, "Streams", "Events", "Default Stream", "Host Functions", "Stream Ordered Memory Allocator".
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "uses.h"

constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);
constexpr size_t kLarge = 1 << 20;

// A line for each use.
// clang-format off
__global__ void put(int* to, int value) { to[threadIdx.x] = value; }
__global__ void get(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void put_column(char* to, size_t pitch, size_t column) { to[threadIdx.x * pitch + column] = 1; }
__constant__ int constants[kCount];
__device__ int variable[kCount];
__managed__ int managed[kCount];
__global__ void get_constants(int* to) { to[threadIdx.x] = constants[threadIdx.x]; }
__global__ void put_variable() { variable[threadIdx.x] = 1; }
__global__ void put_managed() { managed[threadIdx.x] = 1; }
__global__ void get_managed(int* to) { to[threadIdx.x] = managed[threadIdx.x]; }

// Of blocking streams a and b, and streams n and m that are not.
static cudaStream_t a, b, n, m;
static cudaEvent_t event;
static int *d, *d2;          // device memory
static int *large_d, *large; // of kLarge bytes, the second one pageable
static int *pinned, *pinned2, *unified;
static int pageable[kCount];
static char* pitched;
static size_t pitch;
static int seen; // that the compiler does not remove reads
static int of_host;
static std::atomic<int> flag;
static std::mutex mutex;


static void put_in(cudaStream_t stream, int* to = d) { put<<<1, kCount, 0, stream>>>(to, 1); }
static void get_in(cudaStream_t stream, const int* from = d, int* to = d2) { get<<<1, kCount, 0, stream>>>(to, from); }
static void copy_in(cudaStream_t stream, void* to, const void* from, cudaMemcpyKind kind)
{
    cudaMemcpyAsync(to, from, kBytes, kind, stream);
}
static void order(cudaStream_t first, cudaStream_t second)
{
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
}

// ---- kernels in streams ----
RIGHT(one_stream) { put_in(n); put_in(n); }
WRONG(two_streams) { put_in(n); put_in(m); }
WRONG(blocking_streams) { put_in(a); put_in(b); }
RIGHT(blocking_streams_with_the_null_stream_between) { put_in(a); put_in(0, d2); put_in(b); }
RIGHT(null_stream_then_blocking) { put_in(0); put_in(a); }
RIGHT(blocking_then_legacy_stream) { put_in(a); put_in(cudaStreamLegacy); }
WRONG(non_blocking_then_legacy_stream) { put_in(n); put_in(cudaStreamLegacy); }
WRONG(stream_per_thread_and_blocking) { put_in(cudaStreamPerThread); put_in(a); }
RIGHT(stream_per_thread_and_null_stream) { put_in(cudaStreamPerThread); put_in(0); }
RIGHT(stream_per_thread_twice) { put_in(cudaStreamPerThread); put_in(cudaStreamPerThread); }
RIGHT(synchronized_stream) { put_in(n); cudaStreamSynchronize(n); put_in(m); }
WRONG(synchronized_other_stream) { put_in(n); cudaStreamSynchronize(m); put_in(m); }
RIGHT(synchronized_null_stream_after_blocking) { put_in(a, unified); cudaStreamSynchronize(0); seen = unified[0]; }
WRONG(synchronized_null_stream_after_non_blocking) { put_in(n, unified); cudaStreamSynchronize(0); seen = unified[0]; }
RIGHT(synchronized_stream_per_thread) { put_in(cudaStreamPerThread, unified); cudaStreamSynchronize(cudaStreamPerThread); seen = unified[0]; }
RIGHT(event_between_streams) { put_in(n); order(n, m); put_in(m); }
WRONG(event_before_the_work) { order(n, m); put_in(n); put_in(m); }
WRONG(event_of_another_stream) { put_in(n); order(a, m); put_in(m); }
RIGHT(events_through_a_third_stream) { put_in(n); order(n, a); order(a, m); put_in(m); }
RIGHT(event_with_flags) { put_in(n); cudaEventRecordWithFlags(event, n, 0); cudaStreamWaitEvent(m, event); put_in(m); }
RIGHT(event_synchronized) { put_in(n, unified); cudaEventRecord(event, n); cudaEventSynchronize(event); seen = unified[0]; }
WRONG(event_synchronized_before_the_work) { cudaEventRecord(event, n); put_in(n, unified); cudaEventSynchronize(event); seen = unified[0]; }
WRONG(event_query_ignored) { put_in(n, unified); cudaEventRecord(event, n); cudaEventQuery(event); seen = unified[0]; }
RIGHT(event_query_until_done) { put_in(n, unified); cudaEventRecord(event, n); while (cudaEventQuery(event) == cudaErrorNotReady) {} seen = unified[0]; }
WRONG(event_query_of_an_earlier_event) { cudaEventRecord(event, n); put_in(n, unified); while (cudaEventQuery(event) == cudaErrorNotReady) {} seen = unified[0]; }
WRONG(stream_query_ignored) { put_in(n, unified); cudaStreamQuery(n); seen = unified[0]; }
RIGHT(stream_query_until_done) { put_in(n, unified); while (cudaStreamQuery(n) != cudaSuccess) {} seen = unified[0]; }
RIGHT(stream_query_then_wait) { put_in(n, unified); if (cudaStreamQuery(n) != cudaSuccess) cudaStreamSynchronize(n); seen = unified[0]; }
WRONG(stream_query_of_another_stream) { put_in(n, unified); while (cudaStreamQuery(m) != cudaSuccess) {} seen = unified[0]; }
RIGHT(stream_query_of_what_is_done) { put_in(n, unified); cudaStreamSynchronize(n); if (cudaStreamQuery(n) != cudaSuccess) abort(); seen = unified[0]; }
RIGHT(event_query_of_what_is_done) { put_in(n, unified); cudaEventRecord(event, n); cudaDeviceSynchronize(); if (cudaEventQuery(event) != cudaSuccess) abort(); seen = unified[0]; }
WRONG(destroyed_stream_is_no_wait) { cudaStream_t s; cudaStreamCreate(&s); put_in(s, unified); cudaStreamDestroy(s); seen = unified[0]; }
WRONG(destroyed_event_is_no_wait) { cudaEvent_t e; cudaEventCreate(&e); put_in(n, unified); cudaEventRecord(e, n); cudaEventDestroy(e); seen = unified[0]; }
RIGHT(device_synchronized) { put_in(n); cudaDeviceSynchronize(); put_in(m); }

// ---- copies without Async ----
WRONG(to_host_beside_a_non_blocking_stream) { put_in(n); cudaMemcpy(pageable, d, kBytes, cudaMemcpyDeviceToHost); }
RIGHT(to_host_after_a_blocking_stream) { put_in(a); cudaMemcpy(pageable, d, kBytes, cudaMemcpyDeviceToHost); }
RIGHT(to_host_has_waited) { put_in(0, unified); cudaMemcpy(pageable, d, kBytes, cudaMemcpyDeviceToHost); seen = unified[0]; }
WRONG(to_host_has_not_waited_for_a_non_blocking_stream) { put_in(n, unified); cudaMemcpy(pageable, d, kBytes, cudaMemcpyDeviceToHost); seen = unified[0]; }
RIGHT(to_host_then_a_kernel_writes) { cudaMemcpy(pageable, d, kBytes, cudaMemcpyDeviceToHost); put_in(n); }
RIGHT(to_pinned_then_the_host_reads) { cudaMemcpy(pinned, d, kBytes, cudaMemcpyDeviceToHost); seen = pinned[0]; }
WRONG(from_pageable_then_a_non_blocking_stream) { cudaMemcpy(d, pageable, kBytes, cudaMemcpyHostToDevice); get_in(n); }
RIGHT(from_pageable_then_the_null_stream) { cudaMemcpy(d, pageable, kBytes, cudaMemcpyHostToDevice); get_in(0); }
RIGHT(from_pageable_then_a_blocking_stream) { cudaMemcpy(d, pageable, kBytes, cudaMemcpyHostToDevice); get_in(a); }
RIGHT(from_pageable_much_then_a_non_blocking_stream) { cudaMemcpy(large_d, large, kLarge, cudaMemcpyHostToDevice); get_in(n, large_d); }
RIGHT(from_pageable_waits_for_what_was_before) { put_in(a, unified); cudaMemcpy(d, pageable, kBytes, cudaMemcpyHostToDevice); seen = unified[0]; }
RIGHT(from_pinned_then_a_non_blocking_stream) { cudaMemcpy(d, pinned, kBytes, cudaMemcpyHostToDevice); get_in(n); }
RIGHT(from_pinned_then_the_host_writes) { cudaMemcpy(d, pinned, kBytes, cudaMemcpyHostToDevice); pinned[0] = 1; }
WRONG(from_host_while_a_kernel_reads) { get_in(n); cudaMemcpy(d, pinned, kBytes, cudaMemcpyHostToDevice); }
WRONG(on_device_then_a_non_blocking_stream) { cudaMemcpy(d, d2, kBytes, cudaMemcpyDeviceToDevice); put_in(n); }
RIGHT(on_device_then_a_blocking_stream) { cudaMemcpy(d, d2, kBytes, cudaMemcpyDeviceToDevice); put_in(a); }
WRONG(on_device_is_no_wait) { put_in(0, unified); cudaMemcpy(d, d2, kBytes, cudaMemcpyDeviceToDevice); seen = unified[0]; }
RIGHT(on_device_of_kind_default_then_waited) { cudaMemcpy(d, d2, kBytes, cudaMemcpyDefault); cudaStreamSynchronize(0); put_in(n); }
RIGHT(to_managed_then_the_host_reads) { cudaMemcpy(unified, d, kBytes, cudaMemcpyDefault); seen = unified[0]; }
WRONG(of_a_peer_then_a_non_blocking_stream) { cudaMemcpyPeer(d, 0, d2, 0, kBytes); put_in(n); }
RIGHT(of_a_peer_then_the_null_stream) { cudaMemcpyPeer(d, 0, d2, 0, kBytes); put_in(0); }

// ---- copies with Async ----
WRONG(async_to_pinned_then_the_host_reads) { copy_in(n, pinned, d, cudaMemcpyDeviceToHost); seen = pinned[0]; }
RIGHT(async_to_pinned_waited) { copy_in(n, pinned, d, cudaMemcpyDeviceToHost); cudaStreamSynchronize(n); seen = pinned[0]; }
WRONG(async_to_pinned_other_stream_waited) { copy_in(n, pinned, d, cudaMemcpyDeviceToHost); cudaStreamSynchronize(m); seen = pinned[0]; }
RIGHT(async_to_pinned_event_waited) { copy_in(n, pinned, d, cudaMemcpyDeviceToHost); cudaEventRecord(event, n); cudaEventSynchronize(event); seen = pinned[0]; }
RIGHT(async_to_pinned_other_part) { cudaMemcpyAsync(pinned, d, kBytes / 2, cudaMemcpyDeviceToHost, n); seen = pinned[kCount / 2]; }
WRONG(async_from_pinned_that_is_reused) { copy_in(n, d, pinned, cudaMemcpyHostToDevice); pinned[0] = 1; }
RIGHT(async_from_pinned_that_the_host_reads) { copy_in(n, d, pinned, cudaMemcpyHostToDevice); seen = pinned[0]; }
RIGHT(async_from_pinned_reused_after_a_wait) { copy_in(n, d, pinned, cudaMemcpyHostToDevice); cudaStreamSynchronize(n); pinned[0] = 1; }
WRONG(async_from_pinned_reused_by_memset) { copy_in(n, d, pinned, cudaMemcpyHostToDevice); memset(pinned, 0, kBytes); }
WRONG(async_from_pinned_other_stream_reads) { copy_in(n, d, pinned, cudaMemcpyHostToDevice); get_in(m); }
RIGHT(async_from_pinned_same_stream_reads) { copy_in(n, d, pinned, cudaMemcpyHostToDevice); get_in(n); }
RIGHT(async_from_pinned_event) { copy_in(n, d, pinned, cudaMemcpyHostToDevice); order(n, m); get_in(m); }
WRONG(async_from_pageable_other_stream_reads) { copy_in(n, d, pageable, cudaMemcpyHostToDevice); get_in(m); }
RIGHT(async_from_pageable_that_is_reused) { copy_in(n, d, pageable, cudaMemcpyHostToDevice); pageable[0] = 1; }
WRONG(async_to_pageable_then_the_host_reads) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); seen = pageable[3]; }
WRONG(async_to_pageable_then_the_host_writes) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); pageable[3] = 1; }
WRONG(async_to_the_heap_then_the_host_reads) { copy_in(n, large, d, cudaMemcpyDeviceToHost); seen = large[3]; }
WRONG(async_to_the_stack_then_the_host_reads) { int own[kCount]; copy_in(n, own, d, cudaMemcpyDeviceToHost); seen = own[3]; cudaStreamSynchronize(n); }
RIGHT(async_to_the_stack_waited) { int own[kCount]; copy_in(n, own, d, cudaMemcpyDeviceToHost); cudaStreamSynchronize(n); seen = own[3]; }
RIGHT(async_to_the_heap_other_part) { copy_in(n, large, d, cudaMemcpyDeviceToHost); seen = large[kCount]; }
RIGHT(async_to_pageable_waited) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); cudaStreamSynchronize(n); seen = pageable[3]; }
WRONG(async_to_pageable_other_stream_waited) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); cudaStreamSynchronize(m); seen = pageable[3]; }
RIGHT(async_to_pageable_event_waited) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); order(n, m); cudaStreamSynchronize(m); seen = pageable[3]; }
WRONG(async_to_pageable_queried) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); cudaStreamQuery(n); seen = pageable[3]; }
WRONG(async_to_pageable_in_two_streams) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); copy_in(m, pageable, d2, cudaMemcpyDeviceToHost); }
RIGHT(async_to_pageable_twice_in_one_stream) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); copy_in(n, pageable, d2, cudaMemcpyDeviceToHost); }
WRONG(async_to_pageable_and_from_it_in_two_streams) { copy_in(n, large, d, cudaMemcpyDeviceToHost); copy_in(m, d2, large, cudaMemcpyHostToDevice); }
RIGHT(async_to_pageable_and_from_it_in_one_stream) { copy_in(n, large, d, cudaMemcpyDeviceToHost); copy_in(n, d2, large, cudaMemcpyHostToDevice); }
RIGHT(to_pageable_then_the_host_reads) { cudaMemcpy(large, d, kBytes, cudaMemcpyDeviceToHost); seen = large[3]; }
WRONG(async_rows_to_pageable) { cudaMemcpy2DAsync(large, 64, pitched, pitch, 16, kCount, cudaMemcpyDeviceToHost, n); seen = large[16]; }
RIGHT(async_rows_to_pageable_other_column) { cudaMemcpy2DAsync(large, 64, pitched, pitch, 16, kCount, cudaMemcpyDeviceToHost, n); seen = large[4]; }
WRONG(async_from_symbol_to_pageable) { cudaMemcpyFromSymbolAsync(pageable, variable, kBytes, 0, cudaMemcpyDeviceToHost, n); seen = pageable[3]; }
RIGHT(async_between_pinned_is_synchronous) { copy_in(n, pinned, pinned2, cudaMemcpyHostToHost); seen = pinned[0]; }
WRONG(async_on_device_other_stream) { copy_in(n, d, d2, cudaMemcpyDeviceToDevice); put_in(m); }
RIGHT(async_on_device_same_stream) { copy_in(n, d, d2, cudaMemcpyDeviceToDevice); put_in(n); }
RIGHT(async_on_device_both_read) { copy_in(n, d, d2, cudaMemcpyDeviceToDevice); get_in(m, d2, large_d); }
WRONG(async_two_copies_to_one_place) { copy_in(n, d, d2, cudaMemcpyDeviceToDevice); copy_in(m, d, pinned, cudaMemcpyHostToDevice); }
RIGHT(async_two_copies_side_by_side) { cudaMemcpyAsync(d, d2, kBytes / 2, cudaMemcpyDeviceToDevice, n); cudaMemcpyAsync(d + kCount / 2, pinned, kBytes / 2, cudaMemcpyHostToDevice, m); }
WRONG(async_in_the_null_stream_beside_a_non_blocking) { put_in(n); copy_in(0, pinned, d, cudaMemcpyDeviceToHost); }
RIGHT(async_in_the_null_stream_after_a_blocking) { put_in(a); copy_in(0, pinned, d, cudaMemcpyDeviceToHost); }
WRONG(async_to_managed_then_the_host_reads) { copy_in(n, unified, d, cudaMemcpyDefault); seen = unified[0]; }
RIGHT(async_to_managed_waited) { copy_in(n, unified, d, cudaMemcpyDefault); cudaStreamSynchronize(n); seen = unified[0]; }
WRONG(async_of_a_peer_other_stream) { cudaMemcpyPeerAsync(d, 0, d2, 0, kBytes, n); put_in(m); }
RIGHT(async_of_a_peer_same_stream) { cudaMemcpyPeerAsync(d, 0, d2, 0, kBytes, n); put_in(n); }
RIGHT(async_many_times_in_one_stream) { for (int time = 0; time < 1000; ++time) { copy_in(n, d, pinned, cudaMemcpyHostToDevice); get_in(n); } }

// ---- rows and slices: 32 rows of 16 bytes, in front of which and behind which others have theirs ----
WRONG(rows_to_host_beside_a_kernel) { put_column<<<1, kCount, 0, n>>>(pitched, pitch, 8); cudaMemcpy2D(pageable, 4, pitched + 8, pitch, 4, kCount, cudaMemcpyDeviceToHost); }
RIGHT(rows_to_host_beside_another_column) { put_column<<<1, kCount, 0, n>>>(pitched, pitch, 12); cudaMemcpy2D(pageable, 4, pitched + 8, pitch, 4, kCount, cudaMemcpyDeviceToHost); }
WRONG(async_rows_then_another_stream) { cudaMemcpy2DAsync(pitched, pitch, d, 4, 4, kCount, cudaMemcpyDeviceToDevice, n); put_column<<<1, kCount, 0, m>>>(pitched, pitch, 3); }
RIGHT(async_rows_then_another_column) { cudaMemcpy2DAsync(pitched, pitch, d, 4, 4, kCount, cudaMemcpyDeviceToDevice, n); put_column<<<1, kCount, 0, m>>>(pitched, pitch, 4); }
WRONG(set_rows_then_another_stream) { cudaMemset2D(pitched, pitch, 0, 4, kCount); put_column<<<1, kCount, 0, m>>>(pitched, pitch, 3); }
RIGHT(set_rows_then_another_column) { cudaMemset2DAsync(pitched, pitch, 0, 4, kCount, n); put_column<<<1, kCount, 0, m>>>(pitched, pitch, 4); }
static cudaMemcpy3DParms slices()
{
    cudaMemcpy3DParms of{};
    of.srcPtr = make_cudaPitchedPtr(d, 4, 4, kCount / 2);
    of.dstPtr = make_cudaPitchedPtr(pitched, pitch, 4, kCount / 2);
    of.extent = make_cudaExtent(4, kCount / 2, 2);
    of.kind = cudaMemcpyDeviceToDevice;
    return of;
}
WRONG(async_slices_then_another_stream) { const auto of = slices(); cudaMemcpy3DAsync(&of, n); put_column<<<1, kCount, 0, m>>>(pitched, pitch, 3); }
RIGHT(async_slices_then_another_column) { const auto of = slices(); cudaMemcpy3DAsync(&of, n); put_column<<<1, kCount, 0, m>>>(pitched, pitch, 4); }
RIGHT(slices_then_a_blocking_stream) { const auto of = slices(); cudaMemcpy3D(&of); put_column<<<1, kCount, 0, a>>>(pitched, pitch, 3); }
WRONG(set_slices_then_a_non_blocking_stream) { cudaMemset3D(make_cudaPitchedPtr(pitched, pitch, 4, 16), 0, make_cudaExtent(4, 16, 2)); put_column<<<1, kCount, 0, m>>>(pitched, pitch, 3); }
RIGHT(set_slices_in_one_stream) { cudaMemset3DAsync(make_cudaPitchedPtr(pitched, pitch, 4, 16), 0, make_cudaExtent(4, 16, 2), m); put_column<<<1, kCount, 0, m>>>(pitched, pitch, 3); }

// ---- sets ----
WRONG(set_then_a_non_blocking_stream) { cudaMemset(d, 0, kBytes); put_in(n); }
RIGHT(set_then_a_blocking_stream) { cudaMemset(d, 0, kBytes); put_in(a); }
RIGHT(set_waited) { cudaMemset(d, 0, kBytes); cudaStreamSynchronize(0); put_in(n); }
WRONG(set_is_no_wait) { put_in(0, unified); cudaMemset(d, 0, kBytes); seen = unified[0]; }
RIGHT(set_of_pinned_waits) { cudaMemset(pinned, 0, kBytes); seen = pinned[0]; }
WRONG(async_set_of_pinned) { cudaMemsetAsync(pinned, 0, kBytes, n); seen = pinned[0]; }
RIGHT(async_set_of_pinned_waited) { cudaMemsetAsync(pinned, 0, kBytes, n); cudaStreamSynchronize(n); seen = pinned[0]; }
WRONG(async_set_other_stream) { cudaMemsetAsync(d, 0, kBytes, n); put_in(m); }
RIGHT(async_set_same_stream) { cudaMemsetAsync(d, 0, kBytes, n); put_in(n); }
WRONG(async_set_while_a_kernel_reads) { get_in(n); cudaMemsetAsync(d, 0, kBytes, m); }

// ---- variables ----
WRONG(async_to_symbol_other_stream) { get_constants<<<1, kCount, 0, n>>>(d); cudaMemcpyToSymbolAsync(constants, pinned, kBytes, 0, cudaMemcpyHostToDevice, m); }
RIGHT(async_to_symbol_same_stream) { get_constants<<<1, kCount, 0, n>>>(d); cudaMemcpyToSymbolAsync(constants, pinned, kBytes, 0, cudaMemcpyHostToDevice, n); }
WRONG(to_symbol_then_a_non_blocking_stream) { cudaMemcpyToSymbol(constants, pageable, kBytes); get_constants<<<1, kCount, 0, n>>>(d); }
RIGHT(to_symbol_then_the_null_stream) { cudaMemcpyToSymbol(constants, pageable, kBytes); get_constants<<<1, kCount>>>(d); }
WRONG(from_symbol_beside_a_non_blocking_stream) { put_variable<<<1, kCount, 0, n>>>(); cudaMemcpyFromSymbol(pageable, variable, kBytes); }
RIGHT(from_symbol_after_the_null_stream) { put_variable<<<1, kCount>>>(); cudaMemcpyFromSymbol(pageable, variable, kBytes); }
WRONG(async_from_symbol_then_the_host_reads) { cudaMemcpyFromSymbolAsync(pinned, variable, kBytes, 0, cudaMemcpyDeviceToHost, n); seen = pinned[0]; }
RIGHT(async_from_symbol_waited) { cudaMemcpyFromSymbolAsync(pinned, variable, kBytes, 0, cudaMemcpyDeviceToHost, n); cudaStreamSynchronize(n); seen = pinned[0]; }
WRONG(managed_variable_read) { put_managed<<<1, kCount>>>(); seen = managed[0]; }
RIGHT(managed_variable_read_after_a_wait) { put_managed<<<1, kCount>>>(); cudaDeviceSynchronize(); seen = managed[0]; }
WRONG(managed_variable_written) { get_managed<<<1, kCount>>>(d); managed[1] = 2; }
RIGHT(managed_variable_written_before) { managed[1] = 2; get_managed<<<1, kCount>>>(d); }

// ---- memory that the host and kernels use ----
WRONG(managed_read) { put_in(0, unified); seen = unified[0]; }
RIGHT(managed_other_element) { put_in(0, unified); seen = unified[kCount]; }
WRONG(mapped_read) { put_in(0, pinned); seen = pinned[0]; }
RIGHT(mapped_read_after_a_wait) { put_in(n, pinned); cudaStreamSynchronize(n); seen = pinned[0]; }
static int* registered(int* memory)
{
    cudaHostRegister(memory, kLarge, cudaHostRegisterMapped);
    int* on_device = nullptr;
    cudaHostGetDevicePointer(&on_device, memory, 0);
    return on_device;
}
WRONG(registered_read) { put_in(0, registered(large)); seen = large[0]; }
RIGHT(registered_read_after_a_wait) { put_in(0, registered(large)); cudaDeviceSynchronize(); seen = large[0]; cudaHostUnregister(large); large[0] = 1; }
WRONG(registered_copied) { registered(large); copy_in(n, large, d, cudaMemcpyDeviceToHost); seen = large[0]; }
RIGHT(registered_no_longer) { registered(large); copy_in(n, large, d, cudaMemcpyDeviceToHost); cudaStreamSynchronize(n); cudaHostUnregister(large); seen = large[0]; }

// ---- memory of a pool ----
static int* pool_in(cudaStream_t stream)
{
    int* memory = nullptr;
    cudaMallocAsync(&memory, kBytes, stream);
    return memory;
}
RIGHT(pool_in_one_stream) { int* memory = pool_in(n); put_in(n, memory); cudaFreeAsync(memory, n); }
WRONG(pool_used_in_another_stream) { int* memory = pool_in(n); put_in(m, memory); }
RIGHT(pool_used_in_another_stream_after_an_event) { int* memory = pool_in(n); order(n, m); put_in(m, memory); order(m, n); cudaFreeAsync(memory, n); }
RIGHT(pool_used_in_another_stream_after_a_wait) { int* memory = pool_in(n); cudaStreamSynchronize(n); put_in(m, memory); }
WRONG(pool_freed_beside_another_stream) { int* memory = pool_in(n); order(n, m); put_in(m, memory); cudaFreeAsync(memory, n); }
RIGHT(pool_freed_where_it_is_used) { int* memory = pool_in(n); order(n, m); put_in(m, memory); cudaFreeAsync(memory, m); }
WRONG(pool_freed_at_once) { int* memory = pool_in(n); put_in(n, memory); cudaFree(memory); }
RIGHT(pool_freed_after_a_wait) { int* memory = pool_in(n); put_in(n, memory); cudaStreamSynchronize(n); cudaFree(memory); }

// ---- functions of the host in a stream ----
static void nothing(void*) {}
static void read_pinned(void*) { seen = pinned[0]; }
static void write_pinned(void*) { pinned[0] = 1; }
static void write_variable(void*) { of_host = 1; }
static void raise_flag(void*) { of_host = 1; flag.store(1, std::memory_order_release); }
static void write_with_lock(void*) { const std::lock_guard<std::mutex> lock(mutex); of_host = 1; }
static void callback(cudaStream_t, cudaError_t, void*) { pinned[0] = 1; }
WRONG(function_is_no_wait) { put_in(n, unified); cudaLaunchHostFunc(n, nothing, nullptr); seen = unified[0]; }
RIGHT(function_comes_after_its_stream) { put_in(n, pinned); cudaLaunchHostFunc(n, read_pinned, nullptr); }
WRONG(function_beside_another_stream) { put_in(m, pinned); cudaLaunchHostFunc(n, read_pinned, nullptr); }
RIGHT(function_then_its_stream) { cudaLaunchHostFunc(n, write_pinned, nullptr); get_in(n, pinned); }
static void read_pageable(void*) { seen = pageable[0]; }
WRONG(function_reads_and_another_stream_copies) { cudaLaunchHostFunc(m, read_pageable, nullptr); copy_in(n, pageable, d, cudaMemcpyDeviceToHost); }
RIGHT(function_reads_what_its_stream_has_copied) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); cudaLaunchHostFunc(n, read_pageable, nullptr); }
WRONG(function_reads_what_another_stream_copies) { copy_in(n, pageable, d, cudaMemcpyDeviceToHost); cudaLaunchHostFunc(m, read_pageable, nullptr); }
WRONG(function_then_another_stream) { cudaLaunchHostFunc(n, write_pinned, nullptr); get_in(m, pinned); }
WRONG(function_then_a_copy_in_another_stream) { cudaLaunchHostFunc(n, write_pinned, nullptr); copy_in(m, d, pinned, cudaMemcpyHostToDevice); }
WRONG(function_and_the_host) { cudaLaunchHostFunc(n, write_variable, nullptr); seen = of_host; }
RIGHT(function_and_the_host_after_a_wait) { cudaLaunchHostFunc(n, write_variable, nullptr); cudaStreamSynchronize(n); seen = of_host; }
RIGHT(function_and_the_host_before) { of_host = 2; cudaLaunchHostFunc(n, write_variable, nullptr); }
RIGHT(function_and_the_host_by_an_atomic) { cudaLaunchHostFunc(n, raise_flag, nullptr); while (flag.load(std::memory_order_acquire) == 0) {} seen = of_host; }
RIGHT(function_and_the_host_by_a_lock) { cudaLaunchHostFunc(n, write_with_lock, nullptr); const std::lock_guard<std::mutex> lock(mutex); seen = of_host; }
WRONG(two_functions_in_two_streams) { cudaLaunchHostFunc(n, write_variable, nullptr); cudaLaunchHostFunc(m, write_variable, nullptr); }
RIGHT(two_functions_in_one_stream) { cudaLaunchHostFunc(n, write_variable, nullptr); cudaLaunchHostFunc(n, write_variable, nullptr); }
WRONG(callback_is_no_wait) { cudaStreamAddCallback(n, callback, nullptr, 0); seen = pinned[0]; }
RIGHT(callback_waited) { cudaStreamAddCallback(n, callback, nullptr, 0); cudaStreamSynchronize(n); seen = pinned[0]; }
RIGHT(callback_then_its_stream) { cudaStreamAddCallback(n, callback, nullptr, 0); copy_in(n, d, pinned, cudaMemcpyHostToDevice); }

int main(int count, char** words)
{
    if (count == 1)
        return list_cases();
    cudaStreamCreate(&a);
    cudaStreamCreateWithFlags(&b, cudaStreamDefault);
    cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    cudaStreamCreateWithPriority(&m, cudaStreamNonBlocking, 0);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMalloc(&d, kBytes);
    cudaMalloc(&d2, kBytes);
    cudaMalloc(&large_d, kLarge);
    large = static_cast<int*>(calloc(1, kLarge));
    cudaMallocHost(&pinned, kBytes);
    cudaHostAlloc(&pinned2, kBytes, cudaHostAllocMapped);
    cudaMallocManaged(&unified, 2 * kBytes);
    cudaMallocPitch(&pitched, &pitch, 16, kCount);
    memset(pinned, 0, kBytes);
    memset(pinned2, 0, kBytes);
    memset(unified, 0, 2 * kBytes);
    cudaMemset(d, 0, kBytes);
    cudaMemset(d2, 0, kBytes);
    cudaMemset(large_d, 0, kLarge);
    cudaMemset(pitched, 0, pitch * kCount);
    get_in(0);
    cudaDeviceSynchronize();
    cases().at(words[1]).run();
    return cudaDeviceSynchronize();
}
// clang-format on
