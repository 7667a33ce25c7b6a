// What CUDA allows, and looks like a mistake.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void branches_with_masks_of_their_own(int* out)
{
    int value = static_cast<int>(threadIdx.x);
    if (threadIdx.x < 16)
        value = __shfl_xor_sync(0x0000FFFFU, value, 8);
    else
        value = __shfl_xor_sync(0xFFFF0000U, value, 8);
    out[threadIdx.x] = value;
}

__global__ void early_return_before_a_vote(int* out, unsigned count)
{
    if (threadIdx.x >= count)
        return;
    out[threadIdx.x] = __popc(__ballot_sync(0xFFFFFFFFU, 1));
}

__global__ void loop_with_a_vote(int* out, unsigned count)
{
    unsigned mask = 0xFFFFFFFFU;
    int sum = 0;
    for (unsigned i = threadIdx.x;; i += 7) {
        mask = __ballot_sync(mask, i < count);
        if (i >= count)
            break;
        sum += __popc(mask);
        __syncwarp(mask);
    }
    out[threadIdx.x] = sum;
}

// The lanes past the end read values that they do not need.
__global__ void sum_of_half_a_warp(int* out)
{
    int value = 1;
    if (threadIdx.x < 16) {
        for (unsigned by = 8; by > 0; by /= 2)
            value += __shfl_down_sync(0x0000FFFFU, value, by);
        if (threadIdx.x == 0)
            out[0] = value;
    }
}

__global__ void barriers_in_uniform_branches(int* out, const int* in, unsigned count)
{
    __shared__ int part[64];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride)
            part[threadIdx.x] += part[threadIdx.x + stride];
        __syncthreads();
        if (count > 100)
            __syncthreads();
    }
    unsigned round = 0;
    while (round < count) {
        unsigned turn = 0;
        do {
            if (threadIdx.x == round % 64)
                part[round % 64] += 1;
            __syncthreads();
        } while (++turn < 2);
        ++round;
        if (round % 2 == 0)
            continue;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = part[0];
    // clang-format off
    __syncthreads(); if (count == 3) __syncthreads();
    // clang-format on
}

__device__ void meets(int* part, int value)
{
    __syncthreads();
    part[threadIdx.x] = value;
    __syncthreads();
}

// Threads do different numbers of rounds of a loop that has no barrier, within one that has.
__global__ void inner_loops_of_different_length(int* out)
{
    __shared__ int part[64];
    for (int round = 0; round < 3; ++round) {
        int sum = 0;
        for (unsigned i = 0; i < threadIdx.x; ++i)
            sum += static_cast<int>(i);
        meets(part, sum);
        out[threadIdx.x] = part[63 - threadIdx.x];
    }
}

__global__ void copies_and_waits(int* out, int* in)
{
    __shared__ int part[64];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, part, in, sizeof(int) * 64);
    cg::wait(block);
    in[threadIdx.x] = 7;
    auto before = block.barrier_arrive();
    const int own = in[threadIdx.x];
    block.barrier_wait(std::move(before));
    part[63 - threadIdx.x] = own;
    auto token = block.barrier_arrive();
    out[threadIdx.x] = own;
    block.barrier_wait(std::move(token));
    out[threadIdx.x] += part[threadIdx.x];
}

__global__ void whole_tiles(int* out)
{
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = 0;
    if (threadIdx.x < 16)
        sum = cg::reduce(tile, 1, cg::plus<int>()) + cg::inclusive_scan(tile, 1);
    out[threadIdx.x] = sum + tile.shfl(sum, 0) + tile.shfl_down(sum, 4);
    const auto together = cg::coalesced_threads();
    out[threadIdx.x] += together.shfl(sum, 0);
}

int main()
{
    int *out, *in;
    cudaMalloc(&out, 256 * sizeof(int));
    cudaMalloc(&in, 256 * sizeof(int));
    cudaMemset(in, 0, 256 * sizeof(int));
    branches_with_masks_of_their_own<<<1, 32>>>(out);
    early_return_before_a_vote<<<1, 32>>>(out, 20);
    loop_with_a_vote<<<1, 32>>>(out, 40);
    sum_of_half_a_warp<<<1, 64>>>(out);
    barriers_in_uniform_branches<<<1, 64>>>(out, in, 3);
    inner_loops_of_different_length<<<1, 64>>>(out);
    copies_and_waits<<<1, 64>>>(out, in);
    whole_tiles<<<1, 32>>>(out);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
