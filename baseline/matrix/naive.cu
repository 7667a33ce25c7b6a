// naive_row: transpose that reads rows and writes columns.
// naive_col: transpose that reads columns and writes rows. Neighbouring threads write neighbouring numbers of a row.
//
//     naive_row: thread (x, y): out[x][y] = in[y][x]
//     naive_col: thread (y, x): the same
//
// Launches: none from the device. Hazards: none.
// Source: Professional CUDA C Programming, chapter 4, "transposeNaiveRow", "transposeNaiveCol".
#include "workloads/matrix/matrix.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void transpose_naive_row(const float* in, float* out, unsigned nx, unsigned ny)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny)
        out[static_cast<std::size_t>(x) * ny + y] = in[static_cast<std::size_t>(y) * nx + x];
}

__global__ void transpose_naive_col(const float* in, float* out, unsigned nx, unsigned ny)
{
    const unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < ny && x < nx)
        out[static_cast<std::size_t>(x) * ny + y] = in[static_cast<std::size_t>(y) * nx + x];
}

struct NaiveRow {
    static constexpr StrategyInfo info{
        .name = "naive_row",
        .workload = &workloads::transpose,
        .summary = "transposes: reads rows, writes columns",
        .hazards = "none: no thread reads what another thread writes",
        .source = "Professional CUDA C Programming, ch. 4, transposeNaiveRow",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<transpose_naive_row>(job, job.nx, job.ny); }
};

struct NaiveCol {
    static constexpr StrategyInfo info{
        .name = "naive_col",
        .workload = &workloads::transpose,
        .summary = "transposes: reads columns, writes rows",
        .hazards = "none: no thread reads what another thread writes",
        .source = "Professional CUDA C Programming, ch. 4, transposeNaiveCol",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<transpose_naive_col>(job, job.ny, job.nx); }
};

const Register<NaiveRow, MatrixTraits> naive_row;
const Register<NaiveCol, MatrixTraits> naive_col;

} // namespace nestbed::inline NESTBED_BACKEND
