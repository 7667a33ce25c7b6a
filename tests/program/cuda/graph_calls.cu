// What functions of graphs return, and what graphs compute, where that is easy to get wrong. `./my` prints the names of the parts; `./my NAME`
// runs one, prints what differs, and exits with 1 if something does. On a GPU, too, but for what used() gives, which there has pieces of
// 32 MB, and for a graph that is destroyed during a capture.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);

static bool differs = false;
static cudaStream_t s, t;
static int *d, *e, *f;

static void expect(cudaError_t error, cudaError_t expected, const char* call, int line)
{
    const cudaError_t last = cudaGetLastError();
    if (error == expected && (error == cudaSuccess || last == error))
        return;
    differs = true;
    printf("%d: %s: %s, last error %s; expected %s\n", line, call, cudaGetErrorName(error), cudaGetErrorName(last),
           cudaGetErrorName(expected));
}
#define EXPECT(call, error) expect(call, error, #call, __LINE__)
#define CHECK(call) EXPECT(call, cudaSuccess)
static void same(long long value, long long expected, const char* text, int line)
{
    if (value == expected)
        return;
    differs = true;
    printf("%d: %s: %lld; expected %lld\n", line, text, value, expected);
}
#define SAME(value, expected) same(static_cast<long long>(value), expected, #value, __LINE__)

static std::map<std::string, void (*)()>& parts()
{
    static std::map<std::string, void (*)()> all;
    return all;
}
#define PART(name)                                                                                                   \
    static void name();                                                                                              \
    static const bool added_##name = (parts()[#name] = name) != nullptr;                                             \
    static void name()

// ---- graphs by nodes ----

__global__ void put(int* to, int value)
{
    to[threadIdx.x] = value;
}
// Each kernel lets the next one begin long before it writes.
__global__ void put_late(int* to, int value)
{
    cudaTriggerProgrammaticLaunchCompletion();
    for (int time = 0; time < 4; ++time)
        __syncthreads();
    to[threadIdx.x] = value;
}
__global__ void add(int* to, const int* one, const int* two, bool waits)
{
    if (waits)
        cudaGridDependencySynchronize();
    to[threadIdx.x] = one[threadIdx.x] + two[threadIdx.x];
}

