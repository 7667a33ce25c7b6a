// Strategies of the workload `reduce` include this header. It defines their job and the registration of their entry.
#pragma once

#include "device/workload.hpp"
#include "model/reduce_reference.hpp"

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
    block_sums,   // out[b]: the sum of elements b * span to (b + 1) * span - 1, span = block * blocks_a_sum
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
ReductionWave<T> part_of(const Reduction<T>& job, const Wave& wave)
{
    return {{wave, job.context}, job.in + std::uint64_t{wave.first} * job.block, job.out + wave.first};
}

class ReduceStrategy : public Strategy
{
  public:
    static constexpr std::array<std::string_view, 1> kWorkloads{"reduce"};

    // Returns the function to time. It issues all work and does not wait for it. prepare() creates what the function
    // needs; this lives as long as the function.
    virtual std::function<void()> prepare(const Reduction<std::int32_t>& job) const = 0;
    virtual std::function<void()> prepare(const Reduction<float>& job) const = 0;
    virtual Answer answer() const = 0;
    virtual unsigned blocks_a_sum() const = 0;
};

// Registers S with this backend. S has the members that Entry requires,
//     template <class T> static void run(const Reduction<T>&);            issues all work, does not wait for it
// and, if needed,
//     static constexpr Answer answer;                                     default: block_sums
//     static constexpr unsigned blocks_a_sum;                             blocks of the case per sum; default: 1
//     template <class T> static P prepare(const Reduction<T>&);           untimed; run() then takes a P& too
// A strategy that is cuda_only has run() and prepare() only for nvcc.
template <class S>
class RegisterReduction final : public Entry<S, ReduceStrategy>
{
  public:
    std::function<void()> prepare(const Reduction<std::int32_t>& job) const override { return prepared(job); }
    std::function<void()> prepare(const Reduction<float>& job) const override { return prepared(job); }
    Answer answer() const override
    {
        if constexpr (requires { S::answer; })
            return S::answer;
        return Answer::block_sums;
    }

    unsigned blocks_a_sum() const override
    {
        if constexpr (requires { S::blocks_a_sum; })
            return S::blocks_a_sum;
        return 1;
    }

  private:
    template <class T>
    static std::function<void()> prepared(const Reduction<T>& job)
    {
        if constexpr (kBackend != BackendKind::cuda && S::info.cuda_only) {
            throw std::logic_error("the session lets no such case through");
        } else if constexpr (requires { S::prepare(job); }) {
            auto state = std::make_shared<decltype(S::prepare(job))>(S::prepare(job));
            return [&job, state] { S::run(job, *state); };
        } else {
            return [&job] { S::run(job); };
        }
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
