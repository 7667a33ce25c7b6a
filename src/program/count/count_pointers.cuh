// Launches by functions of CUDA and through pointers: the kernel is known when the program runs. Each kernel of the program has the hidden
// parameter first, so what passes arguments as an array of addresses gets one more.
#pragma once
#pragma GCC system_header
#include "count_read.cuh"

extern "C" char* nestbed_demangled(const char* name, char* buffer, size_t* bytes,
                                   int* status) __asm__("__cxa_demangle");

namespace nestbed_count
{

// "k" of "void n::k<int>(unsigned int, int*)".
NESTBED_COMMON void copy_bare_name(char* to, const char* whole)
{
    static const char kUnnamed[] = "(anonymous namespace)";
    const char *begin = whole, *end = nullptr;
    int depth = 0;
    for (const char* at = whole; *at != 0; ++at) {
        if (strncmp(at, kUnnamed, sizeof(kUnnamed) - 1) == 0) {
            at += sizeof(kUnnamed) - 2;
        } else if (depth == 0 && *at == '(') {
            end = end == nullptr ? at : end;
            break;
        } else if (depth == 0 && (*at == ' ' || *at == ':')) {
            begin = at + 1;
            end = nullptr;
        } else if (*at == '<') {
            end = depth++ == 0 ? at : end;
        } else if (*at == '>') {
            --depth;
        }
    }
    const size_t bytes = end == nullptr ? strlen(begin) : static_cast<size_t>(end - begin);
    copy_host_text(to, begin, bytes + 1 < kNameBytes ? bytes + 1 : kNameBytes);
}

struct NamedKernel {
    NamedKernel* next;
    const void* address;
    char name[kNameBytes];
};

// Without a change of the last error.
NESTBED_COMMON const char* name_of_kernel(const void* address)
{
    static NamedKernel* all = nullptr;
    const Lock lock;
    for (const NamedKernel* known = all; known != nullptr; known = known->next)
        if (known->address == address)
            return known->name;
    const cudaError_t pending = cudaPeekAtLastError();
    const char* mangled = nullptr;
    if (cudaFuncGetName(&mangled, address) != cudaSuccess || mangled == nullptr) {
        if (pending == cudaSuccess)
            cudaGetLastError();
        return "(a kernel without a name)";
    }
    int status = 0;
    char* const whole = nestbed_demangled(mangled, nullptr, nullptr, &status);
    NamedKernel* const fresh = static_cast<NamedKernel*>(zeroed(sizeof(NamedKernel)));
    fresh->address = address;
    if (whole != nullptr)
        copy_bare_name(fresh->name, whole);
    else
        copy_host_text(fresh->name, mangled, kNameBytes); // of extern "C"
    free(whole);
    fresh->next = all;
    all = fresh;
    return fresh->name;
}

NESTBED_COMMON cudaError_t counted(unsigned site, const char* place, const void* kernel, cudaStream_t stream,
                                   cudaError_t error)
{
    stream_of_launch() = stream;
    count_host_launch(site, name_of_kernel(kernel), place, error);
    return error;
}

// The offset and size of a parameter of the kernel; false: it has no such parameter.
NESTBED_COMMON bool has_parameter(const void* kernel, size_t index, size_t& bytes)
{
    size_t offset = 0;
    const cudaError_t pending = cudaPeekAtLastError();
#if CUDART_VERSION >= 13000
    const bool has = cudaFuncGetParamInfo(kernel, index, &offset, &bytes) == cudaSuccess;
#else
    using Get = int (*)(cudaFunction_t, size_t, size_t*, size_t*);
    cudaFunction_t function = nullptr;
    void* get = nullptr;
    cudaDriverEntryPointQueryResult found;
    const bool has = cudaGetFuncBySymbol(&function, kernel) == cudaSuccess &&
                     cudaGetDriverEntryPoint("cuFuncGetParamInfo", &get, cudaEnableDefault, &found) == cudaSuccess &&
                     get != nullptr && reinterpret_cast<Get>(get)(function, index, &offset, &bytes) == 0;
#endif
    if (!has && pending == cudaSuccess)
        cudaGetLastError();
    return has;
}

// The arguments of a kernel with its level, 0, before them. Where the kernel is no counted one (its first parameter is no number of 4
// bytes), or cannot be asked, they stay as they are.
class WithLevel
{
  public:
    WithLevel(const void* kernel, void** arguments) : arguments_(arguments)
    {
        static unsigned level = 0;
        size_t count = 0, bytes = 0;
        if (!has_parameter(kernel, 0, bytes) || bytes != sizeof(level))
            return;
        while (has_parameter(kernel, count, bytes))
            ++count;
        all_ = static_cast<void**>(zeroed(count * sizeof(void*)));
        all_[0] = &level;
        for (size_t index = 1; index < count; ++index)
            all_[index] = arguments[index - 1];
    }
    WithLevel(const WithLevel&) = delete;
    WithLevel& operator=(const WithLevel&) = delete;
    ~WithLevel() { free(all_); }
    void** all() const { return all_ != nullptr ? all_ : arguments_; }