template <class... Parameters>
static cudaKernelNodeParams parameters_of(void (*kernel)(Parameters...), void** addresses, dim3 grid = dim3(1))
{
    cudaKernelNodeParams of = {};
    of.func = reinterpret_cast<void*>(kernel);
    of.gridDim = grid;
    of.blockDim = dim3(kCount);
    of.kernelParams = addresses;
    return of;
}
template <class... Parameters>
static cudaGraphNode_t kernel(cudaGraph_t graph, void (*kernel)(Parameters...), Parameters... arguments)
{
    void* addresses[] = {&arguments...};
    const cudaKernelNodeParams of = parameters_of(kernel, addresses);
    cudaGraphNode_t node = nullptr;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &of));
    return node;
}
static cudaGraph_t new_graph()
{
    cudaGraph_t graph = nullptr;
    CHECK(cudaGraphCreate(&graph, 0));
    return graph;
}
static cudaError_t add_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to, int port, int type,
                            int to_port = 0)
{
    cudaGraphEdgeData data = {};
    data.from_port = static_cast<unsigned char>(port);
    data.to_port = static_cast<unsigned char>(to_port);
    data.type = static_cast<unsigned char>(type);
#if CUDART_VERSION >= 13000
    return cudaGraphAddDependencies(graph, &from, &to, &data, 1);
#else
    return cudaGraphAddDependencies_v2(graph, &from, &to, &data, 1);
#endif
}
static cudaGraphNode_t empty(cudaGraph_t graph, cudaGraphNode_t after)
{
    cudaGraphNode_t node = nullptr;
    CHECK(cudaGraphAddEmptyNode(&node, graph, &after, 1));
    return node;
}
static int* allocation(cudaGraph_t graph, cudaGraphNode_t& node, size_t bytes = kBytes)
{
    cudaMemAllocNodeParams of = {};
    of.poolProps.allocType = cudaMemAllocationTypePinned;
    of.poolProps.location.type = cudaMemLocationTypeDevice;
    of.bytesize = bytes;
    CHECK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &of));
    return static_cast<int*>(of.dptr);
}
static cudaError_t add_free(cudaGraph_t graph, cudaGraphNode_t after, void* memory)
{
    cudaGraphNode_t node = nullptr;
    return cudaGraphAddMemFreeNode(&node, graph, &after, after == nullptr ? 0 : 1, memory);
}
static cudaGraphExec_t made(cudaGraph_t graph, unsigned flags = 0)
{
    cudaGraphExec_t executable = nullptr;
    CHECK(cudaGraphInstantiateWithFlags(&executable, graph, flags));
    return executable;
}
static void run(cudaGraphExec_t executable)
{
    CHECK(cudaGraphLaunch(executable, s));
    CHECK(cudaStreamSynchronize(s));
}
static int first_of(const int* memory, int index = 0)
{
    int value = -1;
    CHECK(cudaMemcpy(&value, memory + index, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}
static uint64_t used(cudaGraphMemAttributeType which = cudaGraphMemAttrUsedMemCurrent)
{
    uint64_t value = 0;
    CHECK(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}
static cudaError_t add_condition(cudaGraph_t graph, cudaGraphConditionalHandle handle,
                                 cudaGraphConditionalNodeType type, cudaGraph_t& body)
{
    cudaGraphNodeParams of = {};
    of.type = cudaGraphNodeTypeConditional;
    of.conditional.handle = handle;
    of.conditional.type = type;
    of.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    const cudaError_t error = cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &of);
#else
    const cudaError_t error = cudaGraphAddNode(&node, graph, nullptr, 0, &of);
#endif
    body = error == cudaSuccess ? of.conditional.phGraph_out[0] : nullptr;
    return error;
}
static cudaGraphConditionalHandle handle_of(cudaGraph_t graph, unsigned value = 1)
{
    cudaGraphConditionalHandle handle = 0;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
    return handle;
}

// ---- edges ----

// Two kernels before a third, by edges of different kinds: each time the third sees what both wrote.
static void run_edges(void (*connect)(cudaGraph_t graph, cudaGraphNode_t one, cudaGraphNode_t two,
                                      cudaGraphNode_t both),
                      bool waits)
{
    const cudaGraph_t graph = new_graph();
    const cudaGraphNode_t begin = kernel(graph, put, d, 0), begin2 = kernel(graph, put, e, 0),
                          one = kernel(graph, put_late, d, 1), two = kernel(graph, put_late, e, 2),
                          both = kernel(graph, add, f, (const int*)d, (const int*)e, waits);
    CHECK(add_edge(graph, begin, begin2, 0, 0));
    CHECK(add_edge(graph, begin2, one, 0, 0));
    CHECK(add_edge(graph, begin2, two, 0, 0));
    connect(graph, one, two, both);
    const cudaGraphExec_t executable = made(graph);
    for (int time = 0; time < 3; ++time) {
        run(executable);
        for (int index = 0; index < kCount; ++index)
            SAME(first_of(f, index), 3);
    }
}
#define EDGE(from, to, port, type) CHECK(add_edge(graph, from, to, port, type))
#define EDGES(name, waits, ...)                                                                                      \
    PART(name)                                                                                                       \
    {                                                                                                                \
        run_edges(                                                                                                   \
            [](cudaGraph_t graph, cudaGraphNode_t one, cudaGraphNode_t two, cudaGraphNode_t both) { __VA_ARGS__ },   \
            waits);                                                                                                  \
    }
EDGES(edges_full_of_two, false, EDGE(one, both, 0, 0); EDGE(two, both, 0, 0);)
EDGES(edges_programmatic_of_two, true, EDGE(one, both, 1, 1); EDGE(two, both, 1, 1);)
EDGES(edges_in_a_chain_and_a_full_one_past_it, true, EDGE(one, two, 1, 1); EDGE(two, both, 1, 1);
      EDGE(one, both, 0, 0);)
EDGES(edges_in_a_chain_and_a_programmatic_one_past_it, true, EDGE(one, two, 1, 1); EDGE(two, both, 1, 1);
      EDGE(one, both, 1, 1);)
EDGES(edges_in_a_chain_and_an_empty_node_past_it, true, EDGE(one, two, 1, 1); EDGE(two, both, 1, 1);
      EDGE(empty(graph, one), both, 0, 0);)
EDGES(edges_full_and_of_launch_completion, true, EDGE(one, both, 0, 0); EDGE(two, both, 2, 1);)

PART(bad_edges)
{
    const cudaGraph_t graph = new_graph(), other = new_graph();
    const cudaGraphNode_t one = kernel(graph, put, d, 1), two = kernel(graph, put, d, 2), none = empty(graph, one),
                          foreign = kernel(other, put, d, 1);
    EXPECT(add_edge(graph, one, two, 1, 0), cudaErrorInvalidValue); // programmatic, but not of this type
    EXPECT(add_edge(graph, one, two, 0, 1), cudaErrorInvalidValue);
    EXPECT(add_edge(graph, one, none, 1, 1), cudaErrorInvalidValue); // between kernels alone
    EXPECT(add_edge(graph, none, two, 1, 1), cudaErrorInvalidValue);
    EXPECT(add_edge(graph, none, two, 2, 0), cudaErrorInvalidValue);
    EXPECT(add_edge(graph, one, two, 3, 0), cudaErrorInvalidValue);
    EXPECT(add_edge(graph, one, two, 0, 2), cudaErrorInvalidValue);
    EXPECT(add_edge(graph, one, two, 0, 0, 1), cudaErrorInvalidValue);
    EXPECT(add_edge(graph, foreign, two, 0, 0), cudaErrorInvalidValue);
    const cudaGraphNode_t twice[] = {one, one};
    cudaGraphNode_t node = nullptr;
    EXPECT(cudaGraphAddEmptyNode(&node, graph, twice, 2), cudaErrorInvalidValue);
    CHECK(add_edge(graph, one, two, 2, 0));
}

// ---- memory ----

PART(memory_of_many_graphs)
{
    for (int time = 0; time < 1100; ++time) { // together more than the executor has
        const cudaGraph_t graph = new_graph();
        cudaGraphNode_t node = nullptr;
        int* const memory = allocation(graph, node, size_t{8} << 20U);
        CHECK(add_free(graph, node, memory));
        CHECK(cudaGraphDestroy(graph));
    }
    SAME(used(), 0);
}

PART(memory_of_many_launched_graphs)
{
    for (int time = 0; time < 300; ++time) {
        const cudaGraph_t graph = new_graph();
        cudaGraphNode_t node = nullptr;
        int* const memory = allocation(graph, node, size_t{40} << 20U);
        const cudaGraphExec_t executable = made(graph);
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaGraphLaunch(executable, s));
        if (time % 2 == 0)
            CHECK(cudaFreeAsync(memory, s));
        CHECK(cudaGraphExecDestroy(executable));
        if (time % 2 == 1)
            CHECK(cudaFree(memory));
    }
    CHECK(cudaStreamSynchronize(s));
    SAME(used(), 0);
}

PART(memory_outlives_its_graph)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = nullptr;
    int* const memory = allocation(graph, node);
    const cudaGraphExec_t executable = made(graph);
    run(executable);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    put<<<1, kCount, 0, s>>>(memory, 7);
    SAME(first_of(memory), 7);
    CHECK(cudaFree(memory));
    EXPECT(cudaFree(memory), cudaErrorInvalidValue);
}

