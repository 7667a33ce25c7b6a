// What a strategy of the workload `sort` includes: the job, and its recursions (workloads/sort/sort_reference.hpp).
#pragma once

#include "device/parts/offer_workload.hpp"
#include "workloads/sort/descriptor.hpp"
#include "workloads/sort/sort_leaf.hpp"

#include <array>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/offer_launch.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

struct SortJob : OfferJob {
    SortTask task;
};

// A child per part: Binary: a part is divided into two, in one pass. Otherwise into up to `fanout` parts, in two passes: a
// grid counts the keys of each part, and its child moves them.
template <bool Binary>
struct ExpandSort {
    struct Item {
        SortPart part;
        unsigned node; // of a division
        SortStep step;
    };
    using Job = SortTask;
    static constexpr bool kRecursive = true;
    static constexpr bool kOneRoot = true; // all blocks of the root grid process one item
    static constexpr unsigned kMostThreads = kMostSortThreads;
    static constexpr unsigned kBlocksAMultiprocessor = 1; // 64 registers

    static constexpr unsigned kSharedWords = kLeafWords;

    static unsigned most_offers(const Case& point) { return Binary ? 2 : point.fanout; }
    __device__ static unsigned threads(const Job& /*job*/, const Item& item) { return sort_threads(item.part.count); }

    // The first item. All blocks of the root grid process it; its node is the first.
    __device__ static bool root(const Job& job, unsigned block, Item& next, unsigned* words)
    {
        const SortPart whole = whole_input(job.count);
        return ExpandSort::block(job, {whole, 0, step_of(whole, job.grain)}, block, job.root_blocks, next, words);
    }

    __device__ static bool block(const Job& job, const Item& item, unsigned block, unsigned blocks, Item& next,
                                 unsigned* words)
    {
        const SortPart& part = item.part;
        if (threadIdx.x == 0 && block == 0)
            atomicAdd(job.work, static_cast<unsigned long long>(part.count));
        switch (item.step) {
        case SortStep::copy:
            copy_keys(job.at(part.place), job.at(SortPlace::out), part.first, part.count,
                      block * blockDim.x + threadIdx.x, blocks * blockDim.x);
            return false;
        case SortStep::leaf:
            sort_leaf(words, job, part);
            return false;
        case SortStep::divide:
            if constexpr (Binary)
                return divide_by_two(job, item, block, blocks, words, next);
            else
                return count(job, item, block, blocks, words, next);
        case SortStep::scatter:
            if constexpr (!Binary)
                return scatter(job, item, block, blocks, words, next);
            return false;
        default:
            return false;
        }
    }

    // The keys of an item, by one thread.
    __device__ static void alone(const Job& job, const Item& item)
    {
        const SortPart& part = item.part;
        if (part.place != SortPlace::out)
            copy_keys(job.at(part.place), job.at(SortPlace::out), part.first, part.count, 0, 1);
        if (item.step != SortStep::copy)
            sort_alone(job.at(SortPlace::out), part.first, part.count, job.order);
        atomicAdd(job.work, static_cast<unsigned long long>(part.count));
    }

  private:
    // What must be done to a part becomes an item, if anything must.
    __device__ static bool want(const Job& job, const SortPart& part, Item& next)
    {
        const SortStep step = step_of(part, job.grain);
        if (step == SortStep::none)
            return false;
        next = {part, step == SortStep::divide ? atomicAdd(job.next_node, 1U) : 0, step};
        return true;
    }

