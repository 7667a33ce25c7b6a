// cub, cub_narrow: the library's reduction, cub::DeviceReduce::Sum. CUDA only.
//
// Launches: none from the device; one or two from the host.
// Hazards: none.
// Source: CUB, which comes with the CUDA toolkit. cub's result is of 64 bits (int64 for int32, double for float32), as in
// every strategy that sums the whole input; cub_narrow's is of the elements' own type: an int32 one wraps from some 2^24
// elements on, and is verified modulo 2^32.
#include "device/workloads/reduction.hpp"

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>
#endif

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

template <Answer Result>
struct CubStrategy {
    static constexpr Answer answer = Result;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::none(); }

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
            return cub::DeviceReduce::Sum(scratch, bytes, static_cast<const T*>(job.in), to,
                                          static_cast<std::int64_t>(job.elements), stream);
        };
        if constexpr (Result == Answer::narrow_total)
            return call(job.out);
        else
            return call(job.total);
    }
#endif
};

struct Cub : CubStrategy<Answer::total> {
    static constexpr StrategyInfo info{
        .name = "cub",
        .workload = "reduce",
        .summary = "the library: cub::DeviceReduce::Sum into 64 bits",
        .hazards = "none: the library's",
        .source = "CUB",
        .cuda_only = true,
    };
};

struct CubNarrow : CubStrategy<Answer::narrow_total> {
    static constexpr StrategyInfo info{
        .name = "cub_narrow",
        .workload = "reduce",
        .summary = "the library: cub::DeviceReduce::Sum into the elements' own type",
        .hazards = "none: but an int32 sum wraps from some 2^24 elements on",
        .source = "CUB",
        .cuda_only = true,
    };
};

const RegisterReduction<Cub> cub_sum;
const RegisterReduction<CubNarrow> cub_narrow;

} // namespace NESTBED_BACKEND
} // namespace nestbed