PART(memory_is_freed_once)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = nullptr;
    int* const memory = allocation(graph, node);
    EXPECT(cudaFree(memory), cudaErrorInvalidValue); // no launch has allocated it
    const cudaGraphExec_t executable = made(graph);
    for (int time = 0; time < 3; ++time) {
        run(executable);
        EXPECT(cudaGraphLaunch(executable, s), cudaErrorInvalidValue); // it is allocated
        CHECK(cudaFreeAsync(memory, s));
        EXPECT(cudaFreeAsync(memory, s), cudaErrorInvalidValue);
        EXPECT(cudaFree(memory), cudaErrorInvalidValue);
    }
}

PART(memory_freed_by_another_graph)
{
    const cudaGraph_t graph = new_graph(), frees = new_graph();
    cudaGraphNode_t node = nullptr;
    int* const memory = allocation(graph, node);
    CHECK(add_free(frees, nullptr, memory));
    EXPECT(add_free(frees, nullptr, memory), cudaErrorInvalidValue); // twice in one graph
    EXPECT(add_free(graph, node, memory), cudaErrorInvalidValue);    // another graph frees it
    const cudaGraphExec_t executable = made(graph), end = made(frees);
    for (int time = 0; time < 3; ++time) {
        run(executable);
        run(end);
    }
    SAME(used(), 0);
    EXPECT(cudaGraphLaunch(end, s), cudaErrorInvalidValue); // it is not allocated
}

PART(free_nodes)
{
    const cudaGraph_t graph = new_graph(), other = new_graph();
    cudaGraphNode_t node = nullptr;
    int* const memory = allocation(graph, node);
    EXPECT(add_free(graph, node, d), cudaErrorInvalidValue);
    EXPECT(add_free(graph, node, memory + 1), cudaErrorInvalidValue);
    EXPECT(add_free(graph, node, nullptr), cudaErrorInvalidValue);
    CHECK(add_free(graph, node, memory));
    EXPECT(add_free(graph, node, memory), cudaErrorInvalidValue);    // twice
    EXPECT(add_free(other, nullptr, memory), cudaErrorInvalidValue); // its own graph frees it
    run(made(graph));
    EXPECT(cudaFree(memory), cudaErrorInvalidValue);
}

PART(memory_freed_by_the_next_launch)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = nullptr;
    int* const memory = allocation(graph, node, 1U << 21U);
    const cudaGraphExec_t executable = made(graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    for (int time = 0; time < 5; ++time) {
        run(executable);
        SAME(used(), 1 << 21);
    }
    SAME(used(cudaGraphMemAttrUsedMemHigh), 1 << 21);
    CHECK(cudaFree(memory));
    SAME(used(), 0);
    run(executable);
    SAME(used(), 1 << 21);
    CHECK(cudaFree(memory));
}

