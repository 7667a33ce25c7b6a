// What a strategy of the workload `quadtree` includes: the job, and its recursion (workloads/quadtree/quadtree_reference.hpp).
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

// A child per part: a part is divided by the next bits of its codes, in two passes: a grid counts the points of each
// part, and its child moves them. One block finishes a part that it can hold, with all nodes in it.
struct ExpandQuadtree {
    struct Item {
        QuadPart part;
        unsigned division;
        QuadStep step;
    };
    using Job = QuadTask;
    static constexpr bool kRecursive = true;
    static constexpr unsigned kSharedWords = kQuadWords;

    static unsigned max_requests(const Case& point)
    {
        return point.block < kMaxQuadParts ? point.block : kMaxQuadParts;
    }
    __device__ static unsigned threads(const Job& /*job*/, const Item& item) { return quad_threads(item.part.count); }

    // The first item. All blocks of the root grid process it; its division is the first.
    __device__ static bool root(const Job& job, unsigned block, Item& next, unsigned* words)
    {
        const QuadPart whole = whole_square(job.count, job.limits);
        if (block == 0 && threadIdx.x == 0)
            job.put(atomicAdd(job.node_count, 1U), {0, 0, 0, job.count});
        return ExpandQuadtree::block(job, {whole, 0, step_of(whole, leaf_points(blockDim.x))}, block, job.root_blocks,
                                     next, words);
    }

    __device__ static bool block(const Job& job, const Item& item, unsigned block, unsigned blocks, Item& next,
                                 unsigned* words)
    {
        if (threadIdx.x == 0 && block == 0)
            atomicAdd(job.work, static_cast<unsigned long long>(item.part.count));
        switch (item.step) {
        case QuadStep::leaf:
            finish_leaf(words, job, item.part);
            return false;
        case QuadStep::divide:
            return count(job, item, block, blocks, words, next);
        case QuadStep::scatter:
            return scatter(job, item, block, blocks, words, next);
        default:
            return false;
        }
    }

    // A part and all nodes in it, by one thread.
    __device__ static void process_serially(const Job& job, const Item& item)
    {
        finish_serially(job, item.part);
        atomicAdd(job.work, static_cast<unsigned long long>(item.part.count));
    }

  private:
    // Requests what must be done to a part.
    __device__ static bool request(const Job& job, const QuadPart& part, Item& next)
    {
        const QuadStep step = step_of(part, leaf_points(blockDim.x));
        next = {part, step == QuadStep::divide ? atomicAdd(job.next_division, 1U) : 0, step};
        return true;
    }