    // The first pass: how many keys each part has, and the range of all.
    __device__ static bool count(const Job& job, const Item& item, unsigned block, unsigned blocks, unsigned* words,
                                 Item& next)
    {
        constexpr unsigned kNoDigit = 0xFFFFFFFF;
        unsigned* const counts = words;
        unsigned* const range = words + kMostParts;
        const SortPart& part = item.part;
        const SortDigits digits = digits_of(part, job.fanout, job.grain);
        const unsigned* keys = job.at(part.place).keys + part.first;
        SortNode& node = job.nodes[item.node];
        const unsigned tid = threadIdx.x;
        const unsigned tile = kKeysAThread * blockDim.x;
        __syncthreads(); // nobody still reads what was there before
        if (tid < digits.parts)
            counts[tid] = 0;
        if (tid == 0) {
            range[0] = 0xFFFFFFFF;
            range[1] = 0;
        }
        __syncthreads();
        unsigned least = 0xFFFFFFFF;
        unsigned most = 0;
        for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
            unsigned taken[kKeysAThread];
            load_tile(keys + base, part.count - base, taken);
            unsigned digit = kNoDigit; // of the last keys
            unsigned run = 0;          // how many have it: one addition for all
            for (unsigned turn = 0; turn < kKeysAThread; ++turn) {
                if (turn * blockDim.x + tid >= part.count - base)
                    break;
                const unsigned rank = job.order.rank(taken[turn]);
                least = least < rank ? least : rank;
                most = most > rank ? most : rank;
                const unsigned now = digit_of(part, digits, rank);
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
        if (tid < digits.parts && counts[tid] != 0)
            atomicAdd(&node.counts[tid], counts[tid]);
        if (tid == 0) {
            atomicMax(&node.not_least, ~range[0]);
            atomicMax(&node.most, range[1]);
        }
        if (!block_arrives_last(&node.arrived, blocks))
            return false;
        SortPart narrow = part;
        narrow.least = ~node.not_least;
        narrow.most = node.most;
        if (digit_of(part, digits, narrow.least) == digit_of(part, digits, narrow.most))
            return tid == 0 && want(job, narrow, next); // all in one part: divide its range, and move nothing
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = sum_before(tid < digits.parts ? node.counts[tid] : 0, false, total);
        if (tid < digits.parts)
            node.cursors[tid] = part.first + static_cast<unsigned>(before);
        __syncthreads(); // before thread 0 launches the grid that reads them
        next = {part, item.node, SortStep::scatter};
        return tid == 0;
    }

    // The second pass: moves the keys to their parts, in the order of parts within each tile, so that neighbouring
    // threads write neighbouring keys.
    __device__ static bool scatter(const Job& job, const Item& item, unsigned block, unsigned blocks, unsigned* words,
                                   Item& next)
    {
        unsigned* const counts = words + kMostTile;    // of the tile; then where the part begins in it
        unsigned* const offsets = counts + kMostParts; // from a key's place in the tile to its new place
        const SortPart& part = item.part;
        const SortDigits digits = digits_of(part, job.fanout, job.grain);
        const SortArray& from = job.at(part.place);
        const SortArray& to = job.at(next_place(part.place));
        SortNode& node = job.nodes[item.node];
        const unsigned tid = threadIdx.x;
        const unsigned tile = kKeysAThread * blockDim.x;
        for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
            const unsigned keys_here = part.count - base < tile ? part.count - base : tile;
            unsigned rank[kKeysAThread];
            unsigned place[kKeysAThread]; // among the keys of its part, then in the tile
            load_tile(from.keys + part.first + base, keys_here, rank);
            __syncthreads();
            if (tid < digits.parts)
                counts[tid] = 0;
            __syncthreads();
            for (unsigned turn = 0; turn < kKeysAThread; ++turn) {
                rank[turn] = job.order.rank(rank[turn]);
                place[turn] = 0;
                if (turn * blockDim.x + tid < keys_here)
                    place[turn] = atomicAdd(&counts[digit_of(part, digits, rank[turn])], 1U);
            }
            __syncthreads();
            const unsigned mine = tid < digits.parts ? counts[tid] : 0;
            ItemsAndBlocks total = 0;
            const auto before = static_cast<unsigned>(sum_before(mine, false, total));
            if (tid < digits.parts) {
                counts[tid] = before;
                if (mine != 0)
                    offsets[tid] = atomicAdd(&node.cursors[tid], mine) - before;
            }
            __syncthreads();
            for (unsigned turn = 0; turn < kKeysAThread; ++turn)
                if (turn * blockDim.x + tid < keys_here) {
                    place[turn] += counts[digit_of(part, digits, rank[turn])];
                    words[place[turn]] = rank[turn];
                }
            __syncthreads();
            unsigned target[kKeysAThread];
            load_tile(words, keys_here, rank);
            for (unsigned turn = 0; turn < kKeysAThread; ++turn)
                if (const unsigned index = turn * blockDim.x + tid; index < keys_here) {
                    target[turn] = offsets[digit_of(part, digits, rank[turn])] + index;
                    to.keys[target[turn]] = job.order.bits(rank[turn]);
                }
            if (from.values == nullptr)
                continue;
            load_tile(from.values + part.first + base, keys_here, rank);
            __syncthreads();
            for (unsigned turn = 0; turn < kKeysAThread; ++turn)
                if (turn * blockDim.x + tid < keys_here)
                    words[place[turn]] = rank[turn];
            __syncthreads();
            for (unsigned turn = 0; turn < kKeysAThread; ++turn)
                if (const unsigned index = turn * blockDim.x + tid; index < keys_here)
                    to.values[target[turn]] = words[index];
        }
        if (!block_arrives_last(&node.arrived, blocks) || tid >= digits.parts)
            return false;
        const unsigned keys = node.counts[tid];
        return keys != 0 && want(job, part_of(part, digits, tid, node.cursors[tid] - keys, keys), next);
    }

