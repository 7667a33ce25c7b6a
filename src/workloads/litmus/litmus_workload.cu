// The workload `litmus`: counts the instances of a pattern that read the stale value. Any is a wrong answer, also of a racy pattern:
// the row then says how many.
#include "workloads/litmus/litmus.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

class LitmusWorkload final : public Workload
{
  public:
    using WorkloadTraits = LitmusTraits;

    explicit LitmusWorkload(Context& context) : context_(context) {}

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const std::size_t instances = run.point.grid;
        const std::size_t words = instances * kWordsOfInstance;
        if (seen_.size() < instances) {
            release();
            data_ = context_.allocate<unsigned>(words, "data");
            seen_ = context_.allocate<unsigned>(instances, "seen");
        }
        constexpr unsigned char kByteOfUnread = 0xFF;
        context_.fill_bytes(data_, kStale, words);
        context_.fill_bytes(seen_, kByteOfUnread, instances);
        LitmusJob job{run, {.data = data_.data(), .seen = seen_.data()}};
        job.done = done_.of(context_, run.form);
        context_.restrict_to_mechanism(std::nullopt); // some patterns launch by two mechanisms
        Sample sample = timed(job, strategy_of<WorkloadTraits>(strategy).prepare(job));
        std::vector<unsigned> seen(instances);
        context_.download(std::span(seen), seen_);
        judge(sample, seen);
        return sample;
    }

    void release() override
    {
        data_ = {};
        seen_ = {};
        done_.release();
    }

  private:
    static void judge(Sample& sample, const std::vector<unsigned>& seen)
    {
        const auto fresh = std::ranges::count(seen, kFresh);
        const auto unread = std::ranges::count(seen, kUnread);
        const auto stale = static_cast<std::ptrdiff_t>(seen.size()) - fresh - unread;
        sample.answer = std::to_string(stale);
        sample.reference = std::to_string(0);
        if (stale + unread == 0)
            return;
        sample.status = Status::wrong;
        const std::string of = " of " + std::to_string(seen.size()) + " instances read ";
        sample.detail =
            unread == 0 ? std::to_string(stale) + of + "the stale value" : std::to_string(unread) + of + "nothing";
    }

    Context& context_;
    Buffer<unsigned> data_, seen_;
    WaitFlags done_;
};

const RegisterWorkload<LitmusWorkload> litmus_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
