// graph: the levels of reduce2 as a graph of one node that runs again: a device graph that launches itself (graph_tail), or the body
// of a WHILE node (graph_while). CUDA only.
//
//     once, untimed: the graph, instantiated (graph_tail: for the device) and uploaded
//     node:                                       grid blocks of block/2 threads; block b owns in[b * dim ...]
//         stride = (block/2) >> level
//         if this is the last level: finish in the block
//         thread t < stride: slice[t] += slice[t + stride]
//         barrier; thread 0: arrive; the last of the grid: level += 1, run this graph again
//
// Launches: graph_tail: one per level, log2(block) - 1 levels, as in reduce2; graph_while: none. The host makes the first launch.
// The parameters of a graph are fixed, so the block size does not shrink, and the level is kept in memory.
// Hazards: none. The graph, or the body, runs again only when its current run is complete. The level changes
// only after every block has read it.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes".
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
struct GraphState {
    unsigned level;
    unsigned arrived;
};

template <class T, class Nest>
__global__ void reduce_graph(T* in, T* out, unsigned dim, GraphState* state, Nest nest)
{
    const unsigned long long now = nest.now();
    const unsigned tid = threadIdx.x;
    const unsigned level = state->level;
    const unsigned stride = dim / 2 >> level;
    T* slice = in + static_cast<std::size_t>(blockIdx.x) * dim;
    const Nest here = nest.at(level);
    const auto scope = here.enter(now);
    if (here.last_level()) {
        finish_in_block(slice, stride, out + blockIdx.x);
        if (blockIdx.x == 0 && tid == 0)
            end_graph(here);
        return;
    }
    if (tid < stride)
        slice[tid] += slice[tid + stride];
    __syncthreads();
    if (tid == 0 && is_last_block(&state->arrived, gridDim.x)) {
        state->level = level + 1;
        run_graph_again(here);
    }
}
#endif

struct GraphStrategy {
    static constexpr StrategyInfo info{
        .name = "graph",
        .workload = &workloads::reduce,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph of one level that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        if (!from_device(mechanism_of(info, point)))
            return ExpectedLaunches::none();
        ExpectedLaunches form = ExpectedLaunches::chain_per_grid(halving_levels(point));
        form.by_last_block = true;
        return form;
    }

#ifdef __CUDACC__
    struct Prepared {
        Buffer<GraphState> state;
        Graph graph;
    };

    template <class T>
    static Prepared prepare(const Reduction<T>& job)
    {
        auto state = job.context.template allocate<GraphState>(1);
        job.context.fill_bytes(state, 0, 1);
        Graph graph = capture_levels(job, halving_levels(job.point), [&](cudaStream_t stream, auto nest) {
            reduce_graph<T><<<job.grid, std::max(1U, job.block / 2), 0, stream>>>(job.in, job.out, job.block,
                                                                                  state.data(), nest);
        });
        return {std::move(state), std::move(graph)};
    }

    template <class T>
    static void run(const Reduction<T>& job, const Prepared& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<GraphStrategy, ReduceTraits> graph;

} // namespace nestbed::inline NESTBED_BACKEND
