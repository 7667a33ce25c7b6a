// The marks of a traced run: grids write them into a bounded buffer.
#pragma once

#include "device/language.hpp"
#include "model/trace.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kMarksPerGrid = 256; // blocks of a larger grid share the marks

// Is in device memory. Atomic counters (`grids`, `marks`) hand out records and marks. They continue past the
// capacities: the excess is the number of records or marks that did not fit.
struct TraceBuffer {
    GridRecord* records;
    unsigned long long* begun_ns; // one per mark; all bits 1 before a run
    unsigned long long* ended_ns; // one per mark; 0 before a run
    unsigned* multiprocessors;    // one per mark: where the first block of the mark runs
    unsigned grid_capacity;
    unsigned mark_capacity;
    unsigned grids;
    unsigned marks;
};

// Marks the end of a thread's part of a grid when it goes out of scope, on every path.
class GridScope
{
  public:
    __device__ explicit GridScope(unsigned long long* ended_ns) : ended_ns_(ended_ns) {}
    GridScope(const GridScope&) = delete;
    GridScope& operator=(const GridScope&) = delete;
    // Not every thread marks.
    __device__ ~GridScope()
    {
        if (ended_ns_ != nullptr && ends_for_others())
            atomicMax(ended_ns_, timer_ns());
    }

  private:
    unsigned long long* ended_ns_;
};

// The scope of a run that is not traced. It does nothing.
struct NoScope {             // NOLINT(cppcoreguidelines-special-member-functions)
    __device__ ~NoScope() {} // NOLINT(modernize-use-equals-default): a variable of it is then no unused one
};

} // namespace nestbed::inline NESTBED_BACKEND
