// Strategies of the workload `reduce` include this header. It defines their job and the registration of their entry.
#pragma once

#include "device/workload_backend.hpp"
#include "workloads/reduce/descriptor.hpp"
#include "workloads/reduce/reduce_reference.hpp"

#include <array>
#include <cstdint>
#include <span>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/launch_waves.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// Where a strategy leaves its answer.
enum class Answer : std::uint8_t {
    block_sums,   // out[b]: the sum of elements b * span to (b + 1) * span - 1, span = block * blocks_per_sum
    total,        // *total: the sum of all elements, on the device
    narrow_total, // out[0]: the sum of all elements in their own type, int32 modulo 2^32
    returned,     // *host_sum: the sum of all elements, copied to the host
    on_host,      // *host_sum: the sum of all elements, computed by the host, timed only by the wall clock
};

// The job: sum `elements` numbers.
template <class T>
struct Reduction : PreparedRun {
    T* in;             // grid * block numbers, zero past `elements`; the strategy may overwrite them
    T* out;            // `grid` sums, filled with 0xFF bytes before every run
    WideSum<T>* total; // also filled with 0xFF bytes before every run
    std::uint64_t elements;
    std::uint32_t grid;
    std::uint32_t block;
    std::span<const T> host_in; // the numbers on the host, for strategies that run there
    WideSum<T>* host_sum;       // where these strategies store their sum
};

// A wave of the job, with its part of the data.
template <class T>
struct ReductionWave : RunWave {
    T* in;
    T* out;
};
template <class T>
ReductionWave<T> slice_for_wave(const Reduction<T>& job, const Wave& wave)
{
    return {{wave, job.context}, job.in + std::uint64_t{wave.first} * job.block, job.out + wave.first};
}

// The job in either type.
struct ReduceJob {
    const Reduction<std::int32_t>* ints = nullptr;
    const Reduction<float>* floats = nullptr;

    static constexpr bool kTyped = true; // see prepared()
    template <class Function>
    std::function<void()> typed(const Function& function) const
    {
        return floats != nullptr ? function(*floats) : function(*ints);
    }
};
inline const Tracer* tracer_of(const ReduceJob& job)
{
    return job.floats != nullptr ? job.floats->tracer : job.ints->tracer;
}
inline Context& context_of(const ReduceJob& job)
{
    return job.floats != nullptr ? job.floats->context : job.ints->context;
}
inline ReduceJob in_its_type(const Reduction<std::int32_t>& job)
{
    return {.ints = &job};
}
inline ReduceJob in_its_type(const Reduction<float>& job)
{
    return {.floats = &job};
}

// A strategy has the members that Register requires, as templates of the type of the numbers, and, if needed,
//     static constexpr Answer answer;                                     default: block_sums
//     static constexpr unsigned blocks_per_sum;                             blocks of the case per sum; default: 1
// A strategy that is cuda_only has run() and prepare() only for nvcc.
struct ReduceFacts {
    Answer answer = Answer::block_sums;
    unsigned blocks_per_sum = 1;

    template <class S>
    static constexpr ReduceFacts of()
    {
        ReduceFacts facts;
        if constexpr (requires { S::answer; })
            facts.answer = S::answer;
        if constexpr (requires { S::blocks_per_sum; })
            facts.blocks_per_sum = S::blocks_per_sum;
        return facts;
    }
};

struct ReduceTraits {
    using Job = ReduceJob;
    using Facts = ReduceFacts;
    static constexpr std::array kWorkloads{&workloads::reduce};
};

} // namespace nestbed::inline NESTBED_BACKEND
