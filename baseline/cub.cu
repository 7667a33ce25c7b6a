// cub: the library's reduction, cub::DeviceReduce::Sum. CUDA only.
//
// Launches: none from the device; one or two from the host.
// Hazards: none.
// Source: CUB, which comes with the CUDA toolkit. The result is of 64 bits (int64 for int32, double for float32), as in
// every strategy that sums the whole input: an int32 result wraps from some 2^24 elements on.
#include "../src/backend/reduction.hpp"

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>
#endif

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

struct Cub {
    static constexpr StrategyInfo info{
        .name = "cub",
        .workload = "reduce",
        .summary = "the library: cub::DeviceReduce::Sum into 64 bits",
        .hazards = "none: the library's",
        .source = "CUB",
        .cuda_only = true,
    };
    static constexpr Answer answer = Answer::total;

    static LaunchForm launches(const Case& /*point*/) { return LaunchForm::none(); }

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
        return cub::DeviceReduce::Sum(scratch, bytes, static_cast<const T*>(job.in), job.total,
                                      static_cast<std::int64_t>(job.elements), stream);
    }
#endif
};

const RegisterReduction<Cub> cub_sum;

} // namespace NESTBED_BACKEND
} // namespace nestbed
