// What orders the nodes of graphs, launches of graphs and the rest of a program, by CUDA's rules: each case is right or wrong. `./my` prints
// the names, each after + (right), - (wrong) or ! (wrong without a race); `./my NAME` runs one. The rules: CUDA Programming Guide, "CUDA Graphs", "Creating a Graph
// Using Stream Capture", "Conditional Graph Nodes", "Device Graph Launch", "Graph Memory Nodes".
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "uses.h"

constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);

// A line for each use.
// clang-format off
__global__ void put(int* to, int value) { to[threadIdx.x] = value; }
__global__ void get(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void trigger_then_put(int* to) { cudaTriggerProgrammaticLaunchCompletion(); to[threadIdx.x] = 1; }
__global__ void wait_then_get(int* to, const int* from) { cudaGridDependencySynchronize(); to[threadIdx.x] = from[threadIdx.x]; }
__global__ void wait_then_add(int* to, const int* one, const int* two) { cudaGridDependencySynchronize(); to[threadIdx.x] = one[threadIdx.x] + two[threadIdx.x]; }
__global__ void add_both(int* to, const int* one, const int* two) { to[threadIdx.x] = one[threadIdx.x] + two[threadIdx.x]; }
__global__ void put_then_trigger(int* to) { to[threadIdx.x] = 1; __syncthreads(); __threadfence(); cudaTriggerProgrammaticLaunchCompletion(); }
__global__ void set_condition(cudaGraphConditionalHandle handle, unsigned value) { if (threadIdx.x == 0) cudaGraphSetConditional(handle, value); }
__global__ void count_down(int* left, int* to, cudaGraphConditionalHandle handle) { to[threadIdx.x] = 1; if (threadIdx.x == 0) cudaGraphSetConditional(handle, --*left > 0); }
__global__ void fire(cudaGraphExec_t graph) { if (threadIdx.x == 0) cudaGraphLaunch(graph, cudaStreamGraphFireAndForget); }
__global__ void fire_two(cudaGraphExec_t one, cudaGraphExec_t two) { if (threadIdx.x == 0) { cudaGraphLaunch(one, cudaStreamGraphFireAndForget); cudaGraphLaunch(two, cudaStreamGraphFireAndForget); } }
__global__ void tail_two(cudaGraphExec_t one, cudaGraphExec_t two) { if (threadIdx.x == 0) { cudaGraphLaunch(one, cudaStreamGraphTailLaunch); cudaGraphLaunch(two, cudaStreamGraphTailLaunch); } }
__global__ void fire_and_tail(cudaGraphExec_t one, cudaGraphExec_t two) { if (threadIdx.x == 0) { cudaGraphLaunch(one, cudaStreamGraphFireAndForget); cudaGraphLaunch(two, cudaStreamGraphTailLaunch); } }
__global__ void sibling_and_tail(cudaGraphExec_t one, cudaGraphExec_t two) { if (threadIdx.x == 0) { cudaGraphLaunch(one, cudaStreamGraphFireAndForgetAsSibling); cudaGraphLaunch(two, cudaStreamGraphTailLaunch); } }
__global__ void sibling(cudaGraphExec_t graph) { if (threadIdx.x == 0) cudaGraphLaunch(graph, cudaStreamGraphFireAndForgetAsSibling); }
__global__ void put_and_fire(int* to, cudaGraphExec_t graph) { if (threadIdx.x == 0) { to[0] = 1; cudaGraphLaunch(graph, cudaStreamGraphFireAndForget); } }
__global__ void fire_and_put(int* to, cudaGraphExec_t graph) { if (threadIdx.x == 0) { cudaGraphLaunch(graph, cudaStreamGraphFireAndForget); to[0] = 1; } }
__global__ void others_put_and_fire(int* to, cudaGraphExec_t graph) { if (threadIdx.x == 0) cudaGraphLaunch(graph, cudaStreamGraphFireAndForget); else to[threadIdx.x] = 1; }
__global__ void all_put_and_fire(int* to, cudaGraphExec_t graph) { to[threadIdx.x] = 1; __syncthreads(); if (threadIdx.x == 0) cudaGraphLaunch(graph, cudaStreamGraphFireAndForget); }
__global__ void put_and_tail_once(int* to, int* left) { to[threadIdx.x] = 1; __syncthreads(); if (threadIdx.x == 0 && --*left > 0) cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch); }

// Of a blocking stream a, and streams n and m that are not.
static cudaStream_t a, n, m;
static cudaEvent_t event, event2;
static int *d, *d2, *d3;     // device memory
static int *pinned, *unified;
static int* left;            // iterations, of device memory
static int seen; // that the compiler does not remove reads
static int of_host;

#define FREED(name) static void name(); static const bool added_##name = add("!" #name, false, name); static void name() // by itself

static void put_in(cudaStream_t stream, int* to = d) { put<<<1, kCount, 0, stream>>>(to, 1); }
static void get_in(cudaStream_t stream, const int* from = d, int* to = d2) { get<<<1, kCount, 0, stream>>>(to, from); }
static void order(cudaStream_t first, cudaStream_t second, cudaEvent_t by = event)
{
    check(cudaEventRecord(by, first));
    check(cudaStreamWaitEvent(second, by, 0));
}
static void begin(cudaStream_t stream = n) { check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)); }
static cudaGraphExec_t made(cudaGraph_t graph, unsigned flags = 0)
{
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiateWithFlags(&executable, graph, flags));
    return executable;
}
static cudaGraphExec_t end(cudaStream_t stream = n)
{
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph));
    return made(graph);
}
static void launch(cudaGraphExec_t executable, cudaStream_t stream = n) { check(cudaGraphLaunch(executable, stream)); }
static void run_captured() { launch(end()); check(cudaStreamSynchronize(n)); }
template <class... Parameters>
static void launch_after(cudaStream_t stream, void (*kernel)(Parameters...), Parameters... arguments)
{
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = dim3(1);
    configuration.blockDim = dim3(kCount);
    configuration.stream = stream;
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    check(cudaLaunchKernelEx(&configuration, kernel, arguments...));
}

