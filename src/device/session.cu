// A session on this backend. It finds the strategy and the workload of a case and turns the outcome into a status.
#include "device/open_session.hpp"

#include "base/error.hpp"
#include "base/host_load.hpp"
#include "base/standard_streams.hpp"
#include "device/probe.hpp"
#include "device/tracer.hpp"
#include "device/workload_backend.hpp"
#include "model/case_text.hpp"
#include "model/judge.hpp"
#include "model/schedule.hpp"
#include "model/user_program.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

// A module may be loaded by one thread while the session of another one looks for its workload.
class WorkloadMakers
{
  public:
    void add(const WorkloadMaker& maker)
    {
        const std::lock_guard lock(mutex_);
        all_.push_back(maker);
    }
    std::optional<WorkloadMaker> of(const WorkloadInfo& workload)
    {
        const std::lock_guard lock(mutex_);
        for (const WorkloadMaker& maker : all_)
            if (std::ranges::find(maker.workloads, &workload) != maker.workloads.end())
                return maker;
        return {};
    }

  private:
    std::mutex mutex_;
    std::vector<WorkloadMaker> all_;
};

WorkloadMakers& makers()
{
    static WorkloadMakers all;
    return all;
}

class BackendSession final : public LocalSession
{
  public:
    explicit BackendSession(const SessionOptions& options)
        : options_(options), context_(options), ledger_(context_.allocate<Ledger>(1, kOwnRecords))
    {
    }

    BackendKind backend() const override { return kBackend; }
    const DeviceFacts& facts() const override { return context_.facts(); }
    std::string schedule() const override { return context_.schedule(); }

    Sample sample(const Case& point, unsigned repetition) override
    {
        const HostLoad load(point.host_load == 0 ? 0 : point.host_load * usable_cores());
        Sample sample;
        run_at({.nice = point.nice, .pinned = point.pinned == Pinned::yes},
               [&] { sample = run(point, seed_of_run(point, repetition), false, nullptr); });
        load.expect_busy();
        return sample;
    }

    // Block numbers must run through a single root grid. So there is one wave, and a limit that is large enough for
    // every launch. An image needs neither.
    Sample sample_with_output(const Case& point) override
    {
        if (strategy_of(point).info().irregular())
            return run(point, seed_of_run(point, 0), true, nullptr);
        Case whole = point;
        if (point.grid != 0)
            whole.wave = point.grid;
        whole.streams = 1;
        const Strategy& strategy = strategy_of(point);
        const std::uint64_t launches = workload_of(strategy.info()).expected(strategy, point).total();
        whole.pending_limit =
            static_cast<std::uint32_t>(std::max<std::uint64_t>(launches, context_.facts().default_pending_limit));
        return run(whole, seed_of_run(point, 0), true, nullptr);
    }

    Trace trace(const Case& point, unsigned repetition, std::uint32_t grids) override
    {
        const Strategy& strategy = strategy_of(point);
        if (!from_device(mechanism_of(strategy.info(), point)))
            throw UsageError("--strategy " + point.strategy +
                             ": it launches nothing from a kernel, so there is no recursion to trace; allowed: a "
                             "strategy and a mechanism that do (nestbed list)");
        Case one = point;
        one.graphs = 1; // otherwise every instance would run and be traced
        Trace trace{.point = one, .device = context_.facts(), .schedule = context_.schedule()};
        std::string why = why_lacking(strategy, one);
        ExpectedLaunches form;
        try {
            if (why.empty())
                form = workload_of(strategy.info()).expected(strategy, one);
        } catch (const Unsupported& reason) {
            why = reason.what();
        }
        if (!why.empty()) {
            trace.sample = unsupported(why);
            return trace;
        }
        Tracer tracer(context_, grids);
        const LaunchPlan plan = plan_launches(one, form, context_.facts());
        tracer.set_roots(plan.waves(), form.per_root_block() ? plan.wave : kMarksPerGrid);
        trace.sample = run(one, seed_of_run(point, repetition), false, &tracer);
        trace.run_us = trace.sample.gpu_us ? trace.sample.gpu_us : trace.sample.wall_us;
        if (trace.sample.status == Status::unsupported || trace.sample.status == Status::crashed)
            return trace;
        trace.timer_step_ns = timer_step_ns();
        tracer.read(trace);
        return trace;
    }

