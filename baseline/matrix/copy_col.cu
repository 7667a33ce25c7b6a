// copy_col: copies columns to columns. Neighbouring threads read and write addresses one row apart.
//
//     thread (y, x): out[y][x] = in[y][x]
//
// Launches: none from the device. Hazards: none.
// Source: Professional CUDA C Programming, chapter 4, "copyCol".
#include "workloads/matrix/matrix.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void copy_by_columns(const float* in, float* out, unsigned nx, unsigned ny)
{
    const unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < ny && x < nx)
        out[static_cast<std::size_t>(y) * nx + x] = in[static_cast<std::size_t>(y) * nx + x];
}

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

const Register<CopyCol, MatrixRoom> copy_col;

} // namespace nestbed::inline NESTBED_BACKEND
