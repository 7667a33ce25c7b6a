// tenants_graph: many recursions at once, each by a graph of one node that runs again for every level: a device graph that launches itself
// (graph_tail), or the body of a WHILE node (graph_while). CUDA only.
//
//     once, untimed: a graph for each tenant, with as many blocks as its first level needs
//     host: launch the graph of a tenant when it arrives, in `streams` streams in turn
//     node: the blocks share the nodes of the level; the last block to be done lets the graph run again if there is another level;
//         it does levels with at most `threshold` nodes itself
//
// Launches: graph_tail: one for each level of more nodes than the threshold; graph_while: none.
// Hazards: none. The graph, or the body, runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes".
#include "workloads/tenants/tenants.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__

// `state.grid`: the record of this run, in a traced run. Graphs of several tenants run at once, so their records do not follow each other.
template <class Nest>
__device__ Nest at_level(Nest nest, const TenantState& state)
{
    nest.depth = state.level;
    if constexpr (requires { nest.grid; })
        nest.grid = state.level == 0 ? nest.grid : state.grid;
    return nest;
}

// By one thread: lets the graph of the tenant run again.
template <class Nest>
__device__ void next_run(const Nest& nest, TenantState& state)
{
    if constexpr (std::is_same_v<Nest, WhileNest>) {
        ++state.level; // the condition is 1 until somebody changes it
    } else {
        if (!nest.attempt())
            return;
        const Nest next = nest.child({gridDim, blockDim});
        if constexpr (requires { next.grid; })
            state.grid = next.grid;
        ++state.level;
        check_launch(nest, next, launch_device_graph<Mechanism::graph_tail>(cudaGetCurrentGraphExec()));
    }
}

// `place`: of each tenant, the level that is next. state.level counts the runs of its graph, which are fewer: a block may do several levels.
template <class Nest>
__global__ void LAUNCH_BOUNDS(1024) tenants_graph(TenantsTask task, unsigned tenant, unsigned* place, Nest nest)
{
    TenantState& state = task.states[tenant];
    const unsigned long long now = nest.now();
    const Nest here = at_level(nest, state);
    const auto scope = here.enter(now);
    BLOCK_SHARED(unsigned, words, kLevelWords);
    unsigned level = place[tenant];
    const unsigned next = run_level(task, tenant, level, blockIdx.x, gridDim.x, words);
    if (threadIdx.x != 0 || next == kNotLast)
        return;
    place[tenant] = level;
    if (next != 0)
        next_run(here, state);
    else
        end_graph(here);
}

#endif

struct TenantsGraph {
    static constexpr StrategyInfo info{
        .name = "tenants_graph",
        .workload = &workloads::tenants,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph for each tenant, which runs again for every level",
        .hazards = "none: a graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .axes = {axis::threshold, axis::streams},
        .cuda_only = true,
        .waits = true,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return {.root_blocks = static_cast<std::uint32_t>(point[TenantsParameter::tenant_count]),
                .by_input = from_device(mechanism_of(info, point))};
    }

#ifdef __CUDACC__
    struct Prepared {
        Buffer<unsigned> place; // of each tenant, the level that is next
        std::vector<Graph> graphs;
    };

    static Prepared prepare(const TenantsJob& job)
    {
        Prepared prepared{job.context.allocate<unsigned>(job.task.count, "place"), {}};
        job.context.fill_bytes(prepared.place, 0, job.task.count);
        prepared.graphs.reserve(job.task.count);
        const auto kernel_of = [](auto nest) { return tenants_graph<decltype(nest)>; };
        const std::uint32_t most = resident_blocks(job, kernel_of);
        for (unsigned tenant = 0; tenant < job.task.count; ++tenant) {
            const std::uint32_t needed = (job.reference.tenants[tenant].width - 1) / job.point.block + 1;
            prepared.graphs.push_back(capture_levels(job, UINT32_MAX, [&](cudaStream_t stream, auto nest) {
                kernel_of(nest)<<<std::min(needed, most), job.point.block, 0, stream>>>(job.task, tenant,
                                                                                        prepared.place.data(), nest);
            }));
        }
        return prepared;
    }

    static void run(const TenantsJob& job, const Prepared& prepared)
    {
        job.clock.start();
        for (unsigned tenant = 0; tenant < job.task.count; ++tenant) {
            job.clock.wait_for(tenant);
            job.context.count_host_launch();
            prepared.graphs[tenant].launch(job.context.stream(tenant % job.plan.streams));
        }
    }
#endif
};

const Register<TenantsGraph, TenantsTraits> tenants_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
