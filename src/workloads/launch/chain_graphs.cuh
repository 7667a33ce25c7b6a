// The levels of `chain` by graphs whose course kernels decide: device graphs, conditional nodes, nodes that a kernel changes.
#pragma once

#include "device/cuda/graph_nodes.cuh"
#include "workloads/launch/chain_level.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace nestbed::inline on_cuda
{

struct ChainState {
    unsigned level;
    unsigned levels;
};

inline constexpr unsigned kRing = 8;              // device graphs that launch each other
inline constexpr unsigned kMaxWithoutOrder = 120; // levels, if none waits for the one before: CUDA's limit
inline constexpr unsigned kBodies = 4;            // of a SWITCH node

template <class Nest>
__global__ void chain_graph(LaunchMarks marks, ChainState* state, const cudaGraphExec_t* ring, Nest nest)
{
    const unsigned long long now = marks.now();
    const unsigned long long begun = nest.now();
    if (!acts())
        return;
    const ChainState read = *state;
    // Only this thread reads the level. The other threads return at once and must not read it.
    const Nest here = nest.at(read.level);
    const auto scope = here.enter(begun);
    if (read.level > 0)
        marks.begin(read.level - 1, now);
    if (read.level == read.levels || here.last_level())
        return;
    const unsigned next = read.level + 1;
    state->level = next;
    marks.call(read.level);
    if constexpr (Nest::mechanism == Mechanism::graph_tail)
        launch_graph_again(here);
    else // by fire and forget, a graph has not ended before all that it has launched
        launch_graph<Nest::mechanism>(
            here, ring[Nest::mechanism == Mechanism::graph_fire_and_forget ? next : next % kRing]);
}

// One of the bodies of a SWITCH node, which is the body of a WHILE node. The level before chose `body` by the number of
// this level; if another body runs, the chain ends here, and its sum tells.
__global__ void chain_switch(LaunchMarks marks, ChainState* state, unsigned body, cudaGraphConditionalHandle chosen,
                             cudaGraphConditionalHandle another)
{
    const unsigned long long now = marks.now();
    if (!acts())
        return;
    const ChainState read = *state;
    const bool right = body == read.level % kBodies;
    if (right)
        mark_level(marks, read.level, read.levels, now);
    state->level = read.level + 1;
    set_condition(chosen, (read.level + 1) % kBodies);
    set_condition(another, right && read.level < read.levels ? 1 : 0);
}

// The body of an IF node. `next` is the condition of the node after it.
__global__ void chain_if(LaunchMarks marks, unsigned level, unsigned levels, cudaGraphConditionalHandle next)
{
    mark_level(marks, level, levels, marks.now());
    if (acts() && level < levels)
        set_condition(next, 1);
}

// A node that the level before has enabled and given its size: before, it had one block. With another size it is not
// counted, and the sum tells.
__global__ void chain_update(LaunchMarks marks, unsigned level, unsigned levels, unsigned blocks,
                             const cudaGraphDeviceNode_t* nodes, Ledger* ledger)
{
    const unsigned long long now = marks.now();
    if (gridDim.x != blocks)
        return;
    mark_level(marks, level, levels, now);
    if (!acts() || level >= levels)
        return;
    const int sized = resize_node(nodes[level + 1], blocks);
    const int enabled = enable_node(nodes[level + 1], true);
    if (const int error = sized != 0 ? sized : enabled; error != 0)
        NestData{.ledger = ledger, .depth = level}.count_failure(error);
}

// Disables all nodes but the first. One thread.
__global__ void disable_levels(const cudaGraphDeviceNode_t* nodes, unsigned count, Ledger* ledger)
{
    for (unsigned node = 1; node < count; ++node)
        if (const int error = enable_node(nodes[node], false); error != 0)
            NestData{.ledger = ledger}.count_failure(error);
}

// The graphs of a run by a mechanism of graphs that kernels decide, with their data.
class GraphChain
{
  public:
    explicit GraphChain(const LaunchJob& job)
        : job_(job), shape_{job.point.grid, job.point.block}, state_(job.context.allocate<ChainState>(1))
    {
        job.before_each_run([this] { set_levels(job_.launches); }); // no copy of this object is ever made
        make();
    }

    GraphChain(const GraphChain&) = delete;
    GraphChain& operator=(const GraphChain&) = delete;

    void launch() const { job_.context.launch(graphs_[first_]); }

  private:
    void make()
    {
        switch (job_.mechanism) {
        case Mechanism::graph_tail:
            make_device_graphs<Mechanism::graph_tail>(job_.point.graphs);
            first_ = fastest();
            return;
        case Mechanism::graph_next:
            return make_device_graphs<Mechanism::graph_next>(kRing);
        case Mechanism::graph_fire_and_forget:
            return make_device_graphs<Mechanism::graph_fire_and_forget>(job_.launches + 1);
        case Mechanism::graph_sibling:
            return make_device_graphs<Mechanism::graph_sibling>(kRing);
        case Mechanism::graph_switch:
            return make_switch();
        case Mechanism::graph_if:
            return make_if();
        default:
            return make_update();
        }
    }

    template <Mechanism How>
    void make_device_graphs(unsigned graphs)
    {
        ring_ = job_.context.allocate<cudaGraphExec_t>(graphs);
        with_nest<How>(job_, 0, [&](auto nest) {
            for (unsigned graph = 0; graph < graphs; ++graph)
                graphs_.push_back(job_.context.capture(true, [&] {
                    host_launch<chain_graph<decltype(nest)>>(job_.context, shape_, job_.marks, state_.data(),
                                                             ring_.data(), nest);
                }));
        });
        std::vector<cudaGraphExec_t> handles;
        for (const Graph& graph : graphs_)
            handles.push_back(graph.get());
        job_.context.upload(ring_, std::span<const cudaGraphExec_t>(handles));
    }

    void make_switch()
    {
#if CUDART_VERSION < 12080
        throw Unsupported("a SWITCH node needs CUDA 12.8 or later; this nestbed was built with an earlier one");
#else
        graphs_.push_back(build_graph(job_.context, [&](cudaGraph_t graph) {
            const cudaGraphConditionalHandle another = make_condition(graph, 1);
            const cudaGraphConditionalHandle chosen = make_condition(graph, 0);
            const ConditionalNode loop = add_conditional(graph, nullptr, cudaGraphCondTypeWhile, another);
            const ConditionalNode choice =
                add_conditional(loop.bodies[0], nullptr, cudaGraphCondTypeSwitch, chosen, kBodies);
            for (unsigned body = 0; body < kBodies; ++body)
                add_kernel<chain_switch>(choice.bodies[body], nullptr, shape_, job_.marks, state_.data(), body,
                                         chosen, another);
        }));
#endif
    }

    void make_if()
    {
        graphs_.push_back(build_graph(job_.context, [&](cudaGraph_t graph) {
            std::vector<cudaGraphConditionalHandle> runs;
            for (unsigned level = 0; level <= bound_of(job_); ++level)
                runs.push_back(make_condition(graph, level == 0 ? 1 : 0));
            cudaGraphNode_t before = nullptr;
            for (unsigned level = 0; level < runs.size(); ++level) {
                const ConditionalNode one = add_conditional(graph, before, cudaGraphCondTypeIf, runs[level]);
                add_kernel<chain_if>(one.bodies[0], nullptr, shape_, job_.marks, level, job_.launches,
                                     runs[std::min<std::size_t>(level + 1, runs.size() - 1)]);
                before = one.node;
            }
        }));
    }

    void make_update()
    {
        const unsigned count = bound_of(job_) + 1;
        std::vector<cudaGraphDeviceNode_t> nodes;
        nodes_ = job_.context.allocate<cudaGraphDeviceNode_t>(count);
        graphs_.push_back(build_graph(job_.context, [&](cudaGraph_t graph) {
            cudaGraphNode_t before = nullptr;
            for (unsigned level = 0; level < count; ++level) {
                const LaunchShape shape{level == 0 ? shape_.grid : dim3(1), shape_.block};
                before = add_kernel<chain_update>(graph, before, shape, job_.marks, level, job_.launches,
                                                  shape_.grid.x, nodes_.data(), job_.ledger->data());
                nodes.push_back(let_kernels_change(before));
            }
        }));
        job_.context.upload(nodes_, std::span<const cudaGraphDeviceNode_t>(nodes));
        check(cudaDeviceSynchronize()); // a copy from pageable memory may be on its way
        job_.before_each_run([this, count] {
            host_launch<disable_levels>(job_.context, {1, 1}, nodes_.data(), count, job_.ledger->data());
            check(cudaGetLastError());
        });
    }

    void set_levels(unsigned levels)
    {
        const ChainState start{.level = 0, .levels = levels};
        job_.context.upload(state_, std::span(&start, 1));
    }

    // Times each instance twice over a few levels and then resets the state that this changed.
    std::size_t fastest()
    {
        constexpr unsigned kLevels = 32;
        std::vector<double> times(graphs_.size(), std::numeric_limits<double>::infinity());
        for (unsigned time = 0; graphs_.size() > 1 && time < 2; ++time)
            for (std::size_t instance = 0; instance < graphs_.size(); ++instance) {
                set_levels(std::min(kLevels, job_.launches));
                const Elapsed elapsed = job_.context.time(1, [&] { job_.context.launch(graphs_[instance]); });
                times[instance] = std::min(times[instance], *elapsed.gpu_us);
            }
        set_levels(job_.launches);
        job_.reset();
        return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
    }

    const LaunchJob& job_;
    LaunchShape shape_;
    Buffer<ChainState> state_;
    Buffer<cudaGraphExec_t> ring_;        // of mechanisms whose kernels launch device graphs
    Buffer<cudaGraphDeviceNode_t> nodes_; // of graph_update
    std::vector<Graph> graphs_;
    std::size_t first_ = 0;
};

} // namespace nestbed::inline on_cuda