PART(graphs_with_memory)
{
    const cudaGraph_t graph = new_graph(), outer = new_graph();
    cudaGraphNode_t node = nullptr, child = nullptr;
    int* const memory = allocation(graph, node);
    CHECK(add_free(graph, node, memory));
    cudaGraph_t clone = nullptr;
    EXPECT(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    EXPECT(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph), cudaErrorNotSupported);
    EXPECT(cudaGraphDestroyNode(node), cudaErrorNotSupported);
    cudaGraphExec_t executable = made(graph), second = nullptr;
    EXPECT(cudaGraphInstantiateWithFlags(&second, graph, 0), cudaErrorNotSupported);
    CHECK(cudaGraphExecDestroy(executable));
    run(made(graph));
}

// ---- child graphs ----

#if CUDART_VERSION >= 13000
static cudaError_t add_child(cudaGraphNode_t& node, cudaGraph_t outer, cudaGraph_t child, bool is_moved,
                             cudaGraphNode_t after = nullptr)
{
    cudaGraphNodeParams of = {};
    of.type = cudaGraphNodeTypeGraph;
    of.graph.graph = child;
    of.graph.ownership = is_moved ? cudaGraphChildGraphOwnershipMove : cudaGraphChildGraphOwnershipClone;
    return cudaGraphAddNode(&node, outer, &after, nullptr, after == nullptr ? 0 : 1, &of);
}
static void refused(cudaError_t error, const char* text, int line)
{
    cudaGetLastError();
    same(error != cudaSuccess, 1, text, line);
}
#define REFUSED(call) refused(call, #call, __LINE__)

PART(child_graphs_that_are_moved)
{
    const cudaGraph_t outer = new_graph(), child = new_graph(), other = new_graph();
    cudaGraphNode_t node = nullptr, none = nullptr;
    const cudaGraphNode_t inner = kernel(child, put, d, 5);
    CHECK(add_child(node, outer, child, true));
    cudaGraph_t of_node = nullptr;
    CHECK(cudaGraphChildGraphNodeGetGraph(node, &of_node));
    SAME(of_node == child, 1);
    cudaGraphExec_t executable = nullptr;
    REFUSED(cudaGraphInstantiate(&executable, child, 0));
    REFUSED(cudaGraphDestroy(child));
    REFUSED(add_child(none, other, child, false));
    REFUSED(add_child(none, other, child, true));
    executable = made(outer);
    cudaGraphExecUpdateResultInfo result = {};
    REFUSED(cudaGraphExecUpdate(executable, child, &result));
    run(executable);
    SAME(first_of(d), 5);
    // What the program changes in the child changes the node.
    int six = 6;
    void* addresses[] = {&d, &six};
    const cudaKernelNodeParams of = parameters_of(put, addresses);
    CHECK(cudaGraphKernelNodeSetParams(inner, &of));
    run(made(outer));
    SAME(first_of(d), 6);
    CHECK(cudaGraphDestroy(outer));
}

PART(moved_child_graphs_with_memory)
{
    const cudaGraph_t outer = new_graph(), child = new_graph();
    cudaGraphNode_t node = nullptr, allocates = nullptr;
    int* const memory = allocation(child, allocates, 1 << 20);
    int five = 5;
    void* addresses[] = {const_cast<int**>(&memory), &five};
    const cudaKernelNodeParams of = parameters_of(put, addresses);
    cudaGraphNode_t puts = nullptr, copies = nullptr;
    CHECK(cudaGraphAddKernelNode(&puts, child, &allocates, 1, &of));
    CHECK(cudaGraphAddMemcpyNode1D(&copies, child, &puts, 1, d, memory, kBytes, cudaMemcpyDeviceToDevice));
    CHECK(add_free(child, copies, memory));
    REFUSED(add_child(node, outer, child, false));
    CHECK(add_child(node, outer, child, true));
    cudaMemAllocNodeParams more = {};
    more.poolProps.allocType = cudaMemAllocationTypePinned;
    more.poolProps.location.type = cudaMemLocationTypeDevice;
    more.bytesize = kBytes;
    cudaGraphNode_t none = nullptr;
    REFUSED(cudaGraphAddMemAllocNode(&none, child, nullptr, 0, &more));
    const cudaGraphExec_t executable = made(outer);
    for (int time = 0; time < 3; ++time) {
        CHECK(cudaMemset(d, 0, kBytes));
        run(executable);
        SAME(first_of(d, kCount - 1), 5);
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(outer));
    SAME(used(), 0);
}
#endif

// ---- conditional nodes ----

PART(handles_of_many_graphs)
{
    for (int time = 0; time < 20000; ++time) {
        const cudaGraph_t graph = new_graph();
        cudaGraph_t body = nullptr;
        CHECK(add_condition(graph, handle_of(graph), cudaGraphCondTypeIf, body));
        CHECK(cudaGraphDestroy(graph));
    }
}

PART(graphs_with_conditions)
{
    const cudaGraph_t graph = new_graph(), outer = new_graph();
    cudaGraph_t body = nullptr, clone = nullptr;
    CHECK(add_condition(graph, handle_of(graph), cudaGraphCondTypeIf, body));
    cudaGraphNode_t child = nullptr;
    EXPECT(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    EXPECT(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph), cudaErrorNotSupported);
    kernel(body, put, d, 5);
    const cudaGraphExec_t executable = made(graph);
    CHECK(cudaGraphDestroy(graph)); // the executable graph has its handle
    run(executable);
    SAME(first_of(d), 5);
}

