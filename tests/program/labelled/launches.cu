// What a child reads of its parent, a parent of its child, and children of each other.
#include "launches.h"

constexpr int kSum = kThreads * (kThreads - 1) / 2; // of 0 to kThreads - 1

// Children. A label of theirs is of all kernels that launch them.

__global__ void fill(int* numbers)
{
    // race in result.early_read, stages.not_tail, stages.wrong_stream, mixed_streams.wrong_stream
    // race in null_of_blocks.wrong_stream, tail_of_child.not_tail
    numbers[threadIdx.x] = threadIdx.x;
}

__global__ void sum_all(const int* numbers, int* sum)
{
    *sum = 0;
    for (int i = 0; i < kThreads; ++i)
        // race in input.missing_barrier, input.late_write, stages.not_tail, stages.wrong_stream
        // race in mixed_streams.wrong_stream, null_of_blocks.wrong_stream, reused.late_write
        // race in tail_of_child.not_tail, last_block.missing_fence
        // uninitialized in halves.uninitialized
        *sum += numbers[i];
}

__global__ void fill_half(int* numbers, int begin)
{
    const int i = begin + threadIdx.x;
    numbers[i] = i; // race in halves.overlap; out of bounds in halves.out_of_bounds
}

__global__ void add_to(int* number, int value)
{
    *number += value;
}

__global__ void add_atomically(int* number)
{
    atomicAdd(number, 1); // race in counter.plain_write
}

__global__ void take(int* number, int* to)
{
    *to = *number;
}

// All threads of a block prepare what the child of one of them reads.
template <Bug bug>
__global__ void input_kernel(int* numbers, int* result)
{
    numbers[threadIdx.x] = threadIdx.x; // race in input.missing_barrier
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    if (threadIdx.x == 0)
        sum_all<<<1, 1>>>(numbers, result);
    if constexpr (bug == Bug::kMissingBarrier)
        __syncthreads();
    if constexpr (bug == Bug::kLateWrite)
        numbers[threadIdx.x] = threadIdx.x; // race in input.late_write
}

// The parent wants its child's result.
template <Bug bug>
__global__ void result_kernel(int* numbers, int* result)
{
    fill<<<1, kThreads>>>(numbers);
    if constexpr (bug == Bug::kEarlyRead)
        *result = numbers[kThreads - 1]; // race in result.early_read
    else
        take<<<1, 1, 0, cudaStreamTailLaunch>>>(numbers + kThreads - 1, result);
}

// One child writes, the next reads.
template <Bug bug, bool tail>
__global__ void stages_kernel(int* numbers, int* result)
{
    cudaStream_t one, other;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    fill<<<1, kThreads, 0, tail ? cudaStreamFireAndForget : one>>>(numbers);
    sum_all<<<1, 1, 0,
              bug == Bug::kNotTail       ? cudaStreamFireAndForget
              : tail                     ? cudaStreamTailLaunch
              : bug == Bug::kWrongStream ? other
                                         : one>>>(numbers, result);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
}

template <Bug bug, bool tail>
bool stages(int)
{
    return run_kernel<stages_kernel<bug, tail>>(1, 1, counted(kThreads, 1)) == kSum;
}

// A stream that does not block and the NULL stream are in no order.
template <Bug bug>
__global__ void mixed_streams_kernel(int* numbers, int* result)
{
    cudaStream_t one;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    if constexpr (bug == Bug::kWrongStream)
        fill<<<1, kThreads, 0, one>>>(numbers);
    else
        fill<<<1, kThreads>>>(numbers);
    sum_all<<<1, 1>>>(numbers, result);
    cudaStreamDestroy(one);
}

// Each block has a NULL stream of its own.
template <Bug bug>
__global__ void null_of_blocks_kernel(int* numbers, int* result)
{
    if (blockIdx.x == 0)
        fill<<<1, kThreads>>>(numbers);
    if (blockIdx.x == (bug == Bug::kWrongStream ? 1 : 0))
        sum_all<<<1, 1>>>(numbers, result);
}

// Two children of different threads in one NULL stream: one adds, the other takes.
template <Bug bug>
__global__ void two_launchers_kernel(int* numbers, int* result)
{
    if (threadIdx.x == 0)
        add_to<<<1, 1>>>(numbers, 5);
    if constexpr (bug != Bug::kOpenOrder)
        __syncthreads();
    if (threadIdx.x == 32)
        take<<<1, 1>>>(numbers, result);
}

// Tail launches of two blocks, one of which adds and the other one takes.
template <Bug bug>
__global__ void two_tails_kernel(int* numbers, int* result)
{
    if (blockIdx.x == 0)
        add_to<<<1, 1, 0, cudaStreamTailLaunch>>>(numbers, 5);
    if (blockIdx.x == (bug == Bug::kOpenOrder ? 1 : 0))
        take<<<1, 1, 0, cudaStreamTailLaunch>>>(numbers, result);
}

// Two children write a half each.
template <Bug bug>
__global__ void halves_kernel(int* numbers, int* result)
{
    constexpr int kHalf = kThreads / 2;
    fill_half<<<1, kHalf + (bug == Bug::kOverlap ? 1 : 0), 0, cudaStreamFireAndForget>>>(numbers, 0);
    if constexpr (bug != Bug::kUninitialized)
        fill_half<<<1, kHalf + (bug == Bug::kOutOfBounds ? 1 : 0) - (bug == Bug::kLostWork ? 1 : 0), 0,
                    cudaStreamFireAndForget>>>(numbers, kHalf);
    sum_all<<<1, 1, 0, cudaStreamTailLaunch>>>(numbers, result);
}

