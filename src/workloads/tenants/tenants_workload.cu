// The workload `tenants`: the tenants of a case, their answers, and when each of them ended.
#include "device/parts/answer_compare.hpp"
#include "workloads/tenants/tenants.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

#ifdef __CUDACC__
__global__ void tell_time(unsigned long long* now, unsigned* flag)
{
    *now = timer_ns();
    publish(flag, 1);
}
#endif

// The tenants, whenever they arrive, and the memory for them.
class TenantsData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point[TenantsParameter::tenant_count], point[TenantsParameter::level_nodes],
                          point[TenantsParameter::levels], point[TenantsParameter::node_work], point.seed);
    }

    TenantsData(Context& context, const Case& point)
        : reference_(tenants_reference(point)), stride_(point[TenantsParameter::levels] + 2),
          tenants_(context.allocate<Tenant>(point[TenantsParameter::tenant_count], "tenants")),
          states_(context.allocate<TenantState>(point[TenantsParameter::tenant_count], "states")),
          widths_(
              context.allocate<unsigned>(std::uint64_t{point[TenantsParameter::tenant_count]} * stride_, "widths")),
          nodes_(context.allocate<unsigned>(reference_.places, "nodes")),
          arrivals_(context.allocate<unsigned long long>(point[TenantsParameter::tenant_count], "arrivals"))
    {
        context.upload(tenants_, std::span<const Tenant>(reference_.tenants));
    }

    const TenantsReference& reference() const { return reference_; }

    // Zeroes what a run counts.
    TenantsJob job(const PreparedRun& run, ArrivalClock& clock)
    {
        run.context.fill_bytes(states_, 0, states_.size());
        run.context.fill_bytes(widths_, 0, widths_.size());
        const std::vector<unsigned long long> arrivals(clock.arrivals_ns().begin(), clock.arrivals_ns().end());
        run.context.upload(arrivals_, std::span<const unsigned long long>(arrivals));
        return {run,
                {.tenants = tenants_.data(),
                 .states = states_.data(),
                 .widths = widths_.data(),
                 .nodes = nodes_.data(),
                 .stride = stride_,
                 .count = static_cast<unsigned>(reference_.tenants.size()),
                 .rounds = run.point[TenantsParameter::node_work],
                 .threshold = run.point.threshold},
                reference_,
                arrivals_.data(),
                clock};
    }

    // Of each tenant: its nodes, the sum of their values, and that it ended. Its latency is from its arrival to its end.
    void verify(Context& context, Sample& sample, const ArrivalClock& clock) const
    {
        std::vector<TenantState> states(reference_.tenants.size());
        context.download(std::span(states), states_);
        std::uint64_t nodes = 0;
        std::size_t off = 0;
        std::size_t first = 0;
        for (std::size_t tenant = states.size(); tenant-- != 0;) {
            const TenantState& state = states[tenant];
            nodes += state.nodes;
            if (state.nodes == reference_.nodes(tenant) && state.sum == reference_.sums[tenant] &&
                state.ended_ns != 0)
                continue;
            ++off;
            first = tenant;
        }
        sample.reference = std::to_string(reference_.nodes());
        sample.answer = std::to_string(nodes);
        if (off != 0) {
            sample.status = Status::wrong;
            sample.detail =
                std::to_string(off) + " of " + std::to_string(states.size()) +
                " tenants are wrong; the first is tenant " + std::to_string(first) + ": " +
                std::to_string(states[first].nodes) + " nodes with the sum " + std::to_string(states[first].sum) +
                " instead of " + std::to_string(reference_.nodes(first)) + " with " +
                std::to_string(reference_.sums[first]) + (states[first].ended_ns == 0 ? ", not ended" : "");
            return;
        }
        for (std::size_t tenant = 0; tenant < states.size(); ++tenant)
            sample.latencies_us.push_back(clock.latency_us(tenant, states[tenant].ended_ns));
    }

  private:
    TenantsReference reference_;
    unsigned stride_;
    Buffer<Tenant> tenants_;
    Buffer<TenantState> states_;
    Buffer<unsigned> widths_, nodes_;
    Buffer<unsigned long long> arrivals_;
};

class TenantsWorkload final : public Workload
{
  public:
    using WorkloadTraits = TenantsTraits;

    explicit TenantsWorkload(Context& context)
        : context_(context), now_(context.allocate<unsigned long long>(1, "now"))
    {
    }

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        if (const std::string why = why_no_tenants(point); !why.empty())
            throw Unsupported(why);
        prepare(point);
        ExpectedLaunches form = strategy.launches(point);
        const Mechanism mechanism = mechanism_of(strategy.info(), point);
        if (!from_device(mechanism))
            return form;
        form = count_tenant_launches(data_->reference(), point.threshold);
        form.one_by_one = mechanism == Mechanism::tail;
        return form;
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        ArrivalClock clock(tenant_arrivals_ns(run.point), timer_ahead_ns());
        const TenantsJob job = data_->job(run, clock);
        const std::function<void()> work = strategy_of<WorkloadTraits>(strategy).prepare(job);
        Sample sample = timed(run, work);
        data_->verify(run.context, sample, clock);
        sample.work = data_->reference().nodes();
        return sample;
    }

    void release() override { data_.reset(); }

  private:
    // Makes the tenants of a case, unless they are there.
    void prepare(const Case& point)
    {
        const auto key = TenantsData::key_of(point);
        if (data_ && key == key_)
            return;
        release();
        data_ = std::make_unique<TenantsData>(context_, point);
        key_ = key;
    }

    // What the kernels' timer is ahead of the host's clock, modulo 2^64. A kernel reads the timer and tells the host, which reads its
    // clock when it learns of it, about a microsecond later. The least of several differences is used.
    unsigned long long timer_ahead_ns()
    {
#ifdef __CUDACC__
        constexpr unsigned kTries = 16;
        std::optional<long long> most;
        for (unsigned index = 0; index < kTries; ++index) {
            context_.report().clear();
            tell_time<<<1, 1, 0, context_.stream(0)>>>(now_.data(), context_.report().flag_on_device());
            check(cudaGetLastError());
            context_.report().wait(context_.stream(0));
            const unsigned long long host = ArrivalClock::host_ns();
            unsigned long long device = 0;
            context_.download(std::span(&device, 1), now_);
            const auto ahead = static_cast<long long>(device - host);
            most = std::max(most.value_or(ahead), ahead);
        }
        return static_cast<unsigned long long>(*most);
#else
        return 0; // the executor has one clock
#endif
    }

    Context& context_;
    Buffer<unsigned long long> now_;
    decltype(TenantsData::key_of(Case{})) key_;
    std::unique_ptr<TenantsData> data_;
};

const RegisterWorkload<TenantsWorkload> tenants_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
