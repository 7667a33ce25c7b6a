// sort_thrust: the library's sort as most users write it, thrust::sort. CUDA only.
//
// Launches: none from the device; CUB makes its launches from the host. Each call allocates scratch memory. The measured
// time includes that. Sorts in place: the copy of the input is not measured.
// Hazards: none. Keys alone and keys with values are sorted by CUB's radix sort, which is stable.
// Source: Thrust, which comes with the CUDA toolkit.
#include "workloads/sort/sort.hpp"

#ifdef __CUDACC__
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>

#include <new>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

struct SortThrust {
    static constexpr StrategyInfo info{
        .name = "sort_thrust",
        .workload = &workloads::sort,
        .summary = "the library: thrust::sort in place, including its allocation",
        .hazards = "none: the library synchronizes its own kernels",
        .source = "Thrust",
        .cuda_only = true,
        .waits = true,
    };
    static constexpr SortForm form = SortForm::flat;
    static constexpr bool in_place = true;

#ifdef __CUDACC__
    static void run(const SortJob& job)
    {
        job.context.lose_count_of_host_launches();
        try {
            if (job.point.type == ElementType::float32)
                sort_as<float>(job);
            else
                sort_as<int>(job);
        } catch (const ::thrust::system_error& error) {
            check(static_cast<cudaError_t>(error.code().value()));
        } catch (const std::bad_alloc&) {
            throw RunError("out of GPU memory: Thrust's scratch memory could not be allocated");
        }
    }

  private:
    template <class T>
    static void sort_as(const SortJob& job)
    {
        const SortArray& out = job.task.at(SortPlace::out);
        auto* const keys = reinterpret_cast<T*>(out.keys);
        const auto policy = ::thrust::cuda::par.on(job.context.stream(0));
        if (out.values == nullptr)
            ::thrust::sort(policy, keys, keys + job.task.count);
        else
            ::thrust::sort_by_key(policy, keys, keys + job.task.count, out.values);
    }
#endif
};

const Register<SortThrust, SortTraits> sort_thrust;

} // namespace nestbed::inline NESTBED_BACKEND
