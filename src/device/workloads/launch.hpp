// What the strategies of the workloads `chain` and `fanout` include: launches that do nothing but tell when they were
// called and when they began.
#pragma once

#include "device/launch_waves.hpp"

#include <array>
#include <cstdint>

namespace nestbed::inline NESTBED_BACKEND
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

struct LaunchJob : PreparedRun {
    std::uint32_t launches; // levels of a chain below the root grid; children of a fan-out
    LaunchMarks marks{};
    std::function<void()> reset{}; // brings ledger, sum and marks back to zero
};

class LaunchStrategy : public Strategy
{
  public:
    static constexpr std::array<std::string_view, 2> kWorkloads{"chain", "fanout"};

    // How many grids come after the root grid, or beside it.
    virtual std::uint32_t count(const Case& point) const = 0;
    // What is timed: issues all work, waits for none.
    virtual std::function<void()> prepare(const LaunchJob& job) const = 0;
    std::uint64_t scratch_bytes(const Case& point) const override
    {
        return 2 * sizeof(unsigned long long) * count(point); // marks
    }
};

// Makes S an entry of this backend's registry. S has what Entry says, and
//     static std::uint32_t count(const Case&);                    launches by whatever mechanism
//     static std::function<void()> prepare(const LaunchJob&);     what is timed
template <class S>
class RegisterLaunch final : public Entry<S, LaunchStrategy>
{
    std::uint32_t count(const Case& point) const override { return S::count(point); }
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

} // namespace nestbed::inline NESTBED_BACKEND
