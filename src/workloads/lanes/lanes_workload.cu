// The workload `lanes`: every block of the root grid and every accepted launch must run once, also if launches were
// refused.
#include "workloads/lanes/lanes.hpp"

#include <span>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

class LanesWorkload final : public Workload
{
  public:
    using WorkloadTraits = LanesTraits;

    explicit LanesWorkload(Context& context) : ran_(context.allocate<unsigned long long>(1, "ran")) {}

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const LanesJob job{run, ran_.data()};
        run.context.fill_bytes(ran_, 0, 1);
        Sample sample = timed(run, strategy_of<WorkloadTraits>(strategy).prepare(job));
        unsigned long long ran = 0;
        run.context.download(std::span(&ran, 1), ran_);
        Ledger ledger;
        run.context.download(std::span(&ledger, 1), *run.ledger);
        const LaunchCounts counts = counts_of(ledger);
        // Without the ledger, the closed form: it holds unless a refused grid would have launched.
        const std::uint64_t tried = kCountsLaunches ? counts.attempted : run.form.total();
        const std::uint64_t accepted = run.point.grid + tried - counts.failed;
        sample.answer = std::to_string(ran);
        sample.reference = std::to_string(run.point.grid + run.form.total()); // if no launch is refused
        if (ran != accepted) {
            sample.status = Status::wrong;
            sample.detail = sample.answer + " blocks ran instead of " + std::to_string(accepted);
        }
        return sample;
    }

    void release() override {}

  private:
    Buffer<unsigned long long> ran_;
};

const RegisterWorkload<LanesWorkload> lanes_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
