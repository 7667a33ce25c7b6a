// What a workload does on a backend: prepare a case, run it once, verify the answer. And what its strategies are to it: entries in
// the backend's registry.
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

// Thrown where the case turns out to be one that this device cannot run: a row with status unsupported.
class Unsupported : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

// A case, and what the session has settled before a workload runs it: the limit is set, the ledger is zeroed. The jobs that
// workloads give to their strategies have all of it.
struct PreparedRun {
    Context& context;
    const Case& point;
    const LaunchPlan& plan;
    const ExpectedLaunches& form;
    Mechanism mechanism;
    Buffer<Ledger>* ledger;
    unsigned* done = nullptr; // see NestData; null if no parent waits
    std::uint64_t draws = 0;  // what the executor draws from (model/schedule.hpp)
    Tracer* tracer = nullptr; // of a traced run
    Timing timing{};
    bool marked = false; // the workload may run the case again for timestamps
    bool aloud = false;  // what the case prints or draws is to be seen
};

// A wave of a run.
struct RunWave : Wave {
    Context& context;
};
inline RunWave part_of(const PreparedRun& run, const Wave& wave)
{
    return {wave, run.context};
}

// Launches a wave's blocks, of so many threads each, into its stream.
template <auto Kernel, class... Args>
void host_launch(const RunWave& wave, std::uint32_t threads, Args... args)
{
    host_launch<Kernel>(wave.context, wave.stream, {wave.blocks, threads}, args...);
}

// Runs `work`, which issues all work and waits for none, and times it, in the range that profilers see. Its draws do not depend on what the
// workload had to launch before, which is less where the input is there already.
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

// The flags by which parents that wait learn that their children are complete (NestData::done), for any case.
class WaitFlags
{
  public:
    // Zeroed, for one run of a case of this form.
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

    // Runs the case once and verifies its answer. What concerns the launches the session adds to the sample.
    virtual Sample sample(const Strategy& strategy, const PreparedRun& run) = 0;
    // Frees what it keeps between samples.
    virtual void release() = 0;
};

std::unique_ptr<Workload> make_reduce_workload(Context& context);
std::unique_ptr<Workload> make_hello_workload(Context& context);
std::unique_ptr<Workload> make_launch_workload(Context& context); // chain and fanout
std::unique_ptr<Workload> make_matrix_workload(Context& context); // transpose, copy and blobs

// S's entry in this backend's registry, as a strategy of one of the workloads that `Base` is for. S has
//     static constexpr StrategyInfo info;
//     static ExpectedLaunches launches(const Case&);      the closed form, if kernels launch kernels
//     static std::uint64_t scratch_bytes(const Case&);    device memory that it takes beside the workload's, if it does
// and what the class that is derived from this one calls.
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
