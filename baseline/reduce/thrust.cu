// thrust: the library's reduction as most users write it, thrust::reduce. CUDA only.
//
// Launches: none from the device; CUB makes its launches from the host. Each call allocates scratch memory, copies
// the sum to the host and waits for it. The measured time includes all of that.
// Hazards: none.
// Source: Thrust, which comes with the CUDA toolkit. Sums have 64 bits.
#include "workloads/reduce/reduction.hpp"

#ifdef __CUDACC__
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/system_error.h>

#include <new>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

struct Thrust {
    static constexpr StrategyInfo info{
        .name = "thrust",
        .workload = &workloads::reduce,
        .summary = "the library: thrust::reduce, including its allocation and its wait",
        .hazards = "none: the library synchronizes its own kernels",
        .source = "Thrust",
        .cuda_only = true,
        .waits = true,
    };
    static constexpr Answer answer = Answer::returned;

#ifdef __CUDACC__
    template <class T>
    static void run(const Reduction<T>& job)
    {
        job.context.lose_count_of_host_launches();
        const T* const in = job.in;
        try {
            *job.host_sum = ::thrust::reduce(::thrust::cuda::par.on(job.context.stream(0)), in, in + job.elements,
                                             WideSum<T>{}, ::thrust::plus<WideSum<T>>{});
        } catch (const ::thrust::system_error& error) {
            check(static_cast<cudaError_t>(error.code().value()));
        } catch (const std::bad_alloc&) {
            throw RunError("out of GPU memory: Thrust's scratch memory could not be allocated");
        }
    }
#endif
};

const Register<Thrust, ReduceTraits> thrust_sum;

} // namespace nestbed::inline NESTBED_BACKEND
