// search_graph: the recursion of search_budget by a device graph that launches itself again. CUDA only.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share the nodes of the round and search them, `budget` nodes per thread; the last block to finish
//         makes what they leave the next round, and launches the graph again if there is any
//
// Launches: one per round after the first. The host makes the first launch.
// Hazards: none. A graph that launches itself runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch".
#include "workloads/search/search_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The rounds with even and with odd numbers.
template <class Tree>
struct SearchRounds {
    ChildGrid<typename ExpandBudget<Tree>::Item> grid[2];
    unsigned round;
    unsigned arrived;
};

#ifdef __CUDACC__
// Keeps the one child grid of a round for the next run of the graph.
template <class Tree>
struct RoundSink {
    using Expand = ExpandBudget<Tree>;

    ChildGrid<typename Expand::Item>* next;

    __device__ void delay() const {}
    __device__ void launch(const OfferRun<Expand>& run, ChildGrid<typename Expand::Item> child) const
    {
        atomicAdd(&run.memory.totals->blocks, static_cast<unsigned long long>(child.blocks));
        child.offer_row = atomicAdd(&run.memory.totals->rows, child.blocks);
        *next = child;
    }
};

template <class Tree, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    search_graph(OfferRun<ExpandBudget<Tree>> run, SearchRounds<Tree>* rounds, Nest nest)
{
    const unsigned long long now = nest.now();
    const unsigned round = rounds->round;
    const Nest here = nest.at(round);
    const auto scope = here.enter(now);
    BLOCK_SHARED(unsigned, words, ExpandBudget<Tree>::kSharedWords);
    const ChildGrid<typename ExpandBudget<Tree>::Item> grid = rounds->grid[round % 2];
    ChildGrid<typename ExpandBudget<Tree>::Item>* next = &rounds->grid[(round + 1) % 2];
    for (unsigned block = blockIdx.x; block < grid.blocks; block += gridDim.x)
        run_offer_block(run, grid, block, RoundSink<Tree>{next}, words);
    __syncthreads();
    if (threadIdx.x == 0 && arrives_last(&rounds->arrived, gridDim.x)) {
        rounds->grid[round % 2].blocks = 0;
        rounds->round = round + 1;
        if (next->blocks != 0)
            launch_graph_again(here);
    }
}
#endif

struct SearchGraph {
    static constexpr StrategyInfo info{
        .name = "search_graph",
        .workload = &workloads::search,
        .mechanisms = kOnly<Mechanism::graph_tail>,
        .summary = "a device graph of one round of search_budget that launches itself again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .axes = {axis::cutoff, axis::budget},
        .cuda_only = true,
        .offers = true,
    };
    static constexpr SearchForm form = SearchForm::budget;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

#ifdef __CUDACC__
    template <class Tree>
    struct Prepared {
        BudgetSetup<Tree> setup;
        Buffer<SearchRounds<Tree>> rounds;
        Graph graph;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        BudgetSetup<Tree> setup = set_up_budget(job, tree);
        auto rounds = job.context.template allocate<SearchRounds<Tree>>(1);
        SearchRounds<Tree> start{};
        start.grid[0] = root_grid(setup.setup.run, {.blocks = job.roots}, job.point.block);
        job.context.upload(rounds, std::span<const SearchRounds<Tree>>(&start, 1));
        Graph graph = job.context.capture(true, [&] {
            with_nest<Mechanism::graph_tail>(job, 0, [&](auto nest) {
                const std::uint32_t blocks =
                    job.context.template resident_blocks<search_graph<Tree, decltype(nest)>>(job.point.block);
                host_launch<search_graph<Tree, decltype(nest)>>(job.context, 0, {blocks, job.point.block},
                                                                setup.setup.run, rounds.data(), nest);
            });
        });
        return {std::move(setup), std::move(rounds), std::move(graph)};
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<SearchGraph, SearchRoom> search_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
