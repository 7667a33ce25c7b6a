// CUDA graphs: what they compute, and the errors of their functions. The same on a GPU.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void add(int* to, const int value)
{
    to[threadIdx.x] += value;
}
__global__ void multiply(int* to, int factor)
{
    to[threadIdx.x] *= factor;
}
__global__ void count_down(int* left, cudaGraphConditionalHandle handle)
{
    if (threadIdx.x == 0)
        cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose(const int* from, cudaGraphConditionalHandle handle)
{
    if (threadIdx.x == 0)
        cudaGraphSetConditional(handle, *from);
}
__global__ void again(int* left)
{
    if (threadIdx.x == 0 && --*left > 0)
        cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
__global__ void fire(cudaGraphExec_t graph)
{
    if (threadIdx.x == 0)
        cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
}

static cudaStream_t a, b;
static cudaEvent_t event, event2;
static int *d, *left_over, *h;
static int calls, multiplied;
static void called(void* by)
{
    calls += *static_cast<int*>(by);
}

static const char* name(cudaError_t error)
{
    cudaGetLastError();
    return cudaGetErrorName(error);
}
static void expect(cudaError_t error)
{
    if (error != cudaSuccess)
        printf("error: %s\n", name(error));
}
static int first()
{
    expect(cudaMemcpy(h, d, kBytes, cudaMemcpyDeviceToHost));
    for (int i = 1; i < kCount; ++i)
        if (h[i] != h[0])
            printf("%d is %d\n", i, h[i]);
    return h[0];
}
static void set(int* to, int value)
{
    std::vector<int> values(kCount, value);
    expect(cudaMemcpy(to, values.data(), kBytes, cudaMemcpyHostToDevice));
    expect(cudaDeviceSynchronize()); // streams that are not blocking come next
}

template <class... Parameters>
static cudaKernelNodeParams of(void (*kernel)(Parameters...), void** arguments)
{
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(kernel);
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(kCount);
    parameters.kernelParams = arguments;
    return parameters;
}
template <class... Parameters>
static cudaGraphNode_t node(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void (*kernel)(Parameters...),
                            std::remove_const_t<Parameters>... values)
{
    void* arguments[] = {&values...};
    const cudaKernelNodeParams parameters = of(kernel, arguments);
    cudaGraphNode_t made = nullptr;
    expect(cudaGraphAddKernelNode(&made, graph, after.data(), after.size(), &parameters));
    return made;
}
static cudaGraph_t conditional(cudaGraph_t graph, std::vector<cudaGraphNode_t> after,
                               cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size,
                               std::vector<cudaGraph_t>& bodies)
{
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    cudaGraphNode_t made = nullptr;
#if CUDART_VERSION >= 13000
    expect(cudaGraphAddNode(&made, graph, after.data(), nullptr, after.size(), &parameters));
#else
    expect(cudaGraphAddNode(&made, graph, after.data(), after.size(), &parameters));
#endif
    bodies.assign(parameters.conditional.phGraph_out, parameters.conditional.phGraph_out + size);
    return bodies[0];
}
static void run(cudaGraph_t graph, unsigned flags = 0)
{
    cudaGraphExec_t executable = nullptr;
    expect(cudaGraphInstantiateWithFlags(&executable, graph, flags));
    expect(cudaGraphLaunch(executable, a));
    expect(cudaStreamSynchronize(a));
    expect(cudaGraphExecDestroy(executable));
}

static void capture()
{
    int one = 1, ten = 10;
    cudaGraph_t graph = nullptr;
    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    expect(cudaStreamIsCapturing(a, &status));
    expect(cudaMemsetAsync(d, 0, kBytes, a));
    add<<<1, kCount, 0, a>>>(d, 3);
    expect(cudaEventRecord(event, a));
    expect(cudaStreamWaitEvent(b, event, 0));
    expect(cudaLaunchHostFunc(b, called, &one));
    multiply<<<1, kCount, 0, a>>>(d, 2);
    expect(cudaEventRecord(event2, b));
    expect(cudaStreamWaitEvent(a, event2, 0));
    expect(cudaLaunchHostFunc(a, called, &ten));
    expect(cudaStreamEndCapture(a, &graph));
    size_t nodes = 0, roots = 0;
    expect(cudaGraphGetNodes(graph, nullptr, &nodes));
    expect(cudaGraphGetRootNodes(graph, nullptr, &roots));
    printf("captured: status %d, %zu nodes, %zu root, %d calls\n", status, nodes, roots, calls);
    cudaGraphExec_t executable = nullptr;
    expect(cudaGraphInstantiate(&executable, graph, 0));
    expect(cudaGraphDestroy(graph));
    for (int launch = 0; launch < 3; ++launch)
        expect(cudaGraphLaunch(executable, launch == 1 ? b : a));
    expect(cudaDeviceSynchronize());
    printf("launched: %d, %d calls\n", first(), calls);
    expect(cudaGraphExecDestroy(executable));
}

static void by_nodes()
{
    cudaGraph_t graph = nullptr, child = nullptr, clone = nullptr;
    expect(cudaGraphCreate(&child, 0));
    const cudaGraphNode_t one = node(child, {}, add, d, 1);
    node(child, {one}, multiply, d, 3);
    expect(cudaGraphCreate(&graph, 0));
    cudaMemsetParams to_seven = {};
    to_seven.dst = d;
    to_seven.value = 7;
    to_seven.elementSize = 4;
    to_seven.width = kCount;
    to_seven.height = 1;
    cudaGraphNode_t filled, inner, copied, none;
    expect(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &to_seven));
    expect(cudaGraphAddChildGraphNode(&inner, graph, &filled, 1, child));
    expect(cudaGraphAddEmptyNode(&none, graph, &inner, 1));
    expect(cudaGraphAddMemcpyNode1D(&copied, graph, &none, 1, h, d, kBytes, cudaMemcpyDeviceToHost));
    run(graph);
    printf("nodes: %d\n", h[kCount - 1]);
    expect(cudaGraphClone(&clone, graph));
    cudaGraphNodeType type = cudaGraphNodeTypeCount;
    size_t count = 0;
    expect(cudaGraphNodeGetType(inner, &type));
    expect(cudaGraphNodeGetDependentNodes(filled, nullptr,
#if CUDART_VERSION >= 13000
                                          nullptr,
#endif
                                          &count));
    cudaGraphExec_t executable = nullptr;
    expect(cudaGraphInstantiate(&executable, clone, 0));
    expect(cudaGraphDestroy(clone));
    expect(cudaGraphLaunch(executable, a));
    expect(cudaStreamSynchronize(a));
    printf("clone: %d, type %d, %zu after\n", h[0], type, count);
    expect(cudaGraphExecDestroy(executable));

    // Parameters of nodes, of graphs and of executable graphs.
    cudaGraph_t small = nullptr;
    expect(cudaGraphCreate(&small, 0));
    const cudaGraphNode_t only = node(small, {}, add, d, 5);
    cudaKernelNodeParams parameters = {};
    expect(cudaGraphKernelNodeGetParams(only, &parameters));
    printf("parameters: %d of block %u\n", *static_cast<int*>(parameters.kernelParams[1]), parameters.blockDim.x);
    expect(cudaGraphInstantiate(&executable, small, 0));
    int hundred = 100;
    void* arguments[] = {&d, &hundred};
    parameters = of(add, arguments);
    set(d, 0);
    expect(cudaGraphExecKernelNodeSetParams(executable, only, &parameters));
    expect(cudaGraphLaunch(executable, a));
    hundred = 1000;
    expect(cudaGraphKernelNodeSetParams(only, &parameters));
    expect(cudaGraphLaunch(executable, a));
    cudaGraphExecUpdateResultInfo result = {};
    expect(cudaGraphExecUpdate(executable, small, &result));
    expect(cudaGraphLaunch(executable, a));
    expect(cudaStreamSynchronize(a));
    printf("updated: %d\n", first());
    node(small, {only}, add, d, 1);
    const cudaError_t error = cudaGraphExecUpdate(executable, small, &result);
    printf("changed: %s %d\n", name(error), result.result);
}

static void conditions()
{
    for (int value = 0; value < 4; ++value) {
        cudaGraph_t graph = nullptr;
        std::vector<cudaGraph_t> bodies;
        cudaGraphConditionalHandle which = 0, loop = 0;
        expect(cudaGraphCreate(&graph, 0));
        expect(cudaGraphConditionalHandleCreate(&which, graph, 0, 0));
        set(d, 0);
        set(left_over, value);
        const cudaGraphNode_t chosen = node(graph, {}, choose, static_cast<const int*>(left_over), which);
        conditional(graph, {chosen}, which, cudaGraphCondTypeSwitch, 3, bodies);
        for (int body = 0; body < 3; ++body)
            node(bodies[body], {}, add, d, 10 * (body + 1));
        run(graph);
        const int of_switch = first();
        expect(cudaGraphDestroy(graph));

        expect(cudaGraphCreate(&graph, 0));
        expect(cudaGraphConditionalHandleCreate(&which, graph, 0, 0));
        const cudaGraphNode_t again_chosen = node(graph, {}, choose, static_cast<const int*>(left_over), which);
        conditional(graph, {again_chosen}, which, cudaGraphCondTypeIf, 2, bodies);
        node(bodies[0], {}, add, d, 1);
        node(bodies[1], {}, add, d, 2);
        run(graph);
        const int of_if = first() - of_switch;
        expect(cudaGraphDestroy(graph));

        expect(cudaGraphCreate(&graph, 0));
        expect(cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault));
        const cudaGraph_t body = conditional(graph, {}, loop, cudaGraphCondTypeWhile, 1, bodies);
        const cudaGraphNode_t added = node(body, {}, add, d, 100);
        node(body, {added}, count_down, left_over, loop);
        set(left_over, value + 1);
        run(graph);
        run(graph);
        printf("conditions of %d: switch %d, if %d, while %d\n", value, of_switch, of_if,
               first() - of_switch - of_if);
        expect(cudaGraphDestroy(graph));
    }
}

