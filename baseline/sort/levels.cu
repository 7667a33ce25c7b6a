// sort_levels: the quicksort of quick_kway level by level: the host launches one grid per level.
// sort_cooperative: the same levels in one grid, whose blocks wait for each other between them. CUDA only.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
//     host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels: launch a grid for every level that there may be, as launches, as a graph, or as
//         a graph of programmatic launches; the blocks of a grid share the blocks of its level, which may be none
//
//     sort_cooperative: the blocks of one grid do a level, wait for each other, and read how many blocks the next needs
//
// Launches: none from the device; sort_levels: one per level from the host, which waits for each level to learn the
// size of the next, or 65, or a graph of these; sort_cooperative: one from the host.
// Hazards: none. A grid starts when the grid before it is complete. Not stable.
// Source: as quick_kway.
#include "device/parts/request_levels.hpp"
#include "workloads/sort/sort.hpp"
#include "workloads/sort/sort_parts.hpp"

#ifdef __CUDACC__
#include "device/cuda/grid_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// The steps of quick_kway: what the blocks of a level do, and what they request.
struct LevelParts : SortRecursion {
    static unsigned max_requests(const Case& point) { return point[SortParameter::fanout]; }

    __device__ static bool root(const SortTask& task, unsigned block, SortItem& child, unsigned* words)
    {
        return LevelParts::block(task, all_keys(task), block, task.root_blocks, child, words);
    }

    __device__ static bool block(const SortTask& task, const SortItem& item, unsigned block, unsigned blocks,
                                 SortItem& child, unsigned* words)
    {
        SortPart next{};
        switch (sort_step(task, item, block, blocks, next, words)) {
        case SortStepEnd::one_part:
            return threadIdx.x == 0 && request(task, next, child); // count() of a narrower range
        case SortStepEnd::counted:
            child = {item.part, item.node, SortStep::scatter};
            return threadIdx.x == 0;
        case SortStepEnd::moved:
            return request(task, next, child); // thread t, for part t: count() or leaf()
        default:
            return false;
        }
    }
};

// One level: its last block makes what all blocks request the next one.
__global__ void LAUNCH_BOUNDS(kMaxSortThreads)
    sort_level(RequestRun<LevelParts> run, ChildGrid<SortItem> grid, ChildGrid<SortItem>* next)
{
    BLOCK_SHARED(unsigned, words, kLeafWords);
    run_block(run, grid, blockIdx.x, KeepSink<SortItem>{next}, words);
}

// One of the levels that the host submits before it knows whether they are there.
__global__ void LAUNCH_BOUNDS(kMaxSortThreads)
    sort_submitted_level(RequestRun<LevelParts> run, ChildGrid<SortItem>* grid)
{
    BLOCK_SHARED(unsigned, words, kLeafWords);
    begin_level();
    share_level(run, grid, grid + 1, words);
}

#ifdef __CUDACC__
// All levels, by blocks that are all resident.
__global__ void LAUNCH_BOUNDS(kMaxSortThreads)
    sort_levels_together(const __grid_constant__ RequestRun<LevelParts> run,
                         const __grid_constant__ ChildGrid<SortItem> root, ChildGrid<SortItem>* next)
{
    BLOCK_SHARED(unsigned, words, kLeafWords);
    run_all_levels(run, root, next, words);
}
#endif

struct SortLevels {
    static constexpr StrategyInfo info{
        .name = "sort_levels",
        .workload = &workloads::sort,
        .mechanisms = kLevelsByHost,
        .summary = "flat: one grid per level of quick_kway, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete; not stable",
        .source = "Sedgewick, Algorithms in C, 3rd ed., section 10.3",
        .axes = {SortParameter::grain, SortParameter::fanout},
        .waits = true,
    };
    static constexpr SortForm form = SortForm::kway;

    static std::function<void()> prepare(const SortJob& job)
    {
        return level_by_level<sort_level, sort_submitted_level>(job, set_up_requests<LevelParts>(job, job.task));
    }
};

struct SortCooperative {
    static constexpr StrategyInfo info{
        .name = "sort_cooperative",
        .workload = &workloads::sort,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: all levels of quick_kway in one cooperative grid",
        .hazards = "none: all blocks are resident and wait for each other between the levels; not stable",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .axes = {SortParameter::grain, SortParameter::fanout},
        .cuda_only = true,
    };
    static constexpr SortForm form = SortForm::kway;

#ifdef __CUDACC__
    static GridLevels<LevelParts> prepare(const SortJob& job)
    {
        return grid_levels<sort_levels_together>(job, set_up_requests<LevelParts>(job, job.task));
    }

    static void run(const SortJob& job, const GridLevels<LevelParts>& levels)
    {
        run_levels_together<sort_levels_together>(job, levels);
    }
#endif
};

const Register<SortLevels, SortTraits> sort_levels;
const Register<SortCooperative, SortTraits> sort_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
