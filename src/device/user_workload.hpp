// What a file with a workload of a user's own includes (`nestbed build --new`): all that kernels and strategies use, and a workload
// whose answer is a number.
#pragma once

#include "device/launch_waves.hpp"
#include "device/parts/collective.hpp"
#include "device/workload_backend.hpp"

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

// The room of a workload whose strategies get a J.
template <class J, const WorkloadInfo*... Infos>
struct TraitsOf {
    using Job = J;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{Infos...};
};

// A run, as nestbed has prepared it, and what its kernels get.
template <class T>
struct TaskJob : PreparedRun {
    T task;
};

// A workload whose answer is one number, which is 0 before each run. W has
//     static T task(const Case&, Number* answer);      of a room with jobs of type TaskJob<T>
//     static Number reference(const Case&);
//     static bool is_right(const Case&, Number answer);
template <class W, class R, class Number>
class NumberWorkload : public Workload
{
  public:
    using WorkloadTraits = R;

    explicit NumberWorkload(Context& context) : answer_(context.allocate<Number>(1, "answer")) {}

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        run.context.fill_bytes(answer_, 0, 1);
        const typename WorkloadTraits::Job job{run, W::task(run.point, answer_.data())};
        Sample sample = timed(run, strategy_of<WorkloadTraits>(strategy).prepare(job));
        Number answer{};
        run.context.download(std::span(&answer, 1), answer_);
        sample.answer = std::to_string(answer);
        sample.reference = std::to_string(W::reference(run.point));
        if (W::is_right(run.point, answer))
            return sample;
        sample.status = Status::wrong;
        sample.detail = "the answer is " + sample.answer + " instead of " + sample.reference;
        return sample;
    }

    void release() override {}

  private:
    Buffer<Number> answer_;
};

} // namespace nestbed::inline NESTBED_BACKEND
