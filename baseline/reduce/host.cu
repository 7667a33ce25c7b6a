// host: one core of the host's CPU computes the sum, for reference.
//
// Launches: none. Hazards: none. The sum has 64 bits (int64 for int32, double for float32).
// Source: std::transform_reduce, which replaces the book's "recursiveReduce".
#include "workloads/reduce/reduction.hpp"

#include <functional>
#include <numeric>

namespace nestbed::inline NESTBED_BACKEND
{

struct Host {
    static constexpr StrategyInfo info{
        .name = "host",
        .workload = &workloads::reduce,
        .summary = "a sum on the host, on one core",
        .hazards = "none: no kernel",
        .source = "the C++ standard library",
        .on_host = true,
    };
    static constexpr Answer answer = Answer::on_host;

    template <class T>
    static void run(const Reduction<T>& job)
    {
        // Each element is converted to the wide type first: std::reduce may otherwise add two neighbours as type T.
        *job.host_sum = std::transform_reduce(job.host_in.begin(), job.host_in.end(), WideSum<T>{}, std::plus<>{},
                                              [](T value) { return WideSum<T>{value}; });
    }
};

const Register<Host, ReduceTraits> host;

} // namespace nestbed::inline NESTBED_BACKEND
