// search_budget: tree search by blocks with a stack in shared memory; a child for what a block leaves after its budget.
// search_graph: the same recursion by a graph of one node that runs again: a device graph that launches itself (graph_tail), or the body
// of a WHILE node (graph_while). CUDA only.
//
//     root(tree): each block searches 4 children of the root
//     search(nodes): a block takes its share of the nodes
//         repeat `budget` times, while there are nodes and the stack has room:
//             each thread takes a node from the stack, or from the share, visits it, and puts its children on the stack
//             (below depth `cutoff`, the thread searches all below the node with a stack of its own)
//         if nodes are left: write them to memory; launch search(nodes left), a block for every `block` * `coarsen` of them
//
// search_graph, once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share the nodes of the round and search them as above; the last block to finish makes what they leave the
//         next round, and lets the graph run again if there is any
//
// Launches: search_graph: graph_tail: one per round after the first; graph_while: none. The host makes the first launch.
// search_budget: one per block that leaves nodes; fewer with `aggregate`: one per round with `grid`. By the oracle: what a block
// leaves depends on its nodes alone, because their order on the stack is that of the threads, not of the time.
// Hazards: none. The nodes that a block leaves are written before a barrier, and only its own item names them. A tail chain
// is not bounded by the pending-launch limit. The graph, or the body, runs again only when its current run is complete.
// Source: ours. Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006; CUDA C++ Programming Guide, "Device
// Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes".
// Compiled alone: it takes longest.
#include "workloads/search/search_block.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// What the blocks of a grid do: search a share of the nodes for as long as the budget lasts, and request a grid for the rest.
template <class Tree>
struct SearchRests {
    struct Item {
        unsigned long long first; // task.pending
        unsigned count;
    };
    using Job = SearchTask<Tree>;
    static constexpr bool kRecursive = true;
    static constexpr unsigned kSharedWords = BlockStack<typename Tree::Node>::kWords;

    static unsigned max_requests(const Case& /*point*/) { return 1; } // by thread 0
    __device__ static unsigned threads(const Job& /*job*/, const Item& item) { return item.count; }

    // Of the root's children, each block searches some.
    __device__ static bool root(const Job& job, unsigned block, Item& next, unsigned* words)
    {
        ThreadFound found{};
        const unsigned children = job.tree.children(job.tree.root());
        if (block == 0 && threadIdx.x == 0)
            job.visit_root(found);
        const unsigned begin = block * kRootChildren;
        const unsigned end = children - begin < kRootChildren ? children : begin + kRootChildren;
        return search(job, 0, {begin, end, true}, next, words, found);
    }

    __device__ static bool block(const Job& job, const Item& item, unsigned block, unsigned blocks, Item& next,
                                 unsigned* words)
    {
        ThreadFound found{};
        return search(job, item.first,
                      {share_start(item.count, block, blocks), share_start(item.count, block + 1, blocks), false},
                      next, words, found);
    }

    __device__ static void process_serially(const Job& job, const Item& item)
    {
        ThreadFound found{};
        for (unsigned index = 0; index < item.count; ++index) {
            const PendingNode<typename Tree::Node>& node = job.pending[item.first + index];
            typename Tree::Node child;
            static_cast<void>(job.visit(node.parent, node.number, true, child, found));
        }
        job.add(found);
    }

  private:
    __device__ static bool search(const Job& job, unsigned long long first, const SearchShare& share, Item& next,
                                  unsigned* words, ThreadFound& found)
    {
        const SearchRest rest = search_share(job, first, share, words, found);
        job.add_all(found);
        next = {rest.first, rest.count};
        return threadIdx.x == 0 && rest.count != 0;
    }
};

template <class Tree>
struct BudgetSetup {
    SearchBuffers<Tree> buffers;
    RequestSetup<SearchRests<Tree>> setup;
};

template <class Tree>
BudgetSetup<Tree> set_up_budget(const SearchJob& job, const Tree& tree)
{
    SearchBuffers<Tree> buffers(job, tree, job.oracle.divisions);
    RequestSetup<SearchRests<Tree>> setup = set_up_requests<SearchRests<Tree>>(job, buffers.task);
    return {std::move(buffers), std::move(setup)};
}

// The kernel of every grid of search_budget. Its launches are those of run_grid(), for the blocks that leave nodes.
// At most 64 registers per thread.
template <class Tree, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    search_budget(const __grid_constant__ RequestRun<SearchRests<Tree>> run,
                  const __grid_constant__ ChildGrid<typename SearchRests<Tree>::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    BLOCK_SHARED(unsigned, words, SearchRests<Tree>::kSharedWords);
    run_grid<search_budget<Tree, Nest>>(run, grid, nest, refused, words, [&](const Nest& parent, const auto& child) {
        return launch<search_budget<Tree, Nest>>(parent, {child.blocks, blockDim.x}, run, child);
    });
}

#ifdef __CUDACC__
template <class Tree, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    search_graph(RequestRun<SearchRests<Tree>> run, RequestLevels<typename SearchRests<Tree>::Item>* rounds,
                 Nest nest)
{
    BLOCK_SHARED(unsigned, words, SearchRests<Tree>::kSharedWords);
    run_level(run, rounds, nest, words);
}
#endif

struct SearchBudget {
    static constexpr StrategyInfo info{
        .name = "search_budget",
        .workload = &workloads::search,
        .mechanisms = kChildrenByKernel,
        .summary = "a child for the nodes that a block has left after its budget",
        .hazards = "none: a block writes what it leaves before a barrier",
        .source = "ours",
        .axes = {SearchParameter::cutoff, SearchParameter::budget},
        .requests = true,
    };
    static constexpr SearchForm form = SearchForm::budget;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    template <class Tree>
    static BudgetSetup<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        return set_up_budget(job, tree);
    }

    template <class Tree>
    static void run(const SearchJob& job, const BudgetSetup<Tree>& prepared)
    {
        launch_waves<SearchBudget>(job, [&](const auto& wave, auto nest) {
            host_launch<search_budget<Tree, decltype(nest)>>(wave, job.point.block, prepared.setup.run,
                                                             root_grid(prepared.setup.run, wave, job.point.block),
                                                             nest);
        });
    }
};

struct SearchGraph {
    static constexpr StrategyInfo info{
        .name = "search_graph",
        .workload = &workloads::search,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph of one round of search_budget that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .axes = {SearchParameter::cutoff, SearchParameter::budget},
        .cuda_only = true,
        .requests = true,
    };
    static constexpr SearchForm form = SearchForm::budget;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    template <class Tree>
    struct Prepared {
        BudgetSetup<Tree> setup;
        RequestGraph<typename SearchRests<Tree>::Item> rounds;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        BudgetSetup<Tree> setup = set_up_budget(job, tree);
        auto rounds =
            request_graph(job, setup.setup.run, [](auto nest) { return search_graph<Tree, decltype(nest)>; });
        return {std::move(setup), std::move(rounds)};
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        job.context.launch(prepared.rounds.graph);
    }
#endif
};

const Register<SearchBudget, SearchTraits> search_budget_strategy;
const Register<SearchGraph, SearchTraits> search_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
