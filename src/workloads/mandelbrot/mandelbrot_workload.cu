// The workload `mandelbrot`: one image for all cases that share it, with the tree of its regions.
#include "base/split_mix.hpp"
#include "device/parts/answer_compare.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

#include <span>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

__global__ void compute_all_pixels(MandelbrotTask task)
{
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t pixels = std::size_t{task.nx} * task.ny;
    for (std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; index < pixels; index += stride)
        task.dwells[index] =
            dwell_of(task, static_cast<unsigned>(index % task.nx), static_cast<unsigned>(index / task.nx));
}

__global__ void sum_dwells(const unsigned* dwells, std::uint64_t pixels, unsigned long long* sum)
{
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long mine = 0;
    for (std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; index < pixels; index += stride)
        mine += dwells[index];
    atomicAdd(sum, mine);
}

// Reads pixels that are drawn at random: most of an image need not be downloaded to check it.
__global__ void read_drawn_pixels(const unsigned* dwells, std::uint64_t pixels, unsigned* drawn, unsigned count)
{
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned draw = blockIdx.x * blockDim.x + threadIdx.x; draw < count; draw += stride)
        drawn[draw] = dwells[split_mix(1, draw) % pixels];
}

// The reference, the image, and the buffers.
class MandelbrotData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point.nx, point.ny, point[MandelbrotParameter::dwell],
                          point[MandelbrotParameter::division], point[MandelbrotParameter::fanout],
                          point[MandelbrotParameter::grain]);
    }

    MandelbrotData(Context& context, const Case& point)
        : reference_(mandelbrot_reference(point)), out_(context.allocate<unsigned>(point.elements, "dwells")),
          expected_(context.allocate<unsigned>(point.elements, "reference")),
          drawn_(context.allocate<unsigned>(kDrawn, "drawn")), comparison_(context)
    {
        context.upload(expected_, std::span<const unsigned>(reference_.dwells));
        // The device computes the exhaustive image: the host would take minutes.
        const MandelbrotTask task = task_of(point, nullptr);
        context.time(1, [&] { host_launch<compute_all_pixels>(context, whole_device(context), task); });
        check_drawn(context, point, exhaustive_wrong_);
        exhaustive_ = compare(context, point);
        exhaustive_work_ = sum_of_dwells(context, point);
    }

    RequestOracle oracle(const Case& point, bool naive) const
    {
        return count_requests(point, point[MandelbrotParameter::division] * point[MandelbrotParameter::division],
                              [&](const ItemBlock& block, std::vector<ChildRequest>& requests) {
                                  mandelbrot_requests(reference_, point, naive, block, requests);
                              });
    }

    MandelbrotTask task_of(const Case& point, unsigned long long* work) const
    {
        return {.dwells = out_.data(),
                .nx = point.nx,
                .ny = point.ny,
                .window = window_of(point),
                .division = point[MandelbrotParameter::division],
                .fanout = point[MandelbrotParameter::fanout],
                .grain = point[MandelbrotParameter::grain],
                .max_dwell = point[MandelbrotParameter::dwell],
                .work = work};
    }

    void clear(Context& context) { context.fill_bytes(out_, 0xFF, out_.size()); }

    // The recursion's image, bit by bit; an exhaustive image must differ from it in as many pixels as the one that was
    // made for the purpose, and agree with the host in 65536 drawn pixels.
    void verify(Context& context, const Case& point, bool exhaustive, Sample& sample)
    {
        const Differences off = compare(context, point);
        sample.pixels_off = exhaustive ? 0 : exhaustive_.count;
        sample.reference = std::to_string(point.elements);
        std::uint64_t wrong = off.count;
        if (exhaustive) {
            check_drawn(context, point, wrong);
            if (off.count != exhaustive_.count || off.first != exhaustive_.first)
                wrong = std::max({wrong, std::uint64_t{off.count}, std::uint64_t{1}});
        }
        sample.answer = std::to_string(point.elements - wrong);
        if (exhaustive_wrong_ != 0)
            wrong = exhaustive_wrong_;
        if (wrong == 0)
            return;
        sample.status = Status::wrong;
        sample.detail = std::to_string(wrong) + " of " + sample.reference + " pixels are wrong; the first is at x " +
                        std::to_string(off.first % point.nx) + ", y " + std::to_string(off.first / point.nx);
    }

    // Iterations of all pixels, or of those that the recursion computes.
    std::uint64_t work(bool exhaustive) const { return exhaustive ? exhaustive_work_ : reference_.iterations; }

    std::vector<float> image(Context& context, const Case& point) const
    {
        std::vector<unsigned> dwells(point.elements);
        context.download(std::span<unsigned>(dwells), out_);
        return {dwells.begin(), dwells.end()};
    }

  private:
    static constexpr unsigned kDrawn = 65536;

    Differences compare(Context& context, const Case& point)
    {
        return comparison_.of(context, out_, expected_, point.elements);
    }

    std::uint64_t sum_of_dwells(Context& context, const Case& point)
    {
        Buffer<unsigned long long> sum = context.allocate<unsigned long long>(1, "sum");
        context.fill_bytes(sum, 0, 1);
        context.time(1, [&] {
            host_launch<sum_dwells>(context, whole_device(context), static_cast<const unsigned*>(out_.data()),
                                    point.elements, sum.data());
        });
        unsigned long long total = 0;
        context.download(std::span(&total, 1), sum);
        return total;
    }

    // How many of the drawn pixels differ from the host's.
    void check_drawn(Context& context, const Case& point, std::uint64_t& wrong)
    {
        context.time(1, [&] {
            host_launch<read_drawn_pixels>(context, whole_device(context), static_cast<const unsigned*>(out_.data()),
                                           point.elements, drawn_.data(), kDrawn);
        });
        std::vector<unsigned> dwells(kDrawn);
        context.download(std::span<unsigned>(dwells), drawn_);
        wrong = 0;
        for (unsigned draw = 0; draw < kDrawn; ++draw)
            wrong += dwells[draw] == dwell_of_pixel(point, split_mix(1, draw) % point.elements) ? 0 : 1;
    }

    MandelbrotReference reference_;
    Buffer<unsigned> out_, expected_, drawn_;
    Comparison comparison_;
    Differences exhaustive_{}; // pixels in which the exhaustive image differs from the recursion's
    std::uint64_t exhaustive_work_ = 0;
    std::uint64_t exhaustive_wrong_ = 0; // drawn pixels in which it differs from the host's
};