    // The first pass: how many points each part has, and the range of all codes.
    __device__ static bool count(const Job& job, const Item& item, unsigned block, unsigned blocks, unsigned* words,
                                 Item& next)
    {
        constexpr unsigned kNoDigit = 0xFFFFFFFF;
        unsigned* const counts = words;
        unsigned* const range = words + kMaxQuadParts;
        const QuadPart& part = item.part;
        const QuadDigits digits = digits_of(part, blockDim.x, job.count);
        QuadDivision& division = job.divisions[item.division];
        const unsigned tid = threadIdx.x;
        const unsigned tile = kPointsPerThread * blockDim.x;
        const bool by_code = digits.bits < kCodeBits;
        __syncthreads(); // nobody still reads what was there before
        if (tid < digits.parts())
            counts[tid] = 0;
        if (tid == 0) {
            range[0] = 0xFFFFFFFF;
            range[1] = 0;
        }
        __syncthreads();
        unsigned least = 0xFFFFFFFF;
        unsigned most = 0;
        for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
            unsigned taken[kPointsPerThread];
            if (by_code)
                load_codes(job, part, base, taken);
            else
                load_order(job, part, base, taken);
            unsigned digit = kNoDigit; // of the last points
            unsigned run = 0;          // how many have it: one addition for all
            for (unsigned turn = 0; turn < kPointsPerThread; ++turn) {
                if (turn * blockDim.x + tid >= part.count - base)
                    break;
                least = least < taken[turn] ? least : taken[turn];
                most = most > taken[turn] ? most : taken[turn];
                const unsigned now = digits.of(taken[turn], taken[turn]);
                if (now != digit && run != 0) {
                    atomicAdd(&counts[digit], run);
                    run = 0;
                }
                digit = now;
                ++run;
            }
            if (run != 0)
                atomicAdd(&counts[digit], run);
        }
        gather_range(&range[0], &range[1], least, most);
        __syncthreads();
        if (tid < digits.parts() && counts[tid] != 0)
            atomicAdd(&division.counts[tid], counts[tid]);
        if (tid == 0) {
            atomicMax(&division.not_least, ~range[0]);
            atomicMax(&division.most, range[1]);
        }
        if (!block_arrives_last(&division.arrived, blocks))
            return false;
        const unsigned common = common_bits(~division.not_least, division.most);
        if (by_code && common >= digits.end()) { // all in one part: move nothing
            const QuadPart narrow = narrowed(part, job.limits, common, division.most);
            if (tid != 0)
                return false;
            list_chain(job, part, narrow);
            return request(job, narrow, next);
        }
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = sum_before(tid < digits.parts() ? division.counts[tid] : 0, false, total);
        if (tid < digits.parts())
            division.cursors[tid] = part.first + static_cast<unsigned>(before);
        __syncthreads(); // before thread 0 launches the grid that reads them
        next = {part, item.division, QuadStep::scatter};
        return tid == 0;
    }

    // The nodes that a narrower part has skipped: each has all points of the part.
    __device__ static void list_chain(const Job& job, const QuadPart& part, const QuadPart& narrow)
    {
        bool divided = part.divided == QuadDivided::yes;
        for (unsigned level = part.level + 1; divided && level <= narrow.level; ++level) {
            job.put(atomicAdd(job.node_count, 1U),
                    {level, leading_bits(narrow.code, 2 * level), part.first, part.count});
            divided = job.limits.divided(level, part.count);
        }
    }

    // The second pass: moves the points to their parts, in the order of parts within each tile, so that neighbouring
    // threads write neighbouring points.
    __device__ static bool scatter(const Job& job, const Item& item, unsigned block, unsigned blocks, unsigned* words,
                                   Item& next)
    {
        unsigned* const counts = words + kMaxQuadTile;    // of the tile; then where the part begins in it
        unsigned* const offsets = counts + kMaxQuadParts; // from a point's place in the tile to its new place
        const QuadPart& part = item.part;
        const QuadDigits digits = digits_of(part, blockDim.x, job.count);
        const QuadArray& to = job.at(next_place(part.place));
        QuadDivision& division = job.divisions[item.division];
        const unsigned tid = threadIdx.x;
        const unsigned tile = kPointsPerThread * blockDim.x;
        const bool by_code = digits.bits < kCodeBits;
        for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
            const unsigned points = part.count - base < tile ? part.count - base : tile;
            unsigned key[kPointsPerThread];
            unsigned place[kPointsPerThread]; // among the points of its part, then in the tile
            if (by_code)
                load_codes(job, part, base, key);
            else
                load_order(job, part, base, key);
            __syncthreads();
            if (tid < digits.parts())
                counts[tid] = 0;
            __syncthreads();
            for (unsigned turn = 0; turn < kPointsPerThread; ++turn) {
                place[turn] = 0;
                if (turn * blockDim.x + tid < points)
                    place[turn] = atomicAdd(&counts[digits.of(key[turn], key[turn])], 1U);
            }
            __syncthreads();
            const unsigned mine = tid < digits.parts() ? counts[tid] : 0;
            ItemsAndBlocks total = 0;
            const auto before = static_cast<unsigned>(sum_before(mine, false, total));
            if (tid < digits.parts()) {
                counts[tid] = before;
                if (mine != 0)
                    offsets[tid] = atomicAdd(&division.cursors[tid], mine) - before;
            }
            __syncthreads();
            for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
                if (turn * blockDim.x + tid < points) {
                    place[turn] += counts[digits.of(key[turn], key[turn])];
                    words[place[turn]] = key[turn];
                }
            __syncthreads();
            unsigned target[kPointsPerThread];
            load_tile(words, points, key);
            for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
                if (const unsigned index = turn * blockDim.x + tid; index < points) {
                    target[turn] = offsets[digits.of(key[turn], key[turn])] + index;
                    (by_code ? to.codes : to.order)[target[turn]] = key[turn];
                }
            if (by_code)
                load_order(job, part, base, key);
            else
                load_codes(job, part, base, key);
            __syncthreads();
            for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
                if (turn * blockDim.x + tid < points)
                    words[place[turn]] = key[turn];
            __syncthreads();
            for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
                if (const unsigned index = turn * blockDim.x + tid; index < points)
                    (by_code ? to.order : to.codes)[target[turn]] = words[index];
        }
        if (!block_arrives_last(&division.arrived, blocks))
            return false;
        return request_parts(job, part, digits, division, words, next);
    }

    // By the last block: the nodes that the counts of the parts give, and an item for each part.
    __device__ static bool request_parts(const Job& job, const QuadPart& part, const QuadDigits& digits,
                                         const QuadDivision& division, unsigned* starts, Item& next)
    {
        const unsigned tid = threadIdx.x;
        const unsigned parts = digits.parts();
        const unsigned points = tid < parts ? division.counts[tid] : 0;
        if (tid < parts)
            starts[tid] = division.cursors[tid] - points;
        if (tid == 0)
            starts[parts] = part.first + part.count;
        __syncthreads();
        // Points of the node of a level that has the thread's part.
        const auto points_of = [&](unsigned level) {
            const unsigned group = 1U << (digits.end() - 2 * level);
            const unsigned begin = tid & ~(group - 1);
            return starts[begin + group] - starts[begin];
        };
        const unsigned deepest = digits.bits < kCodeBits ? known_level(digits.end()) : part.level;
        // Whether the thread's part is the first of a node of this level.
        const auto begins = [&](unsigned level) {
            const unsigned group = 1U << (digits.end() - 2 * level);
            if (tid >= parts || (tid & (group - 1)) != 0 || points_of(level) == 0)
                return false;
            return level == part.level + 1 ? part.divided == QuadDivided::yes
                                           : job.limits.divided(level - 1, points_of(level - 1));
        };
        unsigned mine = 0;
        for (unsigned level = part.level + 1; level <= deepest; ++level)
            mine += begins(level) ? 1 : 0;
        unsigned at = reserve_nodes(job, mine);
        for (unsigned level = part.level + 1; level <= deepest; ++level)
            if (begins(level)) {
                const unsigned code = part.code | tid << (kCodeBits - digits.end());
                job.put(at++, {level, leading_bits(code, 2 * level), starts[tid], points_of(level)});
            }
        if (tid >= parts)
            return false;
        const auto start_at = [&](unsigned digit) { return starts[digit] - part.first; };
        const unsigned end = item_end(digits, leaf_points(blockDim.x), tid, start_at);
        if (end == tid)
            return false;
        const unsigned count = starts[end] - starts[tid];
        if (end > tid + 1)
            return request(job, joined(part, digits, starts[tid], count), next);
        const unsigned node_count = deepest > part.level ? points_of(deepest) : 0;
        return request(job, part_of(part, digits, job.limits, tid, starts[tid], count, node_count), next);
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

struct QuadtreeRoom {
    using Job = QuadJob;
    using Facts = QuadFacts;
    static constexpr std::array kWorkloads{&workloads::quadtree};
};

} // namespace nestbed::inline NESTBED_BACKEND