// ---- capture ----
RIGHT(captured_in_one_stream) { begin(); put_in(n); put_in(n); run_captured(); }
WRONG(captured_in_two_streams) { begin(); order(n, m); put_in(n); put_in(m); order(m, n); run_captured(); }
RIGHT(captured_both_read) { begin(); order(n, m); get_in(n); get_in(m, d, d3); order(m, n); run_captured(); }
RIGHT(captured_fork_after_the_work) { begin(); put_in(n); order(n, m); put_in(m); order(m, n); run_captured(); }
RIGHT(captured_join_before_the_work) { begin(); order(n, m); put_in(m); order(m, n); put_in(n); run_captured(); }
WRONG(captured_event_before_the_work) { begin(); check(cudaEventRecord(event, n)); put_in(n); check(cudaStreamWaitEvent(m, event, 0)); put_in(m); order(m, n, event2); run_captured(); }
RIGHT(captured_third_stream_between) { begin(); put_in(n); order(n, a); order(a, m); put_in(m); order(m, n); run_captured(); }
RIGHT(captured_copy_then_kernel) { begin(); check(cudaMemcpyAsync(d, pinned, kBytes, cudaMemcpyHostToDevice, n)); get_in(n); run_captured(); }
WRONG(captured_copy_beside_a_kernel) { begin(); order(n, m); check(cudaMemcpyAsync(d, pinned, kBytes, cudaMemcpyHostToDevice, m)); get_in(n); order(m, n); run_captured(); }
WRONG(captured_set_beside_a_kernel) { begin(); order(n, m); check(cudaMemsetAsync(d, 0, kBytes, m)); get_in(n); order(m, n); run_captured(); }
RIGHT(captured_set_of_another_part) { begin(); order(n, m); check(cudaMemsetAsync(d, 0, kBytes / 2, m)); check(cudaMemsetAsync(d + kCount / 2, 0, kBytes / 2, n)); order(m, n); run_captured(); }
WRONG(captured_sets_that_meet) { begin(); order(n, m); check(cudaMemsetAsync(d, 0, kBytes, m)); check(cudaMemsetAsync(d + kCount / 2, 0, kBytes / 2, n)); order(m, n); run_captured(); }
static void read_pinned(void*) { seen = pinned[0]; }
static void write_pinned(void*) { pinned[0] = 1; }
static void write_variable(void*) { of_host = 1; }
RIGHT(captured_function_after_a_copy) { begin(); check(cudaMemcpyAsync(pinned, d, kBytes, cudaMemcpyDeviceToHost, n)); check(cudaLaunchHostFunc(n, read_pinned, nullptr)); run_captured(); }
WRONG(captured_function_beside_a_copy) { begin(); order(n, m); check(cudaMemcpyAsync(pinned, d, kBytes, cudaMemcpyDeviceToHost, n)); check(cudaLaunchHostFunc(m, read_pinned, nullptr)); order(m, n); run_captured(); }
WRONG(captured_function_beside_a_kernel) { begin(); order(n, m); get_in(n, pinned); check(cudaLaunchHostFunc(m, write_pinned, nullptr)); order(m, n); run_captured(); }
WRONG(captured_functions_in_two_streams) { begin(); order(n, m); check(cudaLaunchHostFunc(n, write_variable, nullptr)); check(cudaLaunchHostFunc(m, write_variable, nullptr)); order(m, n); run_captured(); }
RIGHT(captured_functions_in_one_stream) { begin(); check(cudaLaunchHostFunc(n, write_variable, nullptr)); check(cudaLaunchHostFunc(n, write_variable, nullptr)); run_captured(); }
RIGHT(captured_programmatic_with_wait) { begin(); trigger_then_put<<<1, kCount, 0, n>>>(d); launch_after<int*, const int*>(n, wait_then_get, d2, d); run_captured(); }
WRONG(captured_programmatic_without_wait) { begin(); trigger_then_put<<<1, kCount, 0, n>>>(d); launch_after<int*, const int*>(n, get, d2, d); run_captured(); }
// A programmatic launch into a stream that also waits for an event.
static void launch_joined(void (*kernel)(int*, const int*, const int*), const int* one, const int* two) { begin(); order(n, m); put_in(m, d3); trigger_then_put<<<1, kCount, 0, n>>>(d); order(m, n); launch_after<int*, const int*, const int*>(n, kernel, d2, one, two); run_captured(); }
RIGHT(captured_programmatic_and_an_event_with_wait) { launch_joined(wait_then_add, d, d3); }
RIGHT(captured_programmatic_and_an_event_that_is_read) { launch_joined(add_both, d3, d3); }
WRONG(captured_programmatic_and_an_event_without_wait) { launch_joined(add_both, d3, d); }
RIGHT(captured_programmatic_behind_a_fork) { begin(); trigger_then_put<<<1, kCount, 0, n>>>(d); order(n, m); launch_after<int*, const int*>(m, get, d2, d); order(m, n); run_captured(); }
// The kernels captured so far come before the next one by this edge.
static void capture_edge(unsigned char port)
{
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t* nodes = nullptr;
    size_t count = 0;
    cudaGraphEdgeData data = {};
    data.from_port = port;
    data.type = cudaGraphDependencyTypeProgrammatic;
#if CUDART_VERSION >= 13000
    check(cudaStreamGetCaptureInfo(n, &status, nullptr, nullptr, &nodes, nullptr, &count));
    cudaGraphNode_t node = nodes[0];
    check(cudaStreamUpdateCaptureDependencies(n, &node, &data, 1, cudaStreamSetCaptureDependencies));
#else
    check(cudaStreamGetCaptureInfo_v2(n, &status, nullptr, nullptr, &nodes, &count));
    cudaGraphNode_t node = nodes[0];
    check(cudaStreamUpdateCaptureDependencies_v2(n, &node, &data, 1, cudaStreamSetCaptureDependencies));
#endif
}
RIGHT(captured_launch_completion_with_wait) { begin(); put_in(n); capture_edge(cudaGraphKernelNodePortLaunchCompletion); wait_then_get<<<1, kCount, 0, n>>>(d2, d); run_captured(); }
WRONG(captured_launch_completion_without_wait) { begin(); put_in(n); capture_edge(cudaGraphKernelNodePortLaunchCompletion); get_in(n); run_captured(); }
RIGHT(captured_edge_programmatic_with_wait) { begin(); put_in(n); capture_edge(cudaGraphKernelNodePortProgrammatic); wait_then_get<<<1, kCount, 0, n>>>(d2, d); run_captured(); }
WRONG(captured_edge_programmatic_without_wait) { begin(); put_in(n); capture_edge(cudaGraphKernelNodePortProgrammatic); get_in(n); run_captured(); }
RIGHT(captured_pool_memory) { begin(); int* memory = nullptr; check(cudaMallocAsync(&memory, kBytes, n)); put_in(n, memory); get_in(n, memory); check(cudaFreeAsync(memory, n)); run_captured(); }
WRONG(captured_pool_memory_in_a_branch) { begin(); order(n, m); int* memory = nullptr; check(cudaMallocAsync(&memory, kBytes, n)); put_in(m, memory); order(m, n); check(cudaFreeAsync(memory, n)); run_captured(); }
WRONG(captured_pool_memory_freed_beside_its_use) { begin(); int* memory = nullptr; check(cudaMallocAsync(&memory, kBytes, n)); order(n, m); put_in(m, memory); check(cudaFreeAsync(memory, n)); order(m, n); run_captured(); }

