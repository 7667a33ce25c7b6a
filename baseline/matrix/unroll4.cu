// unroll4_row, unroll4_col: naive_row and naive_col with four numbers per thread, so that four loads are in flight.
//
//     for i = 0 to 3, all four reads before the first write:
//         unroll4_row: thread (x + i * width of a block, y): out[x][y] = in[y][x]
//         unroll4_col: thread (y + i * width of a block, x): the same
//
// Launches: none from the device. Hazards: none. (The article computes the first number of a block as if each thread had one number, in a
// grid with a quarter of the blocks. So its blocks overlap, and most of the matrix is never written.)
// Source: Professional CUDA C Programming, chapter 4, "transposeUnroll4Row", "transposeUnroll4Col".
#include "workloads/matrix/matrix.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A thread processes x = first, first + blockDim.x, ...
__global__ void transpose_unroll4_row(const float* in, float* out, unsigned nx, unsigned ny)
{
    constexpr unsigned kUnroll = 4;
    const unsigned first = blockIdx.x * kUnroll * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= ny)
        return;
    float loaded[kUnroll];
    for (unsigned i = 0; i < kUnroll; ++i)
        if (const unsigned x = first + i * blockDim.x; x < nx)
            loaded[i] = in[static_cast<std::size_t>(y) * nx + x];
    for (unsigned i = 0; i < kUnroll; ++i)
        if (const unsigned x = first + i * blockDim.x; x < nx)
            out[static_cast<std::size_t>(x) * ny + y] = loaded[i];
}

// A thread processes y = first, first + blockDim.x, ...
__global__ void transpose_unroll4_col(const float* in, float* out, unsigned nx, unsigned ny)
{
    constexpr unsigned kUnroll = 4;
    const unsigned first = blockIdx.x * kUnroll * blockDim.x + threadIdx.x;
    const unsigned x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx)
        return;
    float loaded[kUnroll];
    for (unsigned i = 0; i < kUnroll; ++i)
        if (const unsigned y = first + i * blockDim.x; y < ny)
            loaded[i] = in[static_cast<std::size_t>(y) * nx + x];
    for (unsigned i = 0; i < kUnroll; ++i)
        if (const unsigned y = first + i * blockDim.x; y < ny)
            out[static_cast<std::size_t>(x) * ny + y] = loaded[i];
}

struct Unroll4Row {
    static constexpr StrategyInfo info{
        .name = "unroll4_row",
        .workload = &workloads::transpose,
        .summary = "transposes: naive_row, four numbers per thread",
        .hazards = "none: no thread reads what another thread writes",
        .source = "Professional CUDA C Programming, ch. 4, transposeUnroll4Row",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<transpose_unroll4_row>(job, job.nx, job.ny, 4); }
};

struct Unroll4Col {
    static constexpr StrategyInfo info{
        .name = "unroll4_col",
        .workload = &workloads::transpose,
        .summary = "transposes: naive_col, four numbers per thread",
        .hazards = "none: no thread reads what another thread writes",
        .source = "Professional CUDA C Programming, ch. 4, transposeUnroll4Col",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<transpose_unroll4_col>(job, job.ny, job.nx, 4); }
};

const Register<Unroll4Row, MatrixTraits> unroll4_row;
const Register<Unroll4Col, MatrixTraits> unroll4_col;

} // namespace nestbed::inline NESTBED_BACKEND
