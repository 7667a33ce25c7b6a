// naive_col: transpose that reads columns and writes rows. Neighbouring threads write neighbouring numbers of a row.
//
//     thread (y, x): out[x][y] = in[y][x]
//
// Launches: none from the device. Hazards: none.
// Source: Professional CUDA C Programming, chapter 4, "transposeNaiveCol".
#include "workloads/matrix/matrix.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void transpose_naive_col(const float* in, float* out, unsigned nx, unsigned ny)
{
    const unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < ny && x < nx)
        out[static_cast<std::size_t>(x) * ny + y] = in[static_cast<std::size_t>(y) * nx + x];
}

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

const Register<NaiveCol, MatrixRoom> naive_col;

} // namespace nestbed::inline NESTBED_BACKEND
