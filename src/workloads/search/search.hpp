// What a strategy of the workload `search` includes: the job, the nodes that blocks leave, and the buffers.
#pragma once

#include "device/parts/request_workload.hpp"
#include "workloads/search/descriptor.hpp"
#include "workloads/search/search_tree.hpp"

#include <array>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// What a run has found, in parts: adding all in one place would take longer than many a search.
struct SearchTotals {
    unsigned long long nodes, leaves, answer;
    unsigned depth;
};
inline constexpr unsigned kTotals = 64;

// Some children of a node: what is on the stack of a block.
template <class Node>
struct SearchEntry {
    Node parent;
    unsigned first, count;
};
// One child of a node: what is in memory for other blocks.
template <class Node>
struct PendingNode {
    Node parent;
    unsigned number;
};

template <class Tree>
struct SearchTask {
    using Node = typename Tree::Node;

    Tree tree;
    SearchTotals* totals; // kTotals of them
    Stacks<Node> stacks;
    PendingNode<Node>* pending;  // what blocks leave, or wait for
    unsigned long long* written; // of these
    unsigned cutoff;             // nodes of this depth or deeper are searched by one thread, with all below them
    unsigned budget;

    // Makes and counts a child of a node. Returns its number of children; or 0, if the thread has searched them too: those of
    // a child at the cutoff, or of any if `serially`.
    __device__ unsigned visit(const Node& parent, unsigned number, bool serially, Node& child,
                              ThreadFound& found) const
    {
        return tree.search(parent, number, number + 1, serially ? 0 : cutoff, stacks, child, found);
    }
    __device__ void visit_root(ThreadFound& found) const
    {
        found.add(0, tree.children(tree.root()), tree.answers(tree.root()));
    }

    // By one thread.
    __device__ void add(const ThreadFound& found) const
    {
        if (found.nodes == 0)
            return;
        SearchTotals& mine = totals[(multiprocessor() + threadIdx.x / kLanes * 8) % kTotals];
        atomicAdd(&mine.nodes, found.nodes);
        atomicAdd(&mine.leaves, found.leaves);
        atomicAdd(&mine.answer, found.answer);
        atomicMax(&mine.depth, found.depth);
    }
    // By all threads of a block.
    __device__ void add_all(ThreadFound found) const
    {
        for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
            found.nodes += __shfl_down_sync(0xFFFFFFFFU, found.nodes, distance);
            found.leaves += __shfl_down_sync(0xFFFFFFFFU, found.leaves, distance);
            found.answer += __shfl_down_sync(0xFFFFFFFFU, found.answer, distance);
        }
        found.depth = __reduce_max_sync(0xFFFFFFFFU, found.depth);
        if (threadIdx.x % kLanes != 0)
            return;
        add(found);
    }
};

struct SearchJob : RequestJob {
    const HashTree* hashes; // null if there are queens
    const QueensTree* queens;
    SearchTotals* found;
    unsigned root_children;
    std::uint64_t inner_nodes; // of the whole tree of hashes
    std::uint64_t widest;      // nodes of a level, at most, down to the cutoff
    std::uint64_t levels;      // below the root, at most
    bool deep;                 // stacks may need chunks

    static constexpr bool kTyped = true; // see prepared()
    // Calls the function with the tree that the job has.
    template <class Function>
    std::function<void()> typed(const Function& function) const
    {
        return queens != nullptr ? function(*this, *queens) : function(*this, *hashes);
    }
};

// What a search has besides the arena.
template <class Tree>
struct SearchBuffers {
    using Node = typename Tree::Node;

    Buffer<StackChunk<Node>> chunks;
    Buffer<unsigned> taken;
    Buffer<PendingNode<Node>> pending;
    Buffer<unsigned long long> written;
    SearchTask<Tree> task;

    // With room for `pending_nodes` nodes.
    SearchBuffers(const SearchJob& job, const Tree& tree, std::uint64_t pending_nodes)
    {
        const auto make = [&]<class T>(Buffer<T>& buffer, std::uint64_t count, std::string_view name) {
            buffer = job.context.template allocate<T>(std::max<std::uint64_t>(1, count), name);
            job.bytes += buffer.size() * sizeof(T);
        };
        make(chunks, job.deep ? job.inner_nodes / kChunk + 2 : 1, "chunks");
        make(taken, 1, "taken");
        make(pending, pending_nodes, "pending");
        make(written, 1, "written");
        job.context.fill_bytes(taken, 0, 1);
        job.context.fill_bytes(written, 0, 1);
        task = {.tree = tree,
                .totals = job.found,
                .stacks = {chunks.data(), taken.data()},
                .pending = pending.data(),
                .written = written.data(),
                .cutoff = job.point[SearchParameter::cutoff],
                .budget = job.point[SearchParameter::budget]};
    }
};

// A strategy has the members that Register requires, with
//     static P prepare<Tree>(const SearchJob&, const Tree&);
// and
//     static constexpr SearchForm form;                what the oracle counts
struct SearchFacts {
    SearchForm form;

    template <class S>
    static constexpr SearchFacts of()
    {
        return {.form = S::form};
    }
};

struct SearchTraits {
    using Job = SearchJob;
    using Facts = SearchFacts;
    static constexpr std::array kWorkloads{&workloads::search};
};

} // namespace nestbed::inline NESTBED_BACKEND
