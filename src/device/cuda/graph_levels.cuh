// Levels by a graph of one node, where a kernel of the node decides whether there is another level. By graph_tail it launches the
// graph again. By graph_while the node is the body of a WHILE node, and runs again until a kernel says that it is the last.
#pragma once

#include "device/cuda/graph_nodes.cuh"
#include "device/launch_waves.hpp"
#include "device/parts/request_children.hpp"
#include "device/parts/request_memory.hpp"

#include <span>
#include <type_traits>

namespace nestbed::inline on_cuda
{

// The Nest of the body of a WHILE node. Its kernels launch nothing, so nothing is counted, and there is no trace.
struct WhileNest : NestData {
    cudaGraphConditionalHandle another = 0;

    [[nodiscard]] __device__ NoScope enter(unsigned long long /*now*/ = 0) const { return {}; }
    __device__ unsigned long long now() const { return 0; }
    __device__ WhileNest at(unsigned level) const
    {
        WhileNest here = *this;
        here.depth = level;
        return here;
    }
};

// Blocks of kernel_of(nest) that the device holds at once, by the mechanism of the case.
template <class KernelOf>
std::uint32_t resident_blocks(const PreparedRun& run, const KernelOf& kernel_of)
{
    const auto blocks = [&](auto nest) {
        return run.context.resident_blocks(reinterpret_cast<const void*>(kernel_of(nest)), run.point.block);
    };
    if constexpr (kUntracedKernels)
        if (run.mechanism == Mechanism::graph_while)
            return blocks(WhileNest{});
    return blocks(NestBy<Mechanism::graph_tail, kTracedKernels>{});
}

// Captures what `launch(stream, nest)` launches as the node, by the mechanism of the case. `levels`: as many runs as the graph may have
// after the first one, by graph_while; by graph_tail the run's plan says so.
template <class Launch>
Graph capture_levels(const PreparedRun& run, unsigned levels, const Launch& launch)
{
    if constexpr (kUntracedKernels)
        if (run.mechanism == Mechanism::graph_while)
            return build_graph(run.context, [&](cudaGraph_t graph) {
                WhileNest nest;
                nest.max_depth = levels;
                nest.another = make_condition(graph, 1);
                const ConditionalNode node = add_conditional(graph, nullptr, cudaGraphCondTypeWhile, nest.another);
                const Stream stream;
                check(cudaStreamBeginCaptureToGraph(stream, node.bodies[0], nullptr, nullptr, 0,
                                                    cudaStreamCaptureModeThreadLocal));
                launch(static_cast<cudaStream_t>(stream), nest);
                cudaGraph_t captured = nullptr; // the body
                check(cudaStreamEndCapture(stream, &captured));
            });
    return run.context.capture(true, [&] {
        with_nest<Mechanism::graph_tail>(run, 0, [&](auto nest) { launch(run.context.stream(0), nest); });
    });
}

// By one thread of the node: the graph runs once more when this run is done. False if that was refused.
template <class Nest>
__device__ bool run_graph_again(const Nest& nest)
{
    if constexpr (std::is_same_v<Nest, WhileNest>)
        return true; // the condition is 1 until somebody changes it
    else
        return launch_graph_again(nest);
}

// By one thread of the node: this run is the last.
template <class Nest>
__device__ void end_graph(const Nest& nest)
{
    if constexpr (std::is_same_v<Nest, WhileNest>)
        set_condition(nest.another, 0);
}

// A search whose steps (device/parts/search_steps.hpp) are the runs of a graph.
template <class Setup>
struct StepGraph {
    Setup setup;
    Graph graph;
};

// Its node has as many blocks as the device holds of kernel_of(nest). set_up(blocks) makes the search for so many.
template <class KernelOf, class SetUp>
auto step_graph(const PreparedRun& run, const KernelOf& kernel_of, const SetUp& set_up)
{
    const std::uint32_t blocks = resident_blocks(run, kernel_of);
    auto setup = set_up(blocks);
    Graph graph = capture_levels(run, run.point.depth.value_or(UINT32_MAX), [&](cudaStream_t stream, auto nest) {
        kernel_of(nest)<<<blocks, run.point.block, 0, stream>>>(setup.search, nest);
    });
    return StepGraph<decltype(setup)>{std::move(setup), std::move(graph)};
}

// What the runs of the graph of an irregular recursion share: the levels with even and with odd numbers.
template <class Item>
struct RequestLevels {
    ChildGrid<Item> grid[2];
    unsigned level;
    unsigned arrived;
    ChildGrid<Item> root; // of the current recursion
    unsigned recursions;  // with this one
};

// The kernel of such a node calls it in all threads: the blocks share the items of the level, and collect what they request as the next
// level. The last block to finish lets the graph run again if there is one.
template <class E, class Nest>
__device__ __forceinline__ void run_level(const RequestRun<E>& run, RequestLevels<typename E::Item>* levels,
                                          const Nest& nest, unsigned* words = nullptr)
{
    const unsigned long long now = nest.now();
    const unsigned level = levels->level;
    const Nest here = nest.at(level);
    const auto scope = here.enter(now);
    const ChildGrid<typename E::Item> grid = levels->grid[level % 2];
    ChildGrid<typename E::Item>* next = &levels->grid[(level + 1) % 2];
    for (unsigned block = blockIdx.x; block < grid.blocks; block += gridDim.x)
        run_block(run, grid, block, KeepSink<typename E::Item>{next}, words);
    __syncthreads();
    if (threadIdx.x == 0 && is_last_block(&levels->arrived, gridDim.x)) {
        levels->grid[level % 2].blocks = 0;
        levels->level = level + 1;
        if (next->blocks == 0 && levels->recursions > 1) {
            --levels->recursions;
            next_root(run, levels->root);
            *next = levels->root;
        }
        if (next->blocks != 0)
            run_graph_again(here);
        else
            end_graph(here);
    }
}

template <class Item>
struct RequestGraph {
    Buffer<RequestLevels<Item>> levels;
    Graph graph;
};

// The graph of a recursion, or of some that follow each other and share the root blocks. Its node has as many blocks as the device holds of kernel_of(nest), which calls run_level().
template <class E, class KernelOf>
RequestGraph<typename E::Item> request_graph(const RequestJob& job, const RequestRun<E>& run,
                                             const KernelOf& kernel_of, std::uint32_t recursions = 1)
{
    using Levels = RequestLevels<typename E::Item>;
    auto levels = job.context.template allocate<Levels>(1);
    Levels start{};
    start.root = root_grid(run, {.blocks = job.roots / recursions}, job.point.block);
    start.grid[0] = start.root;
    start.recursions = recursions;
    job.context.upload(levels, std::span<const Levels>(&start, 1));
    const std::uint32_t blocks = resident_blocks(job, kernel_of);
    Graph graph = capture_levels(job, UINT32_MAX, [&](cudaStream_t stream, auto nest) {
        kernel_of(nest)<<<blocks, job.point.block, 0, stream>>>(run, levels.data(), nest);
    });
    return {std::move(levels), std::move(graph)};
}

} // namespace nestbed::inline on_cuda
