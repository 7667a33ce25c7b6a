// What the strategies of the workloads `chain` and `fanout` include: launches that do nothing but tell when they were
// called and when they began.
#pragma once

#include "device/tracer.hpp"
#include "model/launch_plan.hpp"
#include "model/strategy.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// Where the launches leave their marks, numbered from 0; all zero before a run. A run that is timed keeps no times of its
// own (`called` is null): reading the timer takes a good part of a microsecond.
struct LaunchMarks {
    unsigned long long* called; // timer_ns() right before the call; of a launch by the host, at the end of the grid
                                // before it in a chain, and 0 in a fan-out
    unsigned long long* began;  // timer_ns() as the launched grid's first instruction
    unsigned long long* sum;    // every launched grid adds its number + 1

    __device__ unsigned long long now() const { return called == nullptr ? 0 : timer_ns(); }
    __device__ void call(unsigned launch) const
    {
        if (called != nullptr)
            called[launch] = timer_ns();
    }
    // For one thread of the launched grid. `first`: now() as the grid's first instruction.
    __device__ void begin(unsigned launch, unsigned long long first) const
    {
        if (called != nullptr)
            began[launch] = first;
        atomicAdd(sum, launch + 1ULL);
    }
};

struct LaunchJob {
    Context& context;
    const Case& point;
    std::uint32_t launches; // levels of a chain below the root grid; children of a fan-out
    LaunchPlan plan;
    Mechanism mechanism;
    Ledger* ledger;
    LaunchMarks marks;
    Tracer* tracer = nullptr;    // of a traced run
    std::function<void()> reset; // brings ledger, sum and marks back to zero
};

class LaunchStrategy : public Strategy
{
  public:
    // How many grids come after the root grid, or beside it.
    virtual std::uint32_t count(const Case& point) const = 0;
    // What is timed: issues all work, waits for none.
    virtual std::function<void()> prepare(const LaunchJob& job) const = 0;
};

// Makes S an entry of this backend's registry. S has
//     static constexpr StrategyInfo info;
//     static ExpectedLaunches launches(const Case&);                       the closed form
//     static std::uint32_t count(const Case&);                       launches by whatever mechanism
//     static std::function<void()> prepare(const LaunchJob&);     what is timed
template <class S>
class RegisterLaunch final : public LaunchStrategy
{
  public:
    RegisterLaunch() { Registry::add(kBackend, *this); }
    const StrategyInfo& info() const override { return S::info; }
    ExpectedLaunches launches(const Case& point) const override { return S::launches(point); }
    std::uint32_t count(const Case& point) const override { return S::count(point); }
    std::uint64_t scratch_bytes(const Case& point) const override
    {
        return 2 * sizeof(unsigned long long) * S::count(point); // marks
    }
    std::function<void()> prepare(const LaunchJob& job) const override { return S::prepare(job); }
};

#ifdef __CUDACC__
// A graph of what `work` launches, to be launched by the host.
template <class Work>
std::function<void()> by_host_graph(const LaunchJob& job, Work&& work)
{
    auto graph = std::make_shared<Graph>(job.context.capture(false, work));
    return [&job, graph] { job.context.launch(*graph); };
}
#endif

} // namespace NESTBED_BACKEND
} // namespace nestbed
