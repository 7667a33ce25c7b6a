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

struct SearchChildren {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "search_children",
        .workload = &workloads::search,
        .mechanisms = kMechanisms,
        .summary = "a child for every inner node; its threads visit the node's children",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "Olivier et al., UTS, LCPC 2006",
        .axes = {axis::cutoff},
        .offers = true,
    };
    static constexpr SearchForm form = SearchForm::children;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    template <class Tree>
    struct Prepared {
        SearchBuffers<Tree> buffers;
        OfferSetup<ExpandChildren<Tree>> setup;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        SearchBuffers<Tree> buffers(job, tree, 0);
        OfferSetup<ExpandChildren<Tree>> setup = set_up_offers<ExpandChildren<Tree>>(job, buffers.task);
        return {std::move(buffers), std::move(setup)};
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        launch_offers<SearchChildren>(job, prepared.setup.run, job.point.block);
    }
};

const Register<SearchChildren, SearchRoom> search_children;

} // namespace nestbed::inline NESTBED_BACKEND
