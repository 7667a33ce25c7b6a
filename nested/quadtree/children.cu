// quadtree_children: a quadtree by divisions into many parts; a child for every part, which one block finishes if it can.
//
//     count(part): as many blocks as it has points for
//         count the points of each of up to 1024 parts (the next bits of the Morton code; at most one for each thread of
//         a block); the last block: if all are in one part, list the nodes skipped and launch count() of what is left
//         otherwise: launch scatter(part)
//     scatter(part): move the points to their parts
//         the last block: list the nodes of all levels in between, by sums of the counts
//         for each part: launch count(), or leaf() if a block can hold it
//     leaf(part): one block sorts it in shared memory, and lists all nodes in it by binary search
//
// Launches: two per divided part and one per leaf; fewer with `aggregate`: one per level with `grid`. By the oracle,
// because they depend on the input, but not on the order of execution: parts are ranges of codes.
// Hazards: none. The last block arrives with acquire-release order at the part's counter, so it and its children see
// what all blocks wrote. The order of the list of nodes depends on the order of execution; the nodes do not. Points with
// equal codes are sorted by their places in the input.
// Source: Samet, "The Quadtree and Related Hierarchical Data Structures", ACM Computing Surveys 1984; the divisions are
// those of quick_kway.
#include "workloads/quadtree/quadtree.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The kernel of every grid. run_grid() calls ExpandQuadtree::block() in all threads of a block (at the root: root()), and
// launches a grid for the threads that return true, which have put a part into their item.
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads, 1) // 64 registers
    quadtree_children(const __grid_constant__ RequestRun<ExpandQuadtree> run,
                      const __grid_constant__ ChildGrid<ExpandQuadtree::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    BLOCK_SHARED(unsigned, words, kQuadWords);
    run_grid<quadtree_children<Nest>>(run, grid, nest, refused, words, [&](const Nest& parent, const auto& child) {
        return launch<quadtree_children<Nest>>(parent, {child.blocks, blockDim.x}, run, child);
    });
}

struct QuadtreeChildren {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "quadtree_children",
        .workload = &workloads::quadtree,
        .mechanisms = kMechanisms,
        .summary = "a child for every part of a divided range of points; one block finishes what it can hold",
        .hazards = "none: the last block to arrive launches",
        .source = "Samet, The Quadtree and Related Hierarchical Data Structures, 1984",
        .offers = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<ExpandQuadtree> prepare(const QuadJob& job)
    {
        return set_up_requests<ExpandQuadtree>(job, job.task);
    }

    static void run(const QuadJob& job, const RequestSetup<ExpandQuadtree>& setup)
    {
        launch_waves<QuadtreeChildren>(job, [&](auto wave, auto nest) {
            wave.blocks = job.roots; // one wave: all blocks of the root grid process one item, all points
            host_launch<quadtree_children<decltype(nest)>>(wave, job.point.block, setup.run,
                                                           root_grid(setup.run, wave, job.point.block), nest);
        });
    }
};

const Register<QuadtreeChildren, QuadtreeRoom> quadtree_children_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
