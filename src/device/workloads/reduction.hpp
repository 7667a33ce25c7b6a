// What a strategy of the workload `reduce` includes: the job it is given, and how its entry is registered.
#pragma once

#include "device/language.hpp"
#include "model/launch_plan.hpp"
#include "model/ledger.hpp"
#include "model/reduce_reference.hpp"
#include "model/strategy.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/tracer.hpp"
#endif

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

class Tracer;

// What a strategy leaves behind.
enum class Answer : std::uint8_t {
    block_sums,   // out[b]: the sum of elements b * span to (b + 1) * span - 1, span = block * blocks_a_sum
    total,        // *total: the sum of all, on the device
    narrow_total, // out[0]: the sum of all in the elements' own type, int32 modulo 2^32
    returned,     // *host_sum: the sum of all, brought to the host
    on_host,      // *host_sum: the sum of all, by the host, timed by the wall clock alone
};

// Sum `elements` numbers.
template <class T>
struct Reduction {
    Context& context;
    const Case& point;
    T* in;             // grid * block numbers, zero past `elements`; the strategy may overwrite them
    T* out;            // grid sums, filled with 0xFF bytes before every run
    WideSum<T>* total; // filled likewise
    std::uint64_t elements;
    std::uint32_t grid;
    std::uint32_t block;
    LaunchPlan plan;
    Ledger* ledger;
    unsigned* done;     // see Nest; null if no parent waits
    unsigned max_depth; // nested levels that may be launched
    unsigned delay_us;  // see Nest
    Mechanism mechanism;
    std::span<const T> host_in; // the numbers on the host, for strategies that run there
    WideSum<T>* host_sum;       // where those put their one sum
    Tracer* tracer;             // of a traced run; else null
};

// A wave of the job, with its part of the data.
template <class T>
struct ReductionWave : Wave {
    const Reduction<T>& job;
    T* in;
    T* out;
    std::uint64_t elements; // blocks * block, less at the ragged end
};

// Calls launch(wave) for each wave of the job's plan, in order.
template <class T, class Launch>
void for_each_wave(const Reduction<T>& job, Launch&& launch)
{
    for_each_wave(job.plan, [&](const Wave& wave) {
        const std::uint64_t offset = std::uint64_t{wave.first} * job.block;
        const std::uint64_t left = job.elements > offset ? job.elements - offset : 0;
        launch(ReductionWave<T>{wave, job, job.in + offset, job.out + wave.first,
                                std::min(left, std::uint64_t{wave.blocks} * job.block)});
    });
}

// Launches a kernel over a wave's blocks.
template <auto Kernel, class T, class... Args>
void launch_wave(const ReductionWave<T>& wave, std::uint32_t threads, Args... args)
{
    host_launch<Kernel>(wave.job.context, wave.stream, {wave.blocks, threads}, args...);
}

#ifndef NESTBED_FLAT
// Calls call(nest) with the Nest of the root grid, or of the part of it that a wave is: a TracedNest in a traced run.
template <class T, class Call>
void with_nest(const Reduction<T>& job, const Wave& wave, Call&& call)
{
    const Nest nest{.ledger = job.ledger,
                    .done = job.done == nullptr ? nullptr : job.done + std::uint64_t{wave.first} * job.max_depth,
                    .max_depth = job.max_depth,
                    .delay_us = job.delay_us};
    with_nest(job.tracer, nest, call);
}
template <class T, class Call>
void with_nest(const ReductionWave<T>& wave, Call&& call)
{
    with_nest(wave.job, wave, call);
}
#endif

class ReduceStrategy : public Strategy
{
  public:
    // What is timed: issues all work, waits for none. What it needs is made before, and lives as long as it does.
    virtual std::function<void()> prepare(const Reduction<std::int32_t>& job) const = 0;
    virtual std::function<void()> prepare(const Reduction<float>& job) const = 0;
    virtual Answer answer() const = 0;
    virtual unsigned blocks_a_sum() const = 0;
};

// Makes S an entry of this backend's registry. S has
//     static constexpr StrategyInfo info;
//     static ExpectedLaunches launches(const Case&);                            the closed form
//     template <class T> static void run(const Reduction<T>&);            issues all work, waits for none
// and, if it needs to,
//     static constexpr Answer answer;                                     block_sums without it
//     static constexpr unsigned blocks_a_sum;                             of the case, for one of block_sums; 1 without it
//     template <class T> static P prepare(const Reduction<T>&);           untimed; run() then takes a P& too
//     static std::uint64_t scratch_bytes(const Case&);                    what that allocates on the device
// One that is cuda_only has run() and prepare() for nvcc alone.
template <class S>
class RegisterReduction final : public ReduceStrategy
{
  public:
    RegisterReduction() { Registry::add(kBackend, *this); }
    const StrategyInfo& info() const override { return S::info; }
    ExpectedLaunches launches(const Case& point) const override { return S::launches(point); }
    std::uint64_t scratch_bytes(const Case& point) const override
    {
        if constexpr (requires { S::scratch_bytes(point); })
            return S::scratch_bytes(point);
        return 0;
    }
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

} // namespace NESTBED_BACKEND
} // namespace nestbed