    // The lower half grows from the left end, the upper half from the right end.
    __device__ static bool divide_by_two(const Job& job, const Item& item, unsigned block, unsigned blocks,
                                         unsigned* words, Item& next)
    {
        unsigned* const ranges = words; // lower and upper
        unsigned* const bases = words + 4;
        const SortPart& part = item.part;
        const unsigned middle = middle_of(part);
        const SortArray& from = job.at(part.place);
        const SortArray& to = job.at(next_place(part.place));
        SortNode& node = job.nodes[item.node];
        const unsigned tid = threadIdx.x;
        const unsigned tile = kKeysAThread * blockDim.x;
        __syncthreads(); // nobody still reads what was there before
        if (tid < 2) {
            ranges[2 * tid] = 0xFFFFFFFF;
            ranges[2 * tid + 1] = 0;
        }
        unsigned least[2] = {0xFFFFFFFF, 0xFFFFFFFF};
        unsigned most[2] = {0, 0};
        for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
            unsigned rank[kKeysAThread];
            load_tile(from.keys + part.first + base, part.count - base, rank);
            unsigned lower = 0;
            unsigned upper = 0;
            for (unsigned turn = 0; turn < kKeysAThread; ++turn) {
                if (turn * blockDim.x + tid >= part.count - base)
                    continue;
                rank[turn] = job.order.rank(rank[turn]);
                const bool is_upper = rank[turn] > middle;
                (is_upper ? upper : lower) += 1;
                unsigned& low = least[is_upper ? 1 : 0];
                unsigned& high = most[is_upper ? 1 : 0];
                low = low < rank[turn] ? low : rank[turn];
                high = high > rank[turn] ? high : rank[turn];
            }
            ItemsAndBlocks total = 0;
            const ItemsAndBlocks before = sum_before(ItemsAndBlocks{upper} << kItemsShift | lower, false, total);
            __syncthreads();
            if (tid < 2)
                bases[tid] =
                    atomicAdd(&node.counts[tid], static_cast<unsigned>(tid == 0 ? total : total >> kItemsShift));
            __syncthreads();
            unsigned to_lower = part.first + bases[0] + static_cast<unsigned>(before);
            unsigned to_upper = part.first + part.count - 1 - bases[1] - static_cast<unsigned>(before >> kItemsShift);
            for (unsigned turn = 0; turn < kKeysAThread; ++turn) {
                const unsigned index = base + turn * blockDim.x + tid;
                if (index >= part.count)
                    continue;
                const unsigned target = rank[turn] > middle ? to_upper-- : to_lower++;
                to.keys[target] = job.order.bits(rank[turn]);
                if (from.values != nullptr)
                    to.values[target] = from.values[part.first + index];
            }
        }
        __syncthreads();
        gather_range(&ranges[0], &ranges[1], least[0], most[0]);
        gather_range(&ranges[2], &ranges[3], least[1], most[1]);
        __syncthreads();
        if (tid == 0) {
            atomicMax(&node.lower_not_least, ~ranges[0]);
            atomicMax(&node.lower_most, ranges[1]);
            atomicMax(&node.not_least, ~ranges[2]);
            atomicMax(&node.most, ranges[3]);
        }
        if (!block_arrives_last(&node.arrived, blocks) || tid > 1)
            return false;
        const unsigned keys = node.counts[tid];
        SortPart half{part.first, keys, ~node.lower_not_least, node.lower_most, next_place(part.place)};
        if (tid == 1)
            half = {part.first + part.count - keys, keys, ~node.not_least, node.most, next_place(part.place)};
        return keys != 0 && want(job, half, next);
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

struct SortRoom {
    using Job = SortJob;
    using Facts = SortFacts;
    static constexpr std::array kWorkloads{&workloads::sort};
};

} // namespace nestbed::inline NESTBED_BACKEND