  private:
    void** arguments_;
    void** all_ = nullptr;
};

// ---- what the rewriter puts in the place of the functions of CUDA ----

template <class Kernel>
inline cudaError_t launch_kernel(unsigned site, const char* place, Kernel* kernel, dim3 grid, dim3 block,
                                 void** arguments, size_t bytes = 0, cudaStream_t stream = nullptr)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    return counted(site, place, address, stream,
                   cudaLaunchKernel(address, grid, block, WithLevel(address, arguments).all(), bytes, stream));
}
template <class Kernel>
inline cudaError_t launch_cooperative_kernel(unsigned site, const char* place, Kernel* kernel, dim3 grid, dim3 block,
                                             void** arguments, size_t bytes = 0, cudaStream_t stream = nullptr)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    return counted(
        site, place, address, stream,
        cudaLaunchCooperativeKernel(address, grid, block, WithLevel(address, arguments).all(), bytes, stream));
}
inline cudaError_t launch_kernel_exc(unsigned site, const char* place, const cudaLaunchConfig_t* configuration,
                                     const void* kernel, void** arguments)
{
    return counted(site, place, kernel, configuration->stream,
                   cudaLaunchKernelExC(configuration, kernel, WithLevel(kernel, arguments).all()));
}
template <class... Expected, class... Actual>
inline cudaError_t launch_kernel_ex(unsigned site, const char* place, const cudaLaunchConfig_t* configuration,
                                    void (*kernel)(unsigned, Expected...), Actual&&... arguments)
{
    return counted(site, place, reinterpret_cast<const void*>(kernel), configuration->stream,
                   cudaLaunchKernelEx(configuration, kernel, 0u, static_cast<Actual&&>(arguments)...));
}

// What a node of a graph runs, as the last argument of the call that makes or changes it.
class KernelNode
{
  public:
    explicit KernelNode(const cudaKernelNodeParams* of) : node_(*of), level_(node_.func, node_.kernelParams)
    {
        if (node_.extra == nullptr)
            node_.kernelParams = level_.all();
    }
    operator const cudaKernelNodeParams*() const { return &node_; }

  private:
    cudaKernelNodeParams node_;
    WithLevel level_;
};
inline KernelNode with_level(const cudaKernelNodeParams* node)
{
    return KernelNode(node);
}
class AnyNode
{
  public:
    explicit AnyNode(cudaGraphNodeParams* of)
        : given_(of), node_(*of), is_kernel_(of->type == cudaGraphNodeTypeKernel && of->kernel.extra == nullptr),
          level_(is_kernel_ ? of->kernel.func : nullptr, is_kernel_ ? of->kernel.kernelParams : nullptr)
    {
        if (is_kernel_)
            node_.kernel.kernelParams = level_.all();
    }
    operator cudaGraphNodeParams*() { return is_kernel_ ? &node_ : given_; } // CUDA writes into that of other nodes

  private:
    cudaGraphNodeParams* given_;
    cudaGraphNodeParams node_;
    bool is_kernel_;
    WithLevel level_;
};
inline AnyNode with_level(cudaGraphNodeParams* node)
{
    return AnyNode(node);
}
// Without the level, as the program gave them.
inline cudaError_t kernel_node_params(cudaGraphNode_t node, cudaKernelNodeParams* to)
{
    const cudaError_t error = cudaGraphKernelNodeGetParams(node, to);
    size_t bytes = 0;
    if (error == cudaSuccess && to->kernelParams != nullptr && has_parameter(to->func, 0, bytes) &&
        bytes == sizeof(unsigned))
        ++to->kernelParams;
    return error;
}

// ---- graphs ----

NESTBED_COMMON void captures()
{
    __atomic_store_n(&state().captures, true, __ATOMIC_RELAXED);
}

// With the lock held.
NESTBED_COMMON GraphKernels& kernels_of_graph(cudaGraphExec_t graph, const char* name)
{
    GraphKernels** at = &state().graphs;
    for (; *at != nullptr; at = &(*at)->next)
        if ((*at)->graph == nullptr || ((*at)->graph == graph && strcmp((*at)->name, name) == 0))
            break;
    if (*at == nullptr)
        *at = static_cast<GraphKernels*>(zeroed(sizeof(GraphKernels)));
    if ((*at)->graph == nullptr) {
        (*at)->name = name; // which lives as long as the process
        (*at)->count = 0;
        (*at)->graph = graph;
    }
    return **at;
}

