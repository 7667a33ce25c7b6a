// blobs_wrong: draws the image of blobs without the barrier. A thread may read before the opposite thread has
// written.
//
//     thread (x, y): tile[ty][tx] = spots(x, y)
//     out[y][x] = tile[height - 1 - ty][width - 1 - tx]
//
// Launches: none from the device. Hazards: RACY, on purpose. `nestbed draw blobs --strategy blobs_wrong` draws the result
// of the race.
// Source: Numba for CUDA Programmers by example, part 2, "2D shared array" without synchronize;
// "CUDA by Example", chapter 5, has a similar kernel.
#include "workloads/matrix/blobs.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BlobsWrong {
    static constexpr StrategyInfo info{
        .name = "blobs_wrong",
        .workload = &workloads::blobs,
        .summary = "draws an image through shared memory, without the barrier that it needs",
        .hazards = "racy: a thread may read before the opposite thread has written",
        .source = "CUDA by Numba Examples, part 2",
        .axes = {axis::shape},
        .racy = true,
    };

    static void run(const MatrixJob& job) { launch_over<draw_blobs<false>>(job, job.nx, job.ny); }
};

const Register<BlobsWrong, MatrixTraits> blobs_wrong;

} // namespace nestbed::inline NESTBED_BACKEND
