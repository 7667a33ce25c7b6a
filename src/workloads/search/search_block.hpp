// The form of a tree search in which a block searches with a stack in shared memory, for as long as its budget lasts, and
// leaves the rest to others (workloads/search/search_nodes.hpp: kSearchStack).
#pragma once

#include "workloads/search/search.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The entries of the stack, word by word, so that the threads of a warp use different banks.
template <class Node>
struct BlockStack {
    static constexpr unsigned kNodeWords = sizeof(Node) / sizeof(unsigned);
    static constexpr unsigned kWords = (kNodeWords + 2) * kSearchStack;

    unsigned* words;

    __device__ void put(unsigned place, const Node& parent, unsigned first, unsigned count) const
    {
        const auto* of = reinterpret_cast<const unsigned*>(&parent);
        for (unsigned word = 0; word < kNodeWords; ++word)
            words[word * kSearchStack + place] = of[word];
        words[kNodeWords * kSearchStack + place] = first;
        words[(kNodeWords + 1) * kSearchStack + place] = count;
    }
    __device__ unsigned count(unsigned place) const { return words[(kNodeWords + 1) * kSearchStack + place]; }
    __device__ SearchEntry<Node> at(unsigned place) const
    {
        SearchEntry<Node> entry;
        auto* to = reinterpret_cast<unsigned*>(&entry.parent);
        for (unsigned word = 0; word < kNodeWords; ++word)
            to[word] = words[word * kSearchStack + place];
        entry.first = words[kNodeWords * kSearchStack + place];
        entry.count = count(place);
        return entry;
    }
    // Puts some children of a node from `place` on: one entry for each, or one for all. Returns the place after them.
    __device__ unsigned put_all(unsigned place, const Node& parent, unsigned first, unsigned count, bool single) const
    {
        if (!single && count != 0) {
            put(place, parent, first, count);
            return place + 1;
        }
        for (unsigned number = first; number < first + count; ++number)
            put(place++, parent, number, 1);
        return place;
    }
};

// Nodes that a block searches: children of the root, or of task.pending.
struct SearchShare {
    unsigned next, end;
    bool of_root;
};

// What a block leaves: task.pending[first] and so on.
struct SearchRest {
    unsigned long long first;
    unsigned count;
};

template <class Tree>
__device__ SearchEntry<typename Tree::Node> entry_of(const SearchTask<Tree>& task, unsigned long long first,
                                                     const SearchShare& share, unsigned index)
{
    if (share.of_root)
        return {task.tree.root(), index, 1};
    const PendingNode<typename Tree::Node>& node = task.pending[first + index];
    return {node.parent, node.number, 1};
}

// Writes what is left, one node for each entry, and returns where. Called by the whole block, which passes the same values in
// all threads.
template <class Tree>
__device__ SearchRest leave_rest(const SearchTask<Tree>& task, const BlockStack<typename Tree::Node>& stack,
                                 unsigned height, unsigned long long first, const SearchShare& share)
{
    BLOCK_SHARED(unsigned long long, place, 1);
    ItemsAndBlocks mine = 0;
    for (unsigned index = threadIdx.x; index < height; index += blockDim.x)
        mine += stack.count(index);
    ItemsAndBlocks on_stack = 0;
    static_cast<void>(exclusive_scan(mine, false, on_stack));
    const auto count = static_cast<unsigned>(on_stack) + share.end - share.next;
    if (count == 0)
        return {};
    if (threadIdx.x == 0)
        place[0] = atomicAdd(task.written, static_cast<unsigned long long>(count));
    __syncthreads();
    const SearchRest rest{place[0], count};
    PendingNode<typename Tree::Node>* to = task.pending + rest.first;
    for (unsigned base = 0; base < height; base += blockDim.x) {
        const unsigned index = base + threadIdx.x;
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = exclusive_scan(index < height ? stack.count(index) : 0, false, total);
        if (index < height) {
            const SearchEntry<typename Tree::Node> entry = stack.at(index);
            for (unsigned number = 0; number < entry.count; ++number)
                to[before + number] = {entry.parent, entry.first + number};
        }
        to += total;
    }
    for (unsigned index = share.next + threadIdx.x; index < share.end; index += blockDim.x) {
        const SearchEntry<typename Tree::Node> entry = entry_of(task, first, share, index);
        to[index - share.next] = {entry.parent, entry.first};
    }
    __syncthreads(); // all is written
    return rest;
}

// The whole block searches its share, whose nodes begin at task.pending[first]. Returns what it leaves. `words` is shared
// memory, BlockStack::kWords.
template <class Tree>
__device__ SearchRest search_share(const SearchTask<Tree>& task, unsigned long long first, SearchShare share,
                                   unsigned* words, ThreadFound& found)
{
    using Node = typename Tree::Node;
    const BlockStack<Node> stack{words};
    const unsigned threads = searching_threads(blockDim.x);
    unsigned height = 0;
    for (unsigned step = 0; step < task.budget && height + threads <= kSearchStack; ++step) {
        const unsigned from_stack = height < threads ? height : threads;
        const unsigned wanted = threads - from_stack;
        const unsigned from_share = share.end - share.next < wanted ? share.end - share.next : wanted;
        if (from_stack + from_share == 0)
            break;
        SearchEntry<Node> entry{};
        Node child{};
        unsigned children = 0;
        if (threadIdx.x < from_stack + from_share) {
            entry = threadIdx.x < from_stack ? stack.at(height - 1 - threadIdx.x)
                                             : entry_of(task, first, share, share.next + threadIdx.x - from_stack);
            children = task.visit(entry.parent, entry.first, false, child, found);
            ++entry.first;
            --entry.count;
        }
        height -= from_stack;
        share.next += from_share;
        // Entries where there is one for each node, and, in the upper half, where there is one for all of a parent.
        const ItemsAndBlocks both = static_cast<ItemsAndBlocks>((entry.count != 0 ? 1 : 0) + (children != 0 ? 1 : 0))
                                        << kItemsShift |
                                    (entry.count + children);
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = exclusive_scan(both, false, total); // a barrier after the reads of the stack
        const bool single = height + static_cast<unsigned>(total) <= kSearchStack;
        unsigned place = height + static_cast<unsigned>(single ? before : before >> kItemsShift);
        place = stack.put_all(place, entry.parent, entry.first, entry.count, single);
        stack.put_all(place, child, 0, children, single);
        height += static_cast<unsigned>(single ? total : total >> kItemsShift);
        __syncthreads();
    }
    return leave_rest(task, stack, height, first, share);
}

} // namespace nestbed::inline NESTBED_BACKEND
