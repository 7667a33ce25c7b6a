// mst_components: a minimum spanning forest by rounds of Boruvka over a graph of components, with a child for the edges of
// every component.
//
//     host, for each round:
//         root(components): one thread per component, which requests a child for its edges, if it has some
//         edges < threshold: the thread looks at them; otherwise a child with ceil(edges / (block * coarsen)) blocks does
//             find the edge with the least key
//         hook_components, follow_hooks (src/workloads/mst/mst_rounds.hpp)
//         make the lists of the edges of the new components, without those inside of one: count them, give each list a place,
//             move them
//     until no edge is left
//
// mst_components() is the kernel of the root grid of every round and of its children. In all threads of each block, run_grid()
// calls LiveComponents::root() or block(), and launches a child for the threads that return true. The lists of the first round
// are those of the vertices. They become fewer and longer, so that few components soon have most of the edges.
//
// Launches: one per component and round, or one per group of components (`aggregate`): by the oracle. The components after each
// round are a function of the graph, because no two keys are equal.
// Hazards: none. A round starts when the round before it is complete. Keys only fall, by an atomic minimum. Items of a launch
// are written before a barrier (warp, block) or before an arrival with acquire-release order (grid).
// Source: Boruvka, 1926; Vineet, Harish, Patidar, Narayanan, "Fast Minimum Spanning Tree for Large Graphs on the GPU", HPG
// 2009.
#include "device/parts/request_rounds.hpp"
#include "workloads/mst/mst_rounds.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct ComponentRound : MstRound {
    const MstEdge* edges; // the lists
    MstEdge* next;        // those of the next round
    unsigned* firsts;     // of the list of each component
    unsigned* counts;     // edges in the list
    unsigned* places;     // of each edge in its next list; kDropped: it is in none
    unsigned* placed;     // edges of all next lists
    unsigned total;       // edges of all lists
};
constexpr unsigned kDropped = UINT32_MAX;

// What the blocks of a round do.
struct LiveComponents {
    struct Item {
        unsigned component, first, count; // of its edges
    };
    using Job = ComponentRound;
    static constexpr bool kRecursive = false; // children request nothing

    static unsigned max_requests(const Case& point) { return point.block; }
    __device__ static unsigned threads(const ComponentRound& /*job*/, const Item& item) { return item.count; }

    __device__ static bool root(const ComponentRound& job, unsigned block, Item& child)
    {
        const unsigned component = block * blockDim.x + threadIdx.x;
        if (component < job.task.vertices)
            child = {component, job.firsts[component], job.counts[component]};
        return child.count != 0;
    }

    // Block `block` of the `blocks` for the edges of one component.
    __device__ static bool block(const ComponentRound& job, const Item& item, unsigned block, unsigned blocks,
                                 Item& /*child*/)
    {
        MstKey least = kNoMstKey;
        for (unsigned index = block * blockDim.x + threadIdx.x; index < item.count; index += blocks * blockDim.x)
            least = lesser(least, key_of(job, item, index));
        least = min_of_warp(least);
        if (threadIdx.x % kLanes == 0 && least != kNoMstKey)
            lower(&job.best[item.component], least);
        return false;
    }

    __device__ static void process_serially(const ComponentRound& job, const Item& item)
    {
        MstKey least = kNoMstKey;
        for (unsigned index = 0; index < item.count; ++index)
            least = lesser(least, key_of(job, item, index));
        lower(&job.best[item.component], least);
    }

  private:
    __device__ static MstKey key_of(const ComponentRound& job, const Item& item, unsigned index)
    {
        const MstEdge edge = job.edges[item.first + index];
        return mst_key(edge.weight, edge.number);
    }
};

template <class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    mst_components(const __grid_constant__ RequestRun<LiveComponents> run,
                   const __grid_constant__ ChildGrid<LiveComponents::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    run_grid<mst_components<Nest>>(run, grid, nest, refused, nullptr, [&](const Nest& parent, const auto& child) {
        return launch<mst_components<Nest>>(parent, {child.blocks, blockDim.x}, run, child);
    });
}

// Before the first round: the lists of the vertices.
__global__ void list_of_vertices(ComponentRound of)
{
    const unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= of.task.vertices)
        return;
    of.firsts[vertex] = of.task.starts[vertex];
    of.counts[vertex] = of.task.starts[vertex + 1] - of.task.starts[vertex];
}

__global__ void forget_lists(ComponentRound of)
{
    const unsigned component = blockIdx.x * blockDim.x + threadIdx.x;
    if (component < of.task.vertices)
        of.counts[component] = 0;
    if (component == 0)
        *of.placed = 0;
}

