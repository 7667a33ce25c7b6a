// Strategies of the workloads `chain` and `fanout` include this header: launches that only record when they were
// called and when they began.
#pragma once

#include "device/launch_waves.hpp"
#include "workloads/launch/descriptor.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

// When the first level of a chain began and the last one was done, by timer_ns(). Two reads of the timer in a whole chain: they do
// not change its time.
struct LevelSpan {
    unsigned long long began;
    unsigned long long ended;
};

// The marks of the launches, by launch number from 0. All are zero before a run. A timed run records no times
// (`called` is null), because reading the timer takes a large part of a microsecond.
struct LaunchMarks {
    unsigned long long* called; // timer_ns() right before the call. Host launches: in a chain, at the end of
                                // the previous grid; in a fan-out, 0
    unsigned long long* began;  // timer_ns() as the first instruction of the launched grid
    unsigned long long* sum;    // every launched grid adds its number + 1
    LevelSpan* span = nullptr;  // of a chain, if it is wanted
    unsigned launches = 0;      // of a chain

    __device__ unsigned long long now() const { return called == nullptr ? 0 : timer_ns(); }
    __device__ void call(unsigned launch) const
    {
        if (called != nullptr)
            called[launch] = timer_ns();
        if (span != nullptr && launch == 0)
            span->began = timer_ns();
    }
    // Call it from one thread of the launched grid. `first`: now(), taken as the first instruction of the grid.
    __device__ void begin(unsigned launch, unsigned long long first) const
    {
        if (called != nullptr)
            began[launch] = first;
        atomicAdd(sum, launch + 1ULL);
        if (span != nullptr && launch + 1 == launches)
            span->ended = timer_ns();
    }
};

struct LaunchJob : PreparedRun {
    std::uint32_t launches; // chain: levels below the root grid; fan-out: children
    LaunchMarks marks{};
    std::function<void()> reset{}; // sets ledger, sum and marks back to zero
    // What each run but the first needs before it. A sample may be many runs of one preparation.
    std::vector<std::function<void()>>* before_next = nullptr;

    // Calls make_ready(), and again before each further run of what is prepared.
    void before_each_run(const std::function<void()>& make_ready) const
    {
        make_ready();
        if (before_next != nullptr)
            before_next->push_back(make_ready);
    }
};

// A strategy has the members that Register requires, with a prepare() that returns the function to time, and
//     static std::uint32_t count(const Case&);          grids after the root grid (chain) or next to it (fan-out), by
//                                                       any mechanism
struct LaunchFacts {
    std::uint32_t (*count)(const Case&);

    template <class S>
    static constexpr LaunchFacts of()
    {
        LaunchFacts facts{};
        facts.count = &S::count; // nvcc does not convert it in braces
        return facts;
    }
};

struct LaunchTraits {
    using Job = LaunchJob;
    using Facts = LaunchFacts;
    static constexpr std::array kWorkloads{&workloads::chain, &workloads::fanout};

    template <class S>
    static std::uint64_t scratch_bytes(const Case& point)
    {
        return 2 * sizeof(unsigned long long) * S::count(point); // marks
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
