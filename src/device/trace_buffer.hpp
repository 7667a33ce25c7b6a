// The marks of a traced run: what the grids write of themselves into a bounded buffer.
#pragma once

#include "device/language.hpp"
#include "model/trace.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kMarksAGrid = 256; // blocks of a larger grid share them

// Lives in device memory. Records and marks are handed out by counters that go on when there are no more: what did not fit is
// what they exceed the capacities by.
struct TraceBuffer {
    GridRecord* records;
    unsigned long long* begun_ns; // a mark each; all ones before a run
    unsigned long long* ended_ns; // 0 before a run
    unsigned* multiprocessors;    // of the first block of the mark
    unsigned grid_capacity;
    unsigned mark_capacity;
    unsigned grids;
    unsigned marks;
};

// Marks the end of a thread's share of a grid when it goes out of scope, on whatever path.
class GridScope
{
  public:
    __device__ explicit GridScope(unsigned long long* ended_ns) : ended_ns_(ended_ns) {}
    GridScope(const GridScope&) = delete;
    GridScope& operator=(const GridScope&) = delete;
    // Not each of them marks.
    __device__ ~GridScope()
    {
        if (ended_ns_ != nullptr && ends_for_others())
            atomicMax(ended_ns_, timer_ns());
    }

  private:
    unsigned long long* ended_ns_;
};

// The same of a run that is not traced: nothing.
struct NoScope {             // NOLINT(cppcoreguidelines-special-member-functions)
    __device__ ~NoScope() {} // NOLINT(modernize-use-equals-default): a variable of it is then no unused one
};

} // namespace nestbed::inline NESTBED_BACKEND
