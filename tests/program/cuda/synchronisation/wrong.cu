// What CUDA leaves undefined: each kernel has one mistake, at its marked lines.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void sync_outside_of_mask(int* out)
{
    const unsigned lower = __ballot_sync(0xFFFFFFFFU, threadIdx.x < 4);
    if (threadIdx.x <= 4)
        __syncwarp(lower); // ERROR
    out[threadIdx.x] = 1;
}

__global__ void shuffle_outside_of_mask(int* out)
{
    int value = static_cast<int>(threadIdx.x);
    if (threadIdx.x < 20)
        value = __shfl_sync(0x0000FFFFU, value, 0); // ERROR
    out[threadIdx.x] = value;
}

__global__ void group_of_others(int* out)
{
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = __any_sync(0x55555555U, 1);
    else
        out[threadIdx.x] = __any_sync(0x55555555U, 1); // ERROR
}

__global__ void masks_differ(int* out)
{
    const unsigned mask = threadIdx.x % 2 == 0 ? 0x0000FFFFU : 0x0001FFFFU; // lane 16 does not exist
    out[threadIdx.x] = __popc(__ballot_sync(mask, 1));                      // ERROR
}

__global__ void absent_lane(int* out)
{
    int value = static_cast<int>(threadIdx.x);
    if (threadIdx.x < 16)
        value = __shfl_sync(0x0000FFFFU, value, 20); // ERROR
    out[threadIdx.x] = value;
}

__global__ void partner_is_absent(int* out)
{
    int value = static_cast<int>(threadIdx.x);
    if (threadIdx.x < 24)
        value += __shfl_xor_sync(0x00FFFFFFU, value, 16); // ERROR
    out[threadIdx.x] = value;
}

__global__ void lanes_at_a_barrier(int* out)
{
    int value = 0;
    if (threadIdx.x < 8)
        value = __reduce_add_sync(0xFFFFFFFFU, 1); // ERROR
    __syncthreads();
    out[threadIdx.x] = value;
}

__global__ void two_functions(int* out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __any_sync(0xFFFFFFFFU, 1);
    else
        out[threadIdx.x] = __all_sync(0xFFFFFFFFU, 1); // ERROR
}

__global__ void part_of_a_tile(int* out)
{
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    if (tile.thread_rank() >= 12)
        return;
    out[threadIdx.x] = cg::reduce(tile, 1, cg::plus<int>()); // ERROR
}

__global__ void written_while_copied(int* out, const int* in)
{
    __shared__ int part[64];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, part, in, sizeof(int) * 64); // RACE
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x]; // RACE
    cg::wait(block);
}

__global__ void source_overwritten(int* out, int* in)
{
    __shared__ int part[64];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, part, in, sizeof(int) * 64); // RACE
    in[threadIdx.x] = 7;                                 // RACE
    cg::wait(block);
    out[threadIdx.x] = part[threadIdx.x];
}

__global__ void written_after_arrival(int* out)
{
    __shared__ int part[64];
    const auto block = cg::this_thread_block();
    auto token = block.barrier_arrive();
    part[threadIdx.x] = 1; // RACE
    block.barrier_wait(std::move(token));
    out[threadIdx.x] = part[63 - threadIdx.x]; // RACE
}

__global__ void ended_after_its_write(int* out)
{
    __shared__ int part[64];
    part[threadIdx.x] = 1; // RACE
    if (threadIdx.x >= 32)
        return;
    __syncthreads();                           // WARNING
    out[threadIdx.x] = part[threadIdx.x + 32]; // RACE
}

__device__ int* of_first_block;
__device__ int is_there;

// The first block may have ended.
__global__ void shared_memory_of_another_block(int* out)
{
    __shared__ int own[4];
    own[0] = static_cast<int>(blockIdx.x);
    if (blockIdx.x == 0) {
        of_first_block = own;
        __threadfence();
        atomicExch(&is_there, 1);
    } else {
        while (atomicAdd(&is_there, 0) == 0)
            __nanosleep(10);
        __threadfence();
        out[0] = of_first_block[0]; // ERROR
    }
}

__global__ void reads(const int* from, int* out)
{
    out[0] = from[0]; // ERROR
}

struct Work {
    const int* from;
};
__device__ Work work;

__global__ void reads_work(int* out)
{
    out[0] = *work.from; // ERROR
}

__global__ void gives_its_shared_memory(int* out)
{
    __shared__ int own[4];
    own[0] = 1;
    reads<<<1, 1>>>(own, out);
    work.from = own;
    reads_work<<<1, 1>>>(out);
}

int main()
{
    int *out, *in;
    cudaMalloc(&out, 256 * sizeof(int));
    cudaMalloc(&in, 256 * sizeof(int));
    cudaMemset(in, 0, 256 * sizeof(int));
    sync_outside_of_mask<<<1, 32>>>(out);
    shuffle_outside_of_mask<<<1, 32>>>(out);
    group_of_others<<<1, 32>>>(out);
    masks_differ<<<1, 16>>>(out);
    absent_lane<<<1, 32>>>(out);
    partner_is_absent<<<1, 32>>>(out);
    lanes_at_a_barrier<<<1, 32>>>(out);
    two_functions<<<1, 32>>>(out);
    part_of_a_tile<<<1, 32>>>(out);
    written_while_copied<<<1, 64>>>(out, in);
    source_overwritten<<<1, 64>>>(out, in);
    written_after_arrival<<<1, 64>>>(out);
    ended_after_its_write<<<1, 64>>>(out);
    shared_memory_of_another_block<<<2, 1>>>(out);
    gives_its_shared_memory<<<1, 1>>>(out);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
