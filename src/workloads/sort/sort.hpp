// What a strategy of the workload `sort` includes: the job, and what its recursions have in common.
#pragma once

#include "device/parts/request_workload.hpp"
#include "workloads/sort/descriptor.hpp"
#include "workloads/sort/sort_leaf.hpp"

#include <array>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

struct SortJob : RequestJob {
    SortTask task;
};

// What is done to one part of the keys.
struct SortItem {
    SortPart part;
    unsigned node; // of a division
    SortStep step;
};

// What the divisions into two and into many parts have in common (device/parts/child_requests.hpp).
struct SortRecursion {
    using Job = SortTask;
    using Item = SortItem;
    static constexpr bool kRecursive = true;
    static constexpr unsigned kSharedWords = kLeafWords;

    __device__ static unsigned threads(const SortTask& /*task*/, const SortItem& item)
    {
        return sort_threads(item.part.count);
    }

    // Of the division into many parts: levels below the root, and blocks that a level has work for.
    static unsigned max_levels(const Case& /*point*/) { return kMaxSortLevels; }
    static std::uint64_t useful_blocks(const Case& point) { return useful_sort_blocks(point); }

    // One thread sorts the keys of the item.
    __device__ static void process_serially(const SortTask& task, const SortItem& item)
    {
        const SortPart& part = item.part;
        if (part.place != SortPlace::out)
            copy_keys(task.at(part.place), task.at(SortPlace::out), part.first, part.count, 0, 1);
        if (item.step != SortStep::copy)
            sort_serially(task.at(SortPlace::out), part.first, part.count, task.order);
        atomicAdd(task.work, static_cast<unsigned long long>(part.count));
    }

    // The item of the root grid: all keys. Its node is the first.
    __device__ static SortItem all_keys(const SortTask& task)
    {
        const SortPart whole = whole_input(task.count);
        return {whole, 0, step_of(whole, task.grain)};
    }

    // Requests what must be done to a part, if anything must: fills `child` and returns true.
    __device__ static bool request(const SortTask& task, const SortPart& part, SortItem& child)
    {
        const SortStep step = step_of(part, task.grain);
        if (step == SortStep::none)
            return false;
        child = {part, step == SortStep::divide ? atomicAdd(task.next_node, 1U) : 0, step};
        return true;
    }
};

// A strategy has the members that Register requires, and
//     static constexpr SortForm form;              whose launches it makes, or whose memory it needs
//     static constexpr bool in_place = true;       if the output contains the input when run() is called
//     static constexpr bool stable = true;         if equal keys keep the order of their values
struct SortFacts {
    SortForm form;
    bool in_place = false;
    bool stable = false;

    template <class S>
    static constexpr SortFacts of()
    {
        return {.form = S::form, .in_place = requires {S::in_place;
    }
    , .stable = requires { S::stable; }
};
}
}
;

struct SortTraits {
    using Job = SortJob;
    using Facts = SortFacts;
    static constexpr std::array kWorkloads{&workloads::sort};
};

} // namespace nestbed::inline NESTBED_BACKEND