// ---- kernels with attributes ----

__global__ void count_blocks(int* to)
{
    const cg::grid_group grid = cg::this_grid();
    if (threadIdx.x == 0)
        atomicAdd(to, 1);
    grid.sync(); // ends the program if the launch is not cooperative
    if (threadIdx.x == 0)
        atomicAdd(to, *reinterpret_cast<volatile int*>(to) >= static_cast<int>(gridDim.x) ? 100 : 0);
}
__global__ void cluster_size(int* to)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *to = static_cast<int>(cg::this_cluster().num_blocks());
}

static cudaError_t launch_with(const cudaLaunchAttribute& attribute, void (*kernel)(int*), int* to, int blocks)
{
    cudaLaunchAttribute own = attribute;
    cudaLaunchConfig_t of = {};
    of.gridDim = dim3(blocks);
    of.blockDim = dim3(kCount);
    of.stream = s;
    of.attrs = &own;
    of.numAttrs = 1;
    return cudaLaunchKernelEx(&of, kernel, to);
}
static cudaLaunchAttribute cooperative()
{
    cudaLaunchAttribute of = {};
    of.id = cudaLaunchAttributeCooperative;
    of.val.cooperative = 1;
    return of;
}
static cudaLaunchAttribute cluster(unsigned blocks)
{
    cudaLaunchAttribute of = {};
    of.id = cudaLaunchAttributeClusterDimension;
    of.val.clusterDim.x = blocks;
    of.val.clusterDim.y = of.val.clusterDim.z = 1;
    return of;
}
static cudaGraph_t captured(const cudaLaunchAttribute& attribute, void (*kernel)(int*), int* to, int blocks)
{
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(launch_with(attribute, kernel, to, blocks));
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}
static cudaGraphNode_t only_node(cudaGraph_t graph)
{
    cudaGraphNode_t node = nullptr;
    size_t count = 1;
    CHECK(cudaGraphGetNodes(graph, &node, &count));
    SAME(count, 1);
    return node;
}

PART(parameters_of_a_captured_cooperative_kernel)
{
    const cudaGraph_t graph = captured(cooperative(), count_blocks, d, 2);
    const cudaGraphNode_t node = only_node(graph);
    const cudaGraphExec_t executable = made(graph);
    CHECK(cudaMemset(d, 0, kBytes));
    CHECK(cudaMemset(e, 0, kBytes));
    run(executable);
    SAME(first_of(d), 202);
    void* addresses[] = {&e};
    const cudaKernelNodeParams of = parameters_of(count_blocks, addresses, dim3(3));
    CHECK(cudaGraphExecKernelNodeSetParams(executable, node, &of));
    run(executable);
    SAME(first_of(e), 303);
    CHECK(cudaMemset(e, 0, kBytes));
    CHECK(cudaGraphKernelNodeSetParams(node, &of));
    run(made(graph));
    SAME(first_of(e), 303);
}

PART(parameters_of_a_captured_kernel_with_clusters)
{
    const cudaGraph_t graph = captured(cluster(2), cluster_size, d, 4);
    const cudaGraphNode_t node = only_node(graph);
    const cudaGraphExec_t executable = made(graph);
    run(executable);
    SAME(first_of(d), 2);
    void* addresses[] = {&e};
    const cudaKernelNodeParams of = parameters_of(cluster_size, addresses, dim3(8));
    CHECK(cudaGraphExecKernelNodeSetParams(executable, node, &of));
    run(executable);
    SAME(first_of(e), 2);
    CHECK(cudaMemset(e, 0, kBytes));
    CHECK(cudaGraphKernelNodeSetParams(node, &of));
    run(made(graph));
    SAME(first_of(e), 2);
}

PART(attributes_of_kernel_nodes)
{
    CHECK(cudaMemset(d, 0, kBytes));
    const cudaGraph_t graph = new_graph();
    void* addresses[] = {&d};
    const cudaKernelNodeParams of = parameters_of(count_blocks, addresses, dim3(2));
    cudaGraphNode_t node = nullptr, second = nullptr;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &of));
    cudaLaunchAttribute attribute = cooperative();
    CHECK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &attribute.val));
    run(made(graph));
    SAME(first_of(d), 202);
    attribute.val.cooperative = 0;
    CHECK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &attribute.val));
    SAME(attribute.val.cooperative, 1);
    const cudaGraph_t other = new_graph();
    CHECK(cudaMemset(d, 0, kBytes));
    CHECK(cudaGraphAddKernelNode(&second, other, nullptr, 0, &of));
    CHECK(cudaGraphKernelNodeCopyAttributes(second, node));
    run(made(other));
    SAME(first_of(d), 202);
    EXPECT(cudaGraphKernelNodeSetAttribute(empty(graph, node), cudaLaunchAttributeCooperative, &attribute.val),
           cudaErrorInvalidValue);
}