// ---- launches in streams ----
static cudaGraphExec_t putting(int* to = d, cudaStream_t stream = n) { begin(stream); put_in(stream, to); return end(stream); }
RIGHT(launch_then_its_stream) { launch(putting()); put_in(n); }
WRONG(launch_then_another_stream) { launch(putting()); put_in(m); }
RIGHT(launch_after_its_stream) { put_in(n); launch(putting()); }
WRONG(launch_after_another_stream) { const cudaGraphExec_t graph = putting(); put_in(m); launch(graph); }
RIGHT(launch_after_an_event_of_another_stream) { const cudaGraphExec_t graph = putting(); put_in(m); order(m, n); launch(graph); }
RIGHT(event_behind_a_launch) { launch(putting()); order(n, m); put_in(m); }
WRONG(event_before_a_launch) { const cudaGraphExec_t graph = putting(); order(n, m); launch(graph); put_in(m); }
RIGHT(two_launches_in_one_stream) { const cudaGraphExec_t graph = putting(); launch(graph); launch(graph); }
RIGHT(two_launches_of_one_graph_in_two_streams) { const cudaGraphExec_t graph = putting(); launch(graph, n); launch(graph, m); }
WRONG(launches_of_two_graphs_in_two_streams) { const cudaGraphExec_t one = putting(), two = putting(); launch(one, n); launch(two, m); }
RIGHT(launches_of_two_graphs_in_one_stream) { const cudaGraphExec_t one = putting(), two = putting(); launch(one, n); launch(two, n); }
RIGHT(launch_in_a_blocking_stream_then_the_null_stream) { launch(putting(), a); put_in(0); }
WRONG(launch_in_a_non_blocking_stream_then_the_null_stream) { launch(putting(), n); put_in(0); }
RIGHT(launch_in_the_null_stream_then_a_blocking_stream) { launch(putting(), 0); put_in(a); }
WRONG(host_reads_behind_a_launch) { launch(putting(unified)); seen = unified[0]; }
RIGHT(host_reads_after_a_wait) { launch(putting(unified)); check(cudaStreamSynchronize(n)); seen = unified[0]; }
WRONG(host_reads_after_a_wait_for_another_stream) { launch(putting(unified)); check(cudaStreamSynchronize(m)); seen = unified[0]; }
RIGHT(host_reads_after_an_event) { launch(putting(unified)); check(cudaEventRecord(event, n)); check(cudaEventSynchronize(event)); seen = unified[0]; }
static cudaGraphExec_t copying() { begin(); check(cudaMemcpyAsync(d, pinned, kBytes, cudaMemcpyHostToDevice, n)); return end(); }
WRONG(host_writes_what_a_graph_copies) { launch(copying()); pinned[0] = 1; }
RIGHT(host_writes_before_the_launch) { const cudaGraphExec_t graph = copying(); pinned[0] = 1; launch(graph); }
RIGHT(host_writes_between_launches_after_a_wait) { const cudaGraphExec_t graph = copying(); launch(graph); check(cudaStreamSynchronize(n)); pinned[0] = 1; launch(graph); }
WRONG(host_writes_between_launches) { const cudaGraphExec_t graph = copying(); launch(graph); pinned[0] = 1; launch(graph); }

// ---- nodes and edges ----
struct Graph {
    cudaGraph_t graph = nullptr;
    Graph() { check(cudaGraphCreate(&graph, 0)); }
    explicit Graph(cudaGraph_t of) : graph(of) {}
    using Nodes = std::vector<cudaGraphNode_t>;

