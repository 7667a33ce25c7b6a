// The recursive reductions of nested/reduce as a program has them, one after another: their sums are those of the host.
// Launches from kernels, for 8 blocks of 64 numbers: three chains 8 * 5, two of whole grids 5, levels 1, a part 1.
#include "../check.h"

#include <vector>

constexpr int kBlocks = 8, kBlock = 64;

enum Form { nosync, tail, barrier, reduce2, reduce2_tail, wide, forms };

// One child per block and level: it goes on with the half of the slice.
template <Form form>
__global__ void chain(int* in, int* out, int stride)
{
    int* const slice = in + blockIdx.x * 2 * stride;
    if (stride == 1 && threadIdx.x == 0)
        out[blockIdx.x] = slice[0] + slice[1];
    if (stride == 1)
        return;
    slice[threadIdx.x] += slice[threadIdx.x + stride];
    if (form != tail)
        __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (form == nosync)
        chain<form><<<1, stride / 2, 0, cudaStreamFireAndForget>>>(slice, out + blockIdx.x, stride / 2);
    else if (form == tail)
        chain<form><<<1, stride / 2, 0, cudaStreamTailLaunch>>>(slice, out + blockIdx.x, stride / 2);
    else
        chain<form><<<1, stride / 2>>>(slice, out + blockIdx.x, stride / 2);
}

// One child per grid and level, when every block has added its half.
__global__ void whole(int* in, int* out, int stride, int dim)
{
    int* const slice = in + blockIdx.x * dim;
    if (stride == 1 && threadIdx.x == 0)
        out[blockIdx.x] = slice[0] + slice[1];
    if (stride == 1)
        return;
    slice[threadIdx.x] += slice[threadIdx.x + stride];
    if (threadIdx.x == 0 && blockIdx.x == 0)
        whole<<<gridDim.x, stride / 2, 0, cudaStreamTailLaunch>>>(in, out, stride / 2, dim);
}

// The whole input: every block sums its numbers, and the next level their sums.
__global__ void levels(const int* in, int n, int* to, int* other, int* total)
{
    int sum = 0;
    for (int i = 0; threadIdx.x == 0 && i < kBlock; ++i)
        sum += blockIdx.x * kBlock + i < n ? in[blockIdx.x * kBlock + i] : 0;
    if (threadIdx.x != 0)
        return;
    *(gridDim.x == 1 ? total : to + blockIdx.x) = sum;
    if (blockIdx.x == 0 && gridDim.x > 1)
        levels<<<(gridDim.x - 1) / kBlock + 1, 32, 0, cudaStreamTailLaunch>>>(to, gridDim.x, other, to, total);
}

// The book's way: the children of all blocks in one launch, by the last block that arrives.
__global__ void by_last_block(int* in, int* out, int stride, int dim, int* arrived)
{
    int* const slice = in + blockIdx.x * dim;
    if (stride == 1 && threadIdx.x == 0)
        out[blockIdx.x] = slice[0] + slice[1];
    if (stride == 1)
        return;
    slice[threadIdx.x] += slice[threadIdx.x + stride];
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    __threadfence();
    if (atomicAdd(arrived, 1) != static_cast<int>(gridDim.x) - 1)
        return;
    __threadfence();
    atomicExch(arrived, 0);
    by_last_block<<<gridDim.x, stride / 2>>>(in, out, stride / 2, dim, arrived);
}

__global__ void rest(const int* in, int* out, int first)
{
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < kBlock; ++i)
            sum += in[(first + blockIdx.x) * kBlock + i];
        out[first + blockIdx.x] = sum;
    }
}

// The grid sums the first third itself, and launches one child for the rest.
__global__ void part(const int* in, int* out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        rest<<<kBlocks - gridDim.x, 32, 0, cudaStreamFireAndForget>>>(in, out, gridDim.x);
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < kBlock; ++i)
            sum += in[blockIdx.x * kBlock + i];
        out[blockIdx.x] = sum;
    }
}

int main()
{
    std::vector<int> numbers(kBlocks * kBlock), sums(kBlocks), total(kBlocks), got(kBlocks);
    for (int i = 0; i < kBlocks * kBlock; ++i) {
        numbers[i] = i * 7919 % 1009;
        sums[i / kBlock] += numbers[i];
        total[0] += numbers[i];
    }
    int* const in = memory<int>(numbers.size());
    int* const out = memory<int>(kBlocks);
    int* const to = memory<int>(2 * kBlocks);
    int* const arrived = zeros<int>();
    int wrong = 0;
    for (int form = 0; form <= forms; ++form) {
        CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice));
        CHECK(cudaMemset(out, 0, kBlocks * sizeof(int)));
        switch (form) {
        case nosync:
            chain<nosync><<<kBlocks, kBlock / 2>>>(in, out, kBlock / 2);
            break;
        case tail:
            chain<tail><<<kBlocks, kBlock / 2>>>(in, out, kBlock / 2);
            break;
        case barrier:
            chain<barrier><<<kBlocks, kBlock / 2>>>(in, out, kBlock / 2);
            break;
        case reduce2:
            by_last_block<<<kBlocks, kBlock / 2>>>(in, out, kBlock / 2, kBlock, arrived);
            break;
        case reduce2_tail:
            whole<<<kBlocks, kBlock / 2>>>(in, out, kBlock / 2, kBlock);
            break;
        case wide:
            levels<<<kBlocks, 32>>>(in, kBlocks * kBlock, to, to + kBlocks, out);
            break;
        default:
            part<<<kBlocks / 3, 32>>>(in, out);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(got.data(), out, kBlocks * sizeof(int), cudaMemcpyDeviceToHost));
        wrong += got != (form == wide ? total : sums);
    }
    std::printf("right: %d\n", wrong == 0);
    return 0;
}
