// mst_children: a minimum spanning forest by rounds of Boruvka, with a child for the edges of every vertex.
//
//     host, for each round:
//         root(vertices): one thread per vertex
//             if the vertex had an edge to another component in the last round: request a child for its edges
//         edges < threshold: the thread looks at them; otherwise a child with ceil(edges / (block * coarsen)) blocks does
//             lower the key of the vertex's component to the least key of an edge that leads to another one
//         hook_components, follow_hooks (src/workloads/mst/mst_rounds.hpp)
//     until no component was joined to another
//
// mst_children() is the kernel of the root grid of every round and of its children. In all threads of each block, run_grid()
// calls LiveVertices::root() or block(), and launches a child for the threads that return true.
//
// Launches: one per requested vertex and round, or one per group of vertices (`aggregate`): by the oracle. The components after
// each round are a function of the graph, because no two keys are equal.
// Hazards: none. A round starts when the round before it is complete. Keys only fall, by an atomic minimum. Items of a launch
// are written before a barrier (warp, block) or before an arrival with acquire-release order (grid).
// Source: Boruvka, 1926; KLAP, MICRO 2016, benchmark MST.
#include "device/parts/request_rounds.hpp"
#include "workloads/mst/mst_rounds.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct VertexRound : MstRound {
    unsigned* live; // of each vertex: the last round in which it had an edge to another component, plus 1
};

// What the blocks of a round do.
struct LiveVertices {
    struct Item {
        unsigned vertex, first, count; // of its edges
    };
    using Job = VertexRound;
    static constexpr bool kRecursive = false; // children request nothing

    static unsigned max_requests(const Case& point) { return point.block; }
    __device__ static unsigned threads(const VertexRound& /*job*/, const Item& item) { return item.count; }

    __device__ static bool root(const VertexRound& job, unsigned block, Item& child)
    {
        const unsigned vertex = block * blockDim.x + threadIdx.x;
        if (vertex < job.task.vertices && job.live[vertex] == job.round) {
            const unsigned first = job.task.starts[vertex];
            child = {vertex, first, job.task.starts[vertex + 1] - first};
        }
        return child.count != 0;
    }

    // Block `block` of the `blocks` for the edges of one vertex.
    __device__ static bool block(const VertexRound& job, const Item& item, unsigned block, unsigned blocks,
                                 Item& /*child*/)
    {
        MstKey least = kNoMstKey;
        for (unsigned index = block * blockDim.x + threadIdx.x; index < item.count; index += blocks * blockDim.x)
            least = lesser(least, key_of(job, item, index));
        least = min_of_warp(least);
        if (threadIdx.x % kLanes == 0)
            note(job, item, least);
        return false;
    }

    __device__ static void process_serially(const VertexRound& job, const Item& item)
    {
        MstKey least = kNoMstKey;
        for (unsigned index = 0; index < item.count; ++index)
            least = lesser(least, key_of(job, item, index));
        note(job, item, least);
    }

  private:
    // The key of an edge of the vertex if it leads to another component.
    __device__ static MstKey key_of(const VertexRound& job, const Item& item, unsigned index)
    {
        const MstEdge edge = job.task.halves[item.first + index];
        const bool leaves = job.task.component[edge.other] != job.task.component[item.vertex];
        return leaves ? mst_key(edge.weight, edge.number) : kNoMstKey;
    }

    __device__ static void note(const VertexRound& job, const Item& item, MstKey least)
    {
        if (least == kNoMstKey)
            return;
        store_relaxed(&job.live[item.vertex], job.round + 1);
        lower(&job.best[job.task.component[item.vertex]], least);
    }
};

template <class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    mst_children(const __grid_constant__ RequestRun<LiveVertices> run,
                 const __grid_constant__ ChildGrid<LiveVertices::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    run_grid<mst_children<Nest>>(run, grid, nest, refused, nullptr, [&](const Nest& parent, const auto& child) {
        return launch<mst_children<Nest>>(parent, {child.blocks, blockDim.x}, run, child);
    });
}

struct MstChildren {
    static constexpr StrategyInfo info{
        .name = "mst_children",
        .workload = &workloads::mst,
        .mechanisms = kChildrenByKernel,
        .summary = "round by round, a child for the edges of every vertex with an edge to another component",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "Boruvka, 1926; KLAP, MICRO 2016, benchmark MST",
        .requests = true,
        .per_vertex = true,
        .waits = true,
    };
    static constexpr MstForm form = MstForm::vertices;
    static constexpr bool halves = true;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    struct Prepared {
        MstRoundBuffers buffers;
        Buffer<unsigned> live;
        RequestSetup<LiveVertices> requests;
    };

    static Prepared prepare(const MstJob& job)
    {
        MstRoundBuffers buffers(job);
        auto live = filled_buffer(job, job.task.vertices, 0, "live");
        const VertexRound round{buffers.round, live.data()};
        return {std::move(buffers), std::move(live), set_up_requests<LiveVertices>(job, round)};
    }

    // One root grid per round. Waits for each round.
    static void run(const MstJob& job, const Prepared& prepared)
    {
        auto round = prepared.requests.run;
        const std::uint32_t threads = job.point.block;
        for (bool hooked = true; hooked; ++round.job.round) {
            launch_round<MstChildren>(job, round, job.roots, [&](const auto& wave, auto nest) {
                host_launch<mst_children<decltype(nest)>>(wave, threads, round, root_grid(round, wave, threads),
                                                          nest);
            });
            end_round(job, round.job);
            hooked = prepared.buffers.hooked(job.context, round.job);
        }
    }
};

const Register<MstChildren, MstTraits> mst_children_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
