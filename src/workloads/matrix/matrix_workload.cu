// The workloads `copy`, `transpose` and `blobs`: one matrix for all cases that share it. The device itself generates
// and verifies the matrix, because it is large.
#include "base/split_mix.hpp"
#include "workloads/matrix/blobs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

// In [0, 1), in steps of 2^-24: an exchange of two numbers is detected, except with probability 2^-24.
__device__ float matrix_element(std::uint64_t seed, std::uint64_t index)
{
    return static_cast<float>(split_mix(seed, index) >> 40) * 0x1p-24F;
}

// The expected number at `index` of an answer, and the tolerance.
struct Copied {
    static constexpr float tolerance = 0;
    std::uint64_t seed;
    __device__ float operator()(std::uint64_t index) const { return matrix_element(seed, index); }
};
struct Transposed {
    static constexpr float tolerance = 0;
    std::uint64_t seed;
    unsigned nx, ny;
    __device__ float operator()(std::uint64_t index) const
    {
        return matrix_element(seed, index % ny * nx + index / ny);
    }
};
struct Drawn {
    static constexpr float tolerance = 1e-6F; // values from 0 to 4, rounded once
    unsigned nx;
    BlockShape tile;
    __device__ float operator()(std::uint64_t index) const
    {
        return blobs_pixel(static_cast<unsigned>(index % nx), static_cast<unsigned>(index / nx), tile.x, tile.y);
    }
};

// This kernel and find_wrong() process all numbers with any number of threads.
__global__ void fill_matrix(float* matrix, std::uint64_t count, std::uint64_t seed)
{
    const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t index = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride)
        matrix[index] = matrix_element(seed, index);
}

struct Wrong {
    unsigned long long count;
    unsigned long long first; // index of the first wrong number; all bits 1 if there is none
};

template <class Expected>
__global__ void find_wrong(const float* out, std::uint64_t count, Expected expected, Wrong* wrong)
{
    const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t index = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride)
        if (!(fabsf(out[index] - expected(index)) <= Expected::tolerance)) { // in this form, a NaN counts as wrong
            atomicAdd(&wrong->count, 1ULL);
            atomicMin(&wrong->first, static_cast<unsigned long long>(index));
        }
}

class MatrixWorkload final : public Workload
{
  public:
    using WorkloadTraits = MatrixTraits;

    explicit MatrixWorkload(Context& context) : context_(context), wrong_(context.allocate<Wrong>(1, "wrong")) {}

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& matrix = strategy_of<WorkloadTraits>(strategy);
        const Case& point = run.point;
        prepare(matrix.info(), point);
        context_.fill_bytes(out_, 0xFF, point.elements);
        const MatrixJob job{run, in_.data(), out_.data(), point.nx, point.ny};
        Sample sample = timed(run, matrix.prepare(job));
        verify(matrix.info(), point, sample);
        if (run.with_output) {
            sample.image.resize(point.elements);
            context_.download(std::span(sample.image), out_);
        }
        return sample;
    }

    void release() override
    {
        in_ = {};
        out_ = {};
    }

  private:
    // One thread per block on the executor, because its threads are fibers.
    LaunchShape whole_device() const
    {
        constexpr unsigned kBlocksPerMultiprocessor = kBackend == BackendKind::cuda ? 8 : 1;
        constexpr unsigned kThreads = kBackend == BackendKind::cuda ? 256 : 1;
        return {kBlocksPerMultiprocessor * context_.facts().multiprocessors, kThreads};
    }

    void prepare(const StrategyInfo& info, const Case& point)
    {
        const std::pair sides{point.nx, point.ny};
        if (sides != sides_)
            release();
        sides_ = sides;
        if (out_.size() == 0)
            out_ = context_.allocate<float>(point.elements, "out");
        if (!info.drawn() || (in_.size() != 0 && point.seed == seed_))
            return;
        if (in_.size() == 0)
            in_ = context_.allocate<float>(point.elements, "in");
        context_.time(
            1, [&] { host_launch<fill_matrix>(context_, whole_device(), in_.data(), point.elements, point.seed); });
        seed_ = point.seed;
    }

    template <class Expected>
    Wrong find(const Case& point, const Expected& expected)
    {
        const Wrong none{.count = 0, .first = ~0ULL};
        context_.upload(wrong_, std::span(&none, 1));
        context_.time(1, [&] {
            host_launch<find_wrong<Expected>>(context_, whole_device(), out_.data(), point.elements, expected,
                                              wrong_.data());
        });
        Wrong wrong{};
        context_.download(std::span(&wrong, 1), wrong_);
        return wrong;
    }

    void verify(const StrategyInfo& info, const Case& point, Sample& sample)
    {
        const Wrong wrong = info.workload == &workloads::copy ? find(point, Copied{point.seed})
                            : info.workload == &workloads::transpose
                                ? find(point, Transposed{point.seed, point.nx, point.ny})
                                : find(point, Drawn{point.nx, point.shape});
        sample.answer = std::to_string(point.elements - wrong.count);
        sample.reference = std::to_string(point.elements);
        if (wrong.count == 0)
            return;
        const unsigned columns = info.workload == &workloads::transpose ? point.ny : point.nx;
        sample.status = Status::wrong;
        sample.detail = std::to_string(wrong.count) + " of " + sample.reference +
                        " numbers are wrong, the first of them in row " + std::to_string(wrong.first / columns) +
                        ", column " + std::to_string(wrong.first % columns);
    }

    Context& context_;
    Buffer<Wrong> wrong_;
    std::pair<unsigned, unsigned> sides_;
    std::uint64_t seed_ = 0; // seed of in_
    Buffer<float> in_, out_;
};

const RegisterWorkload<MatrixWorkload> matrix_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
