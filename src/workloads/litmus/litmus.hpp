// What a strategy of the workload `litmus` includes. Each strategy is one pattern of memory visibility: one thread writes, another
// reads. Each block of the root grid is one instance of the pattern, with words of its own. A run counts how many instances read the
// stale value, the one from before the write.
#pragma once

#include "device/launch_waves.hpp"
#include "workloads/litmus/descriptor.hpp"

#include <array>
#include <cstdint>

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kStale = 0;             // in all words before a run
inline constexpr unsigned kFresh = 1;             // what a pattern writes
inline constexpr unsigned kUnread = 0xFFFFFFFF;   // in `seen` before a run
inline constexpr unsigned kWordsOfCacheLine = 32; // of a GPU: 128 bytes
inline constexpr unsigned kLinesOfInstance = 3;   // so that no two words share a line
inline constexpr unsigned kWordsOfInstance = kLinesOfInstance * kWordsOfCacheLine;

// The words of an instance.
struct LitmusWords {
    unsigned* data; // its first word; word() has the others
    unsigned* seen; // what the reader read

    __host__ __device__ LitmusWords of(unsigned instance) const
    {
        return {data + static_cast<std::size_t>(instance) * kWordsOfInstance, seen + instance};
    }
    // Below kLinesOfInstance: a word with a cache line of its own.
    __device__ unsigned* word(unsigned index) const { return data + index * kWordsOfCacheLine; }
};

// A child that writes, later by the delay of the case. It has one thread.
template <class Nest>
__global__ void litmus_write(LitmusWords mine, Nest nest)
{
    const auto scope = nest.enter();
    nest.delay(true);
    *mine.data = kFresh;
}

// A child whose own child writes. It has one thread.
template <Mechanism How, class Nest>
__global__ void litmus_write_below(LitmusWords mine, Nest nest)
{
    const auto scope = nest.enter();
    launch_by<litmus_write<Nest>, How>(nest, {1, 1}, mine);
}

// A child that reads. It has one thread.
template <class Nest>
__global__ void litmus_read(LitmusWords mine, Nest nest)
{
    const auto scope = nest.enter();
    *mine.seen = *mine.data;
}

struct LitmusJob : PreparedRun {
    LitmusWords words; // of the first instance
};

// A strategy has the members that Register requires; prepare() if the host writes something before the launch.
struct LitmusTraits {
    using Job = LitmusJob;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{&workloads::litmus};

    template <class S>
    static std::uint64_t scratch_bytes(const Case& point)
    {
        return std::uint64_t{point.grid} * (kWordsOfInstance + 1) * sizeof(unsigned);
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