    Sample sample_traced(const Case& point) override
    {
        constexpr std::uint32_t kMaxGrids = 65536;
        Trace traced = trace(point, 0, kMaxGrids);
        traced.sample.latencies_us = latencies_by_depth(traced);
        return std::move(traced.sample);
    }

    Races races(const Case& point, unsigned repetition) override
    {
        Sample sample;
        Races races = context_.watch([&] { sample = run(point, seed_of_run(point, repetition), false, nullptr); });
        races.sample = std::move(sample);
        return races;
    }

    void release() override
    {
        for (const auto& [info, workload] : workloads_)
            workload->release();
    }

    double empty_kernel_us() override { return time_empty_kernel(context_, 101); }
    MeasuredBandwidth bandwidth() override { return measure_bandwidth(context_); }
    unsigned timer_step_ns() override { return smallest_timer_step_ns(context_); }

    DepthProbe probe_depth(unsigned levels) override
    {
        if constexpr (!kCountsLaunches)
            return {};
        context_.restrict_to_mechanism(std::nullopt);
        const LaunchCounts counts = run_chain(context_, levels);
        return {.asked = levels,
                .reached = counts.max_depth,
                .error = counts.failed == 0 ? "" : Context::error_name(counts.first_error)};
    }

  private:
    static const Strategy& strategy_of(const Case& point)
    {
        const Strategy* strategy = Registry::find(kBackend, point.strategy);
        if (strategy == nullptr)
            throw UsageError("backend " + std::string(name_of(kBackend)) + " has no strategy '" + point.strategy +
                             "'");
        return *strategy;
    }

    // Throws RunError if this backend has no code for the workload of the strategy.
    Workload& workload_of(const StrategyInfo& info)
    {
        if (const auto found = workloads_.find(info.workload); found != workloads_.end())
            return *found->second;
        const std::optional<WorkloadMaker> maker = makers().of(*info.workload);
        if (!maker)
            throw RunError("backend " + std::string(name_of(kBackend)) + " has no workload '" +
                           std::string(info.workload->name) + "', which strategy '" + std::string(info.name) +
                           "' needs; allowed: one with an object of type RegisterWorkload");
        const std::shared_ptr<Workload> made = maker->make(context_);
        for (const WorkloadInfo* workload : maker->workloads)
            workloads_.emplace(workload, made);
        return *made;
    }

    static Sample unsupported(const std::string& why)
    {
        return {.status = Status::unsupported, .detail = "unsupported: " + why};
    }

    // What this backend lacks for the case; empty if nothing.
    std::string why_lacking(const Strategy& strategy, const Case& point) const
    {
        const Mechanism mechanism = mechanism_of(strategy.info(), point);
        if (strategy.info().cuda_only && kBackend != BackendKind::cuda)
            return point.strategy + " needs features that only CUDA has";
        if (!context_.has(mechanism))
            return "backend " + std::string(name_of(kBackend)) + " has no launches by " +
                   std::string(name_of(mechanism));
        return "";
    }

    // Uses the case as the user requested it, even if it runs in another form.
    std::uint64_t seed_of_run(const Case& point, unsigned repetition) const
    {
        static_cast<void>(strategy_of(point)); // throws for an unknown strategy: key_of() needs the strategy
        return kBackend == BackendKind::cpu ? nestbed::seed_of_run(key_of(point, context_.schedule()), repetition)
                                            : 0;
    }

