// copy_row: copies rows to rows. No transpose can be faster.
// copy_col: copies columns to columns. Neighbouring threads read and write addresses one row apart.
//
//     copy_row: thread (x, y): out[y][x] = in[y][x]
//     copy_col: thread (y, x): the same
//
// Launches: none from the device. Hazards: none.
// Source: Professional CUDA C Programming, chapter 4, "copyRow", "copyCol".
#include "workloads/matrix/matrix.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void copy_by_rows(const float* in, float* out, unsigned nx, unsigned ny)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny)
        out[static_cast<std::size_t>(y) * nx + x] = in[static_cast<std::size_t>(y) * nx + x];
}

__global__ void copy_by_columns(const float* in, float* out, unsigned nx, unsigned ny)
{
    const unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < ny && x < nx)
        out[static_cast<std::size_t>(y) * nx + x] = in[static_cast<std::size_t>(y) * nx + x];
}

struct CopyRow {
    static constexpr StrategyInfo info{
        .name = "copy_row",
        .workload = &workloads::copy,
        .summary = "copies: reads rows, writes rows",
        .hazards = "none: no thread reads what another thread writes",
        .source = "Professional CUDA C Programming, ch. 4, copyRow",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<copy_by_rows>(job, job.nx, job.ny); }
};

struct CopyCol {
    static constexpr StrategyInfo info{
        .name = "copy_col",
        .workload = &workloads::copy,
        .summary = "copies: reads columns, writes columns",
        .hazards = "none: no thread reads what another thread writes",
        .source = "Professional CUDA C Programming, ch. 4, copyCol",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<copy_by_columns>(job, job.ny, job.nx); }
};

const Register<CopyRow, MatrixTraits> copy_row;
const Register<CopyCol, MatrixTraits> copy_col;

} // namespace nestbed::inline NESTBED_BACKEND
