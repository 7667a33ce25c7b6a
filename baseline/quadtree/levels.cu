// quadtree_levels: the quadtree of quadtree_children level by level: the host launches one grid per level.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: as quadtree_children.
#include "device/parts/request_levels.hpp"
#include "workloads/quadtree/quadtree.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// One level: its last block makes what all blocks request the next one.
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads)
    quadtree_level(RequestRun<ExpandQuadtree> run, ChildGrid<ExpandQuadtree::Item> grid,
                   ChildGrid<ExpandQuadtree::Item>* next)
{
    BLOCK_SHARED(unsigned, words, kQuadWords);
    run_block(run, grid, blockIdx.x, KeepSink<ExpandQuadtree::Item>{next}, words);
}

struct QuadtreeLevels {
    static constexpr StrategyInfo info{
        .name = "quadtree_levels",
        .workload = &workloads::quadtree,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one grid per level of quadtree_children, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Samet, The Quadtree and Related Hierarchical Data Structures, 1984",
        .waits = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

    static HostLevels<ExpandQuadtree> prepare(const QuadJob& job)
    {
        return host_levels(job, set_up_requests<ExpandQuadtree>(job, job.task));
    }

    static void run(const QuadJob& job, const HostLevels<ExpandQuadtree>& levels)
    {
        run_levels<quadtree_level>(job, levels);
    }
};

const Register<QuadtreeLevels, QuadtreeRoom> quadtree_levels;

} // namespace nestbed::inline NESTBED_BACKEND
