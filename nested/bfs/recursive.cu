// bfs_recursive, sssp_recursive: shortest paths without levels: a child follows the edges of one vertex, and launches a child for each
// vertex that it reaches by a shorter path. bfs: all edges have length 1.
//
//     child(vertex, distance): one thread per edge
//         distance + length is less than what is known of the end of the edge (atomic minimum): launch child(end)
//         but put the end aside if it has fewer than `threshold` edges, or the launch is refused
//     host: start with the source; a root grid for the vertices put aside, until there are none
//
// Launches: by the order of execution: a vertex is launched for again whenever a shorter path to it is found later. The ledger must
// equal what the threads requested; refused launches are replaced by the next root grid.
// Hazards: none for the answer: distances only fall, by an atomic minimum. But far more work than by levels, if long paths come
// first.
// Source: KLAP, MICRO 2016; "unordered" in Hassaan, Burtscher, Pingali, PPoPP 2011.
#include "workloads/bfs/graph.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

// Vertices with few edges, those that the pending limit refuses and those at the last level are put aside, for the next
// root grid.
struct AsideLists {
    GraphTask task;
    unsigned* lists[2]; // of the root grids with even and with odd numbers
    unsigned* counts;   // of each list
    unsigned* listed;   // by vertex: the root grid for which it was put aside last
    unsigned round;     // the number of the root grid, from 1
    unsigned threshold; // edges that a vertex must have for a launch
};

template <bool Weighted, class Nest>
__global__ void LAUNCH_BOUNDS(1024) expand_vertex(AsideLists aside, unsigned vertex, unsigned distance, Nest nest);

__device__ inline void put_aside(const AsideLists& aside, unsigned vertex)
{
    const unsigned next = aside.round + 1;
    if (atomicExch(&aside.listed[vertex], next) != next)
        aside.lists[next % 2][atomicAdd(&aside.counts[next % 2], 1U)] = vertex;
}

// Launches a child for the vertex of every thread for which `requests` is true, one lane after another. False where the vertex
// has too few edges, this is the last level, or the launch was refused. All threads of the warp call it.
template <bool Weighted, class Nest>
__device__ bool launch_child(const AsideLists& aside, bool requests, unsigned vertex, unsigned distance,
                             const Nest& nest)
{
    const unsigned edges = requests ? aside.task.starts[vertex + 1] - aside.task.starts[vertex] : 0;
    const bool launches = edges != 0 && edges >= aside.threshold && !nest.last_level();
    bool launched = false;
    one_lane_at_a_time(launches, [&] {
        RequestTotals& totals = *aside.task.totals;
        const unsigned blocks = (edges - 1) / blockDim.x + 1;
        atomicAdd(&totals.items, 1ULL);
        atomicAdd(&totals.blocks, static_cast<unsigned long long>(blocks));
        launched = launch<expand_vertex<Weighted, Nest>>(nest, {blocks, blockDim.x}, aside, vertex, distance);
        if (!launched)
            atomicAdd(&totals.replaced, 1U);
    });
    return launched;
}

// Whether the path over this edge is shorter than those known, and its end has edges.
__device__ inline bool shortens(const AsideLists& aside, unsigned edge, unsigned distance, unsigned& to,
                                unsigned& longer)
{
    const GraphTask& task = aside.task;
    to = task.ends[edge];
    longer = longer_by(task, distance, edge);
    return load_relaxed(&task.distance[to]) > longer && atomicMin(&task.distance[to], longer) > longer &&
           task.starts[to + 1] != task.starts[to];
}

