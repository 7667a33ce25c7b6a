// Graphs of a program: nodes, each with what puts its work into a stream, and their edges. A launch puts each node into a stream of its own,
// which waits for those of the nodes before it: edges are the only orders.
#pragma once

#include "device/cpu/observer.hpp"
#include "program/include/nestbed/program/graph_api.hpp"
#include "program/runtime/late_work.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

// What the functions of CUDA say of themselves in an error: their name and their caller.
#define NESTBED_HERE __func__, __builtin_return_address(0)

namespace nestbed::program
{

struct NodeWork;
// `programmatic`: of a kernel, which need not wait for the end of the one before it in the stream.
using PutInto = std::function<cudaError_t(cudaStream_t stream, const NodeWork& own, bool programmatic)>;

// What a kernel node has of its kernel and the arguments.
struct KeptArguments {
    void* kernel;
    std::vector<std::vector<std::byte>> values;
    std::vector<void*> addresses;
};

// What a node does. Of the parameters, those of its type.
struct NodeWork {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    PutInto put{};
    const void* place = nullptr; // the address after the call that made it
    std::string name{};          // "kernel k", "cudaMemcpyAsync()"
    bool programmatic = false;   // it was launched so while its stream was captured
    std::vector<cudaLaunchAttribute> attributes{};
    cudaKernelNodeParams kernel{};
    std::shared_ptr<KeptArguments> arguments{};
    cudaMemcpy3DParms copy{};
    cudaMemsetParams fill{};
    cudaHostNodeParams function{};
    cudaEvent_t event = nullptr;
    void* memory = nullptr;
    std::size_t bytes = 0;
    std::shared_ptr<void> owner{}; // of a memory node: of the graph's and of that of its executable graph
    cudaConditionalNodeParams condition{};
};

// What comes before a node.
struct Edge {
    cudaGraphNode_t from = nullptr;
    cudaGraphEdgeData data{};
    // The node behind it need not wait for the end of the one before it.
    bool is_early() const { return data.from_port != cudaGraphKernelNodePortDefault; }
    bool is_programmatic() const { return data.type == cudaGraphDependencyTypeProgrammatic; }
};
using Edges = std::vector<Edge>;

// A part of a stream: up to where something waits for it.
struct Position {
    cpu::Captured captured{};
    LateWorks works{};
    bool may_run = false; // the last kernel of it, still
};

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
struct CUgraphNode_st {
    nestbed::program::NodeWork work;
    nestbed::program::Edges after{};
    CUgraph_st* graph = nullptr;
    std::vector<std::unique_ptr<CUgraph_st>> inner{}; // of a child graph, or the bodies of a conditional node
    std::vector<cudaGraph_t> bodies{};                // the same, for phGraph_out
    CUgraphNode_st* original = nullptr;               // of a clone
    // Of an executable graph:
    cudaStream_t stream = nullptr;
    CUgraphNode_st* next_in_stream = nullptr; // a kernel that is launched programmatically behind this one
    bool enabled = true;
};
struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes{};
    struct Value {
        std::shared_ptr<void> value;
        unsigned first;
        bool is_assigned;
    };
    std::vector<Value> values{};  // of conditional handles
    CUgraphNode_st* of = nullptr; // the node that has it
    bool is_moved = false;        // into that node, by cudaGraphChildGraphOwnershipMove
};
// NOLINTEND(readability-identifier-naming)

namespace nestbed::program
{

// What the handles of graphs are.
struct Graphs {
    std::map<cudaGraph_t, std::unique_ptr<CUgraph_st>> graphs;
    std::map<cudaGraphNode_t, CUgraph_st*> nodes; // of those graphs, and of the graphs in them
    std::map<cudaGraph_t, CUgraph_st*> inner;     // the graphs in them
};
Graphs& graphs();
// nullptr: there is no such graph.
CUgraph_st* graph_of(cudaGraph_t handle);

// Why there cannot be a copy of the graph as a graph, by the descriptions of cudaGraphClone() and cudaGraphAddChildGraphNode(); empty: there can.
std::string why_not_copied(const CUgraph_st& graph);
// By the description of cudaGraphChildGraphNodeOwnership.
std::string why_not_moved(cudaGraph_t graph, const CUgraph_st& to);
bool has_memory_nodes(const CUgraph_st& graph);
// With the lock of running grids. Its graphs are the caller's.
std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph, std::map<cudaGraphNode_t, cudaGraphNode_t>& copies);
// The nodes of the graph, and the graphs in a node.
void register_graph(CUgraph_st& graph);
void register_inner(CUgraphNode_st& node);
void forget_graph(CUgraph_st& graph);
cudaGraphNode_t add_node(CUgraph_st& graph, NodeWork work, Edges after);
// nullptr: there is no such node.
CUgraphNode_st* node_of(cudaGraphNode_t handle);
// Gives the node, if it is one of this type (cudaGraphNodeTypeCount: of any). Otherwise the error of the function of CUDA, which is noted.
cudaError_t with_node(const char* function, const void* place, cudaGraphNode_t handle, cudaGraphNodeType type,
                      CUgraphNode_st*& node);
