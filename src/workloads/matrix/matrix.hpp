// Strategies of the workloads `copy`, `transpose` and `blobs` include this header. It defines their job and the
// registration of their entry.
#pragma once

#include "device/workload_backend.hpp"
#include "workloads/matrix/descriptor.hpp"

#include <array>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/launch_waves.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// copy:      out is a copy of in: ny rows of nx numbers.
// transpose: out, nx rows of ny numbers, is in with rows and columns exchanged.
// blobs:     out, ny rows of nx pixels, is the picture that blobs.hpp describes.
struct MatrixJob : PreparedRun {
    const float* in; // ny rows of nx numbers; unused by blobs
    float* out;      // filled with 0xFF bytes before every run
    unsigned nx;     // at most 65535, the maximum number of blocks of a grid in y
    unsigned ny;     // same limit
};

// Launches a kernel over width * height numbers, in blocks of the job's shape. Each thread has `x_per_thread` numbers,
// which are one block width apart in x.
template <auto Kernel>
void launch_over(const MatrixJob& job, unsigned width, unsigned height, unsigned x_per_thread = 1)
{
    const dim3 block(job.point.shape.x, job.point.shape.y);
    const dim3 grid((width - 1) / (block.x * x_per_thread) + 1, (height - 1) / block.y + 1);
    host_launch<Kernel>(job.context, {grid, block}, job.in, job.out, job.nx, job.ny);
}

// Block coordinates along the diagonals of the grid, in the order in which blocks start. Each block of the grid
// appears once.
struct BlockPlace {
    unsigned x;
    unsigned y;
};
__device__ inline BlockPlace diagonal_block()
{
    const unsigned started = blockIdx.y * gridDim.x + blockIdx.x;
    const unsigned y = started % gridDim.y;
    return {(started / gridDim.y + y) % gridDim.x, y};
}

// A strategy has the members that Register requires.
struct MatrixTraits {
    using Job = MatrixJob;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{&workloads::transpose, &workloads::copy, &workloads::blobs};
};

} // namespace nestbed::inline NESTBED_BACKEND
