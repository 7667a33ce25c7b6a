// What a strategy of the workload `refine` includes: the job, and its recursion (workloads/refine/refine_reference.hpp).
#pragma once

#include "device/parts/request_workload.hpp"
#include "workloads/refine/descriptor.hpp"
#include "workloads/refine/refine_cells.hpp"

#include <array>
#include <vector>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

struct RefineJob : RequestJob {
    RefineTask task;
    std::uint32_t steps; // each has task.tiles root blocks; those of all steps follow each other
    const std::vector<std::uint64_t>& refined; // cells of each time step
};

// An item is a refined cell: each warp processes one or more of its four parts, and requests those that are refined.
struct RefineCells {
    using Item = RefinedCell;
    using Job = RefineTask;
    static constexpr bool kRecursive = true;

    static unsigned max_requests(const Case& /*point*/) { return kParts; }
    // Blocks that a level has work for, at most: one for each cell of the last level but one.
    static std::uint64_t useful_blocks(const Case& point)
    {
        return (std::uint64_t{point[RefineParameter::division]} * point[RefineParameter::division])
               << (2 * (point[RefineParameter::levels] - 1));
    }
    __device__ static unsigned threads(const Job& /*job*/, const Item& /*item*/) { return kParts * kLanes; }

    // A tile.
    __device__ static bool root(const Job& job, unsigned block, Item& next)
    {
        return RefineCells::block(job, {block, 0, 0}, 0, 1, next);
    }

    // A warp that has several parts requests the first from its first thread, the second from its second, and so on.
    __device__ static bool block(const Job& job, const Item& item, unsigned block, unsigned blocks, Item& next)
    {
        const unsigned warps = blockDim.x / kLanes;
        const unsigned lane = threadIdx.x % kLanes;
        bool requests = false;
        unsigned turn = 0;
        for (unsigned part = block * warps + threadIdx.x / kLanes; part < kParts; part += blocks * warps, ++turn) {
            const Item cell{item.root, item.level + 1, kParts * item.code + part};
            const bool refined = __any_sync(0xFFFFFFFFU, process_by_warp(job, cell) ? 1 : 0) != 0;
            if (refined && lane == turn) {
                next = cell;
                requests = true;
            }
        }
        return requests;
    }

    __device__ static void process_serially(const Job& job, const Item& item) { refine_serially(job, item); }
};

struct RefineTraits {
    using Job = RefineJob;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{&workloads::refine};
};

} // namespace nestbed::inline NESTBED_BACKEND
