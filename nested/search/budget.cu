// search_budget: tree search by blocks with a stack in shared memory; a child for what a block leaves after its budget.
//
//     root(tree): each block searches 4 children of the root
//     search(nodes): a block takes its share of the nodes
//         repeat `budget` times, while there are nodes and the stack has room:
//             each thread takes a node from the stack, or from the share, visits it, and puts its children on the stack
//             (below depth `cutoff`, the thread searches all below the node with a stack of its own)
//         if nodes are left: write them to memory; launch search(nodes left), a block for every `block` * `coarsen` of them
//
// Launches: one per block that leaves nodes; fewer with `aggregate`: one per round with `grid`. By the oracle: what a block
// leaves depends on its nodes alone, because their order on the stack is that of the threads, not of the time.
// Hazards: none. The nodes that a block leaves are written before a barrier, and only its own item names them. A tail chain
// is not bounded by the pending-launch limit.
// Source: ours. Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006.
#include "workloads/search/search_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SearchBudget {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "search_budget",
        .workload = &workloads::search,
        .mechanisms = kMechanisms,
        .summary = "a child for the nodes that a block has left after its budget",
        .hazards = "none: a block writes what it leaves before a barrier",
        .source = "ours",
        .axes = {axis::cutoff, axis::budget},
        .offers = true,
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
        launch_offers<SearchBudget>(job, prepared.setup.run, job.point.block);
    }
};

const Register<SearchBudget, SearchRoom> search_budget;

} // namespace nestbed::inline NESTBED_BACKEND
