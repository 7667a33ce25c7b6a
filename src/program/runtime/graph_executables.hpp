// Executable graphs, which launches use.
#pragma once

#include "program/runtime/graphs.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): CUDA's name
struct CUgraphExec_st {
    std::unique_ptr<CUgraph_st> graph{};
    std::map<cudaGraphNode_t, cudaGraphNode_t>
        copies{}; // of the nodes of the program's graph, and of the graphs in it
    unsigned long long flags = 0;
    std::uint64_t number = 0;
    cudaStream_t own = nullptr; // where its launches are one after another
    std::vector<cudaStream_t> streams{};
    std::vector<void*> unfreed{}; // memory that its nodes allocate and do not free
    std::vector<void*> freed{};   // that they free and do not allocate
    std::atomic<bool> is_on_device = false;

    CUgraphExec_st() = default;
    CUgraphExec_st(const CUgraphExec_st&) = delete;
    CUgraphExec_st& operator=(const CUgraphExec_st&) = delete;
    ~CUgraphExec_st()
    {
        for (const cudaStream_t stream : streams)
            nestbed::program::end_node_stream(stream);
    }
};

namespace nestbed::program
{

using Executable = std::shared_ptr<CUgraphExec_st>;

struct Executables {
    std::mutex mutex; // kernels look, too
    std::map<cudaGraphExec_t, Executable> all;
    std::atomic<std::uint64_t> last = 0;
};
Executables& executables();
// nullptr: there is no such executable graph.
Executable executable_of(cudaGraphExec_t handle);
// As with_node(), of the program's graph, for what it has become in the executable graph. What was launched before has run.
cudaError_t with_executable_node(const char* function, const void* place, cudaGraphExec_t handle,
                                 cudaGraphNode_t node, cudaGraphNodeType type, CUgraphNode_st*& own);
cudaError_t update_child(const char* function, const void* place, cudaGraphExec_t executable, cudaGraphNode_t node,
                         cudaGraph_t child);

} // namespace nestbed::program