    template <class... Parameters>
    static cudaKernelNodeParams of(void (*kernel)(Parameters...), void** addresses)
    {
        cudaKernelNodeParams parameters = {};
        parameters.func = reinterpret_cast<void*>(kernel);
        parameters.gridDim = dim3(1);
        parameters.blockDim = dim3(kCount);
        parameters.kernelParams = addresses;
        return parameters;
    }
    template <class... Parameters>
    cudaGraphNode_t kernel(const Nodes& after, void (*kernel)(Parameters...), Parameters... arguments)
    {
        void* addresses[] = {&arguments...};
        const cudaKernelNodeParams parameters = of(kernel, addresses);
        cudaGraphNode_t node = nullptr;
        check(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters));
        return node;
    }
    cudaGraphNode_t put(const Nodes& after = {}, int* to = d) { return kernel(after, ::put, to, 1); }
    cudaGraphNode_t get(const Nodes& after = {}, const int* from = d, int* to = d2) { return kernel(after, ::get, to, from); }
    cudaGraphNode_t copy(const Nodes& after, void* to, const void* from)
    {
        cudaGraphNode_t node = nullptr;
        check(cudaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from, kBytes, cudaMemcpyDefault));
        return node;
    }
    cudaGraphNode_t set(const Nodes& after, int* to, size_t width = kCount)
    {
        cudaMemsetParams parameters = {};
        parameters.dst = to;
        parameters.value = 5;
        parameters.elementSize = sizeof(int);
        parameters.width = width;
        parameters.height = 1;
        cudaGraphNode_t node = nullptr;
        check(cudaGraphAddMemsetNode(&node, graph, after.data(), after.size(), &parameters));
        return node;
    }
    cudaGraphNode_t function(const Nodes& after, cudaHostFn_t called)
    {
        cudaHostNodeParams parameters = {};
        parameters.fn = called;
        cudaGraphNode_t node = nullptr;
        check(cudaGraphAddHostNode(&node, graph, after.data(), after.size(), &parameters));
        return node;
    }
    cudaGraphNode_t empty(const Nodes& after)
    {
        cudaGraphNode_t node = nullptr;
        check(cudaGraphAddEmptyNode(&node, graph, after.data(), after.size()));
        return node;
    }
    cudaGraphNode_t child(const Nodes& after, const Graph& of)
    {
        cudaGraphNode_t node = nullptr;
        check(cudaGraphAddChildGraphNode(&node, graph, after.data(), after.size(), of.graph));
        return node;
    }
    void* allocate(const Nodes& after, cudaGraphNode_t& node)
    {
        cudaMemAllocNodeParams parameters = {};
        parameters.poolProps.allocType = cudaMemAllocationTypePinned;
        parameters.poolProps.location.type = cudaMemLocationTypeDevice;
        parameters.bytesize = kBytes;
        check(cudaGraphAddMemAllocNode(&node, graph, after.data(), after.size(), &parameters));
        return parameters.dptr;
    }
    cudaGraphNode_t free(const Nodes& after, void* memory)
    {
        cudaGraphNode_t node = nullptr;
        check(cudaGraphAddMemFreeNode(&node, graph, after.data(), after.size(), memory));
        return node;
    }
    void edge(cudaGraphNode_t from, cudaGraphNode_t to, bool programmatic = false, unsigned char port = cudaGraphKernelNodePortProgrammatic)
    {
        cudaGraphEdgeData data = {};
        data.from_port = programmatic || port != cudaGraphKernelNodePortProgrammatic ? port : 0;
        data.type = programmatic ? cudaGraphDependencyTypeProgrammatic : cudaGraphDependencyTypeDefault;
#if CUDART_VERSION >= 13000
        check(cudaGraphAddDependencies(graph, &from, &to, &data, 1));
#else
        check(data.from_port != 0 ? cudaGraphAddDependencies_v2(graph, &from, &to, &data, 1) : cudaGraphAddDependencies(graph, &from, &to, 1));
#endif
    }
    // A kernel that puts, in different ways before it lets others begin, and kernels that read behind edges.
    cudaGraphNode_t early(int* to = d, const Nodes& after = {}) { return kernel(after, trigger_then_put, to); }
    cudaGraphNode_t waiting(const Nodes& after = {}, const int* from = d, int* to = d2) { return kernel(after, wait_then_get, to, from); }
    cudaGraphNode_t sum(bool waits, const Nodes& after = {}) { return kernel(after, waits ? wait_then_add : add_both, d2, (const int*)d, (const int*)d3); }
    void no_edge(cudaGraphNode_t from, cudaGraphNode_t to)
    {
#if CUDART_VERSION >= 13000
        check(cudaGraphRemoveDependencies(graph, &from, &to, nullptr, 1));
#else
        check(cudaGraphRemoveDependencies(graph, &from, &to, 1));
#endif
    }
    cudaGraphConditionalHandle handle(unsigned value = 1)
    {
        cudaGraphConditionalHandle made = 0;
        check(cudaGraphConditionalHandleCreate(&made, graph, value, cudaGraphCondAssignDefault));
        return made;
    }
    cudaGraphNode_t condition(const Nodes& after, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, std::vector<Graph>& bodies, unsigned size = 1)
    {
        cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
        parameters.conditional.handle = handle;
        parameters.conditional.type = type;
        parameters.conditional.size = size;
        cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
        check(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &parameters));
#else
        check(cudaGraphAddNode(&node, graph, after.data(), after.size(), &parameters));
#endif
        for (unsigned body = 0; body < size; ++body)
            bodies.push_back(Graph(parameters.conditional.phGraph_out[body]));
        return node;
    }
    void run(cudaStream_t stream = n)
    {
        launch(made(graph), stream);
        check(cudaStreamSynchronize(stream));
    }
    // For launches by kernels.
    cudaGraphExec_t on_device()
    {
        const cudaGraphExec_t executable = made(graph, cudaGraphInstantiateFlagDeviceLaunch);
        check(cudaGraphUpload(executable, n));
        check(cudaStreamSynchronize(n));
        return executable;
    }
};

