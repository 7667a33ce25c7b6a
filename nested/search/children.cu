// search_children: tree search with a child for every inner node; each of its threads visits one child of the node.
//
//     root(tree): each block visits 4 children of the root, one per thread
//     visit(node): make the node: its hash, or the board; count it
//         if it has no children: done
//         if its depth is `cutoff` or more: the thread searches all below it, with a stack of its own
//         otherwise: launch a grid with a thread per child, which visits it
//
// Launches: one per inner node above the cutoff; fewer with `aggregate`: one per level with `grid`. By the oracle, because
// they depend on the tree.
// Hazards: none. A node is part of its item; items of a launch are written before a barrier (warp, block) or before an
// arrival with acquire-release order (grid). A tree of thousands of levels needs tail launches: others hold their place
// under the pending-launch limit until all below them is done.
// Source: Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006; threshold, coarsening and aggregation as
// in Olabi et al., CGO 2022.
#include "workloads/search/search.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// What the blocks of a grid do: each thread visits one child of a node, and requests a grid for the children of that.
template <class Tree>
struct VisitChildren {
    struct Item {
        typename Tree::Node node;
        unsigned children;
    };
    using Job = SearchTask<Tree>;
    static constexpr bool kRecursive = true;

    static unsigned max_requests(const Case& point)
    {
        return std::min(point.block, std::max(kRootChildren, max_children(point)));
    }
    __device__ static unsigned threads(const Job& /*job*/, const Item& item) { return item.children; }

    // Of the root's children, each block visits some.
    __device__ static bool root(const Job& job, unsigned block, Item& request)
    {
        ThreadFound found{};
        const typename Tree::Node root = job.tree.root();
        if (block == 0 && threadIdx.x == 0)
            job.visit_root(found);
        const unsigned number = block * kRootChildren + threadIdx.x;
        if (threadIdx.x < kRootChildren && number < job.tree.children(root))
            request.children = job.visit(root, number, false, request.node, found);
        job.add_all(found);
        return request.children != 0;
    }

    // With coarsening, a thread may visit several children. It requests a child grid for the first that has
    // children, and searches below the others itself.
    __device__ static bool block(const Job& job, const Item& item, unsigned block, unsigned blocks, Item& request)
    {
        ThreadFound found{};
        for (unsigned number = block * blockDim.x + threadIdx.x; number < item.children;
             number += blocks * blockDim.x) {
            typename Tree::Node node;
            const unsigned children = job.visit(item.node, number, request.children != 0, node, found);
            if (children != 0)
                request = {node, children};
        }
        job.add_all(found);
        return request.children != 0;
    }

    __device__ static void process_serially(const Job& job, const Item& item)
    {
        ThreadFound found{};
        typename Tree::Node child;
        static_cast<void>(job.tree.search(item.node, 0, item.children, 0, job.stacks, child, found));
        job.add(found);
    }
};

// The kernel of every grid. Its launches are those of run_grid(), for the threads that return true above.
// At most 64 registers per thread.
template <class Tree, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    search_children(const __grid_constant__ RequestRun<VisitChildren<Tree>> run,
                    const __grid_constant__ ChildGrid<typename VisitChildren<Tree>::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    run_grid<search_children<Tree, Nest>>(
        run, grid, nest, refused, nullptr, [&](const Nest& parent, const auto& child) {
            return launch<search_children<Tree, Nest>>(parent, {child.blocks, blockDim.x}, run, child);
        });
}

struct SearchChildren {
    static constexpr StrategyInfo info{
        .name = "search_children",
        .workload = &workloads::search,
        .mechanisms = kChildrenByKernel,
        .summary = "a child for every inner node; its threads visit the node's children",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "Olivier et al., UTS, LCPC 2006",
        .axes = {SearchParameter::cutoff},
        .requests = true,
    };
    static constexpr SearchForm form = SearchForm::children;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    template <class Tree>
    struct Prepared {
        SearchBuffers<Tree> buffers;
        RequestSetup<VisitChildren<Tree>> setup;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        SearchBuffers<Tree> buffers(job, tree, 0);
        RequestSetup<VisitChildren<Tree>> setup = set_up_requests<VisitChildren<Tree>>(job, buffers.task);
        return {std::move(buffers), std::move(setup)};
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        launch_waves<SearchChildren>(job, [&](const auto& wave, auto nest) {
            host_launch<search_children<Tree, decltype(nest)>>(wave, job.point.block, prepared.setup.run,
                                                               root_grid(prepared.setup.run, wave, job.point.block),
                                                               nest);
        });
    }
};

const Register<SearchChildren, SearchTraits> search_children_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
