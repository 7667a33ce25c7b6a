// host_parallel: all cores of the host's CPU compute the sum.
//
// Launches: none. Hazards: none. OpenMP starts its threads before the timed region. If it cannot start them, it ends
// the process, and the row has the status `crashed`. The sum has 64 bits.
// Source: an OpenMP reduction.
#include "workloads/reduce/reduction.hpp"

#include <algorithm>
#include <thread>

namespace nestbed::inline NESTBED_BACKEND
{

struct HostParallel {
    static constexpr StrategyInfo info{
        .name = "host_parallel",
        .workload = &workloads::reduce,
        .summary = "a sum on the host, on all cores",
        .hazards = "none: no kernel",
        .source = "OpenMP",
        .on_host = true,
    };
    static constexpr Answer answer = Answer::on_host;

    // The first parallel region starts the threads.
    template <class T>
    static WideSum<T> prepare(const Reduction<T>& job)
    {
        return sum_of(job.host_in.first(0));
    }

    template <class T>
    static void run(const Reduction<T>& job, WideSum<T> /*of_none*/)
    {
        *job.host_sum = sum_of(job.host_in);
    }

  private:
    template <class T>
    static WideSum<T> sum_of(std::span<const T> numbers)
    {
        const T* first = numbers.data();
        WideSum<T> sum{};
        const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
#pragma omp parallel for simd reduction(+ : sum) num_threads(threads)
        for (std::size_t index = 0; index < numbers.size(); ++index)
            sum += first[index];
        return sum;
    }
};

const Register<HostParallel, ReduceTraits> host_parallel;

} // namespace nestbed::inline NESTBED_BACKEND
