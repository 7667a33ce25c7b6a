// The workload `hello`: counts greetings; the right answer is the number of threads of the whole tree.
#include "device/workload.hpp"
#include "device/workloads/greeting.hpp"

#include <cstdio>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

namespace
{

// grid * (block + block/2 + ... ), a term a level.
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
    explicit HelloWorkload(Context& context) : context_(context), greetings_(context.allocate<unsigned long long>(1))
    {
    }

    Sample sample(const Strategy& strategy, const Case& point, const PreparedRun& launching, bool aloud) override
    {
        const auto& greeter = dynamic_cast<const GreetingStrategy&>(strategy);
        const std::uint64_t expected = threads_of_tree(point, launching.form.levels());
        if (aloud)
            context_.reserve_printf(expected + launching.form.total());
        context_.fill_bytes(greetings_, 0, 1);
        const Greeting job{.context = context_,
                           .grid = point.grid,
                           .block = point.block,
                           .plan = launching.plan,
                           .ledger = launching.ledger.data(),
                           .max_depth = launching.form.levels(),
                           .greetings = greetings_.data(),
                           .aloud = aloud,
                           .tracer = launching.tracer};
        const Elapsed elapsed = [&] {
            const TimedRange range(context_);
            return context_.time(launching.plan.streams, [&] { greeter.run(job); });
        }();
        static_cast<void>(std::fflush(stdout));
        Sample sample;
        sample.gpu_us = elapsed.gpu_us;
        sample.wall_us = elapsed.wall_us;
        sample.host_launches = elapsed.host_launches;
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

    void release() override {}

  private:
    Context& context_;
    Buffer<unsigned long long> greetings_;
};

} // namespace

std::unique_ptr<Workload> make_hello_workload(Context& context)
{
    return std::make_unique<HelloWorkload>(context);
}

} // namespace NESTBED_BACKEND
} // namespace nestbed
