// Nested reduction in one file, for a first look: two kernels of the book, corrected for today's GPUs, without the testbed.
//
//     nvcc -std=c++17 -arch=native -rdc=true nested/one_file/nested_reduce.cu -lcudadevrt -o nested_reduce && ./nested_reduce
//
// A grid of BLOCKS blocks of THREADS threads sums an array in place. Each block halves its part and launches a kernel for the rest: one grid
// of one block for each block (`barrier`), or one grid for all blocks (`reduce2_tail`). Two things differ from the book:
// - cudaDeviceSynchronize() in a kernel is gone since CUDA 12 on today's GPUs. Code that needs the child's result is launched after the child
//   (cudaStreamTailLaunch).
// - A kernel launches only when all threads have done their part: `barrier` calls __syncthreads() before the launch, `reduce2_tail` makes a tail
//   launch. The child sees the writes of the launching thread, and those that a barrier put before the launch. It sees no others.
// The program raises the pending-launch limit (2048) to what the launches need. Launches beyond the limit fail, and only the launching thread
// learns it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                                  \
    do {                                                                                                             \
        const cudaError_t code = (call);                                                                             \
        if (code != cudaSuccess) {                                                                                   \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));                       \
            std::exit(1);                                                                                            \
        }                                                                                                            \
    } while (0)

// The error of the first launch from a kernel that failed.
__device__ int launch_error = cudaSuccess;

__device__ void check_launch()
{
    const cudaError_t code = cudaGetLastError();
    if (code != cudaSuccess)
        atomicCAS(&launch_error, static_cast<int>(cudaSuccess), static_cast<int>(code));
}

// One block for 2 * half numbers; its child is one block of half as many threads.
__global__ void barrier(int* numbers, int* sum, unsigned half)
{
    numbers += blockIdx.x * 2 * half;
    sum += blockIdx.x;
    const unsigned thread = threadIdx.x;
    if (thread < half)
        numbers[thread] += numbers[thread + half];
    __syncthreads();
    if (thread != 0)
        return;
    if (half == 1) {
        *sum = numbers[0];
        return;
    }
    barrier<<<1, half / 2, 0, cudaStreamFireAndForget>>>(numbers, sum, half / 2);
    check_launch();
}

// One grid for all blocks, which are `width` numbers apart; its child is as many blocks of half as many threads.
__global__ void reduce2_tail(int* numbers, int* sums, unsigned half, unsigned width)
{
    numbers += blockIdx.x * width;
    if (threadIdx.x < half)
        numbers[threadIdx.x] += numbers[threadIdx.x + half];
    if (half == 1 && threadIdx.x == 0)
        sums[blockIdx.x] = numbers[0];
    if (half > 1 && threadIdx.x == 0 && blockIdx.x == 0) {
        reduce2_tail<<<gridDim.x, half / 2, 0, cudaStreamTailLaunch>>>(numbers, sums, half / 2, width);
        check_launch();
    }
}

int main(int argc, char** argv)
{
    const unsigned blocks = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 64;
    const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 512;
    if (blocks < 1 || threads < 2 || threads > 1024 || (threads & (threads - 1)) != 0) {
        std::fprintf(stderr, "usage: %s [BLOCKS [THREADS]], THREADS a power of two from 2 to 1024\n", argv[0]);
        return 2;
    }
    const std::size_t count = std::size_t{blocks} * threads;
    std::vector<int> input(count);
    std::int64_t right = 0;
    std::uint32_t state = 1;
    for (int& number : input) { // not all the same: a sum of ones is right by many mistakes
        state = state * 1664525U + 1013904223U;
        number = static_cast<int>(state >> 24);
        right += number;
    }

    int* numbers = nullptr;
    int* sums = nullptr;
    CHECK(cudaMalloc(&numbers, count * sizeof(int)));
    CHECK(cudaMalloc(&sums, blocks * sizeof(int)));
    unsigned levels = 0;
    for (unsigned half = threads / 2; half > 1; half /= 2)
        ++levels;
    const std::size_t launches = std::size_t{blocks} * (levels + 1);
    std::size_t limit = 0;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    if (launches > limit)
        CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, launches));

    int wrong = 0;
    for (const char* name : {"barrier", "reduce2_tail"}) {
        CHECK(cudaMemcpy(numbers, input.data(), count * sizeof(int), cudaMemcpyHostToDevice));
        CHECK(cudaMemset(sums, 0xFF, blocks * sizeof(int)));
        if (name[0] == 'b')
            barrier<<<blocks, threads / 2>>>(numbers, sums, threads / 2);
        else
            reduce2_tail<<<blocks, threads / 2>>>(numbers, sums, threads / 2, threads);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        int failed = cudaSuccess;
        CHECK(cudaMemcpyFromSymbol(&failed, launch_error, sizeof(failed)));
        CHECK(static_cast<cudaError_t>(failed));
        std::vector<int> partial(blocks);
        CHECK(cudaMemcpy(partial.data(), sums, blocks * sizeof(int), cudaMemcpyDeviceToHost));
        std::int64_t sum = 0;
        for (const int one : partial)
            sum += one;
        std::printf("%-12s <<<%u, %u>>> sum %lld, %s\n", name, blocks, threads / 2, static_cast<long long>(sum),
                    sum == right ? "right" : "WRONG");
        wrong += sum != right;
    }
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(sums));
    return wrong == 0 ? 0 : 1;
}