RIGHT(edge_between_kernels) { Graph g; const auto one = g.put(); g.put({one}); g.run(); }
WRONG(no_edge_between_kernels) { Graph g; g.put(); g.put(); g.run(); }
RIGHT(edge_added_later) { Graph g; const auto one = g.put(), two = g.get(); g.edge(one, two); g.run(); }
WRONG(edge_removed) { Graph g; const auto one = g.put(), two = g.put({one}); g.no_edge(one, two); g.run(); }
WRONG(edge_to_another_kernel) { Graph g; const auto one = g.put(); g.put({one}, d3); g.get(); g.run(); }
RIGHT(edges_through_an_empty_node) { Graph g; const auto one = g.put(), none = g.empty({one}); g.get({none}); g.run(); }
RIGHT(edges_of_a_diamond) { Graph g; const auto one = g.put(), left_arm = g.get({one}), right_arm = g.get({one}, d, d3); g.put({left_arm, right_arm}); g.run(); }
WRONG(arms_of_a_diamond) { Graph g; const auto one = g.put(), left_arm = g.get({one}), right_arm = g.put({one}); g.empty({left_arm, right_arm}); g.run(); }
WRONG(one_arm_of_a_diamond_is_not_joined) { Graph g; const auto one = g.put(), left_arm = g.get({one}); g.get({one}, d, d3); g.put({left_arm}); g.run(); }
RIGHT(edge_from_a_copy) { Graph g; const auto one = g.copy({}, d, pinned); g.get({one}); g.run(); }
WRONG(no_edge_from_a_copy) { Graph g; g.copy({}, d, pinned); g.get(); g.run(); }
WRONG(no_edge_to_a_copy) { Graph g; g.put(); g.copy({}, pinned, d); g.run(); }
RIGHT(edge_to_a_copy) { Graph g; const auto one = g.put(); g.copy({one}, pinned, d); g.run(); }
WRONG(two_copies_to_one_place) { Graph g; g.copy({}, d, pinned); g.copy({}, d, d2); g.run(); }
RIGHT(edge_from_a_set) { Graph g; const auto one = g.set({}, d); g.get({one}); g.run(); }
WRONG(no_edge_from_a_set) { Graph g; g.set({}, d); g.get(); g.run(); }
RIGHT(sets_of_two_parts) { Graph g; g.set({}, d, kCount / 2); g.set({}, d + kCount / 2, kCount / 2); g.run(); }
RIGHT(edge_to_a_function) { Graph g; const auto one = g.put({}, pinned); g.function({one}, read_pinned); g.run(); }
WRONG(no_edge_to_a_function) { Graph g; g.put({}, pinned); g.function({}, read_pinned); g.run(); }
RIGHT(edge_from_a_function) { Graph g; const auto one = g.function({}, write_pinned); g.copy({one}, d, pinned); g.run(); }
WRONG(no_edge_from_a_function) { Graph g; g.function({}, write_pinned); g.copy({}, d, pinned); g.run(); }
WRONG(functions_without_edge) { Graph g; g.function({}, write_variable); g.function({}, write_variable); g.run(); }
RIGHT(functions_with_edge) { Graph g; const auto one = g.function({}, write_variable); g.function({one}, write_variable); g.run(); }
WRONG(function_of_a_graph_and_the_host) { Graph g; g.function({}, write_variable); launch(made(g.graph)); seen = of_host; }
RIGHT(function_of_a_graph_and_the_host_after_a_wait) { Graph g; g.function({}, write_variable); g.run(); seen = of_host; }
RIGHT(edge_to_a_child_graph) { Graph g, inner; inner.put(); const auto one = g.put(); g.child({one}, inner); g.run(); }
RIGHT(edge_from_a_child_graph) { Graph g, inner; inner.put(); const auto one = g.child({}, inner); g.get({one}); g.run(); }
WRONG(no_edge_from_a_child_graph) { Graph g, inner; inner.put(); g.child({}, inner); g.get(); g.run(); }
WRONG(no_edge_within_a_child_graph) { Graph g, inner; inner.put(); inner.put(); g.child({}, inner); g.run(); }
WRONG(two_child_graphs) { Graph g, inner; inner.put(); g.child({}, inner); g.child({}, inner); g.run(); }
RIGHT(edge_programmatic_with_wait) { Graph g; const auto one = g.kernel({}, trigger_then_put, d), two = g.kernel({}, wait_then_get, d2, (const int*)d); g.edge(one, two, true); g.run(); }
WRONG(edge_programmatic_without_wait) { Graph g; const auto one = g.kernel({}, trigger_then_put, d), two = g.get(); g.edge(one, two, true); g.run(); }
RIGHT(edge_programmatic_and_a_full_one) { Graph g; const auto one = g.kernel({}, trigger_then_put, d), two = g.put({}, d3); g.edge(one, two, true); g.get({one}); g.run(); }
RIGHT(edges_programmatic_of_two_with_wait) { Graph g; const auto one = g.early(), two = g.early(d3), both = g.sum(true); g.edge(one, both, true); g.edge(two, both, true); g.run(); }
WRONG(edges_programmatic_of_two_without_wait) { Graph g; const auto one = g.early(), two = g.early(d3), both = g.sum(false); g.edge(one, both, true); g.edge(two, both, true); g.run(); }
WRONG(edge_programmatic_of_one_of_two) { Graph g; const auto one = g.early(); g.early(d3); const auto both = g.sum(true); g.edge(one, both, true); g.run(); }
RIGHT(edge_programmatic_beside_a_full_one_with_wait) { Graph g; const auto one = g.put(), two = g.early(d3), both = g.sum(true, {one}); g.edge(two, both, true); g.run(); }
RIGHT(edge_programmatic_beside_a_full_one_that_is_read) { Graph g; const auto one = g.put(), two = g.early(d3), last = g.get({one}); g.edge(two, last, true); g.run(); }
WRONG(edge_programmatic_beside_a_full_one_without_wait) { Graph g; const auto one = g.put({}, d3), two = g.early(), last = g.get({one}); g.edge(two, last, true); g.run(); }
WRONG(edge_programmatic_added_before_a_full_one_without_wait) { Graph g; const auto two = g.early(), one = g.put({}, d3), last = g.get(); g.edge(two, last, true); g.edge(one, last); g.run(); }
RIGHT(edges_programmatic_to_two_with_wait) { Graph g; const auto one = g.early(), two = g.waiting(), three = g.waiting({}, d, d3); g.edge(one, two, true); g.edge(one, three, true); g.run(); }
WRONG(edges_programmatic_to_two_one_without_wait) { Graph g; const auto one = g.early(), two = g.waiting(), three = g.get({}, d, d3); g.edge(one, two, true); g.edge(one, three, true); g.run(); }
WRONG(edges_programmatic_to_two_that_write) { Graph g; const auto one = g.early(), two = g.waiting(), three = g.waiting(); g.edge(one, two, true); g.edge(one, three, true); g.run(); }
RIGHT(edges_programmatic_and_full_to_two) { Graph g; const auto one = g.early(), two = g.waiting(); g.get({one}, d, d3); g.edge(one, two, true); g.run(); }
WRONG(edges_programmatic_and_full_to_two_without_wait) { Graph g; const auto one = g.early(), two = g.get(); g.get({one}, d, d3); g.edge(one, two, true); g.run(); }
WRONG(edges_programmatic_in_a_chain_that_one_does_not_wait_for) { Graph g; const auto one = g.early(), two = g.early(d3), three = g.waiting(); g.edge(one, two, true); g.edge(two, three, true); g.run(); }
RIGHT(edges_programmatic_in_a_chain_and_past_it) { Graph g; const auto one = g.early(), two = g.early(d3), three = g.sum(true); g.edge(one, two, true); g.edge(two, three, true); g.edge(one, three, true); g.run(); }
RIGHT(edges_programmatic_in_a_chain_and_a_full_one_past_it) { Graph g; const auto one = g.early(), two = g.early(d3), three = g.get({one}); g.edge(one, two, true); g.edge(two, three, true); g.run(); }
RIGHT(edges_programmatic_in_a_chain_and_an_empty_node_past_it) { Graph g; const auto one = g.early(), two = g.early(d3), none = g.empty({one}), three = g.get({none}); g.edge(one, two, true); g.edge(two, three, true); g.run(); }
RIGHT(edge_programmatic_behind_what_a_full_one_orders) { Graph g; const auto one = g.put(), two = g.early(d3, {one}), three = g.get(); g.edge(two, three, true); g.run(); }
RIGHT(edge_programmatic_from_a_disabled_node) { Graph g; const auto one = g.put(), two = g.early(d3, {one}), three = g.get(); g.edge(two, three, true); const cudaGraphExec_t graph = made(g.graph); check(cudaGraphNodeSetEnabled(graph, two, 0)); launch(graph); }
WRONG(edge_programmatic_to_a_disabled_node) { Graph g; const auto one = g.early(), two = g.early(d3); g.get(); g.edge(one, two, true); const cudaGraphExec_t graph = made(g.graph); check(cudaGraphNodeSetEnabled(graph, two, 0)); launch(graph); }
RIGHT(edge_programmatic_then_a_full_one_behind_a_disabled_node) { Graph g; const auto one = g.early(), two = g.early(d3); g.get({two}); g.edge(one, two, true); const cudaGraphExec_t graph = made(g.graph); check(cudaGraphNodeSetEnabled(graph, two, 0)); launch(graph); }
RIGHT(edges_programmatic_in_two_launches) { Graph g; const auto one = g.early(), two = g.early(d3), both = g.sum(true); g.edge(one, both, true); g.edge(two, both, true); const cudaGraphExec_t graph = made(g.graph); launch(graph); launch(graph, m); check(cudaDeviceSynchronize()); }
RIGHT(edge_programmatic_of_a_released_write) { Graph g; const auto one = g.kernel({}, put_then_trigger, d), two = g.get(); g.edge(one, two, true); g.run(); }
WRONG(edge_launch_completion_of_a_released_write) { Graph g; const auto one = g.kernel({}, put_then_trigger, d), two = g.get(); g.edge(one, two, true, cudaGraphKernelNodePortLaunchCompletion); g.run(); }
RIGHT(edge_launch_completion_with_wait) { Graph g; const auto one = g.put(), two = g.waiting(); g.edge(one, two, true, cudaGraphKernelNodePortLaunchCompletion); g.run(); }
WRONG(edge_launch_completion_without_wait) { Graph g; const auto one = g.put(), two = g.get(); g.edge(one, two, true, cudaGraphKernelNodePortLaunchCompletion); g.run(); }
RIGHT(edge_launch_completion_behind_what_a_full_one_orders) { Graph g; const auto one = g.put(), two = g.put({one}, d3), three = g.get(); g.edge(two, three, true, cudaGraphKernelNodePortLaunchCompletion); g.run(); }
WRONG(edge_launch_completion_that_is_not_programmatic) { Graph g; const auto one = g.put(), two = g.waiting(); g.edge(one, two, false, cudaGraphKernelNodePortLaunchCompletion); g.run(); }
WRONG(edge_launch_completion_to_a_copy) { Graph g; const auto one = g.put(), two = g.copy({}, pinned, d); g.edge(one, two, false, cudaGraphKernelNodePortLaunchCompletion); g.run(); }
RIGHT(edges_launch_completion_and_programmatic) { Graph g; const auto one = g.put(), two = g.early(d3), both = g.sum(true); g.edge(one, both, true, cudaGraphKernelNodePortLaunchCompletion); g.edge(two, both, true); g.run(); }
RIGHT(memory_of_a_graph) { Graph g; cudaGraphNode_t one; int* memory = (int*)g.allocate({}, one); const auto two = g.put({one}, memory), three = g.get({two}, memory); g.free({three}, memory); g.run(); }
WRONG(memory_used_without_edge_from_its_node) { Graph g; cudaGraphNode_t one; int* memory = (int*)g.allocate({}, one); const auto two = g.put({}, memory); g.free({one, two}, memory); g.run(); }
WRONG(memory_freed_without_edge_from_its_use) { Graph g; cudaGraphNode_t one; int* memory = (int*)g.allocate({}, one); g.put({one}, memory); g.free({one}, memory); g.run(); }
RIGHT(memory_freed_behind_the_launch) { Graph g; cudaGraphNode_t one; int* memory = (int*)g.allocate({}, one); g.put({one}, memory); launch(made(g.graph)); check(cudaFreeAsync(memory, n)); }
WRONG(memory_freed_beside_the_launch) { Graph g; cudaGraphNode_t one; int* memory = (int*)g.allocate({}, one); g.put({one}, memory); launch(made(g.graph)); check(cudaFreeAsync(memory, m)); }
RIGHT(memory_used_behind_the_launch) { Graph g; cudaGraphNode_t one; int* memory = (int*)g.allocate({}, one); g.put({one}, memory); launch(made(g.graph)); get_in(n, memory); check(cudaFreeAsync(memory, n)); }
FREED(memory_used_behind_its_free) { Graph g; cudaGraphNode_t one; int* memory = (int*)g.allocate({}, one); const auto two = g.free({one}, memory); g.put({two}, memory); g.run(); }
static cudaGraphNode_t record(Graph& g, const Graph::Nodes& after) { cudaGraphNode_t node; check(cudaGraphAddEventRecordNode(&node, g.graph, after.data(), after.size(), event)); return node; }
static cudaGraphNode_t wait(Graph& g, const Graph::Nodes& after) { cudaGraphNode_t node; check(cudaGraphAddEventWaitNode(&node, g.graph, after.data(), after.size(), event)); return node; }
RIGHT(event_recorded_by_a_graph) { Graph g; record(g, {g.put()}); launch(made(g.graph)); check(cudaStreamWaitEvent(m, event, 0)); get_in(m); }
WRONG(event_recorded_beside_the_work_of_a_graph) { Graph g; g.put(); record(g, {}); launch(made(g.graph)); check(cudaStreamWaitEvent(m, event, 0)); get_in(m); }
RIGHT(event_that_a_graph_waits_for) { Graph g; g.get({wait(g, {})}); const cudaGraphExec_t graph = made(g.graph); put_in(m); check(cudaEventRecord(event, m)); launch(graph); }
WRONG(event_that_another_node_waits_for) { Graph g; wait(g, {}); g.get(); const cudaGraphExec_t graph = made(g.graph); put_in(m); check(cudaEventRecord(event, m)); launch(graph); }
RIGHT(clone_of_a_graph) { Graph g; const auto one = g.put(); g.get({one}); cudaGraph_t clone; check(cudaGraphClone(&clone, g.graph)); Graph(clone).run(); }
RIGHT(disabled_node) { Graph g; const auto one = g.put(); g.put(); const cudaGraphExec_t graph = made(g.graph); check(cudaGraphNodeSetEnabled(graph, one, 0)); launch(graph); }
WRONG(enabled_again) { Graph g; const auto one = g.put(); g.put(); const cudaGraphExec_t graph = made(g.graph); check(cudaGraphNodeSetEnabled(graph, one, 0)); check(cudaGraphNodeSetEnabled(graph, one, 1)); launch(graph); }
static void set_target(cudaGraphExec_t graph, cudaGraphNode_t node, int* to) { int one = 1; void* addresses[] = {&to, &one}; const cudaKernelNodeParams parameters = Graph::of(put, addresses); check(cudaGraphExecKernelNodeSetParams(graph, node, &parameters)); }
RIGHT(parameters_that_part) { Graph g; const auto one = g.put(); g.put(); const cudaGraphExec_t graph = made(g.graph); set_target(graph, one, d3); launch(graph); }
WRONG(parameters_that_meet) { Graph g; const auto one = g.put({}, d3); g.put(); const cudaGraphExec_t graph = made(g.graph); set_target(graph, one, d); launch(graph); }
static cudaError_t update(cudaGraphExec_t executable, cudaGraph_t graph) { cudaGraphExecUpdateResultInfo result = {}; return cudaGraphExecUpdate(executable, graph, &result); }
RIGHT(update_that_parts) { Graph g, other; g.put(); g.put(); other.put(); other.put({}, d3); const cudaGraphExec_t graph = made(g.graph); check(update(graph, other.graph)); launch(graph); }
WRONG(update_that_makes_a_race) { Graph g, other; g.put(); g.put({}, d3); other.put(); other.put(); const cudaGraphExec_t graph = made(g.graph); check(update(graph, other.graph)); launch(graph); }

