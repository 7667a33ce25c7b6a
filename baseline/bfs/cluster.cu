// bfs_cluster: breadth-first search by steps of the host, where a cluster of thread blocks does levels that are small, one after
// another: more than one block can in the same time, without a launch. CUDA only.
//
//     cluster: each block keeps the vertices that it reaches in its shared memory
//         cluster.sync(); every block reads how many the others have, and all share them evenly, by distributed shared memory
//         four threads follow the edges of a vertex
//     a level that is too large: one grid of the whole device, as in bfs_direction (top-down or bottom-up)
//
// Launches: none from the device; one from the host for each large level, and for small ones that follow each other.
// Hazards: none. A cluster waits for all its blocks between levels. A block ends only when no other reads its shared memory.
// Source: CUDA C++ Programming Guide, "Thread Block Clusters", "Distributed Shared Memory"; Beamer, Asanovic, Patterson, SC 2012.
#include "workloads/bfs/graph_steps.hpp"

#ifdef __CUDACC__
#include "device/cuda/levels.cuh"

#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
constexpr unsigned kClusterBlocks = 8;              // on every device that has clusters
constexpr unsigned kOwnVertices = kTileVertices;    // of a level, in the shared memory of a block
constexpr unsigned kClusterEdges = 4 * kSmallEdges; // of a level, at most
constexpr unsigned kNarrow = 32;                    // edges of a vertex, at most
constexpr unsigned kThreadsPerVertex = 4;

// The vertices of a level that a block has, in its shared memory; even and odd levels apart.
struct OwnList {
    unsigned *vertices, *firsts, *degrees; // degrees: edges, from the first one on
};
__device__ inline OwnList own_list(GraphShared& shared, unsigned level)
{
    const unsigned odd = level % 2;
    return {shared.stage + odd * kOwnVertices, shared.stage + (2 + odd) * kOwnVertices,
            odd == 0 ? shared.starts : shared.firsts};
}

// By one thread: a vertex of `level`, which has edges, is listed here, or, if there is no room, in the next list of the search.
__device__ inline void list_own(const GraphSearch& search, const GraphSearchPlan& now, GraphShared& shared,
                                unsigned level, unsigned vertex)
{
    const unsigned first = search.task.starts[vertex];
    const unsigned degree = search.task.starts[vertex + 1] - first;
    if (degree == 0)
        return;
    SmallCounts& counts = shared.small[level % 2];
    atomicAdd(&counts.edges, degree);
    if (degree > kNarrow)
        atomicMax(&counts.wide, 1U);
    const unsigned place = atomicAdd(&counts.found, 1U);
    if (place < kOwnVertices) {
        const OwnList list = own_list(shared, level);
        list.vertices[place] = vertex;
        list.firsts[place] = first;
        list.degrees[place] = degree;
    } else {
        const ItemsAndBlocks at = atomicAdd(&search.state->found, ItemsAndBlocks{1} << kItemsShift | degree);
        search.lists[1 - now.list][at >> kItemsShift] = {vertex, static_cast<unsigned>(at)};
    }
}

