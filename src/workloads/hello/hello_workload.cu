// The workload `hello`: counts greetings. The right answer is the number of threads in the whole tree.
#include "workloads/hello/greeting.hpp"

#include <cstdio>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

// grid * (block + block/2 + ... ), one term per level.
std::uint64_t threads_of_tree(const Case& point, unsigned levels)
{
    std::uint64_t threads = 0;
    for (unsigned level = 0; level <= levels; ++level)
        threads += std::uint64_t{point.grid} * (point.block >> level);
    return threads;
}

class HelloWorkload final : public Workload
{
  public:
    using WorkloadTraits = HelloTraits;

    explicit HelloWorkload(Context& context)
        : context_(context), greetings_(context.allocate<unsigned long long>(1, "greetings"))
    {
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const std::uint64_t expected = threads_of_tree(run.point, run.form.levels());
        if (run.with_output)
            context_.reserve_printf(expected + run.form.total());
        context_.fill_bytes(greetings_, 0, 1);
        Greeting job{run, greetings_.data()};
        job.done = done_.of(context_, run.form);
        Sample sample = timed(run, strategy_of<WorkloadTraits>(strategy).prepare(job));
        static_cast<void>(std::fflush(stdout));
        unsigned long long greeted = 0;
        context_.download(std::span(&greeted, 1), greetings_);
        sample.answer = std::to_string(greeted);
        sample.reference = std::to_string(expected);
        if (greeted != expected) {
            sample.status = Status::wrong;
            sample.detail = sample.answer + " threads greeted instead of " + sample.reference;
        }
        return sample;
    }

    void release() override { done_.release(); }

  private:
    Context& context_;
    Buffer<unsigned long long> greetings_;
    WaitFlags done_;
};

const RegisterWorkload<HelloWorkload> hello_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
