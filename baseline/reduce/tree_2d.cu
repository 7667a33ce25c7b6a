// tree_2d: a fixed grid of two-dimensional blocks strides over the input as if it were a matrix.
//
//     thread (x, y): adds its numbers, which are one grid width and one grid height apart
//     each block: adds the sums of its threads in halving steps, in shared memory
//     then one block adds the sums of the blocks
//
// The matrix has as many rows as columns, or one row less; its last row may be shorter. A block of 256 threads is 16 x 16, as in
// the article; a block of 512 threads is 32 x 16.
// Launches: none from the device; two from the host, or one if there is only one block. (In the article the host adds
// the sums of the blocks. The article also swaps the width and the height of the grid, which is right only for square
// grids.)
// Hazards: none. There is a barrier between each write and the reads of other threads.
// Source: CUDA by Numba Examples, part 2, example 2.4.
#include "workloads/reduce/grid_stride.hpp"

#include <cmath>

namespace nestbed::inline NESTBED_BACKEND
{

// Adds the numbers in `sums`, one per thread of a two-dimensional block.
template <class Sum>
__device__ void finish_2d(Sum* sums, Sum sum, Sum* out)
{
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    sums[thread] = sum;
    __syncthreads();
    add_in_halves(sums, thread, blockDim.x * blockDim.y);
    if (thread == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = sums[0];
}

template <class T, class Sum>
__global__ void sum_matrix(const T* in, unsigned long long elements, unsigned columns, Sum* out)
{
    BLOCK_SHARED(Sum, sums, kMaxThreads);
    Sum sum{};
    const auto rows = static_cast<unsigned>((elements - 1) / columns + 1);
    for (unsigned row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y)
        for (unsigned column = blockIdx.x * blockDim.x + threadIdx.x; column < columns;
             column += gridDim.x * blockDim.x)
            if (const unsigned long long index = static_cast<unsigned long long>(row) * columns + column;
                index < elements)
                sum += in[index];
    finish_2d(sums, sum, out);
}

template <class Sum>
__global__ void sum_of_blocks_2d(const Sum* in, unsigned count, Sum* out)
{
    BLOCK_SHARED(Sum, sums, kMaxThreads);
    Sum sum{};
    for (unsigned index = threadIdx.y * blockDim.x + threadIdx.x; index < count; index += blockDim.x * blockDim.y)
        sum += in[index];
    finish_2d(sums, sum, out);
}

struct Tree2d {
    static constexpr StrategyInfo info{
        .name = "tree_2d",
        .workload = &workloads::reduce,
        .summary = "flat: the input as a matrix, two-dimensional blocks",
        .hazards = "none: a barrier between each write and the reads of other threads",
        .source = "CUDA by Numba Examples, part 2",
    };
    static constexpr Answer answer = Answer::total;
    static constexpr std::uint32_t kMaxBlocks = 64; // in each direction, as in the article

    static std::uint64_t scratch_bytes(const Case& /*point*/)
    {
        return kMaxBlocks * kMaxBlocks * sizeof(std::int64_t);
    }

    struct Form {
        std::uint32_t columns;
        dim3 grid;
        dim3 block;
    };

    static Form form_of(std::uint64_t elements, std::uint32_t threads)
    {
        auto columns = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(elements)));
        while (std::uint64_t{columns} * columns < elements)
            ++columns;
        const auto rows = static_cast<std::uint32_t>((elements - 1) / columns + 1);
        const unsigned width = 1U << (log2_of(threads) + 1) / 2;
        const dim3 block(width, threads / width);
        return {
            columns,
            dim3(std::min(kMaxBlocks, (columns - 1) / block.x + 1), std::min(kMaxBlocks, (rows - 1) / block.y + 1)),
            block};
    }

    template <class T>
    static Buffer<WideSum<T>> prepare(const Reduction<T>& job)
    {
        return job.context.template allocate<WideSum<T>>(kMaxBlocks * kMaxBlocks, "sums");
    }

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<WideSum<T>>& sums)
    {
        using Sum = WideSum<T>;
        const auto [columns, grid, block] = form_of(job.elements, job.block);
        const unsigned blocks = grid.x * grid.y;
        Sum* const to = blocks == 1 ? job.total : sums.data();
        host_launch<sum_matrix<T, Sum>>(job.context, {grid, block}, job.in, job.elements, columns, to);
        if (blocks > 1)
            host_launch<sum_of_blocks_2d<Sum>>(job.context, {1, block}, to, blocks, job.total);
    }
};

const Register<Tree2d, ReduceTraits> tree_2d;

} // namespace nestbed::inline NESTBED_BACKEND
