// quadtree_levels: the quadtree of quadtree_children level by level: the host launches one grid per level.
// quadtree_cooperative: the same levels in one grid, whose blocks wait for each other between them. CUDA only.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
//     host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels: launch a grid for every level that there may be, as launches, as a graph, or as
//         a graph of programmatic launches; the blocks of a grid share the blocks of its level, which may be none
//
//     quadtree_cooperative: the blocks of one grid do a level, wait for each other, and read how many blocks the next needs
//
// Launches: none from the device; quadtree_levels: one per level from the host, which waits for each level to learn the
// size of the next, or max_quad_levels() + 1, or a graph of these; quadtree_cooperative: one from the host.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: as quadtree_children.
#include "device/parts/request_levels.hpp"
#include "workloads/quadtree/quadtree_parts.hpp"

#ifdef __CUDACC__
#include "device/cuda/grid_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// The steps of quadtree_children: what the blocks of a level do, and what they request.
struct QuadLevelParts : QuadRecursion {
    __device__ static bool root(const QuadTask& task, unsigned block, QuadItem& child, unsigned* words)
    {
        if (block == 0 && threadIdx.x == 0)
            task.put(atomicAdd(task.node_count, 1U), {0, 0, 0, task.count});
        return QuadLevelParts::block(task, all_points(task), block, task.root_blocks, child, words);
    }

    __device__ static bool block(const QuadTask& task, const QuadItem& item, unsigned block, unsigned blocks,
                                 QuadItem& child, unsigned* words)
    {
        return quad_step(
            task, item, block, blocks, words,
            [&](const QuadPart& narrow) { // count() of what is left
                if (threadIdx.x != 0)
                    return false;
                list_chain(task, item.part, narrow);
                return request(task, narrow, child);
            },
            [&] { // scatter() of the same part
                child = {item.part, item.division, QuadStep::scatter};
                return threadIdx.x == 0;
            },
            [&](const QuadDigits& digits, const QuadDivision& division) { // thread t, for part t: count() or leaf()
                return request_parts(task, item.part, digits, division, words, child);
            });
    }
};

// One level: its last block makes what all blocks request the next one.
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads)
    quadtree_level(RequestRun<QuadLevelParts> run, ChildGrid<QuadItem> grid, ChildGrid<QuadItem>* next)
{
    BLOCK_SHARED(unsigned, words, kQuadWords);
    run_block(run, grid, blockIdx.x, KeepSink<QuadItem>{next}, words);
}

// One of the levels that the host submits before it knows whether they are there.
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads)
    quadtree_submitted_level(RequestRun<QuadLevelParts> run, ChildGrid<QuadItem>* grid)
{
    BLOCK_SHARED(unsigned, words, kQuadWords);
    begin_level();
    share_level(run, grid, grid + 1, words);
}

#ifdef __CUDACC__
// All levels, by blocks that are all resident.
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads)
    quadtree_levels_together(const __grid_constant__ RequestRun<QuadLevelParts> run,
                             const __grid_constant__ ChildGrid<QuadItem> root, ChildGrid<QuadItem>* next)
{
    BLOCK_SHARED(unsigned, words, kQuadWords);
    run_all_levels(run, root, next, words);
}
#endif

struct QuadtreeLevels {
    static constexpr StrategyInfo info{
        .name = "quadtree_levels",
        .workload = &workloads::quadtree,
        .mechanisms = kLevelsByHost,
        .summary = "flat: one grid per level of quadtree_children, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Samet, The Quadtree and Related Hierarchical Data Structures, 1984",
        .waits = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

    static std::function<void()> prepare(const QuadJob& job)
    {
        return level_by_level<quadtree_level, quadtree_submitted_level>(
            job, set_up_requests<QuadLevelParts>(job, job.task));
    }
};

struct QuadtreeCooperative {
    static constexpr StrategyInfo info{
        .name = "quadtree_cooperative",
        .workload = &workloads::quadtree,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: all levels of quadtree_children in one cooperative grid",
        .hazards = "none: all blocks are resident and wait for each other between the levels",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .cuda_only = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

#ifdef __CUDACC__
    static GridLevels<QuadLevelParts> prepare(const QuadJob& job)
    {
        return grid_levels<quadtree_levels_together>(job, set_up_requests<QuadLevelParts>(job, job.task));
    }

    static void run(const QuadJob& job, const GridLevels<QuadLevelParts>& levels)
    {
        run_levels_together<quadtree_levels_together>(job, levels);
    }
#endif
};

const Register<QuadtreeLevels, QuadtreeTraits> quadtree_levels;
const Register<QuadtreeCooperative, QuadtreeTraits> quadtree_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
