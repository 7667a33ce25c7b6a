// Warps: shuffles, votes, __syncwarp(), __activemask(), of the whole warp and of a part of it.
#include "../check.h"

constexpr unsigned kAll = 0xFFFFFFFF;

__device__ int warp_sum(int value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(kAll, value, offset);
    return value;
}

// One child for each lane whose number is a multiple of three; lane 0 of them launches with the number of lanes.
__global__ void store(int* to, int value)
{
    *to = value;
}

__global__ void lanes(int* results)
{
    const unsigned lane = threadIdx.x % warpSize;
    const int warp = threadIdx.x / warpSize;
    const int number = threadIdx.x;
    const int sum = warp_sum(number);
    int prefix = number;
    for (int offset = 1; offset < 32; offset *= 2) {
        const int before = __shfl_up_sync(kAll, prefix, offset);
        if (lane >= static_cast<unsigned>(offset))
            prefix += before;
    }
    int largest = number ^ 21;
    for (int mask = 16; mask > 0; mask /= 2)
        largest = max(largest, __shfl_xor_sync(kAll, largest, mask));
    unsigned of_five = 0, of_one = 0, of_three = 0;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(of_five) : "r"(number));
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x181f, 0xffffffff;" : "=r"(of_one) : "r"(number), "r"(1));
    asm volatile("shfl.sync.up.b32 %0, %1, 3, 0, %2;" : "=r"(of_three) : "r"(number), "r"(kAll));
    if (of_five != __shfl_xor_sync(kAll, number, 5) || of_one != __shfl_sync(kAll, number, 1, 8) ||
        of_three != __shfl_up_sync(kAll, number, 3))
        largest = -1000;
    const float fraction = __shfl_sync(kAll, number * 0.5f, 3);
    const double of_eight = __shfl_sync(kAll, number * 2.0, 1, 8);
    const unsigned thirds = __ballot_sync(kAll, lane % 3 == 0);
    const int any = __any_sync(kAll, lane == 31);
    const int all = __all_sync(kAll, lane < 31);
    int of_thirds = 0;
    if (lane % 3 == 0) {
        of_thirds = __shfl_sync(thirds, number, 30);
        __syncwarp(thirds);
        if (__ffs(static_cast<int>(thirds)) - 1 == static_cast<int>(lane))
            store<<<1, 1>>>(&results[7 + 8 * warp], __popc(thirds));
    }
    __syncwarp();
    if (lane == 9) {
        int* const mine = results + 8 * warp;
        mine[0] = __shfl_sync(1U << 9, prefix, 9);
        mine[1] = largest;
        mine[2] = static_cast<int>(fraction * 10);
        mine[3] = static_cast<int>(of_eight);
        mine[4] = any * 10 + all;
        mine[5] = of_thirds;
    }
    if (lane == 0)
        results[6 + 8 * warp] = sum;
    if ((__activemask() & 1U << lane) == 0)
        results[0] = -1;
}

int main()
{
    int* const results = memory<int>(16);
    lanes<<<1, 64>>>(results);
    for (int i = 0; i < 16; ++i)
        std::printf("%d\n", value_of(results + i));
    return verdict(value_of(results + 6) + value_of(results + 14), 64 * 63 / 2);
}