// Counts the edges of each new component, and gives each edge its place in the list. Lanes with the same component share an
// atomic operation.
__global__ void count_edges(ComponentRound of)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned component = kDropped;
    if (index < of.total) {
        const MstEdge edge = of.edges[index];
        component = of.task.component[edge.one];
        if (component == of.task.component[edge.other])
            component = kDropped;
    }
    const unsigned same = __match_any_sync(0xFFFFFFFFU, component);
    const unsigned lane = threadIdx.x % kLanes;
    const auto leader = static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1);
    unsigned place = 0;
    if (component != kDropped && lane == leader)
        place = atomicAdd(&of.counts[component], static_cast<unsigned>(__popc(same)));
    place = __shfl_sync(0xFFFFFFFFU, place, static_cast<int>(leader));
    if (index < of.total)
        of.places[index] =
            component == kDropped ? kDropped : place + static_cast<unsigned>(__popc(same & ((1U << lane) - 1)));
}

// Gives each list its place.
__global__ void place_lists(ComponentRound of)
{
    BLOCK_SHARED(unsigned, first, 1);
    const unsigned component = blockIdx.x * blockDim.x + threadIdx.x;
    ItemsAndBlocks total = 0;
    const ItemsAndBlocks before =
        exclusive_scan(component < of.task.vertices ? of.counts[component] : 0, false, total);
    if (threadIdx.x == 0)
        first[0] = atomicAdd(of.placed, static_cast<unsigned>(total));
    __syncthreads();
    if (component < of.task.vertices)
        of.firsts[component] = first[0] + static_cast<unsigned>(before);
}

__global__ void move_edges(ComponentRound of)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= of.total || of.places[index] == kDropped)
        return;
    const MstEdge edge = of.edges[index];
    const unsigned one = of.task.component[edge.one];
    of.next[of.firsts[one] + of.places[index]] = {one, of.task.component[edge.other], edge.weight, edge.number};
}

struct MstComponents {
    static constexpr StrategyInfo info{
        .name = "mst_components",
        .workload = &workloads::mst,
        .mechanisms = kChildrenByKernel,
        .summary = "round by round, a child for the edges of every component",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "Boruvka, 1926; Vineet et al., HPG 2009",
        .requests = true,
        .per_vertex = true,
        .waits = true,
    };
    static constexpr MstForm form = MstForm::components;
    static constexpr bool halves = true;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    struct Prepared {
        MstRoundBuffers buffers;
        Buffer<MstEdge> lists[2]; // of rounds with odd and with even numbers
        Buffer<unsigned> firsts, counts, places, placed;
        RequestSetup<LiveComponents> requests;
    };

    static Prepared prepare(const MstJob& job)
    {
        const std::size_t edges = 2 * std::size_t{job.task.edges};
        const std::size_t vertices = job.task.vertices;
        MstRoundBuffers buffers(job);
        auto odd = filled_buffer<MstEdge>(job, edges, 0, "odd_lists");
        auto even = filled_buffer<MstEdge>(job, edges, 0, "even_lists");
        auto firsts = filled_buffer(job, vertices, 0, "firsts");
        auto counts = filled_buffer(job, vertices, 0, "counts");
        auto places = filled_buffer(job, edges, 0, "places");
        auto placed = filled_buffer(job, 1, 0, "placed");
        const ComponentRound round{buffers.round, job.task.halves, odd.data(),    firsts.data(),
                                   counts.data(), places.data(),   placed.data(), static_cast<unsigned>(edges)};
        return {std::move(buffers),
                {std::move(odd), std::move(even)},
                std::move(firsts),
                std::move(counts),
                std::move(places),
                std::move(placed),
                set_up_requests<LiveComponents>(job, round)};
    }

    // One root grid per round. Waits for each round.
    static void run(const MstJob& job, const Prepared& prepared)
    {
        auto round = prepared.requests.run;
        ComponentRound& now = round.job;
        const std::uint32_t threads = job.point.block;
        const LaunchShape by_component{job.roots, threads};
        host_launch<list_of_vertices>(job.context, 0, by_component, now);
        for (; now.total != 0; ++now.round) {
            launch_round<MstComponents>(job, round, job.roots, [&](const auto& wave, auto nest) {
                host_launch<mst_components<decltype(nest)>>(wave, threads, round, root_grid(round, wave, threads),
                                                            nest);
            });
            end_round(job, now);
            const LaunchShape by_edge{mst_roots(now.total, threads), threads};
            host_launch<forget_lists>(job.context, 0, by_component, now);
            host_launch<count_edges>(job.context, 0, by_edge, now);
            host_launch<place_lists>(job.context, 0, by_component, now);
            host_launch<move_edges>(job.context, 0, by_edge, now);
            job.context.read(std::span(&now.total, 1), prepared.placed, 0);
            now.edges = now.next;
            now.next = prepared.lists[(now.round + 1) % 2].data();
        }
    }
};

const Register<MstComponents, MstTraits> mst_components_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
