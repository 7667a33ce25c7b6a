// What a strategy of the workload `reduce` includes: the job it is given, and how its entry is registered.
#pragma once

#include "../core/launch_plan.hpp"
#include "../core/ledger.hpp"
#include "../core/reduce_reference.hpp"
#include "../core/strategy.hpp"
#include "language.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "nest.hpp"
#endif

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// Sum `elements` numbers: block b of the grid sums elements b * block to (b + 1) * block - 1 into out[b].
template <class T>
struct Reduction {
    Context& context;
    T* in;  // grid * block numbers, zero past `elements`; the strategy may overwrite them
    T* out; // grid sums, filled with 0xFF bytes before every run
    std::uint64_t elements;
    std::uint32_t grid;
    std::uint32_t block;
    LaunchPlan plan;
    Ledger* ledger;
    unsigned* done;             // see Nest
    unsigned max_depth;         // nested levels that may be launched
    std::span<const T> host_in; // the numbers on the host, for strategies that run there
    WideSum<T>* host_sum;       // where those put their one sum
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
    for_each_wave(job.plan, job.grid, [&](const Wave& wave) {
        const std::uint64_t offset = std::uint64_t{wave.first} * job.block;
        const std::uint64_t left = job.elements > offset ? job.elements - offset : 0;
        launch(ReductionWave<T>{wave, job, job.in + offset, job.out + wave.first,
                                std::min(left, std::uint64_t{wave.blocks} * job.block)});
    });
}

// Launches a flat kernel over a wave's blocks.
template <auto Kernel, class T, class... Args>
void launch_flat(const ReductionWave<T>& wave, std::uint32_t threads, Args... args)
{
    host_launch<Kernel>(wave.job.context, wave.stream, {wave.blocks, threads}, args...);
}

#ifndef NESTBED_FLAT
// Launches the root grid of a recursion over a wave's blocks; the kernel's last argument, the Nest, is added.
template <auto Kernel, class T, class... Args>
void launch_root(const ReductionWave<T>& wave, std::uint32_t threads, Args... args)
{
    const Nest nest{.ledger = wave.job.ledger,
                    .done = wave.job.done + std::uint64_t{wave.first} * wave.job.max_depth,
                    .max_depth = wave.job.max_depth};
    host_launch<Kernel>(wave.job.context, wave.stream, {wave.blocks, threads}, args..., nest);
}
#endif

class ReduceStrategy : public Strategy
{
  public:
    virtual void run(const Reduction<std::int32_t>& job) const = 0;
    virtual void run(const Reduction<float>& job) const = 0;
    virtual bool on_host() const = 0; // runs on the host: timed by the wall clock alone
};

// Makes S an entry of this backend's registry. S has
//     static constexpr StrategyInfo info;
//     static LaunchForm launches(const Case&);                            the closed form
//     template <class T> static void run(const Reduction<T>&);            issues all work, waits for none
//     static constexpr bool on_host = true;                               only if so
template <class S>
class RegisterReduction final : public ReduceStrategy
{
  public:
    RegisterReduction() { Registry::add(kBackend, *this); }
    const StrategyInfo& info() const override { return S::info; }
    LaunchForm launches(const Case& point) const override { return S::launches(point); }
    void run(const Reduction<std::int32_t>& job) const override { S::template run<std::int32_t>(job); }
    void run(const Reduction<float>& job) const override { S::template run<float>(job); }
    bool on_host() const override
    {
        if constexpr (requires { S::on_host; })
            return S::on_host;
        return false;
    }
};

} // namespace NESTBED_BACKEND
} // namespace nestbed