// One cluster: levels until one is too large, or none is left. Its last block plans the next step.
__global__ void LAUNCH_BOUNDS(1024) search_in_cluster(GraphSearch search)
{
#if __CUDA_ARCH__ >= 900
    __shared__ GraphShared shared;
    __shared__ unsigned ends[kLanes]; // of the blocks' vertices, if those of all were one list
    __shared__ unsigned edges;
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    const unsigned blocks = cluster.num_blocks();
    const unsigned tid = threadIdx.x;
    const GraphSearchPlan now = search.state->plan;
    unsigned level = now.level;
    unsigned long long looked = 0;
    for (unsigned index = tid; index < kHistory; index += blockDim.x)
        shared.history[index] = kUnreached;
    if (tid < 2)
        shared.small[tid] = {};
    __syncthreads();
    for (unsigned index = tid * blocks + rank; index < now.items; index += blockDim.x * blocks)
        list_own(search, now, shared, level, search.lists[now.list][index].vertex);
    for (;; ++level) {
        cluster.sync(); // what a block listed is visible to all, and nobody reads the list of the level before
        if (tid < kLanes) {
            SmallCounts counts{};
            if (tid < blocks)
                counts = *cluster.map_shared_rank(&shared.small[level % 2], tid);
            unsigned end = counts.found;
            for (unsigned distance = 1; distance < kLanes; distance *= 2) {
                const unsigned before = __shfl_up_sync(0xFFFFFFFFU, end, distance);
                end += tid >= distance ? before : 0;
            }
            ends[tid] = end;
            const unsigned all = __reduce_add_sync(0xFFFFFFFFU, counts.edges);
            const bool large = counts.wide != 0 || counts.found > kOwnVertices || all > kClusterEdges;
            const bool any = __any_sync(0xFFFFFFFFU, large) != 0;
            if (tid == 0) {
                edges = all;
                shared.continues = all != 0 && !any ? 1 : 0;
                shared.small[(level + 1) % 2] = {};
            }
        }
        __syncthreads();
        if (shared.continues == 0)
            break;
        looked += edges;
        const unsigned items = ends[kLanes - 1];
        const unsigned step = blockDim.x / kThreadsPerVertex * blocks;
        for (unsigned index = tid / kThreadsPerVertex * blocks + rank; index < items; index += step) {
            unsigned owner = 0;
            while (ends[owner] <= index)
                ++owner;
            const unsigned place = index - (owner == 0 ? 0 : ends[owner - 1]);
            const OwnList list = own_list(*cluster.map_shared_rank(&shared, owner), level);
            const unsigned first = list.firsts[place];
            const unsigned end = first + list.degrees[place];
            for (unsigned edge = first + tid % kThreadsPerVertex; edge < end; edge += kThreadsPerVertex) {
                const unsigned to = search.task.ends[edge];
                if (is_new(shared, to) && reaches<false>(search, to, level + 1, kUnreached, level + 1, false))
                    list_own(search, now, shared, level + 1, to);
            }
        }
    }
    const unsigned own = shared.small[level % 2].found;
    append_vertices(search, 1 - now.list, shared, own < kOwnVertices ? own : kOwnVertices,
                    [&](unsigned index) { return own_list(shared, level).vertices[index]; });
    cluster.sync(); // no block reads the shared memory of another any more
    if (rank == 0 && tid == 0)
        atomicAdd(&search.task.totals->work, looked);
    if (block_arrives_last(&search.state->arrived, blocks) && tid == 0)
        GraphSteps<false>::plan_next(search, now, level, blockDim.x);
#endif
}
#endif

struct BfsCluster {
    static constexpr StrategyInfo info{
        .name = "bfs_cluster",
        .workload = &workloads::bfs,
        .mechanisms = kOnly<Mechanism::cluster_sync>,
        .summary = "flat: a cluster of blocks does small levels, the whole device large ones",
        .hazards = "none: a cluster waits for all its blocks between levels",
        .source = "CUDA C++ Programming Guide, Thread Block Clusters",
        .cuda_only = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;
    static constexpr bool backwards = true;

#ifdef __CUDACC__
    static GraphSearchSetup prepare(const GraphJob& job)
    {
        if (!cluster_fits<search_in_cluster>({kClusterBlocks, job.point.block}))
            throw Unsupported("a cluster of " + std::to_string(kClusterBlocks) + " blocks of " +
                              std::to_string(job.point.block) + " threads does not fit on this device");
        return set_up_search(job, {.small = true, .first_small = true, .directions = true},
                             job.context.resident_blocks<search_step<false>>(job.point.block));
    }

    // Waits for each step that is not done in the cluster.
    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        GraphSearchState state{};
        state.plan.mode = job.source_edges <= kSmallEdges ? StepMode::small : StepMode::top_down;
        state.plan.blocks = setup.first_blocks;
        while (state.plan.mode != StepMode::done) {
            if (state.plan.mode == StepMode::small)
                cluster_launch<search_in_cluster>(job.context, {kClusterBlocks, job.point.block}, setup.search);
            else
                host_launch<search_step<false>>(job.context, 0, {state.plan.blocks, job.point.block}, setup.search);
            job.context.read(std::span(&state, 1), setup.state, 0);
        }
    }
#endif
};

const Register<BfsCluster, GraphRoom> bfs_cluster;

} // namespace nestbed::inline NESTBED_BACKEND
