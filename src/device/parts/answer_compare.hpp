// Compares a device's answer with the reference on the device itself: a download of each answer would take longer than the run.
#pragma once

#include "device/language.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace nestbed::inline NESTBED_BACKEND
{

// Elements of one array that differ from those of another in any bit.
struct Differences {
    unsigned long long count;
    unsigned long long first; // index; all ones if there is none
};

template <class T>
__global__ void find_differences(const T* one, const T* other, std::uint64_t elements, Differences* found)
{
    constexpr unsigned kWordBytes = sizeof(unsigned);
    static_assert(sizeof(T) % kWordBytes == 0);
    constexpr unsigned kWords = sizeof(T) / kWordBytes;
    const auto* const words = reinterpret_cast<const unsigned*>(one);
    const auto* const other_words = reinterpret_cast<const unsigned*>(other);
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; index < elements; index += stride) {
        bool same = true;
        for (unsigned word = 0; word < kWords; ++word)
            same = same && words[index * kWords + word] == other_words[index * kWords + word];
        if (same)
            continue;
        atomicAdd(&found->count, 1ULL);
        atomicMin(&found->first, static_cast<unsigned long long>(index));
    }
}

// A grid that fills the device; a thread of it does every stride-th element.
inline LaunchShape whole_device(const Context& context)
{
    constexpr unsigned kBlocksPerMultiprocessor = kBackend == BackendKind::cuda ? 8 : 1;
    constexpr unsigned kThreads = kBackend == BackendKind::cuda ? 256 : 1;
    return {kBlocksPerMultiprocessor * context.facts().multiprocessors, kThreads};
}

class Comparison
{
  public:
    explicit Comparison(Context& context) : found_(context.allocate<Differences>(1, "differences")) {}

    template <class T>
    Differences of(Context& context, const Buffer<T>& one, const Buffer<T>& other, std::uint64_t elements)
    {
        const Differences none{.count = 0, .first = ~0ULL};
        context.upload(found_, std::span(&none, 1));
        context.time(1, [&] {
            host_launch<find_differences<T>>(context, whole_device(context), static_cast<const T*>(one.data()),
                                             static_cast<const T*>(other.data()), elements, found_.data());
        });
        Differences found{};
        context.download(std::span(&found, 1), found_);
        return found;
    }

  private:
    Buffer<Differences> found_;
};

} // namespace nestbed::inline NESTBED_BACKEND