// ---- conditional nodes ----
RIGHT(iterations_of_while) { Graph g; std::vector<Graph> body; const auto handle = g.handle(); g.condition({}, handle, cudaGraphCondTypeWhile, body); body[0].kernel({}, count_down, left, d, handle); g.run(); }
WRONG(while_beside_a_kernel) { Graph g; std::vector<Graph> body; const auto handle = g.handle(); g.condition({}, handle, cudaGraphCondTypeWhile, body); body[0].kernel({}, count_down, left, d, handle); g.put(); g.run(); }
RIGHT(kernel_after_while) { Graph g; std::vector<Graph> body; const auto handle = g.handle(), before = handle; const auto loop = g.condition({}, handle, cudaGraphCondTypeWhile, body); body[0].kernel({}, count_down, left, d, before); g.get({loop}); g.run(); }
RIGHT(kernel_before_while) { Graph g; std::vector<Graph> body; const auto handle = g.handle(); const auto one = g.put(); g.condition({one}, handle, cudaGraphCondTypeWhile, body); body[0].kernel({}, count_down, left, d, handle); g.run(); }
WRONG(no_edge_in_the_body_of_while) { Graph g; std::vector<Graph> body; const auto handle = g.handle(); g.condition({}, handle, cudaGraphCondTypeWhile, body); body[0].kernel({}, count_down, left, d, handle); body[0].put(); g.run(); }
RIGHT(edge_in_the_body_of_while) { Graph g; std::vector<Graph> body; const auto handle = g.handle(); g.condition({}, handle, cudaGraphCondTypeWhile, body); const auto one = body[0].put(); body[0].kernel({one}, count_down, left, d, handle); g.run(); }
RIGHT(body_of_if) { Graph g; std::vector<Graph> body; const auto one = g.put(), branch = g.condition({one}, g.handle(), cudaGraphCondTypeIf, body); body[0].put(); g.get({branch}); g.run(); }
WRONG(body_of_if_beside_a_kernel) { Graph g; std::vector<Graph> body; const auto one = g.put(); g.condition({one}, g.handle(), cudaGraphCondTypeIf, body); body[0].put(); g.get({one}); g.run(); }
RIGHT(body_of_if_that_is_not_taken) { Graph g; std::vector<Graph> body; const auto one = g.put(); g.condition({one}, g.handle(0), cudaGraphCondTypeIf, body); body[0].put(); g.get({one}); g.run(); }
WRONG(else_beside_a_kernel) { Graph g; std::vector<Graph> body; const auto one = g.put(); g.condition({one}, g.handle(0), cudaGraphCondTypeIf, body, 2); body[1].put(); g.get({one}); g.run(); }
RIGHT(bodies_of_if_and_else) { Graph g; std::vector<Graph> body; g.condition({}, g.handle(0), cudaGraphCondTypeIf, body, 2); body[0].put(); body[1].put(); g.run(); }
RIGHT(condition_set_before_if) { Graph g; std::vector<Graph> body; const auto handle = g.handle(0); const auto one = g.kernel({}, set_condition, handle, 1U); g.condition({one}, handle, cudaGraphCondTypeIf, body); body[0].put(); g.run(); }
WRONG(condition_set_without_edge) { Graph g; std::vector<Graph> body; const auto handle = g.handle(0); g.kernel({}, set_condition, handle, 1U); g.condition({}, handle, cudaGraphCondTypeIf, body); body[0].put(); g.run(); }
RIGHT(bodies_of_switch) { Graph g; std::vector<Graph> body; g.condition({}, g.handle(2), cudaGraphCondTypeSwitch, body, 3); for (Graph& each : body) each.put(); g.run(); }
WRONG(body_of_switch_beside_a_kernel) { Graph g; std::vector<Graph> body; g.condition({}, g.handle(2), cudaGraphCondTypeSwitch, body, 3); body[2].put(); g.put(); g.run(); }
RIGHT(other_body_of_switch) { Graph g; std::vector<Graph> body; g.condition({}, g.handle(1), cudaGraphCondTypeSwitch, body, 3); body[2].put(); g.put(); g.run(); }