    Sample run(const Case& point, std::uint64_t seed, bool with_output, Tracer* tracer)
    {
        const Strategy& strategy = strategy_of(point);
        if (strategy.info().workload->of_user)
            return sample_of_program(point, options_, seed);
        Workload& workload = workload_of(strategy.info());
        const Mechanism mechanism = mechanism_of(strategy.info(), point);
        if (const std::string why = why_lacking(strategy, point); !why.empty())
            return unsupported(why);
        std::optional<StandardOutputToError> quiet;
        if (!with_output) // otherwise what the kernels print is wanted
            quiet.emplace();
        try {
            const ExpectedLaunches form = workload.expected(strategy, point);
            const LaunchPlan plan = plan_launches(point, form, context_.facts());
            if (!plan.refusal.empty())
                return unsupported(plan.refusal);
            context_.restrict_to_mechanism(std::nullopt);
            const std::uint32_t limit =
                context_.set_pending_limit(plan.pending_limit, [&] { static_cast<void>(run_chain(context_, 1)); });
            context_.name_range(options_.ranges ? range_name(options_.experiment, point) : "");
            PreparedRun prepared{.context = context_,
                                 .point = point,
                                 .plan = plan,
                                 .form = form,
                                 .mechanism = mechanism,
                                 .pending_limit = limit,
                                 .ledger = &ledger_,
                                 .seed = seed,
                                 .tracer = tracer,
                                 .timing = {.held = tracer != nullptr && point.submit == Submit::held,
                                            .flushed = point.l2 == CacheState::flushed},
                                 .marked = tracer == nullptr && !options_.untimed,
                                 .with_output = with_output};
            Sample sample = may_be_held(point, with_output, tracer) ? run_twice(strategy, workload, prepared)
                                                                    : run_once(strategy, workload, prepared);
            sample.wave = plan.wave;
            sample.waves = plan.waves();
            sample.streams = plan.streams;
            sample.limit_bytes = context_.limit_bytes();
            if (strategy.launches(point).by_input)
                sample.launches_expected = form.measured   ? sample.launches.value_or(LaunchCounts{}).attempted
                                           : form.by_order ? sample.requests.value_or(RequestSample{}).grids
                                                           : form.total();
            return sample;
        } catch (const Unsupported& reason) {
            return unsupported(reason.what());
        } catch (const DeviceFault& fault) {
            return {.status = Status::crashed, .detail = fault.what(), .device_lost = !context_.usable()};
        }
    }

    // Whether a sample consists of two runs, one of them with a held stream. An untimed, printed or traced sample has
    // one run.
    bool may_be_held(const Case& point, bool with_output, const Tracer* tracer) const
    {
        const auto given_up = given_up_.find(point);
        return point.submit == Submit::held && point.runs <= 1 && !with_output && tracer == nullptr &&
               !options_.untimed && (given_up == given_up_.end() || given_up->second < kMaxGivenUp);
    }

    // The wall-clock time comes from a run that is not held, the GPU time from a held run.
    Sample run_twice(const Strategy& strategy, Workload& workload, PreparedRun& run)
    {
        run.marked = false; // only the second run is marked
        Sample open = run_once(strategy, workload, run);
        if (open.status != Status::ok)
            return open;
        run.marked = true;
        run.timing.held = true;
        Sample sample = run_once(strategy, workload, run);
        if (sample.status != Status::ok)
            return sample;
        sample.wall_us = open.wall_us;
        if (!sample.held) {
            ++given_up_[run.point];
            sample.gpu_us = open.gpu_us;
        }
        return sample;
    }

    // Runs the case and verifies its answer and its launches.
    Sample run_once(const Strategy& strategy, Workload& workload, const PreparedRun& run)
    {
        context_.restrict_to_mechanism(std::nullopt);
        context_.fill_bytes(ledger_, 0, 1);
        // A tail launch drains what was refused, whatever the mechanism.
        context_.restrict_to_mechanism(run.point.overflow == Overflow::spill ? std::nullopt
                                                                             : std::optional(run.mechanism));
        context_.draw_from(run.seed);
        Sample sample = workload.sample(strategy, run);
        Ledger counted;
        context_.download(std::span(&counted, 1), ledger_);
        context_.alive();
        sample.pending_limit = run.pending_limit;
        sample.launches = counts_of(counted);
        sample.gpu_state = context_.gpu_state();
        judge_launches(sample, run.form, Context::error_name(counted.first_error));
        if constexpr (!kCountsLaunches)
            sample.launches.reset();
        return sample;
    }

    // If this many held runs of a case could not be submitted completely, the session stops holding the case.
    static constexpr unsigned kMaxGivenUp = 2;

    SessionOptions options_;
    Context context_;
    Buffer<Ledger> ledger_;
    std::map<const WorkloadInfo*, std::shared_ptr<Workload>> workloads_;
    std::map<Case, unsigned> given_up_; // number of held runs that gave up
};

} // namespace

void add_workload_maker(const WorkloadMaker& maker)
{
    makers().add(maker);
}

std::unique_ptr<LocalSession> open_backend(const SessionOptions& options)
{
    return std::make_unique<BackendSession>(options);
}

} // namespace nestbed::inline NESTBED_BACKEND
