// What a strategy of the workloads `copy`, `transpose` and `blobs` includes: the job it is given, and how its entry is
// registered.
#pragma once

#include "device/language.hpp"
#include "model/ledger.hpp"
#include "model/strategy.hpp"

#include <cstdint>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/tracer.hpp"
#endif

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

class Tracer;

// copy:      out, ny rows of nx numbers, is in.
// transpose: out, nx rows of ny numbers, is in with rows and columns exchanged.
// blobs:     out, ny rows of nx pixels, is the picture that blobs.hpp describes.
struct MatrixJob {
    Context& context;
    const float* in; // ny rows of nx numbers; not for blobs
    float* out;      // filled with 0xFF bytes before every run
    unsigned nx;     // at most 65535, the most blocks that a grid has in y
    unsigned ny;     // likewise
    BlockShape shape;
    Ledger* ledger;
    unsigned max_depth;
    Mechanism mechanism;
    Tracer* tracer; // of a traced run; else null
};

// Launches a kernel over width * height numbers, in blocks of the job's shape; a thread has `x_a_thread` numbers, a block's width
// apart along x.
template <auto Kernel>
void launch_over(const MatrixJob& job, unsigned width, unsigned height, unsigned x_a_thread = 1)
{
    const dim3 block(job.shape.x, job.shape.y);
    const dim3 grid((width - 1) / (block.x * x_a_thread) + 1, (height - 1) / block.y + 1);
    host_launch<Kernel>(job.context, 0, {grid, block}, job.in, job.out, job.nx, job.ny);
}

// Blocks in the order of their start, laid along the diagonals of the grid: every block of the grid once.
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

class MatrixStrategy : public Strategy
{
  public:
    virtual void run(const MatrixJob& job) const = 0;
};

// Makes S an entry of this backend's registry. S has
//     static constexpr StrategyInfo info;
//     static void run(const MatrixJob&);             issues all work, waits for none
// and, if it launches from the device,
//     static ExpectedLaunches launches(const Case&);       the closed form
template <class S>
class RegisterMatrix final : public MatrixStrategy
{
  public:
    RegisterMatrix() { Registry::add(kBackend, *this); }
    const StrategyInfo& info() const override { return S::info; }
    ExpectedLaunches launches(const Case& point) const override
    {
        if constexpr (requires { S::launches(point); })
            return S::launches(point);
        return ExpectedLaunches::none();
    }
    void run(const MatrixJob& job) const override { S::run(job); }
};

} // namespace NESTBED_BACKEND
} // namespace nestbed
