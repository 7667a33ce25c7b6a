// sort_radix, sort_merge: the library's sorts, cub::DeviceRadixSort and cub::DeviceMergeSort. CUDA only.
//
// Launches: none from the device; several from the host, by the library.
// Hazards: none. Both are stable. (For -0 and +0, and for NaNs, the library's orders of float32 are not the one of
// workloads/sort/sort_reference.hpp. No input has them.)
// Source: CUB, which comes with the CUDA toolkit.
#include "workloads/sort/sort.hpp"

#ifdef __CUDACC__
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
struct LessKey {
    template <class T>
    __device__ bool operator()(T one, T other) const
    {
        return one < other;
    }
};
#endif

template <bool Radix>
struct SortCub {
    static constexpr StrategyInfo info{
        .name = Radix ? "sort_radix" : "sort_merge",
        .workload = &workloads::sort,
        .summary = Radix ? "the library: cub::DeviceRadixSort" : "the library: cub::DeviceMergeSort",
        .hazards = "none: the library synchronizes its own kernels; stable",
        .source = "CUB",
        .cuda_only = true,
    };
    static constexpr SortForm form = SortForm::flat;
    static constexpr bool stable = true;

#ifdef __CUDACC__
    static Buffer<unsigned char> prepare(const SortJob& job)
    {
        std::size_t bytes = 0;
        check(sort(job, nullptr, bytes));
        return job.context.allocate<unsigned char>(bytes);
    }

    static void run(const SortJob& job, const Buffer<unsigned char>& scratch)
    {
        std::size_t bytes = scratch.size();
        job.context.lose_count_of_host_launches();
        check(sort(job, scratch.data(), bytes));
    }

  private:
    static cudaError_t sort(const SortJob& job, void* scratch, std::size_t& bytes)
    {
        if (job.point.type == ElementType::float32)
            return sort_as<float>(job, scratch, bytes);
        return sort_as<int>(job, scratch, bytes);
    }

    template <class T>
    static cudaError_t sort_as(const SortJob& job, void* scratch, std::size_t& bytes)
    {
        const SortArray& in = job.task.at(SortPlace::in);
        const SortArray& out = job.task.at(SortPlace::out);
        const auto* const keys = reinterpret_cast<const T*>(in.keys);
        auto* const sorted = reinterpret_cast<T*>(out.keys);
        const unsigned* const values = in.values;
        const auto count = static_cast<int>(job.task.count); // offsets of 32 bits are the fastest
        const cudaStream_t stream = scratch == nullptr ? nullptr : job.context.stream(0);
        if constexpr (Radix) {
            constexpr int kBits = 32;
            if (values == nullptr)
                return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, sorted, count, 0, kBits, stream);
            return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, values, out.values, count, 0, kBits,
                                                   stream);
        } else {
            if (values == nullptr)
                return cub::DeviceMergeSort::SortKeysCopy(scratch, bytes, keys, sorted, count, LessKey{}, stream);
            return cub::DeviceMergeSort::SortPairsCopy(scratch, bytes, keys, values, sorted, out.values, count,
                                                       LessKey{}, stream);
        }
    }
#endif
};

const Register<SortCub<true>, SortTraits> sort_radix;
const Register<SortCub<false>, SortTraits> sort_merge;

} // namespace nestbed::inline NESTBED_BACKEND