PART(attributes_of_captured_kernels_are_cleared)
{
    const cudaGraph_t plain = new_graph(), clusters = captured(cluster(2), cluster_size, e, 4),
                      all = captured(cooperative(), count_blocks, d, 2);
    const cudaGraphNode_t none = kernel(plain, put, d, 1), in_clusters = only_node(clusters),
                          together = only_node(all);
    CHECK(cudaGraphKernelNodeCopyAttributes(in_clusters, none));
    cudaLaunchAttributeValue value = {};
    CHECK(cudaGraphKernelNodeGetAttribute(in_clusters, cudaLaunchAttributeClusterDimension, &value));
    SAME(value.clusterDim.x <= 1, 1);
    run(made(clusters));
    SAME(first_of(e), 1);
    CHECK(cudaGraphKernelNodeCopyAttributes(in_clusters, together));
    CHECK(cudaGraphKernelNodeCopyAttributes(together, only_node(captured(cooperative(), count_blocks, d, 2))));
    CHECK(cudaMemset(d, 0, kBytes));
    run(made(all)); // what is copied last counts
    SAME(first_of(d), 202);
}

__global__ void __cluster_dims__(2) of_pairs(int* to)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *to = static_cast<int>(cg::this_cluster().num_blocks());
}

PART(clusters_that_a_kernel_requires)
{
    CHECK(cudaFuncSetAttribute(cluster_size, cudaFuncAttributeRequiredClusterWidth, 4));
    const cudaGraph_t graph = new_graph();
    void* addresses[] = {&d};
    const cudaKernelNodeParams of = parameters_of(cluster_size, addresses, dim3(8));
    CHECK(cudaFuncSetAttribute(cluster_size, cudaFuncAttributeRequiredClusterHeight, 1));
    CHECK(cudaFuncSetAttribute(cluster_size, cudaFuncAttributeRequiredClusterDepth, 1));
    cudaGraphNode_t node = nullptr;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &of));
    run(made(graph));
    SAME(first_of(d), 4);
    cluster_size<<<4, kCount, 0, s>>>(e);
    SAME(first_of(e), 4);
    cudaFuncAttributes attributes = {};
    CHECK(cudaFuncGetAttributes(&attributes, cluster_size));
    SAME(attributes.requiredClusterWidth, 4);
    EXPECT(launch_with(cluster(2), cluster_size, d, 8), cudaErrorInvalidClusterSize);
    EXPECT(cudaFuncSetAttribute(of_pairs, cudaFuncAttributeRequiredClusterWidth, 4), cudaErrorInvalidValue);
    EXPECT(cudaFuncSetAttribute(cluster_size, cudaFuncAttributeClusterDimMustBeSet, 1), cudaErrorInvalidValue);
}

PART(parameters_of_a_kernel_captured_by_its_address)
{
    int five = 5;
    void* given[] = {&d, &five};
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaLaunchKernel(put, dim3(1), dim3(kCount), given, 0, s));
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(s, &graph));
    const cudaGraphNode_t node = only_node(graph);
    cudaKernelNodeParams of = {};
    CHECK(cudaGraphKernelNodeGetParams(node, &of));
    SAME(of.func == reinterpret_cast<void*>(put), 1);
    SAME(of.gridDim.x, 1);
    SAME(of.blockDim.x, kCount);
    SAME(*static_cast<int**>(of.kernelParams[0]) == d, 1);
    SAME(*static_cast<int*>(of.kernelParams[1]), 5);
    const cudaGraphExec_t executable = made(graph);
    void* addresses[] = {&e, of.kernelParams[1]};
    of.kernelParams = addresses;
    CHECK(cudaGraphExecKernelNodeSetParams(executable, node, &of));
    run(executable);
    SAME(first_of(e, kCount - 1), 5);
}

struct Pair {
    int* to;
    double values[2];
};
template <int times, class T>
__global__ void put_of(const Pair pair, T one, const char* __restrict__ text, bool is_second)
{
    pair.to[threadIdx.x] = times * (static_cast<int>(pair.values[is_second]) + one + text[0]);
}
static cudaGraph_t captured_launch(int* to, const char* text)
{
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    put_of<2, short><<<1, kCount, 0, s>>>({to, {10, 20}}, 3, text, true);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}

