// The interface of a workload on a backend: it prepares a case, runs it once and verifies the answer. Also the entries
// that strategies and workloads have on a backend.
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
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

class Tracer;

// Which instances of their kernels the strategies here are compiled with: those for traced runs, those for other runs, or both.
// nvcc takes as long for either. So a module has only the others for CUDA, and the first traced run loads its twin, which has
// those for traced runs.
#ifdef NESTBED_TRACED
constexpr bool kTracedKernels = NESTBED_TRACED != 0;
constexpr bool kUntracedKernels = !kTracedKernels;
#else
constexpr bool kTracedKernels = true;
constexpr bool kUntracedKernels = true;
#endif

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
    std::uint64_t seed = 0;   // seed of the executor's random draws (model/schedule.hpp)
    Tracer* tracer = nullptr; // null if the run is not traced
    Timing timing{};
    bool marked = false;      // the workload may run the case again to record timestamps
    bool with_output = false; // the output or the image of the case is wanted
};

// Null if the run of the job is not traced.
inline const Tracer* tracer_of(const PreparedRun& run)
{
    return run.tracer;
}

inline Context& context_of(const PreparedRun& run)
{
    return run.context;
}

// One wave of a run.
struct RunWave : Wave {
    Context& context;
};
inline RunWave slice_for_wave(const PreparedRun& run, const Wave& wave)
{
    return {wave, run.context};
}

// Launches the blocks of a wave, with `threads` threads each, into the stream of the wave.
template <auto Kernel, class... Args>
void host_launch(const RunWave& wave, std::uint32_t threads, Args... args)
{
    host_launch<Kernel>(wave.context, wave.stream, {wave.blocks, threads}, args...);
}

// Where <<< >>> of a strategy's run() and prepare() launches: the context of the case.
inline thread_local Context* launching_context = nullptr;
class LaunchingContext
{
  public:
    explicit LaunchingContext(Context& context) : before_(std::exchange(launching_context, &context)) {}
    ~LaunchingContext() { launching_context = before_; }
    LaunchingContext(const LaunchingContext&) = delete;
    LaunchingContext& operator=(const LaunchingContext&) = delete;

  private:
    Context* before_;
};

// kernel<<<grid, block, bytes, stream>>>(arguments) of a workload's host code. Streams are those of the plan: wave.stream, or 0.
template <auto Kernel, class... Args>
void launch_from_host(unsigned stream, LaunchShape shape, Args... args)
{
    if (launching_context == nullptr)
        throw std::logic_error("<<< >>> outside of run() and prepare() of a strategy");
    host_launch<Kernel>(*launching_context, stream, shape, args...);
}
template <auto Kernel, class... Args>
void launch_from_host(LaunchShape shape, Args... args)
{
    launch_from_host<Kernel>(0U, shape, args...);
}

