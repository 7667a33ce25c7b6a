// What level after level needs: a WHILE node, launches that may begin before the grid before has ended, and blocks that wait for
// each other in a cluster.
#pragma once

#include "device/cuda/graph_nodes.cuh"

#include <functional>
#include <memory>

namespace nestbed::inline on_cuda
{

using ConditionHandle = cudaGraphConditionalHandle;

// Returns what launches a graph of one WHILE node whose body is one grid of this kernel. The kernel gets the handle of
// the condition as its last argument. The condition is 1 at the start of each launch of the graph.
template <auto Kernel, class... Args>
std::function<void()> while_loop(Context& context, LaunchShape shape, Args... args)
{
    auto made = std::make_shared<Graph>(build_graph(context, [&](cudaGraph_t graph) {
        const ConditionHandle again = make_condition(graph, 1);
        const ConditionalNode loop = add_conditional(graph, nullptr, cudaGraphCondTypeWhile, again);
        add_kernel<Kernel>(loop.bodies[0], nullptr, shape, args..., again);
    }));
    return [&context, made] { context.launch(*made); };
}

// Launches a grid that may begin before the one before it in stream 0 has ended. Its kernel must call
// after_previous_grid() before it reads what that grid wrote, and let_next_grid_begin() when the next one may begin.
// Source: CUDA C++ programming guide, "Programmatic dependent launch"; compute capability 9.0 or later.
template <auto Kernel, class... Args>
void programmatic_launch(Context& context, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = context.stream(0);
    config.attrs = &attribute;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, Kernel, args...));
}

// Returns when the previous grid has ended and all its writes are visible.
__device__ inline void after_previous_grid()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
// The next grid begins when all blocks have called it or ended. What is written after it may not be visible there
// before after_previous_grid() returns.
__device__ inline void let_next_grid_begin()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// Blocks of a cluster on any device. A device that has clusters allows 8, more if it has room.
inline constexpr unsigned kMaxClusterBlocks = 16;

// Calls call(config) with the configuration of a grid that is one cluster.
template <class Call>
void with_cluster(LaunchShape shape, cudaStream_t stream, const Call& call)
{
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = shape.grid.x;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    call(config);
}

// Whether the device has room for this cluster. Allows the kernel clusters of more than 8 blocks.
// Source: CUDA C++ programming guide, "Thread block clusters"; compute capability 9.0 or later.
template <auto Kernel>
bool cluster_fits(LaunchShape shape)
{
    if (shape.grid.x > kMaxClusterBlocks)
        return false;
    check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    int clusters = 0;
    with_cluster(shape, nullptr, [&](const cudaLaunchConfig_t& config) {
        const cudaError_t code = cudaOccupancyMaxActiveClusters(&clusters, Kernel, &config);
        if (code == cudaErrorInvalidClusterSize)
            static_cast<void>(cudaGetLastError()); // not sticky: the next check must not find this error
        else
            check(code);
    });
    return clusters > 0;
}

// Launches a grid whose blocks are one cluster. cluster_fits() must have said that it fits.
template <auto Kernel, class... Args>
void cluster_launch(Context& context, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    with_cluster(shape, context.stream(0),
                 [&](const cudaLaunchConfig_t& config) { check(cudaLaunchKernelEx(&config, Kernel, args...)); });
}

} // namespace nestbed::inline on_cuda
