// The workloads `chain` and `fanout`: every launch must have run once, and begun after its call.
#include "launching.hpp"
#include "workload.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

namespace
{

class LaunchWorkload final : public Workload
{
  public:
    explicit LaunchWorkload(Context& context) : context_(context), sum_(context.allocate<unsigned long long>(1)) {}

    Sample sample(const Strategy& strategy, const Case& point, const Launching& launching, bool /*aloud*/) override
    {
        const auto& launcher = dynamic_cast<const LaunchingStrategy&>(strategy);
        const std::uint32_t launches = launcher.count(point);
        if (called_.size() < launches) {
            called_ = context_.allocate<unsigned long long>(launches);
            began_ = context_.allocate<unsigned long long>(launches);
        }
        context_.fill_bytes(called_, 0, launches);
        context_.fill_bytes(began_, 0, launches);
        context_.fill_bytes(sum_, 0, 1);
        const LaunchingJob job{.context = context_,
                               .point = point,
                               .launches = launches,
                               .plan = launching.plan,
                               .mechanism = launching.mechanism,
                               .ledger = launching.ledger,
                               .marks = {called_.data(), began_.data(), sum_.data()}};
        const std::function<void()> work = launcher.prepare(job);
        const Elapsed elapsed = context_.time(launching.plan.streams, work);
        Sample sample;
        sample.gpu_us = elapsed.gpu_us;
        sample.wall_us = elapsed.wall_us;
        sample.host_launches = elapsed.host_launches;
        verify(sample, launches);
        return sample;
    }

    void release() override
    {
        called_ = {};
        began_ = {};
    }

  private:
    void verify(Sample& sample, std::uint32_t launches)
    {
        unsigned long long sum = 0;
        context_.download(std::span(&sum, 1), sum_);
        std::vector<unsigned long long> called(launches);
        std::vector<unsigned long long> began(launches);
        context_.download(std::span(called), called_);
        context_.download(std::span(began), began_);
        const unsigned long long expected = launches * (launches + 1ULL) / 2;
        sample.answer = std::to_string(sum);
        sample.reference = std::to_string(expected);
        if (sum != expected) {
            sample.status = Status::wrong;
            sample.detail =
                "the numbers of the grids that ran add up to " + sample.answer + " instead of " + sample.reference;
        }
        for (std::uint32_t launch = 0; launch < launches; ++launch) {
            if (called[launch] == 0 || began[launch] == 0)
                continue; // not called by a kernel, or it did not run
            if (began[launch] < called[launch]) {
                sample.status = Status::wrong;
                sample.detail = "launch " + std::to_string(launch) + " began " +
                                std::to_string(called[launch] - began[launch]) + " ns before its call";
            }
            sample.latencies_us.push_back(static_cast<double>(began[launch] - called[launch]) / 1000.0);
        }
        if (sample.status != Status::ok)
            sample.latencies_us.clear();
    }

    Context& context_;
    Buffer<unsigned long long> called_, began_, sum_;
};

} // namespace

std::unique_ptr<Workload> make_launch_workload(Context& context)
{
    return std::make_unique<LaunchWorkload>(context);
}

} // namespace NESTBED_BACKEND
} // namespace nestbed
