// cub, cub_narrow: the library's reduction, cub::DeviceReduce::Sum. CUDA only.
//
// Launches: none from the device; one or two from the host.
// Hazards: none.
// Source: CUB, which comes with the CUDA toolkit. cub returns a 64-bit result (int64 for int32, double for float32),
// as every strategy does that sums the whole input. cub_narrow returns a result of the element type. An int32 result
// overflows from about 2^24 elements on, and is verified modulo 2^32.
#include "workloads/reduce/reduction.hpp"

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

template <Answer Result>
struct Cub {
    static constexpr bool kNarrow = Result == Answer::narrow_total;
    static constexpr StrategyInfo info{
        .name = kNarrow ? "cub_narrow" : "cub",
        .workload = &workloads::reduce,
        .summary = kNarrow ? "the library: cub::DeviceReduce::Sum, result of the element type"
                           : "the library: cub::DeviceReduce::Sum, 64-bit result",
        .hazards = kNarrow ? "none: but an int32 sum overflows from about 2^24 elements on"
                           : "none: the library synchronizes its own kernels",
        .source = "CUB",
        .cuda_only = true,
        .is_reference = true,
    };
    static constexpr Answer answer = Result;

#ifdef __CUDACC__
    template <class T>
    static Buffer<unsigned char> prepare(const Reduction<T>& job)
    {
        std::size_t bytes = 0;
        check(sum(job, nullptr, bytes));
        return job.context.template allocate<unsigned char>(bytes);
    }

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<unsigned char>& scratch)
    {
        std::size_t bytes = scratch.size();
        job.context.lose_count_of_host_launches();
        check(sum(job, scratch.data(), bytes));
    }

  private:
    template <class T>
    static cudaError_t sum(const Reduction<T>& job, void* scratch, std::size_t& bytes)
    {
        const cudaStream_t stream = scratch == nullptr ? nullptr : job.context.stream(0);
        const auto call = [&](auto* to) {
            const T* in = job.in; // const, so that CUB instantiates the same kernels as for its users
            return cub::DeviceReduce::Sum(scratch, bytes, in, to, static_cast<std::int64_t>(job.elements), stream);
        };
        if constexpr (kNarrow)
            return call(job.out);
        else
            return call(job.total);
    }
#endif
};

const Register<Cub<Answer::total>, ReduceTraits> cub_sum;
const Register<Cub<Answer::narrow_total>, ReduceTraits> cub_narrow;

} // namespace nestbed::inline NESTBED_BACKEND