// The edges of one vertex, a thread for each.
template <bool Weighted, class Nest>
__global__ void LAUNCH_BOUNDS(1024) expand_vertex(AsideLists aside, unsigned vertex, unsigned distance, Nest nest)
{
    const auto scope = nest.enter();
    const GraphTask& task = aside.task;
    const unsigned first = task.starts[vertex];
    const unsigned end = task.starts[vertex + 1];
    for (unsigned base = first + blockIdx.x * blockDim.x; base < end; base += gridDim.x * blockDim.x) {
        const unsigned edge = base + threadIdx.x;
        unsigned to = 0;
        unsigned longer = 0;
        const bool requests = edge < end && shortens(aside, edge, distance, to, longer);
        if (!launch_child<Weighted>(aside, requests, to, longer, nest) && requests)
            put_aside(aside, to);
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        atomicAdd(&task.totals->work, static_cast<unsigned long long>(end - first));
}

// A root grid: one thread per vertex that was put aside. It launches a child, or follows the edges itself.
template <bool Weighted, class Nest>
__global__ void LAUNCH_BOUNDS(1024) expand_aside(AsideLists aside, unsigned count, Nest nest)
{
    const auto scope = nest.enter();
    const GraphTask& task = aside.task;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const bool requests = index < count;
    const unsigned vertex = requests ? aside.lists[aside.round % 2][index] : 0;
    const unsigned distance = requests ? load_relaxed(&task.distance[vertex]) : 0;
    const bool launched = launch_child<Weighted>(aside, requests, vertex, distance, nest);
    const unsigned first = task.starts[vertex];
    const unsigned end = requests && !launched ? task.starts[vertex + 1] : first;
    for (unsigned edge = first; edge < end; ++edge) {
        unsigned to = 0;
        unsigned longer = 0;
        if (shortens(aside, edge, distance, to, longer))
            put_aside(aside, to);
    }
    add_of_warp(&task.totals->work, end - first);
}

struct AsideSetup {
    Buffer<unsigned> lists[2];
    Buffer<unsigned> counts, listed;
    AsideLists aside;
};

inline AsideSetup set_up_aside(const GraphJob& job)
{
    AsideSetup setup;
    const auto make = [&](Buffer<unsigned>& buffer, std::size_t count, std::string_view name) {
        buffer = job.context.allocate<unsigned>(count, name);
        job.context.fill_bytes(buffer, 0, count);
        job.bytes += count * sizeof(unsigned);
        return buffer.data();
    };
    setup.aside = {.task = job.task, .round = 0, .threshold = job.point.threshold};
    setup.aside.lists[0] = make(setup.lists[0], job.task.vertices, "even_aside");
    setup.aside.lists[1] = make(setup.lists[1], job.task.vertices, "odd_aside");
    setup.aside.counts = make(setup.counts, 2, "aside_counts");
    setup.aside.listed = make(setup.listed, job.task.vertices, "listed_aside");
    const std::array<unsigned, 2> counts{0, 1};
    job.context.upload(setup.lists[1], std::span(&job.task.source, 1));
    job.context.upload(setup.counts, std::span<const unsigned>(counts));
    return setup;
}

__global__ void clear_count(unsigned* count)
{
    *count = 0;
}

// Root grids until nothing is put aside. Waits for each.
template <class S, bool Weighted>
void run_aside(const GraphJob& job, const AsideSetup& setup)
{
    AsideLists aside = setup.aside;
    const std::uint32_t threads = job.point.block;
    for (unsigned count = 1; count != 0;) {
        ++aside.round;
        host_launch<clear_count>(job.context, 0, {1, 1}, aside.counts + (aside.round + 1) % 2);
        launch_waves<S>(job, [&](auto wave, auto nest) {
            if constexpr (requires { nest.grid; })
                if (aside.round != 1)
                    nest.grid = kNoGrid; // a trace has the first root grid
            wave.blocks = (count - 1) / threads + 1;
            host_launch<expand_aside<Weighted, decltype(nest)>>(wave, threads, aside, count, nest);
        });
        job.context.read(std::span(&count, 1), setup.counts, (aside.round + 1) % 2);
    }
}

struct BfsRecursive {
    static constexpr StrategyInfo info{
        .name = "bfs_recursive",
        .workload = &workloads::bfs,
        .mechanisms = kChildrenByKernel,
        .summary = "without levels: a child per vertex launches a child per vertex that it reaches",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "KLAP, MICRO 2016",
        .axes = {axis::threshold},
        .by_order = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_order(); }

    static AsideSetup prepare(const GraphJob& job) { return set_up_aside(job); }
    static void run(const GraphJob& job, const AsideSetup& setup) { run_aside<BfsRecursive, false>(job, setup); }
};

struct SsspRecursive {
    static constexpr StrategyInfo info{
        .name = "sssp_recursive",
        .workload = &workloads::sssp,
        .mechanisms = kChildrenByKernel,
        .summary = "without levels: a child per vertex launches a child per vertex that it reaches",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "KLAP, MICRO 2016",
        .axes = {axis::threshold},
        .by_order = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_order(); }

    static AsideSetup prepare(const GraphJob& job) { return set_up_aside(job); }
    static void run(const GraphJob& job, const AsideSetup& setup) { run_aside<SsspRecursive, true>(job, setup); }
};

const Register<BfsRecursive, GraphTraits> bfs_recursive;
const Register<SsspRecursive, GraphTraits> sssp_recursive;

} // namespace nestbed::inline NESTBED_BACKEND