NESTBED_COMMON cudaError_t graph_exec_destroy(cudaGraphExec_t graph)
{
    {
        const Lock lock;
        for (GraphKernels* known = state().graphs; known != nullptr; known = known->next)
            if (known->graph == graph)
                known->graph = nullptr;
    }
    return cudaGraphExecDestroy(graph);
}

NESTBED_COMMON void add_nodes(cudaGraphExec_t graph, cudaGraph_t of)
{
    size_t count = 0;
    if (cudaGraphGetNodes(of, nullptr, &count) != cudaSuccess || count == 0)
        return;
    cudaGraphNode_t* const nodes = static_cast<cudaGraphNode_t*>(zeroed(count * sizeof(cudaGraphNode_t)));
    cudaGraphGetNodes(of, nodes, &count);
    for (size_t i = 0; i < count; ++i) {
        cudaGraphNodeType type;
        cudaKernelNodeParams kernel;
        cudaGraph_t child = nullptr;
        if (cudaGraphNodeGetType(nodes[i], &type) != cudaSuccess)
            continue;
        if (type == cudaGraphNodeTypeGraph && cudaGraphChildGraphNodeGetGraph(nodes[i], &child) == cudaSuccess)
            add_nodes(graph, child);
        if (type != cudaGraphNodeTypeKernel || cudaGraphKernelNodeGetParams(nodes[i], &kernel) != cudaSuccess)
            continue;
        const char* const name = name_of_kernel(kernel.func);
        const Lock lock;
        ++kernels_of_graph(graph, name).count;
    }
    free(nodes);
}

// What the graph has now. Its handle may have been that of another one.
NESTBED_COMMON cudaError_t note_graph(cudaGraphExec_t graph, cudaGraph_t of, cudaError_t error)
{
    if (error != cudaSuccess)
        return error;
    {
        const Lock lock;
        for (GraphKernels* known = state().graphs; known != nullptr; known = known->next)
            if (known->graph == graph)
                known->count = 0;
        kernels_of_graph(graph, "");
    }
    const cudaError_t pending = cudaPeekAtLastError();
    add_nodes(graph, of);
    if (pending == cudaSuccess)
        cudaGetLastError();
    return error;
}

// No templates: their arguments would lose what NULL may be.
inline cudaError_t graph_instantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags = 0)
{
    const cudaError_t error = cudaGraphInstantiate(to, graph, flags);
    return note_graph(*to, graph, error);
}
inline cudaError_t graph_instantiate(cudaGraphExec_t* to, cudaGraph_t graph, cudaGraphNode_t* wrong, char* log,
                                     size_t bytes)
{
    const cudaError_t error = cudaGraphInstantiate(to, graph, wrong, log, bytes);
    return note_graph(*to, graph, error);
}
inline cudaError_t graph_instantiate_with_flags(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags = 0)
{
    const cudaError_t error = cudaGraphInstantiateWithFlags(to, graph, flags);
    return note_graph(*to, graph, error);
}
inline cudaError_t graph_instantiate_with_params(cudaGraphExec_t* to, cudaGraph_t graph,
                                                 cudaGraphInstantiateParams* params)
{
    const cudaError_t error = cudaGraphInstantiateWithParams(to, graph, params);
    return note_graph(*to, graph, error);
}
inline cudaError_t graph_exec_update(cudaGraphExec_t to, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result)
{
    return note_graph(to, graph, cudaGraphExecUpdate(to, graph, result));
}
inline cudaError_t graph_exec_update(cudaGraphExec_t to, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                     cudaGraphExecUpdateResult* result)
{
    return note_graph(to, graph, cudaGraphExecUpdate(to, graph, wrong, result));
}

// Each of its kernels counts as often as the graph has it.
NESTBED_COMMON cudaError_t graph_launch(unsigned site, const char* place, cudaGraphExec_t graph, cudaStream_t stream)
{
    const cudaError_t error = cudaGraphLaunch(graph, stream);
    stream_of_launch() = stream;
    if (error != cudaSuccess)
        return error;
    bool is_known = false;
    // Nothing is taken out of the list, and the lock is not held: what counts takes it.
    for (GraphKernels* kernels = __atomic_load_n(&state().graphs, __ATOMIC_ACQUIRE); kernels != nullptr;
         kernels = __atomic_load_n(&kernels->next, __ATOMIC_ACQUIRE)) {
        is_known = is_known || kernels->graph == graph;
        if (kernels->graph == graph && kernels->count != 0)
            count_host_launch(site, kernels->name, place, 0, kernels->count);
    }
    if (!is_known)
        not_counted("cudaGraphLaunch of a graph that other code has made", place);
    return error;
}

} // namespace nestbed_count