// Runs and times `work`, inside the range that profilers see. `work` issues all work and does not wait for it.
// draw_from() makes the draws of the run independent of earlier launches of the workload: there are fewer of them if
// the input exists already.
template <class Work>
Sample timed(const PreparedRun& run, Work&& work)
{
    const LaunchingContext launching(run.context);
    run.context.draw_from(run.seed);
    const TimedRange range(run.context);
    const Elapsed elapsed = run.context.time(run.plan.streams, work, run.timing);
    return {.gpu_us = elapsed.gpu_us,
            .wall_us = elapsed.wall_us,
            .prepare_us = elapsed.prepare_us,
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
    // Frees the device's memory that the workload keeps between samples.
    virtual void release() = 0;
};

// What the strategies of one or more workloads share, a struct
//     using Job = ...;        what S::run() gets
//     using Facts = ...;      what the workload must know of a strategy, made by Facts::of<S>(); NoFacts: nothing
//     static constexpr std::array kWorkloads{&workloads::...};
struct NoFacts {
    template <class S>
    static constexpr NoFacts of()
    {
        return {};
    }
};

template <class WorkloadTraits>
class StrategyOf : public Strategy
{
  public:
    // Returns what is timed: it issues all work and waits for none. What it needs is made before, and lives as long as
    // it does; so does the job.
    virtual std::function<void()> prepare(const typename WorkloadTraits::Job& job) const = 0;
    virtual typename WorkloadTraits::Facts facts() const = 0;
};

template <class WorkloadTraits>
const StrategyOf<WorkloadTraits>& strategy_of(const Strategy& strategy)
{
    return dynamic_cast<const StrategyOf<WorkloadTraits>&>(strategy);
}

// What is timed of strategy S. It has one of
//     static void run(job);
//     static P prepare(job);          untimed; then run(job, P&), or run(job) if P is void
//     static std::function<void()> prepare(job);          which is itself what is timed
// A job with kTyped is several types of job: its typed(function) calls the function with the one that it has.
template <class S, class Job, class... More>
std::function<void()> prepared(const Job& job, const More&... more)
{
    if constexpr (kBackend != BackendKind::cuda && S::info.cuda_only) {
        throw std::logic_error("the session lets no such case through");
    } else if constexpr (sizeof...(More) == 0 && requires { Job::kTyped; }) {
        return job.typed([](const auto&... typed) { return prepared<S>(typed...); });
    } else if constexpr (sizeof...(More) != 0 || requires { S::prepare(job); }) {
        using State = decltype(S::prepare(job, more...));
        if constexpr (std::is_void_v<State>) {
            S::prepare(job, more...);
            return [&job] { S::run(job); };
        } else if constexpr (std::is_same_v<State, std::function<void()>>) {
            return S::prepare(job, more...);
        } else {
            auto state = std::make_shared<State>(S::prepare(job, more...));
            return [&job, state] { S::run(job, *state); };
        }
    } else {
        return [&job] { S::run(job); };
    }
}

// The sanitizers' build does not ask: with -fsanitize=undefined, GCC compares no addresses while it compiles.
template <class S, class WorkloadTraits>
constexpr bool is_of_workload()
{
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    return std::ranges::find(WorkloadTraits::kWorkloads, S::info.workload) != WorkloadTraits::kWorkloads.end();
#endif
}

// Enters strategy S in the registry of this backend. S has
//     static constexpr StrategyInfo info;
//     static ExpectedLaunches launches(const Case&);      the closed form; required if kernels launch kernels
//     static std::uint64_t scratch_bytes(const Case&);    device memory in addition to the workload's; optional
// what prepared() needs, and what the workload's facts are made of.
template <class S, class WorkloadTraits>
class Register final : public StrategyOf<WorkloadTraits>
{
    static_assert(is_of_workload<S, WorkloadTraits>(),
                  "StrategyInfo::workload is not one of the workloads of these traits");
    static_assert(
        requires(const Case& point) { S::launches(point); } || std::ranges::none_of(S::info.mechanisms, from_device),
        "a strategy whose kernels launch kernels says how many launches it makes: launches(const Case&)");

  public:
    Register()
    {
        if constexpr (kUntracedKernels)
            Registry::add(kBackend, *this);
        else
            Registry::add_traced(*this);
    }
    const StrategyInfo& info() const override { return S::info; }
    ExpectedLaunches launches(const Case& point) const override
    {
        if constexpr (requires { S::launches(point); })
            return S::launches(point);
        return ExpectedLaunches::none();
    }
    std::uint64_t scratch_bytes(const Case& point) const override
    {
        if constexpr (requires { S::scratch_bytes(point); })
            return S::scratch_bytes(point);
        else if constexpr (requires { WorkloadTraits::template scratch_bytes<S>(point); })
            return WorkloadTraits::template scratch_bytes<S>(point);
        return 0;
    }
    std::function<void()> prepare(const typename WorkloadTraits::Job& job) const override
    {
        if constexpr (!kTracedKernels)
            if (tracer_of(job) != nullptr)
                return strategy_of<WorkloadTraits>(Registry::traced(S::info.name)).prepare(job);
        const LaunchingContext launching(context_of(job));
        const WallClock clock;
        std::function<void()> work = prepared<S>(job);
        context_of(job).prepared(clock);
        return work;
    }
    typename WorkloadTraits::Facts facts() const override { return WorkloadTraits::Facts::template of<S>(); }
};

// The workloads of this backend, by descriptor: what a session makes of each.
using MakeWorkload = std::shared_ptr<Workload> (*)(Context&);
struct WorkloadMaker {
    std::span<const WorkloadInfo* const> workloads; // one object does them all
    MakeWorkload make;
};
void add_workload_maker(const WorkloadMaker& maker);

// Enters class W, which has the member type WorkloadTraits, as the workload of this backend for the workloads of these traits.
template <class W>
class RegisterWorkload
{
  public:
    RegisterWorkload()
    {
        add_workload_maker({W::WorkloadTraits::kWorkloads, [](Context& context) -> std::shared_ptr<Workload> {
                                return std::make_shared<W>(context);
                            }});
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