PART(parameters_of_a_kernel_captured_from_a_launch)
{
    char* text = nullptr;
    CHECK(cudaMalloc(&text, 1));
    CHECK(cudaMemset(text, 7, 1));
    const cudaGraph_t graph = captured_launch(d, text);
    const cudaGraphNode_t node = only_node(graph);
    cudaKernelNodeParams of = {};
    CHECK(cudaGraphKernelNodeGetParams(node, &of));
    SAME(of.func == reinterpret_cast<void*>(put_of<2, short>), 1);
    SAME(of.gridDim.x, 1);
    SAME(of.blockDim.x, kCount);
    SAME(of.sharedMemBytes, 0);
    SAME(of.extra == nullptr, 1);
    SAME(static_cast<Pair*>(of.kernelParams[0])->values[1], 20);
    SAME(*static_cast<short*>(of.kernelParams[1]), 3);
    SAME(*static_cast<char**>(of.kernelParams[2]) == text, 1);
    SAME(*static_cast<bool*>(of.kernelParams[3]), 1);
    const cudaGraphExec_t executable = made(graph);
    run(executable);
    SAME(first_of(d, kCount - 1), 60);
    // One argument becomes another, in the executable graph, then in the graph.
    Pair pair{e, {30, 40}};
    of.kernelParams[0] = &pair;
    CHECK(cudaGraphExecKernelNodeSetParams(executable, node, &of));
    run(executable);
    SAME(first_of(e, kCount - 1), 100);
    CHECK(cudaGraphKernelNodeSetParams(node, &of));
    pair.to = nullptr; // the node has its own
    CHECK(cudaGraphKernelNodeGetParams(node, &of));
    SAME(static_cast<Pair*>(of.kernelParams[0])->to == e, 1);
    CHECK(cudaMemset(e, 0, kBytes));
    run(made(graph));
    SAME(first_of(e, kCount - 1), 100);
    // Another kernel, and a clone.
    int six = 6;
    void* addresses[] = {&d, &six};
    const cudaKernelNodeParams other = parameters_of(put, addresses);
    CHECK(cudaGraphKernelNodeSetParams(node, &other));
    cudaGraph_t clone = nullptr;
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphKernelNodeGetParams(only_node(clone), &of));
    SAME(of.func == reinterpret_cast<void*>(put), 1);
    SAME(*static_cast<int*>(of.kernelParams[1]), 6);
    run(made(clone));
    SAME(first_of(d, kCount - 1), 6);
    CHECK(cudaFree(text));
}

PART(parameters_of_extended_launches_that_are_captured)
{
    CHECK(cudaMemset(d, 0, kBytes));
    const cudaGraph_t graph = captured(cooperative(), count_blocks, d, 2);
    cudaKernelNodeParams of = {};
    CHECK(cudaGraphKernelNodeGetParams(only_node(graph), &of));
    SAME(of.func == reinterpret_cast<void*>(count_blocks), 1);
    of.gridDim = dim3(3);
    CHECK(cudaGraphKernelNodeSetParams(only_node(graph), &of));
    run(made(graph));
    SAME(first_of(d), 303);
}

// ---- updates ----

static cudaGraphExecUpdateResult update(cudaGraphExec_t executable, cudaGraph_t graph)
{
    cudaGraphExecUpdateResultInfo result = {};
    const cudaError_t error = cudaGraphExecUpdate(executable, graph, &result);
    SAME(error == cudaSuccess, result.result == cudaGraphExecUpdateSuccess);
    cudaGetLastError();
    return result.result;
}

PART(updates)
{
    const cudaGraph_t full = new_graph(), early = new_graph(), more = new_graph();
    for (const cudaGraph_t graph : {full, early}) {
        const cudaGraphNode_t one = kernel(graph, put, d, 1), two = kernel(graph, put, e, 2);
        CHECK(add_edge(graph, one, two, graph == early ? 1 : 0, graph == early ? 1 : 0));
    }
    for (int time = 0; time < 3; ++time)
        kernel(more, put, d, 1);
    SAME(update(made(full), full), cudaGraphExecUpdateSuccess);
    SAME(update(made(early), early), cudaGraphExecUpdateSuccess);
    SAME(update(made(full), early), cudaGraphExecUpdateErrorTopologyChanged);
    SAME(update(made(early), full), cudaGraphExecUpdateErrorTopologyChanged);
    SAME(update(made(full), more), cudaGraphExecUpdateErrorTopologyChanged);
    SAME(update(made(captured(cooperative(), count_blocks, d, 2)), captured(cooperative(), count_blocks, e, 3)),
         cudaGraphExecUpdateSuccess);
    const cudaGraph_t plain = new_graph();
    kernel(plain, count_blocks, d);
    SAME(update(made(captured(cooperative(), count_blocks, d, 2)), plain), cudaGraphExecUpdateErrorAttributesChanged);
}

// ---- capture ----

