// The workloads `chain` and `fanout`: every launch must run once and must begin after its call. A sample consists of
// two runs: the first is timed as a whole, the second marks when each launch was called and began.
#include "workloads/launch/launch.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

class LaunchWorkload final : public Workload
{
  public:
    using Room = LaunchRoom;

    explicit LaunchWorkload(Context& context)
        : context_(context), sum_(context.allocate<unsigned long long>(1, "sum")),
          ledger_(context.allocate<Ledger>(1, kOwnRecords))
    {
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& launcher = of_room<Room>(strategy);
        LaunchJob job{run, launcher.facts().count(run.point)};
        if (called_.size() < job.launches) {
            called_ = context_.allocate<unsigned long long>(job.launches, "called_ns");
            began_ = context_.allocate<unsigned long long>(job.launches, "began_ns");
        }
        Sample sample = once(launcher, job, false);
        if (sample.status != Status::ok || !run.marked)
            return sample;
        job.ledger = &ledger_; // the second run: with marks, its own ledger and another order
        job.draws = ~run.draws;
        const Sample marked = once(launcher, job, true);
        sample.status = marked.status;
        sample.detail = marked.detail;
        sample.answer = marked.answer;
        sample.latencies_us = marked.latencies_us;
        if (sample.status != Status::ok) // the session judges the contents of its own ledger
            context_.copy(*run.ledger, ledger_, 1);
        return sample;
    }

    void release() override
    {
        called_ = {};
        began_ = {};
        done_.release();
    }

  private:
    Sample once(const StrategyOf<LaunchRoom>& launcher, LaunchJob& job, bool marked)
    {
        job.marks = {.called = marked ? called_.data() : nullptr,
                     .began = marked ? began_.data() : nullptr,
                     .sum = sum_.data()};
        job.reset = [&] {
            context_.fill_bytes(*job.ledger, 0, 1);
            context_.fill_bytes(sum_, 0, 1);
            context_.fill_bytes(called_, 0, job.launches);
            context_.fill_bytes(began_, 0, job.launches);
        };
        job.reset();
        job.done = done_.of(context_, job.form);
        const std::function<void()> work = launcher.prepare(job);
        if (marked)
            context_.name_range(""); // only the timed run has a range
        Sample sample = timed(job, work);
        unsigned long long sum = 0;
        context_.download(std::span(&sum, 1), sum_);
        const unsigned long long expected = job.launches * (job.launches + 1ULL) / 2;
        sample.answer = std::to_string(sum);
        sample.reference = std::to_string(expected);
        if (sum != expected) {
            sample.status = Status::wrong;
            sample.detail =
                "the numbers of the grids that ran add up to " + sample.answer + " instead of " + sample.reference;
        } else if (marked) {
            read_marks(sample, job.launches);
        }
        return sample;
    }

    void read_marks(Sample& sample, std::uint32_t launches)
    {
        std::vector<unsigned long long> called(launches);
        std::vector<unsigned long long> began(launches);
        context_.download(std::span(called), called_);
        context_.download(std::span(began), began_);
        for (std::uint32_t launch = 0; launch < launches; ++launch) {
            if (called[launch] == 0)
                continue; // no kernel called this launch
            if (began[launch] < called[launch]) {
                sample.status = Status::wrong;
                sample.detail = "launch " + std::to_string(launch) + " began " +
                                std::to_string(called[launch] - began[launch]) + " ns before its call";
                sample.latencies_us.clear();
                return;
            }
            sample.latencies_us.push_back(static_cast<double>(began[launch] - called[launch]) / 1000.0);
        }
    }

    Context& context_;
    Buffer<unsigned long long> called_, began_, sum_;
    Buffer<Ledger> ledger_;
    WaitFlags done_;
};

const RegisterWorkload<LaunchWorkload> launch_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