// Children count, and so does their parent.
template <Bug bug>
__global__ void counter_kernel(int* numbers, int* result)
{
    for (int i = 0; i < 3; ++i)
        add_atomically<<<1, 8, 0, cudaStreamFireAndForget>>>(numbers);
    if constexpr (bug == Bug::kPlainWrite)
        ++*numbers; // race in counter.plain_write
    else
        atomicAdd(numbers, 1);
    take<<<1, 1, 0, cudaStreamTailLaunch>>>(numbers, result);
}

// The parent uses a buffer again while the first child may still read it.
template <Bug bug>
__global__ void reused_kernel(int* numbers, int* result)
{
    sum_all<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, result);
    int* const next = numbers + (bug == Bug::kLateWrite ? 0 : kThreads);
    for (int i = 0; i < kThreads; ++i)
        next[i] = i; // race in reused.late_write
    sum_all<<<1, 1, 0, cudaStreamFireAndForget>>>(next, result + 1);
}

// The tail launch of a child comes before the next child in the same NULL stream.
template <Bug bug>
__global__ void child_with_tail(int* numbers)
{
    fill<<<1, kThreads, 0, cudaStreamTailLaunch>>>(numbers);
}

template <Bug bug>
__global__ void tail_of_child_kernel(int* numbers, int* result)
{
    child_with_tail<bug><<<1, 1, 0, bug == Bug::kNotTail ? cudaStreamFireAndForget : nullptr>>>(numbers);
    sum_all<<<1, 1>>>(numbers, result);
}

// The last block to arrive launches a child that reads what all blocks wrote.
__device__ unsigned arrived = 0;

template <Bug bug>
__global__ void last_block_kernel(int* numbers, int* result)
{
    // race in last_block.missing_fence
    numbers[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
    if constexpr (bug != Bug::kMissingFence)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&arrived, 1) == gridDim.x - 1) {
        if constexpr (bug != Bug::kMissingFence)
            __threadfence();
        sum_all<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, result);
    }
}

int main(int argc, char** argv)
{
    std::vector<Variant> all{{"stages", Bug::kNone, stages<Bug::kNone, true>},
                             {"stages", Bug::kNotTail, stages<Bug::kNotTail, true>},
                             {"stages in a stream", Bug::kNone, stages<Bug::kNone, false>},
                             {"stages", Bug::kWrongStream, stages<Bug::kWrongStream, false>}};
    add_kernel<Bug::kNone, Bug::kMissingBarrier, Bug::kLateWrite>(all, "input", [](auto bug, int) {
        return run_kernel<input_kernel<bug>>(1, kThreads, counted(kThreads, 1)) == kSum;
    });
    add_kernel<Bug::kNone, Bug::kEarlyRead>(all, "result", [](auto bug, int) {
        return run_kernel<result_kernel<bug>>(1, 1, counted(kThreads, 1)) == kThreads - 1;
    });
    add_kernel<Bug::kNone, Bug::kWrongStream>(all, "mixed_streams", [](auto bug, int) {
        return run_kernel<mixed_streams_kernel<bug>>(1, 1, counted(kThreads, 1)) == kSum;
    });
    add_kernel<Bug::kNone, Bug::kWrongStream>(all, "null_of_blocks", [](auto bug, int) {
        return run_kernel<null_of_blocks_kernel<bug>>(2, 1, counted(kThreads, 1)) == kSum;
    });
    add_kernel<Bug::kNone, Bug::kOpenOrder>(all, "two_launchers", [](auto bug, int) {
        return run_kernel<two_launchers_kernel<bug>>(1, kThreads, {1}) == 6;
    });
    add_kernel<Bug::kNone, Bug::kOpenOrder>(
        all, "two_tails", [](auto bug, int) { return run_kernel<two_tails_kernel<bug>>(2, 1, {1}) == 6; });
    add_kernel<Bug::kNone, Bug::kOverlap, Bug::kOutOfBounds, Bug::kUninitialized, Bug::kLostWork>(
        all, "halves", [](auto bug, int) {
            int* const result = on_device(std::vector<int>{0});
            int* const numbers =
                bug == Bug::kLostWork ? on_device(std::vector<int>(kThreads, 0)) : uninitialized<int>(kThreads);
            halves_kernel<bug><<<1, 1>>>(numbers, result);
            CHECK(cudaDeviceSynchronize());
            return value_of(result) == kSum;
        });
    add_kernel<Bug::kNone, Bug::kPlainWrite>(
        all, "counter", [](auto bug, int) { return run_kernel<counter_kernel<bug>>(1, 1, {0}) == 25; });
    add_kernel<Bug::kNone, Bug::kLateWrite>(all, "reused", [](auto bug, int) {
        int* const result = on_device(std::vector<int>{0, 0});
        reused_kernel<bug><<<1, 1>>>(on_device(counted(2 * kThreads, 1)), result);
        CHECK(cudaDeviceSynchronize());
        return value_of(result) == kSum + kThreads && value_of(result + 1) == kSum;
    });
    add_kernel<Bug::kNone, Bug::kNotTail>(all, "tail_of_child", [](auto bug, int) {
        return run_kernel<tail_of_child_kernel<bug>>(1, 1, counted(kThreads, 1)) == kSum;
    });
    add_kernel<Bug::kNone, Bug::kMissingFence>(all, "last_block", [](auto bug, int) {
        return run_kernel<last_block_kernel<bug>>(2, kThreads / 2, counted(kThreads, 1)) == kSum;
    });
    variant(all, "two_launchers", Bug::kOpenOrder).limit = "Two threads that launch into one stream";
    variant(all, "two_tails", Bug::kOpenOrder).limit = "Two threads that launch into one stream";
    variant(all, "halves", Bug::kLostWork).shows = "wrong answer";
    return run_variant(argc, argv, all);
}