PART(capture_dependencies)
{
    const cudaGraph_t other = new_graph();
    cudaGraphNode_t foreign = kernel(other, put, d, 1);
    cudaGraphEdgeData data = {};
    data.from_port = 1; // without its type
#if CUDART_VERSION >= 13000
    const auto begin = [](cudaGraph_t graph, const cudaGraphNode_t* node, const cudaGraphEdgeData* edge) {
        return cudaStreamBeginCaptureToGraph(s, graph, node, edge, 1, cudaStreamCaptureModeGlobal);
    };
    const auto set = [](cudaGraphNode_t* node, const cudaGraphEdgeData* edge) {
        return cudaStreamUpdateCaptureDependencies(s, node, edge, 1, cudaStreamSetCaptureDependencies);
    };
#else
    const auto begin = [](cudaGraph_t graph, const cudaGraphNode_t* node, const cudaGraphEdgeData* edge) {
        return cudaStreamBeginCaptureToGraph(s, graph, node, edge, 1, cudaStreamCaptureModeGlobal);
    };
    const auto set = [](cudaGraphNode_t* node, const cudaGraphEdgeData* edge) {
        return cudaStreamUpdateCaptureDependencies_v2(s, node, edge, 1, cudaStreamSetCaptureDependencies);
    };
#endif
    EXPECT(set(&foreign, nullptr), cudaErrorIllegalState);
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t own = kernel(graph, put, d, 1);
    EXPECT(begin(graph, &foreign, nullptr), cudaErrorInvalidValue);
    EXPECT(begin(graph, &own, &data), cudaErrorInvalidValue);
    CHECK(begin(graph, &own, nullptr));
    EXPECT(set(&foreign, nullptr), cudaErrorInvalidValue);
    EXPECT(set(&own, &data), cudaErrorInvalidValue);
    put<<<1, kCount, 0, s>>>(d, 9);
    cudaGraph_t ended = nullptr;
    CHECK(cudaStreamEndCapture(s, &ended));
    run(made(graph));
    SAME(first_of(d), 9);
}

// What CUDA does not permit (cudaStreamGetCaptureInfo()): the executor ends the capture. Not for a GPU.
PART(capture_into_what_is_destroyed)
{
    const cudaGraph_t graph = new_graph(), outer = new_graph();
    cudaGraph_t body = nullptr, ended = nullptr;
    CHECK(add_condition(outer, handle_of(outer), cudaGraphCondTypeIf, body));
    for (const cudaGraph_t into : {graph, body}) {
        CHECK(cudaStreamBeginCaptureToGraph(s, into, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
        put<<<1, kCount, 0, s>>>(d, 9);
        CHECK(cudaGraphDestroy(into == body ? outer : graph));
        put<<<1, kCount, 0, s>>>(d, 8);
        SAME(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
        EXPECT(cudaStreamEndCapture(s, &ended), cudaErrorStreamCaptureInvalidated);
        SAME(ended == nullptr, 1);
    }
}

PART(capture_of_a_node_that_is_destroyed)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t own = kernel(graph, put, d, 1);
    cudaEvent_t event = nullptr;
    CHECK(cudaEventCreate(&event));
    for (const bool to_graph : {false, true}) {
        if (to_graph)
            CHECK(cudaStreamBeginCaptureToGraph(s, graph, &own, nullptr, 1, cudaStreamCaptureModeGlobal));
        else
            CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        put<<<1, kCount, 0, s>>>(d, 9);
        CHECK(cudaEventRecord(event, s));
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        const cudaGraphNode_t* last = nullptr;
        size_t count = 0;
#if CUDART_VERSION >= 13000
        CHECK(cudaStreamGetCaptureInfo(s, &status, nullptr, nullptr, &last, nullptr, &count));
#else
        CHECK(cudaStreamGetCaptureInfo_v2(s, &status, nullptr, nullptr, &last, &count));
#endif
        SAME(count, 1);
        EXPECT(cudaGraphDestroyNode(to_graph ? own : last[0]), cudaErrorIllegalState);
        CHECK(cudaStreamIsCapturing(s, &status));
        SAME(status, cudaStreamCaptureStatusActive);
        cudaGraph_t ended = nullptr;
        CHECK(cudaStreamEndCapture(s, &ended));
        SAME(ended == nullptr, 0);
    }
}

// ---- errors in the midst ----

__global__ void count_down(int* left, cudaGraphConditionalHandle handle)
{
    if (threadIdx.x == 0)
        cudaGraphSetConditional(handle, --*left > 0);
}

PART(loop_ends)
{
    const int times = 5;
    CHECK(cudaMemcpy(d, &times, sizeof times, cudaMemcpyHostToDevice));
    const cudaGraph_t graph = new_graph();
    cudaGraph_t body = nullptr;
    const cudaGraphConditionalHandle handle = handle_of(graph);
    CHECK(add_condition(graph, handle, cudaGraphCondTypeWhile, body));
    kernel(body, count_down, d, handle);
    run(made(graph));
    SAME(first_of(d), 0);
}

int main(int count, char** words)
{
    if (count == 1) {
        for (const auto& part : parts())
            puts(part.first.c_str());
        return 0;
    }
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    for (int** memory : {&d, &e, &f}) {
        CHECK(cudaMalloc(memory, kBytes));
        CHECK(cudaMemset(*memory, 0, kBytes));
    }
    put<<<1, kCount, 0, s>>>(f, 0); // some parts have no kernel of their own
    parts().at(words[1])();
    CHECK(cudaDeviceSynchronize());
    return differs ? 1 : 0;
}
