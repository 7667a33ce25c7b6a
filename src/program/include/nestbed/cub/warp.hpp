// CUB's primitives of warps: block.hpp says how they compute.
#pragma once

#include "nestbed/cub/storage.hpp"

// NOLINTBEGIN: these names are CUB's.
namespace cub
{

template <class T, int size = 32, int = 0>
class WarpReduce
{
  public:
    struct TempStorage : NullType {
    };
    NESTBED_STORAGE(WarpReduce)

    // The first lane has the result.
    template <class Operation>
    T Reduce(T input, Operation operation, int valid, NESTBED_PLACE)
    {
        const auto group = nestbed_own_lanes();
        const int rank = static_cast<int>(group.thread_rank());
        for (int by = 1; by < size; by *= 2) {
            const T other = group.shfl_down(input, static_cast<unsigned>(by), file, line);
            if (rank + by < valid)
                input = operation(input, other);
        }
        return input;
    }
    template <class Operation>
    T Reduce(T input, Operation operation, NESTBED_PLACE)
    {
        return Reduce(input, operation, size, file, line);
    }
    T Sum(T input, NESTBED_PLACE) { return Reduce(input, nestbed_own::Plus(), size, file, line); }
    T Sum(T input, int valid, NESTBED_PLACE) { return Reduce(input, nestbed_own::Plus(), valid, file, line); }
    T Max(T input, NESTBED_PLACE) { return Reduce(input, nestbed_own::Greatest(), size, file, line); }
    T Min(T input, NESTBED_PLACE) { return Reduce(input, nestbed_own::Least(), size, file, line); }
    // Each head has the result of the lanes up to the next head.
    template <class Flag>
    T HeadSegmentedSum(T input, Flag head, NESTBED_PLACE)
    {
        const auto group = nestbed_own_lanes();
        const unsigned rank = group.thread_rank();
        const unsigned behind = group.ballot(head != 0, file, line) & ~((2U << rank) - 1);
        return Reduce(input, nestbed_own::Plus(), behind == 0 ? size : __builtin_ctz(behind), file, line);
    }
    template <class Flag>
    T TailSegmentedSum(T input, Flag tail, NESTBED_PLACE)
    {
        const auto group = nestbed_own_lanes();
        const unsigned rank = group.thread_rank();
        const unsigned from = group.ballot(tail != 0, file, line) & ~((1U << rank) - 1);
        return Reduce(input, nestbed_own::Plus(), from == 0 ? size : __builtin_ctz(from) + 1, file, line);
    }

  private:
    static cooperative_groups::coalesced_group nestbed_own_lanes()
    {
        return cooperative_groups::tiled_partition(cooperative_groups::this_thread_block(), size);
    }
};

template <class T, int size = 32, int = 0>
class WarpScan
{
  public:
    struct TempStorage : NullType {
    };
    NESTBED_STORAGE(WarpScan)

    template <class Operation>
    void InclusiveScan(T input, T& output, Operation operation, T& all, NESTBED_PLACE)
    {
        const auto group = cooperative_groups::tiled_partition(cooperative_groups::this_thread_block(), size);
        const unsigned rank = group.thread_rank();
        for (unsigned by = 1; by < size; by *= 2) {
            const T other = group.shfl_up(input, by, file, line);
            if (rank >= by)
                input = operation(other, input);
        }
        all = group.shfl(input, size - 1, file, line);
        output = input;
    }
    template <class Operation>
    void InclusiveScan(T input, T& output, Operation operation, NESTBED_PLACE)
    {
        T all;
        InclusiveScan(input, output, operation, all, file, line);
    }
    template <class Operation>
    void ExclusiveScan(T input, T& output, T initial, Operation operation, T& all, NESTBED_PLACE)
    {
        const auto group = cooperative_groups::tiled_partition(cooperative_groups::this_thread_block(), size);
        T inclusive;
        InclusiveScan(input, inclusive, operation, all, file, line);
        const T before = group.shfl_up(inclusive, 1, file, line);
        output = group.thread_rank() == 0 ? initial : operation(initial, before);
    }
    template <class Operation>
    void ExclusiveScan(T input, T& output, T initial, Operation operation, NESTBED_PLACE)
    {
        T all;
        ExclusiveScan(input, output, initial, operation, all, file, line);
    }
    void InclusiveSum(T input, T& output, NESTBED_PLACE)
    {
        InclusiveScan(input, output, nestbed_own::Plus(), file, line);
    }
    void InclusiveSum(T input, T& output, T& all, NESTBED_PLACE)
    {
        InclusiveScan(input, output, nestbed_own::Plus(), all, file, line);
    }
    void ExclusiveSum(T input, T& output, NESTBED_PLACE)
    {
        ExclusiveScan(input, output, T(), nestbed_own::Plus(), file, line);
    }
    void ExclusiveSum(T input, T& output, T& all, NESTBED_PLACE)
    {
        ExclusiveScan(input, output, T(), nestbed_own::Plus(), all, file, line);
    }
    T Broadcast(T input, unsigned lane, NESTBED_PLACE)
    {
        return cooperative_groups::tiled_partition(cooperative_groups::this_thread_block(), size)
            .shfl(input, static_cast<int>(lane), file, line);
    }
};

} // namespace cub
// NOLINTEND
