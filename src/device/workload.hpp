// The interface of a workload on a backend: it prepares a case, runs it once and verifies the answer. Also the base
// class of the entries that strategies have in the registry of the backend.
#pragma once

#include "device/language.hpp"
#include "model/launch_plan.hpp"
#include "model/ledger.hpp"
#include "model/sample.hpp"
#include "model/strategy.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>

namespace nestbed::inline NESTBED_BACKEND
{

class Tracer;

// Thrown if it turns out that this device cannot run the case. The result is a row with status unsupported.
class Unsupported : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

// A case, and what the session has prepared before a workload runs it: the limit is set and the ledger is zeroed. The
// jobs that workloads pass to their strategies contain all of this.
struct PreparedRun {
    Context& context;
    const Case& point;
    const LaunchPlan& plan;
    const ExpectedLaunches& form;
    Mechanism mechanism;
    std::uint32_t pending_limit; // as read back from the device
    Buffer<Ledger>* ledger;
    unsigned* done = nullptr; // see NestData; null if no parent waits
    std::uint64_t draws = 0;  // seed of the executor's random draws (model/schedule.hpp)
    Tracer* tracer = nullptr; // null if the run is not traced
    Timing timing{};
    bool marked = false; // the workload may run the case again to record timestamps
    bool aloud = false;  // the output or the image of the case is wanted
};

// One wave of a run.
struct RunWave : Wave {
    Context& context;
};
inline RunWave part_of(const PreparedRun& run, const Wave& wave)
{
    return {wave, run.context};
}

// Launches the blocks of a wave, with `threads` threads each, into the stream of the wave.
template <auto Kernel, class... Args>
void host_launch(const RunWave& wave, std::uint32_t threads, Args... args)
{
    host_launch<Kernel>(wave.context, wave.stream, {wave.blocks, threads}, args...);
}

// Runs and times `work`, inside the range that profilers see. `work` issues all work and does not wait for it.
// draw_from() makes the draws of the run independent of earlier launches of the workload: there are fewer of them if
// the input exists already.
template <class Work>
Sample timed(const PreparedRun& run, Work&& work)
{
    run.context.draw_from(run.draws);
    const TimedRange range(run.context);
    const Elapsed elapsed = run.context.time(run.plan.streams, work, run.timing);
    return {.gpu_us = elapsed.gpu_us,
            .wall_us = elapsed.wall_us,
            .held = elapsed.held,
            .host_launches = elapsed.host_launches};
}

// Completion flags for any case. They tell waiting parents that their children are complete (NestData::done).
class WaitFlags
{
  public:
    // Returns zeroed flags for one run of a case with this closed form.
    unsigned* of(Context& context, const ExpectedLaunches& form)
    {
        const std::size_t flags = form.parent_waits ? std::size_t{form.root_blocks} * form.levels() : 0;
        if (flags_.size() < flags)
            flags_ = context.allocate<unsigned>(flags, "done");
        context.fill_bytes(flags_, 0, flags);
        return flags_.data();
    }
    void release() { flags_ = {}; }

  private:
    Buffer<unsigned> flags_;
};

class Workload
{
  public:
    Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;
    virtual ~Workload() = default;

    // The launches that the case must make. Throws Unsupported.
    virtual ExpectedLaunches expected(const Strategy& strategy, const Case& point)
    {
        return strategy.launches(point);
    }
    // Runs the case once and verifies its answer. The session adds the launch counts to the sample.
    virtual Sample sample(const Strategy& strategy, const PreparedRun& run) = 0;
    // Frees what the workload keeps between samples.
    virtual void release() = 0;
};

std::unique_ptr<Workload> make_reduce_workload(Context& context);
std::unique_ptr<Workload> make_hello_workload(Context& context);
std::unique_ptr<Workload> make_launch_workload(Context& context); // chain and fanout
std::unique_ptr<Workload> make_litmus_workload(Context& context);
std::unique_ptr<Workload> make_matrix_workload(Context& context); // transpose, copy and blobs
std::unique_ptr<Workload> make_bezier_workload(Context& context);
std::unique_ptr<Workload> make_mandelbrot_workload(Context& context);
std::unique_ptr<Workload> make_sort_workload(Context& context);
std::unique_ptr<Workload> make_search_workload(Context& context);
std::unique_ptr<Workload> make_quadtree_workload(Context& context);
std::unique_ptr<Workload> make_graph_workload(Context& context); // bfs and sssp
std::unique_ptr<Workload> make_lanes_workload(Context& context);

// The entry of strategy S in the registry of this backend. `Base` is the base class of the strategies of one or more
// workloads. S has
//     static constexpr StrategyInfo info;
//     static ExpectedLaunches launches(const Case&);      the closed form; required if kernels launch kernels
//     static std::uint64_t scratch_bytes(const Case&);    device memory in addition to the workload's; optional
// and the members that the class derived from Entry calls.
template <class S, class Base>
class Entry : public Base
{
    static_assert(std::ranges::find(Base::kWorkloads, S::info.workload) != Base::kWorkloads.end(),
                  "StrategyInfo::workload is not a workload that this kind of strategy is for");
    static_assert(
        requires(const Case& point) { S::launches(point); } || std::ranges::none_of(S::info.mechanisms, from_device),
        "a strategy whose kernels launch kernels says how many launches it makes: launches(const Case&)");

  public:
    Entry() { Registry::add(kBackend, *this); }
    const StrategyInfo& info() const final { return S::info; }
    ExpectedLaunches launches(const Case& point) const final
    {
        if constexpr (requires { S::launches(point); })
            return S::launches(point);
        return ExpectedLaunches::none();
    }
    std::uint64_t scratch_bytes(const Case& point) const final
    {
        if constexpr (requires { S::scratch_bytes(point); })
            return S::scratch_bytes(point);
        return Base::scratch_bytes(point);
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