Edges edges_of(const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* data, std::size_t count);
// Empty: the graph can have the node behind those of the edges.
std::string why_not_node(const CUgraph_st& graph, const NodeWork& work, const Edges& after);
// Empty: they lead from nodes of the graph, and can lead to a node of the type.
std::string why_not_edges(const CUgraph_st& graph, const Edges& edges,
                          cudaGraphNodeType type = cudaGraphNodeTypeKernel);

// ---- capture ----

// Whether what is put into the stream becomes nodes of a graph.
bool is_captured(cudaStream_t stream);
// Of a stream of which is_captured() is true: adds the node.
cudaError_t capture(cudaStream_t stream, NodeWork work);
// The next work that the calling thread puts into the NULL stream goes to this, in place of the stream.
class TakenWork
{
  public:
    TakenWork();
    TakenWork(const TakenWork&) = delete;
    TakenWork& operator=(const TakenWork&) = delete;
    ~TakenWork();
    NodeWork work{};
};
// nullopt: nothing of it is captured. Otherwise what the function returns.
std::optional<cudaError_t> captures_record(cudaEvent_t event, cudaStream_t stream, unsigned flags, const void* place);
std::optional<cudaError_t> captures_wait(cudaStream_t stream, cudaEvent_t event, unsigned flags, const void* place);
// What cannot be done while the stream is captured, or while anything is (nullopt): cudaSuccess if it can. Ends what is captured.
// `in_any_mode`: of the capture.
cudaError_t refused_while_captured(std::optional<cudaStream_t> stream, const char* function, const void* place,
                                   bool in_any_mode = false);
cudaError_t refused_of_captured(cudaEvent_t event, const char* function, const void* place);

// ---- work of nodes ----

// The same kinds of work by parameters. Return the error of the function of CUDA, which is noted.
cudaError_t kernel_work(NodeWork& work, const cudaKernelNodeParams& parameters, Place place);
cudaError_t copy_work(NodeWork& work, const char* function, const cudaMemcpy3DParms& parameters, const void* place);
cudaError_t fill_work(NodeWork& work, const char* function, const cudaMemsetParams& parameters, const void* place);
cudaError_t host_work(NodeWork& work, const char* function, const cudaHostNodeParams& parameters, const void* place);
cudaError_t memory_work(NodeWork& work, const char* function, std::size_t bytes, const char* name, Place place,
                        const void* code);
cudaError_t free_work(NodeWork& work, const char* function, void* memory, const void* place);
NodeWork event_work(cudaGraphNodeType type, cudaEvent_t event, const void* place);
NodeWork graph_work(cudaGraphNodeType type, const void* place);
// Of any type that needs no graph of its own.
cudaError_t work_of(NodeWork& work, const char* function, cudaGraphNodeParams& parameters, Place place,
                    const void* code);

// The parameters that functions of one type get, as those of all types. Of nullptr: of cudaGraphNodeTypeCount.
cudaGraphNodeParams given(cudaGraphNodeType type, cudaEvent_t event = nullptr);
cudaGraphNodeParams given(const cudaKernelNodeParams* parameters);
cudaGraphNodeParams given(const cudaMemcpy3DParms* parameters);
cudaGraphNodeParams given(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaGraphNodeParams given(const cudaMemsetParams* parameters);
cudaGraphNodeParams given(const cudaHostNodeParams* parameters);
cudaGraphNodeParams given(const cudaMemAllocNodeParams* parameters);

// Whether launches and kernel nodes can have such an attribute.
bool can_have(const cudaLaunchAttribute& attribute);
// A function of the host, in a stream.
cudaError_t put_call(cudaStream_t stream, const char* function, const void* place, const std::function<void()>& call);

// Memory of a graph has its address from the call that adds the node. Nodes begin and end its use.
cudaError_t allocate_for_graph(void** memory, std::size_t bytes, const char* name, Place place);
// With the last owner the address ends, or with the use if that is later.
std::shared_ptr<void> owned_by_graphs(void* memory, std::size_t bytes);
void end_memory_of_graphs(void* memory);
void graph_memory_begins(void* memory, const char* function, const void* place, cudaStream_t stream);
void graph_memory_ends(void* memory, const char* function, const void* place, cudaStream_t stream);
// By the order of the host's calls: memory that a launch allocates, and that is not freed yet.
bool is_graph_memory_open(void* memory);
void graph_memory_is_open(const std::vector<void*>& memory);
void graph_memory_is_free(void* memory);
// When it happens.
void graph_memory_changes(void* memory, bool begins);

bool is_captured_into(const CUgraph_st& graph);
// The graph ends, and so does what is captured into it (the description of cudaStreamGetCaptureInfo() does not permit it).
void forget_captures_into(const CUgraph_st& graph);
// At the reset of the device.
void forget_graphs();
void forget_executables();
void forget_captures();
void forget_graph_memory();

// `may_run`: without a wait for the last kernel.
Position position_in(cudaStream_t stream, bool may_run = false);
void follow(cudaStream_t stream, const Position& position);

// What kernels of a launch of a graph ask for: see cudaGetCurrentGraphExec().
struct GraphRun;
std::shared_ptr<GraphRun> running_graph();

// A stream of a node.
cudaStream_t make_node_stream(std::uint64_t graph, const void* place);
void end_node_stream(cudaStream_t stream);
bool is_blocking(cudaStream_t stream);
bool is_of_node(cudaStream_t stream);

} // namespace nestbed::program