static void by_device()
{
    cudaGraph_t graph = nullptr, launching = nullptr;
    expect(cudaGraphCreate(&graph, 0));
    const cudaGraphNode_t relaunched = node(graph, {}, again, left_over);
    node(graph, {relaunched}, add, d, 1);
    set(d, 0);
    set(left_over, 200);
    cudaGraphExec_t executable = nullptr;
    expect(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagDeviceLaunch));
    expect(cudaGraphLaunch(executable, a));
    expect(cudaStreamSynchronize(a));
    printf("tail launches: %d\n", multiplied = first());
    set(left_over, 50);
    expect(cudaGraphCreate(&launching, 0));
    const cudaGraphNode_t fired = node(launching, {}, fire, executable);
    static_cast<void>(fired);
    run(launching);
    printf("fired: %d\n", first());
}

static void errors()
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    int* memory = nullptr;
    printf("not captured: %s\n", name(cudaStreamEndCapture(a, &graph)));
    printf("legacy stream: %s\n", name(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal)));
    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    printf("twice: %s\n", name(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed)));
    printf("synchronized: %s\n", name(cudaStreamSynchronize(a)));
    add<<<1, kCount, 0, a>>>(d, 1);
    printf("launch after it: %s\n", name(cudaGetLastError()));
    printf("ended: %s\n", name(cudaStreamEndCapture(a, &graph)));
    printf("graph: %s\n", graph == nullptr ? "none" : "one");

    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    printf("allocation: %s\n", name(cudaMalloc(&memory, kBytes)));
    printf("ended: %s\n", name(cudaStreamEndCapture(a, &graph)));
    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    printf("allocation in relaxed mode: %s\n", name(cudaMalloc(&memory, kBytes)));
    printf("device synchronized in relaxed mode: %s\n", name(cudaDeviceSynchronize()));
    printf("ended: %s\n", name(cudaStreamEndCapture(a, &graph)));
    expect(cudaFree(memory));

    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    expect(cudaEventRecord(event, a));
    expect(cudaStreamWaitEvent(b, event, 0));
    add<<<1, kCount, 0, b>>>(d, 1);
    printf("other stream: %s\n", name(cudaStreamEndCapture(b, &graph)));
    printf("then: %s\n", name(cudaStreamEndCapture(a, &graph)));
    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    expect(cudaEventRecord(event, a));
    expect(cudaStreamWaitEvent(b, event, 0));
    add<<<1, kCount, 0, b>>>(d, 1);
    printf("unjoined: %s\n", name(cudaStreamEndCapture(a, &graph)));
    expect(cudaEventRecord(event2, b));
    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    printf("uncaptured event: %s\n", name(cudaStreamWaitEvent(a, event2, 0)));
    printf("ended: %s\n", name(cudaStreamEndCapture(a, &graph)));
    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    expect(cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal));
    expect(cudaEventRecord(event, a));
    printf("two captures: %s\n", name(cudaStreamWaitEvent(b, event, 0)));
    printf("ended: %s %s\n", name(cudaStreamEndCapture(a, &graph)), name(cudaStreamEndCapture(b, &graph)));
    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    expect(cudaEventRecord(event, a));
    printf("captured event: %s\n", name(cudaEventSynchronize(event)));
    printf("ended: %s\n", name(cudaStreamEndCapture(a, &graph)));
    expect(cudaGraphCreate(&graph, 0));
    expect(cudaGraphInstantiate(&executable, graph, 0));
    expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    printf("launch of a graph: %s\n", name(cudaGraphLaunch(executable, a)));
    printf("ended: %s\n", name(cudaStreamEndCapture(a, &graph)));
    expect(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle unused = 0;
    expect(cudaGraphConditionalHandleCreate(&unused, graph, 0, 0));
    printf("handle without a node: %s\n", name(cudaGraphInstantiate(&executable, graph, 0)));
    cudaStream_t blocking = nullptr;
    expect(cudaStreamCreate(&blocking));
    expect(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
    add<<<1, kCount>>>(d, 1);
    printf("legacy stream beside a capture: %s\n", name(cudaGetLastError()));
    printf("ended: %s\n", name(cudaStreamEndCapture(blocking, &graph)));

    cudaGraph_t other = nullptr;
    expect(cudaGraphCreate(&graph, 0));
    expect(cudaGraphCreate(&other, 0));
    cudaGraphNode_t none = nullptr, made = nullptr;
    expect(cudaGraphAddEmptyNode(&none, other, nullptr, 0));
    printf("node of another graph: %s\n", name(cudaGraphAddEmptyNode(&made, graph, &none, 1)));
    printf("no graph: %s\n", name(cudaGraphInstantiate(&executable, nullptr, 0)));
    cudaKernelNodeParams parameters = {};
    printf("no kernel: %s\n", name(cudaGraphAddKernelNode(&made, graph, nullptr, 0, &parameters)));
}

int main()
{
    expect(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    expect(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    expect(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    expect(cudaEventCreateWithFlags(&event2, cudaEventDisableTiming));
    expect(cudaMalloc(&d, kBytes));
    expect(cudaMalloc(&left_over, kBytes));
    expect(cudaMallocHost(&h, kBytes));
    capture();
    by_nodes();
    conditions();
    by_device();
    errors();
    printf("right: %d\n", multiplied);
}
