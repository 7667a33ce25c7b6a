// The workload `refine`: one field for all cases that share it, with the tree of its cells in every time step.
#include "device/parts/answer_compare.hpp"
#include "workloads/refine/refine.hpp"

#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

// The reference, and the buffers.
class RefineData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point[RefineParameter::time_steps], point[RefineParameter::cell_work],
                          point[RefineParameter::division], point[RefineParameter::levels]);
    }

    RefineData(Context& context, const Case& point)
        : reference_(refine_reference(point)), out_(context.allocate<unsigned>(reference_.cells.size(), "cells")),
          expected_(context.allocate<unsigned>(reference_.cells.size(), "reference")),
          turns_(context.allocate<RefineTurn>(point[RefineParameter::time_steps], "turns")), comparison_(context)
    {
        context.upload(expected_, std::span<const unsigned>(reference_.cells));
        std::vector<RefineTurn> turns;
        for (std::uint64_t step = 0; step < point[RefineParameter::time_steps]; ++step)
            turns.push_back(turn_of(point, step));
        context.upload(turns_, std::span<const RefineTurn>(turns));
    }

    RequestOracle oracle(const Case& point, bool by_graph) const
    {
        return count_refinement(point, reference_, by_graph);
    }

    std::uint32_t roots() const { return static_cast<std::uint32_t>(reference_.shape.roots()); }

    RefineJob job(Context& context, const RequestJob& of)
    {
        context.fill_bytes(out_, 0xFF, out_.size());
        const Case& point = of.point;
        return {of,
                {.cells = out_.data(),
                 .turns = turns_.data(),
                 .tiles = reference_.shape.tiles,
                 .division = point[RefineParameter::division],
                 .levels = point[RefineParameter::levels],
                 .cells_per_tile = reference_.shape.cells_per_tile,
                 .cell_work = point[RefineParameter::cell_work],
                 .half_distance = half_distance(point),
                 .rings = point.input == RefineInput::rings},
                static_cast<std::uint32_t>(reference_.shape.steps),
                reference_.refined_by_step};
    }

    // The list of all cells of all time steps, bit by bit.
    void verify(Context& context, Sample& sample)
    {
        const Differences off = comparison_.of(context, out_, expected_, reference_.cells.size());
        sample.reference = std::to_string(reference_.count);
        sample.answer = std::to_string(reference_.count - std::min<std::uint64_t>(off.count, reference_.count));
        if (off.count == 0)
            return;
        const std::uint64_t per_step = std::uint64_t{reference_.shape.tiles} * reference_.shape.cells_per_tile;
        sample.status = Status::wrong;
        sample.detail = std::to_string(off.count) + " cells are missing, too many or have wrong values, of " +
                        sample.reference + "; the first is place " + std::to_string(off.first % per_step) +
                        " of time step " + std::to_string(off.first / per_step);
    }

    // Floating-point operations on the paths of all samples.
    std::uint64_t work(const Case& point) const
    {
        return reference_.count * kSamples * kStepFlops * point[RefineParameter::cell_work];
    }

  private:
    RefineReference reference_;
    Buffer<unsigned> out_, expected_;
    Buffer<RefineTurn> turns_;
    Comparison comparison_;
};

class RefineWorkload final : public RequestWorkloadOf<RefineData>
{
  public:
    using WorkloadTraits = RefineTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        if (const std::string why = why_not_refined(point); !why.empty())
            throw Unsupported(why);
        prepare(point);
        const bool by_graph = mechanism_of(strategy.info(), point) == Mechanism::graph_tail;
        return remember(strategy, point, by_graph ? "graph" : "",
                        [&](const Case& of) { return data().oracle(of, by_graph); });
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const RefineJob job = data().job(run.context, request_job(run, data().roots()));
        const std::function<void()> work = strategy_of<WorkloadTraits>(strategy).prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, sample);
        report(run, sample, data().work(run.point));
        return sample;
    }
};

const RegisterWorkload<RefineWorkload> refine_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
