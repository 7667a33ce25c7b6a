// A session on this backend: finds the case's strategy and workload, and turns what happened into a status.
#include "session.hpp"

#include "../core/error.hpp"
#include "../core/judge.hpp"
#include "probe.hpp"
#include "workload.hpp"

#include <algorithm>
#include <map>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

namespace
{

class BackendSession final : public Session
{
  public:
    explicit BackendSession(const SessionOptions& options) : context_(options), ledger_(context_.allocate<Ledger>(1))
    {
        workloads_.emplace("reduce", make_reduce_workload(context_));
        workloads_.emplace("hello", make_hello_workload(context_));
        workloads_.emplace("chain", make_launch_workload(context_));
        workloads_.emplace("fanout", make_launch_workload(context_));
        const std::shared_ptr<Workload> matrices = make_matrix_workload(context_);
        for (const char* workload : {"transpose", "copy", "blobs"})
            workloads_.emplace(workload, matrices);
    }

    BackendKind backend() const override { return kBackend; }
    const DeviceFacts& facts() const override { return context_.facts(); }
    std::string schedule() const override { return context_.schedule(); }

    Sample sample(const Case& point) override { return run(point, false); }

    // Blocks are numbered through one root grid, so there is one wave, under a limit that holds every launch.
    Sample sample_aloud(const Case& point) override
    {
        Case whole = point;
        if (point.grid != 0)
            whole.wave = point.grid;
        whole.streams = 1;
        const std::uint64_t launches = strategy_of(point).launches(point).total();
        whole.pending_limit =
            static_cast<std::uint32_t>(std::max<std::uint64_t>(launches, context_.facts().default_pending_limit));
        return run(whole, true);
    }

    void release() override
    {
        for (auto& [name, workload] : workloads_)
            workload->release();
    }

    double null_kernel_us() override { return time_null_kernel(context_, 101); }
    MeasuredBandwidth bandwidth() override { return measure_bandwidth(context_); }
    unsigned timer_step_ns() override { return smallest_timer_step_ns(context_); }

    DepthProbe probe_depth(unsigned levels) override
    {
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

    static Sample unsupported(const std::string& why)
    {
        return {.status = Status::unsupported, .detail = "unsupported: " + why};
    }

    Sample run(const Case& point, bool aloud)
    {
        const Strategy& strategy = strategy_of(point);
        const Mechanism mechanism = mechanism_of(strategy.info(), point);
        if (strategy.info().cuda_only && kBackend != BackendKind::cuda)
            return unsupported(point.strategy + " needs what only CUDA has");
        if (!Context::has(mechanism))
            return unsupported("backend " + std::string(name_of(kBackend)) + " has no launches by " +
                               std::string(name_of(mechanism)));
        const LaunchForm form = strategy.launches(point);
        const LaunchPlan plan = plan_launches(point, form, context_.facts());
        if (!plan.refusal.empty())
            return unsupported(plan.refusal);
        try {
            const std::uint32_t limit = context_.set_pending_limit(plan.pending_limit);
            context_.fill_bytes(ledger_, 0, 1);
            const Launching launching{plan, form, mechanism, ledger_};
            Sample sample = workloads_.at(strategy.info().workload)->sample(strategy, point, launching, aloud);
            Ledger counted;
            context_.download(std::span(&counted, 1), ledger_);
            sample.launches = counts_of(counted);
            sample.pending_limit = limit;
            sample.wave = plan.wave;
            sample.waves = plan.waves();
            sample.streams = plan.streams;
            sample.limit_bytes = context_.limit_bytes();
            judge_launches(sample, form, Context::error_name(counted.first_error));
            return sample;
        } catch (const Unsupported& reason) {
            return unsupported(reason.what());
        } catch (const DeviceFault& fault) {
            return {.status = Status::crashed, .detail = fault.what(), .device_lost = !context_.usable()};
        }
    }

    Context context_;
    Buffer<Ledger> ledger_;
    std::map<std::string_view, std::shared_ptr<Workload>> workloads_;
};

} // namespace

std::unique_ptr<Session> open_backend(const SessionOptions& options)
{
    return std::make_unique<BackendSession>(options);
}

} // namespace NESTBED_BACKEND
} // namespace nestbed
