// diagonal_row, diagonal_col: naive_row and naive_col with blocks along diagonals. Blocks that run at the same time are in different rows and
// columns.
//
//     block n of the grid, in start order: takes block (n / rows + n % rows, n % rows), modulo the columns
//     diagonal_row: thread (x, y): out[x][y] = in[y][x]
//     diagonal_col: thread (y, x): the same
//
// Launches: none from the device. Hazards: none. (The article's formula works only for square grids. In other grids
// it skips blocks.)
// Source: Professional CUDA C Programming, chapter 4, "transposeDiagonalRow", "transposeDiagonalCol".
// It avoids partition camping, which does not occur on today's GPUs.
#include "workloads/matrix/matrix.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void transpose_diagonal_row(const float* in, float* out, unsigned nx, unsigned ny)
{
    const auto [block_x, block_y] = diagonal_block();
    const unsigned x = block_x * blockDim.x + threadIdx.x;
    const unsigned y = block_y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny)
        out[static_cast<std::size_t>(x) * ny + y] = in[static_cast<std::size_t>(y) * nx + x];
}

__global__ void transpose_diagonal_col(const float* in, float* out, unsigned nx, unsigned ny)
{
    const auto [block_x, block_y] = diagonal_block();
    const unsigned y = block_x * blockDim.x + threadIdx.x;
    const unsigned x = block_y * blockDim.y + threadIdx.y;
    if (y < ny && x < nx)
        out[static_cast<std::size_t>(x) * ny + y] = in[static_cast<std::size_t>(y) * nx + x];
}

struct DiagonalRow {
    static constexpr StrategyInfo info{
        .name = "diagonal_row",
        .workload = &workloads::transpose,
        .summary = "transposes: naive_row, blocks along diagonals",
        .hazards = "none: no thread reads what another thread writes",
        .source = "Professional CUDA C Programming, ch. 4, transposeDiagonalRow",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<transpose_diagonal_row>(job, job.nx, job.ny); }
};

struct DiagonalCol {
    static constexpr StrategyInfo info{
        .name = "diagonal_col",
        .workload = &workloads::transpose,
        .summary = "transposes: naive_col, blocks along diagonals",
        .hazards = "none: no thread reads what another thread writes",
        .source = "Professional CUDA C Programming, ch. 4, transposeDiagonalCol",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<transpose_diagonal_col>(job, job.ny, job.nx); }
};

const Register<DiagonalRow, MatrixTraits> diagonal_row;
const Register<DiagonalCol, MatrixTraits> diagonal_col;

} // namespace nestbed::inline NESTBED_BACKEND