// ---- launches of graphs by kernels ----
static cudaGraphExec_t on_device(int* to = d) { Graph g; g.put({}, to); return g.on_device(); }
static cudaGraphExec_t reader_on_device() { Graph g; g.get(); return g.on_device(); }
RIGHT(fired_graph_after_the_launch_that_waits) { Graph g; g.kernel({}, fire, on_device()); g.run(); put_in(m); }
RIGHT(fired_graph_then_its_stream) { Graph g; g.kernel({}, fire, on_device()); launch(made(g.graph)); put_in(n); }
WRONG(fired_graph_then_another_stream) { Graph g; g.kernel({}, fire, on_device()); launch(made(g.graph)); put_in(m); }
WRONG(fired_graph_beside_the_next_node) { Graph g; const auto one = g.kernel({}, fire, on_device()); g.put({one}); g.run(); }
RIGHT(fired_graph_after_the_node_before) { Graph g; const auto one = g.put(); g.kernel({one}, fire, on_device()); g.run(); }
WRONG(two_fired_graphs) { Graph g; g.kernel({}, fire_two, on_device(), on_device()); g.run(); }
RIGHT(two_tail_graphs) { Graph g; g.kernel({}, tail_two, on_device(), on_device()); g.run(); }
RIGHT(tail_graph_after_the_next_node) { Graph g; const auto one = g.kernel({}, tail_two, on_device(), on_device(d3)); g.put({one}); g.run(); }
RIGHT(tail_graph_after_a_fired_one) { Graph g; g.kernel({}, fire_and_tail, on_device(), on_device()); g.run(); }
WRONG(tail_graph_beside_a_sibling) { Graph g; g.kernel({}, sibling_and_tail, on_device(), on_device()); g.run(); }
RIGHT(sibling_then_the_stream) { Graph g; g.kernel({}, sibling, on_device()); launch(made(g.graph)); put_in(n); }
WRONG(sibling_beside_the_next_node) { Graph g; const auto one = g.kernel({}, sibling, on_device()); g.put({one}); g.run(); }
RIGHT(fired_after_the_threads_own_write) { Graph g; g.kernel({}, put_and_fire, d, reader_on_device()); g.run(); }
WRONG(fired_before_the_threads_own_write) { Graph g; g.kernel({}, fire_and_put, d, reader_on_device()); g.run(); }
WRONG(fired_beside_the_writes_of_others) { Graph g; g.kernel({}, others_put_and_fire, d, reader_on_device()); g.run(); }
RIGHT(fired_after_a_barrier) { Graph g; g.kernel({}, all_put_and_fire, d, reader_on_device()); g.run(); }
RIGHT(graph_that_launches_itself) { Graph g; g.kernel({}, put_and_tail_once, d, left); launch(g.on_device()); get_in(n); }
WRONG(graph_that_launches_itself_beside_another_stream) { Graph g; g.kernel({}, put_and_tail_once, d, left); launch(g.on_device()); get_in(m); }

int main(int count, char** words)
{
    if (count == 1)
        return list_cases();
    const int iterations = 3;
    check(cudaStreamCreate(&a));
    check(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&m, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&event2, cudaEventDisableTiming));
    for (int** memory : {&d, &d2, &d3, &left}) {
        check(cudaMalloc(memory, kBytes));
        check(cudaMemset(*memory, 0, kBytes));
    }
    check(cudaMemcpy(left, &iterations, sizeof iterations, cudaMemcpyHostToDevice));
    check(cudaMallocHost(&pinned, kBytes));
    check(cudaMallocManaged(&unified, kBytes));
    memset(pinned, 0, kBytes);
    memset(unified, 0, kBytes);
    get_in(0); // some cases have no kernel of their own
    check(cudaDeviceSynchronize());
    (cases().count(words[1]) == 1 ? cases().at(words[1]) : cases().at(std::string("!") + words[1])).run();
    check(cudaDeviceSynchronize());
    return 0;
}
// clang-format on
