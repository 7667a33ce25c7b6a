// host: the host's processor sums on one core, for reference.
//
// Launches: none. Hazards: none. It sums in 64 bits (int64 for int32, double for float32).
// Source: std::transform_reduce, in the place of the book's "recursiveReduce".
#include "device/workloads/reduction.hpp"

#include <functional>
#include <numeric>

namespace nestbed::inline NESTBED_BACKEND
{

struct Host {
    static constexpr StrategyInfo info{
        .name = "host",
        .workload = "reduce",
        .summary = "the host's own sum, on one core",
        .hazards = "none: no kernel",
        .source = "the C++ standard library",
        .on_host = true,
    };
    static constexpr Answer answer = Answer::on_host;

    template <class T>
    static void run(const Reduction<T>& job)
    {
        // Each element is widened first: std::reduce alone may add two neighbours in T before it adds them to the sum.
        *job.host_sum = std::transform_reduce(job.host_in.begin(), job.host_in.end(), WideSum<T>{}, std::plus<>{},
                                              [](T value) { return WideSum<T>{value}; });
    }
};

const RegisterReduction<Host> host;

} // namespace nestbed::inline NESTBED_BACKEND
