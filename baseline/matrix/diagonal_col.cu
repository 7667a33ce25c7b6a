// diagonal_col: naive_col with blocks along diagonals. Blocks that run at the same time are in different rows and columns.
//
//     block n of the grid, in start order: takes block (n / rows + n % rows, n % rows), modulo the columns
//     thread (y, x): out[x][y] = in[y][x]
//
// Launches: none from the device. Hazards: none. (The article's formula works only for square grids. In other grids
// it skips blocks.)
// Source: Professional CUDA C Programming, chapter 4, "transposeDiagonalCol".
// It avoids partition camping, which does not occur on today's GPUs.
#include "workloads/matrix/matrix.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void transpose_diagonal_col(const float* in, float* out, unsigned nx, unsigned ny)
{
    const auto [block_x, block_y] = diagonal_block();
    const unsigned y = block_x * blockDim.x + threadIdx.x;
    const unsigned x = block_y * blockDim.y + threadIdx.y;
    if (y < ny && x < nx)
        out[static_cast<std::size_t>(x) * ny + y] = in[static_cast<std::size_t>(y) * nx + x];
}

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

const Register<DiagonalCol, MatrixRoom> diagonal_col;

} // namespace nestbed::inline NESTBED_BACKEND