class MandelbrotWorkload final : public RequestWorkloadOf<MandelbrotData>
{
  public:
    using WorkloadTraits = MandelbrotTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        const auto& mandelbrot = strategy_of<WorkloadTraits>(strategy);
        if (point[MandelbrotParameter::fanout] * point[MandelbrotParameter::fanout] > point.block)
            throw Unsupported("a block of " + std::to_string(point.block) + " threads cannot request " +
                              std::to_string(point[MandelbrotParameter::fanout]) + " x " +
                              std::to_string(point[MandelbrotParameter::fanout]) + " parts");
        prepare(point);
        return remember(strategy, point, mandelbrot.facts().naive ? "naive" : "",
                        [&](const Case& of) { return data().oracle(of, mandelbrot.facts().naive); });
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& mandelbrot = strategy_of<WorkloadTraits>(strategy);
        data().clear(run.context);
        MandelbrotJob job{
            request_job(run, run.point[MandelbrotParameter::division] * run.point[MandelbrotParameter::division]),
            {}};
        job.task = data().task_of(run.point, &job.totals->work);
        const std::function<void()> work = mandelbrot.prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, run.point, mandelbrot.facts().exhaustive, sample);
        report(run, sample, data().work(mandelbrot.facts().exhaustive));
        if (run.with_output)
            sample.image = data().image(run.context, run.point);
        return sample;
    }
};

const RegisterWorkload<MandelbrotWorkload> mandelbrot_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
