// The workloads `chain` and `fanout`: every launch must run once and must begin after its call. A sample consists of
// two runs: the first is timed as a whole, the second marks when each launch was called and began. A sample of many runs has
// no second one: it times each run, on the host's clock and on the device's.
#include "base/statistics.hpp"
#include "workloads/launch/launch_job.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

// What a run leaves on the device.
struct RunRecord {
    unsigned long long sum; // LaunchMarks::sum
    LevelSpan span;
    unsigned long long next; // when the kernel after the run began
};

// The next work on the device.
__global__ void mark_next(unsigned long long* began)
{
    *began = timer_ns();
}

// The times of the runs of a sample, in us.
struct TimesOfRuns {
    std::vector<double> wall, span, next, host;

    void add(double wall_us, double host_us, const RunRecord& record)
    {
        constexpr double kNsPerUs = 1000;
        wall.push_back(wall_us);
        host.push_back(host_us);
        span.push_back(static_cast<double>(record.span.ended - record.span.began) / kNsPerUs);
        next.push_back(static_cast<double>(record.next - record.span.began) / kNsPerUs);
    }
    RunTimes summary() const
    {
        return {.wall = spread_of(wall), .span = spread_of(span), .next = spread_of(next), .host_us = median(host)};
    }
};

constexpr unsigned kUntimedRuns = 10; // before the others of a sample

class LaunchWorkload final : public Workload
{
  public:
    using WorkloadTraits = LaunchTraits;

    explicit LaunchWorkload(Context& context)
        : context_(context), record_(context.allocate<RunRecord>(1, "record")),
          ledger_(context.allocate<Ledger>(1, kOwnRecords))
    {
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& launcher = strategy_of<WorkloadTraits>(strategy);
        LaunchJob job{run, launcher.facts().count(run.point)};
        if (called_.size() < job.launches) {
            called_ = context_.allocate<unsigned long long>(job.launches, "called_ns");
            began_ = context_.allocate<unsigned long long>(job.launches, "began_ns");
        }
        if (run.marked && run.point.runs > 1)
            return many(launcher, job);
        Sample sample = once(launcher, job, false);
        if (sample.status != Status::ok || !run.marked)
            return sample;
        job.ledger = &ledger_; // the second run: with marks, its own ledger and another order
        job.seed = ~run.seed;
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
    // Makes the marks of a run, and what it needs on the device.
    void make_ready(LaunchJob& job, bool marked)
    {
        job.marks = {.called = marked ? called_.data() : nullptr,
                     .began = marked ? began_.data() : nullptr,
                     .sum = &record_.data()->sum};
        job.reset = [this, &job, marked] {
            context_.fill_bytes(*job.ledger, 0, 1);
            context_.fill_bytes(record_, 0, 1);
            if (!marked)
                return;
            context_.fill_bytes(called_, 0, job.launches);
            context_.fill_bytes(began_, 0, job.launches);
        };
        job.reset();
        job.done = done_.of(context_, job.form);
    }

    // What the run left; the sample has its sum, and what is wrong with it.
    RunRecord check(Sample& sample, const LaunchJob& job)
    {
        RunRecord record{};
        context_.download(std::span(&record, 1), record_);
        const unsigned long long expected = job.launches * (job.launches + 1ULL) / 2;
        sample.answer = std::to_string(record.sum);
        sample.reference = std::to_string(expected);
        if (record.sum != expected) {
            sample.status = Status::wrong;
            sample.detail =
                "the numbers of the grids that ran add up to " + sample.answer + " instead of " + sample.reference;
        }
        return record;
    }

    // A sample of many runs, one after another: each is timed and checked. The first that is wrong ends it.
    Sample many(const StrategyOf<LaunchTraits>& launcher, LaunchJob& job)
    {
        if (job.launches == 0)
            throw Unsupported("a sample of many runs times levels, and this case has none; allowed: --depth from 1");
        std::vector<std::function<void()>> before_next;
        job.before_next = &before_next;
        make_ready(job, false);
        job.marks.span = &record_.data()->span;
        job.marks.launches = job.launches;
        const std::function<void()> work = launcher.prepare(job);
        TimesOfRuns times;
        for (unsigned run = 0;; ++run) {
            double host_us = 0;
            Sample sample = timed(job, [&] {
                const ThreadClock clock;
                work();
                host_launch<mark_next>(context_, 0, {1, 1}, &record_.data()->next);
                host_us = clock.elapsed_us();
            });
            const RunRecord record = check(sample, job);
            if (sample.status != Status::ok)
                return sample;
            if (run >= kUntimedRuns)
                times.add(*sample.wall_us, host_us, record);
            if (times.wall.size() == job.point.runs) {
                sample.runs = times.summary();
                sample.wall_us = sample.runs->wall.median;
                sample.gpu_us.reset(); // the span is: between two events is also what the host does between levels
                return sample;
            }
            job.reset();
            for (const std::function<void()>& make_ready_again : before_next)
                make_ready_again();
        }
    }

    Sample once(const StrategyOf<LaunchTraits>& launcher, LaunchJob& job, bool marked)
    {
        make_ready(job, marked);
        const std::function<void()> work = launcher.prepare(job);
        if (marked)
            context_.name_range(""); // only the timed run has a range
        Sample sample = timed(job, work);
        check(sample, job);
        if (sample.status == Status::ok && marked)
            read_marks(sample, job.launches);
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
    Buffer<unsigned long long> called_, began_;
    Buffer<RunRecord> record_;
    Buffer<Ledger> ledger_;
    WaitFlags done_;
};

const RegisterWorkload<LaunchWorkload> launch_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
