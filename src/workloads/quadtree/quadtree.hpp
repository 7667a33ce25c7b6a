// What a strategy of the workload `quadtree` includes: the job, and what its recursions have in common.
#pragma once

#include "device/parts/request_workload.hpp"
#include "workloads/quadtree/descriptor.hpp"
#include "workloads/quadtree/quadtree_block.hpp"

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

#include <array>

namespace nestbed::inline NESTBED_BACKEND
{

struct QuadJob : RequestJob {
    QuadTask task;
};

// What is done to one part of the points.
struct QuadItem {
    QuadPart part;
    unsigned division;
    QuadStep step;
};

// What the forms that divide points into many parts have in common (device/parts/child_requests.hpp).
struct QuadRecursion {
    using Job = QuadTask;
    using Item = QuadItem;
    static constexpr bool kRecursive = true;
    static constexpr unsigned kSharedWords = kQuadWords;

    static unsigned max_requests(const Case& point)
    {
        return point.block < kMaxQuadParts ? point.block : kMaxQuadParts;
    }
    // Levels below the root, at most, and blocks that a level has work for.
    static unsigned max_levels(const Case& point) { return max_quad_levels(point); }
    static std::uint64_t useful_blocks(const Case& point) { return useful_quad_blocks(point); }
    __device__ static unsigned threads(const QuadTask& /*task*/, const QuadItem& item)
    {
        return quad_threads(item.part.count);
    }

    // A part and all nodes in it, by one thread.
    __device__ static void process_serially(const QuadTask& task, const QuadItem& item)
    {
        finish_serially(task, item.part);
        atomicAdd(task.work, static_cast<unsigned long long>(item.part.count));
    }

    // The item of the root grid: all points. Its division is the first.
    __device__ static QuadItem all_points(const QuadTask& task)
    {
        const QuadPart whole = whole_square(task.count, task.limits);
        return {whole, 0, step_of(whole, leaf_points(blockDim.x))};
    }

    // Requests what must be done to a part.
    __device__ static bool request(const QuadTask& task, const QuadPart& part, QuadItem& child)
    {
        const QuadStep step = step_of(part, leaf_points(blockDim.x));
        child = {part, step == QuadStep::divide ? atomicAdd(task.next_division, 1U) : 0, step};
        return true;
    }
};

// A strategy has the members that Register requires, and
//     static constexpr QuadForm form;              whose launches it makes, or whose memory it needs
struct QuadFacts {
    QuadForm form;

    template <class S>
    static constexpr QuadFacts of()
    {
        return {.form = S::form};
    }
};

struct QuadtreeTraits {
    using Job = QuadJob;
    using Facts = QuadFacts;
    static constexpr std::array kWorkloads{&workloads::quadtree};
};

} // namespace nestbed::inline NESTBED_BACKEND
