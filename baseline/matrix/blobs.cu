// blobs: draws an image through shared memory, with the barrier that it needs.
//
//     thread (x, y): tile[ty][tx] = spots(x, y)
//     barrier
//     out[y][x] = tile[height - 1 - ty][width - 1 - tx]
//
// Launches: none from the device. Hazards: none: a barrier between the write and the read.
// Source: Numba for CUDA Programmers by example, part 2, "2D shared array"; "CUDA by Example", chapter 5, has
// a similar kernel.
#include "workloads/matrix/blobs.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct Blobs {
    static constexpr StrategyInfo info{
        .name = "blobs",
        .workload = &workloads::blobs,
        .summary = "draws an image through shared memory",
        .hazards = "none: a barrier between the write and the read",
        .source = "CUDA by Numba Examples, part 2",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job) { launch_over<draw_blobs<true>>(job, job.nx, job.ny); }
};

const Register<Blobs, MatrixTraits> blobs;

} // namespace nestbed::inline NESTBED_BACKEND
