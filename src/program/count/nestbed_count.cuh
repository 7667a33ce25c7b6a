// Counts the launches of a CUDA program and their errors. `nestbed count` includes this file first in every file that
// nvcc compiles, and its rewriter turns a launch k<<<grid, block>>>(a) into
//   (before(), k<<<grid, block>>>(LEVEL, a), after(SITE, "k", "/folder/file.cu:LINE", LEVEL))
// and gives every kernel a first parameter, its nesting level, and a first statement, which counts it if a graph runs it.
// Works from C++14 on and includes only C headers, so that no name of the C++ library appears in the program that it did
// not have before.
#ifdef __CUDACC__
#ifndef NESTBED_COUNT_CUH
#define NESTBED_COUNT_CUH
#pragma GCC system_header // no warnings of the user's flags
#include "count_graphs.cuh"
#include "count_report.cuh"
#include "kernel_types.cuh"

namespace nestbed_count
{

// The rewriter removes the next line. It is an error if another host compiler preprocessed the file, because that
// program would count nothing.
constexpr bool nestbed_rewritten = false;
// clang-format off
static_assert(nestbed_rewritten, "nestbed count: the launches of this file were not rewritten, because another host compiler is named (-ccbin, CMAKE_CUDA_HOST_COMPILER, CUDAHOSTCXX). Name it as NESTBED_HOST_COMPILER=... instead");
// clang-format on

// ---- from here to the end mark only in files that have kernels: the compiler wrapper removes it from others ----
enum nestbed_rows_begin {};

static __device__ unsigned long long graph_counts[kGraphCounts];

// First statement of a kernel.
static __device__ __forceinline__ void runs(Level level)
{
    if (level.is_of_graph() && (threadIdx.x | threadIdx.y | threadIdx.z | blockIdx.x | blockIdx.y | blockIdx.z) == 0)
        atomicAdd(&graph_counts[level.value % kGraphCounts], 1ULL);
}

// In a kernel, or in a function for both sides.
static inline __host__ __device__ cudaError_t graph_launch_on_device(cudaGraphExec_t graph, cudaStream_t stream)
{
#ifdef __CUDA_ARCH__
    const cudaError_t error = cudaGraphLaunch(graph, stream);
    atomicAdd(&graph_counts[0], 1ULL);
    if (error != cudaSuccess)
        atomicAdd(&graph_counts[1], 1ULL);
    return error;
#else
    return graph_launch(graph, stream);
#endif
}

#if CUDART_VERSION >= 12040
// A kernel changes the arguments of a node by their offsets. Templates, because a file without -rdc=true must not call these functions.
template <class Node>
static __device__ inline cudaError_t kernel_node_set_param(Node node, size_t offset, const void* value, size_t bytes)
{
    return cudaGraphKernelNodeSetParam(node, offset + sizeof(Level), value, bytes);
}
template <class T>
static __device__ inline cudaError_t kernel_node_set_param(cudaGraphDeviceNode_t node, size_t offset, const T& value)
{
    return kernel_node_set_param(node, offset, &value, sizeof(T));
}
template <class Update>
static __device__ inline cudaError_t kernel_node_updates_apply(const Update* updates, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        Update update = updates[i];
        if (update.field == cudaGraphKernelNodeFieldParam)
            update.updateData.param.offset += sizeof(Level);
        const cudaError_t error = cudaGraphKernelNodeUpdatesApply(&update, 1);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}
#endif

#ifdef __CUDACC_RDC__
// A table per translation unit. A launch site owns the row that it claimed first, by open addressing; the last row is
// for sites that found none free. The host reads it, and never writes: kernels may be running.
static __device__ Row rows[kRows + 1];

static inline cudaError_t read_table(Table* to)
{
    const cudaError_t error =
        cudaMemcpyFromSymbol(to->graphs, graph_counts, sizeof(graph_counts), 0, cudaMemcpyDeviceToHost);
    return error != cudaSuccess ? error
                                : cudaMemcpyFromSymbol(to->rows, rows, sizeof(rows), 0, cudaMemcpyDeviceToHost);
}
static Unit unit(read_table, true);

// Texts are copied into the row: the host cannot read string literals of device code. Loops are not unrolled, because
// a kernel has at least as many registers as the functions that it calls, and a block of 1024 threads has 64 of each.
static __device__ __noinline__ void copy_text(char* to, const char* from, unsigned bytes)
{
#pragma unroll 1
    for (unsigned i = 0; i + 1 < bytes && from[i] != 0; ++i)
        to[i] = from[i];
}

static __device__ inline Row& row_of(unsigned site, const char* kernel, const char* place)
{
    unsigned at = site % kRows;
#pragma unroll 1
    for (unsigned i = 0;; ++i) {
        if (i == kRows) {
            at = kRows;
            site = 1;
            kernel = "(launch sites past the 128th of a file)";
            place = "";
        }
        unsigned owner = *static_cast<volatile unsigned*>(&rows[at].site);
        if (owner == 0 && (owner = atomicCAS(&rows[at].site, 0u, site)) == 0) {
            copy_text(rows[at].kernel, kernel, kNameBytes);
            copy_text(rows[at].place, place, kPlaceBytes);
            owner = site;
        }
        if (owner == site)
            return rows[at];
        at = (at + 1) % kRows;
    }
}

// Counting has two functions that are not inlined, because the user's kernels would need more registers. This one is short
// and calls none: it saves no registers, and the launching thread waits for one answer of the memory.
enum Counted : unsigned { kCounted, kIsDeeper, kHasNoRow };
static __device__ inline Counted count_call(unsigned site, unsigned level)
{
    Row& row = rows[site % kRows];
    // The site and the deepest level.
    const unsigned long long head = *reinterpret_cast<volatile unsigned long long*>(&row.site);
    if (static_cast<unsigned>(head) != site)
        return kHasNoRow;
    atomicAdd(&row.calls, 1ULL);
    return level > head >> 32 ? kIsDeeper : kCounted; // a level that is not known is greater than all
}

// What is seldom left: the first launch of a row, of a level, an error. The program's own check still sees the error of the
// launch: it is not taken out.
static __device__ __noinline__ void count_rest(Counted counted, unsigned site, const char* kernel, const char* place,
                                               unsigned level, int error)
{
    Row& row = row_of(site, kernel, place);
    if (counted == kHasNoRow)
        atomicAdd(&row.calls, 1ULL);
    if (error != 0) {
        atomicAdd(&row.refused, 1ULL);
        atomicCAS(&row.first_error, 0, error);
    } else if (level >= kUnknownLevel) {
        row.unknown_level = 1;
    } else {
        atomicMax(&row.deepest, level);
    }
}

// An error from before a launch would be taken for the launch's own. So it is taken out, and only then: a program that
// launches with an error pending, and asks for it after the launch, does not see it.
static __device__ __forceinline__ void take_out_older_error()
{
    if (cudaPeekAtLastError() != cudaSuccess)
        cudaGetLastError();
}
#else
static inline cudaError_t read_table(Table* to)
{
    return cudaMemcpyFromSymbol(to->graphs, graph_counts, sizeof(graph_counts), 0, cudaMemcpyDeviceToHost);
}
static Unit unit(read_table, false); // without -rdc=true kernels cannot launch kernels
#endif

// What a launch without a stream means in this file.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
static const cudaStream_t default_stream = cudaStreamPerThread;
#else
static const cudaStream_t default_stream = nullptr;
#endif

static inline __host__ __device__ void before()
{
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
    take_out_older_error();
#endif
#else
    if (cudaPeekAtLastError() != cudaSuccess)
        cudaGetLastError();
    note_stream(default_stream);
#endif
}

// The stream of a launch.
static inline __host__ __device__ cudaStream_t into(cudaStream_t stream)
{
#ifndef __CUDA_ARCH__
    note_stream(stream != nullptr ? stream : default_stream);
#endif
    return stream;
}

static inline __host__ __device__ void after(unsigned site, const char* kernel, const char* place, unsigned level)
{
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
    const Counted counted = count_call(site, level);
    const int error = cudaPeekAtLastError();
    if (counted != kCounted || error != 0)
        count_rest(counted, site, kernel, place, level, error);
#endif
#else
    (void)level;
    count_host_launch(site, kernel, place);
#endif
}

// ---- launches in device functions: the level of the kernel that called them is in shared memory ----
struct BlockLevel {
    unsigned long long owner;
    unsigned level;
};

// Not static: one variable for all files of a program. Kernels that never come here have no shared memory of it.
__device__ inline BlockLevel& level_of_block()
{
    __shared__ BlockLevel level;
    return level;
}

// Tells the block's own value from what an earlier block left in the shared memory.
static __device__ inline unsigned long long owner_of_block()
{
    unsigned long long grid;
    asm("mov.u64 %0, %%gridid;" : "=l"(grid));
    const unsigned long long block =
        blockIdx.x + (blockIdx.y + static_cast<unsigned long long>(blockIdx.z) * gridDim.y) * gridDim.x;
    return (grid + 1) * 0x9E3779B97F4A7C15ULL ^ (block + 1) * 0xC2B2AE3D27D4EB4FULL;
}

// First statement of kernels of files in which device functions launch. Every thread writes the same value, and reads
// what it wrote itself or another one wrote equally: no barrier is needed.
static inline __host__ __device__ void enter(unsigned level)
{
#ifdef __CUDA_ARCH__
    BlockLevel& own = level_of_block();
    own.level = level;
    own.owner = owner_of_block();
#else
    (void)level;
#endif
}

// The level of a kernel that is launched here. A kernel of a file without such functions did not call enter().
static inline __host__ __device__ unsigned level()
{
#ifdef __CUDA_ARCH__
    const BlockLevel& own = level_of_block();
    return own.owner == owner_of_block() ? own.level + 1 : kUnknownLevel;
#else
    return 0;
#endif
}

// The same of a kernel that the host may launch into a graph.
static inline __host__ __device__ unsigned level(const char* kernel)
{
#ifdef __CUDA_ARCH__
    (void)kernel;
    return level();
#else
    return host_level(kernel);
#endif
}
// A launch through a pointer, which has the type of the program's own kernel. On the device all kernels of the program have a level.
template <class... Parameters>
struct PointerLaunch {
    unsigned site;
    const char *text, *place; // device code has no names of kernels: there it is what the source has
    unsigned level;
    void (*kernel)(Parameters...);
    dim3 grid, block;
    size_t bytes;
    cudaStream_t stream;

    __host__ __device__ PointerLaunch& configured(dim3 blocks, dim3 threads, size_t shared = 0,
                                                  cudaStream_t in = nullptr)
    {
        grid = blocks;
        block = threads;
        bytes = shared;
        stream = in;
        return *this;
    }
    __host__ __device__ void operator()(Parameters... arguments) const
    {
        before();
        const auto with_level = reinterpret_cast<void (*)(Level, Parameters...)>(kernel);
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
        with_level<<<grid, block, bytes, stream>>>(level, static_cast<Parameters&&>(arguments)...);
        after(site, text, place, level);
#endif
#else
        const NamedKernel& known = kernel_at(reinterpret_cast<const void*>(kernel));
        into(stream);
        if (known.has_level)
            with_level<<<grid, block, bytes, stream>>>(host_level(known.name),
                                                       static_cast<Parameters&&>(arguments)...);
        else
            kernel<<<grid, block, bytes, stream>>>(static_cast<Parameters&&>(arguments)...);
        counted(site, place, reinterpret_cast<const void*>(kernel), cudaPeekAtLastError());
#endif
    }
};
template <class... Parameters>
static inline __host__ __device__ PointerLaunch<Parameters...>
pointer_launch(unsigned site, const char* text, const char* place, unsigned level, void (*kernel)(Parameters...))
{
    return {site, text, place, level, kernel, {}, {}, 0, nullptr};
}
template <class... Parameters> // a template argument
static inline __host__ __device__ PointerLaunch<Parameters...> pointer_launch(unsigned site, const char* text,
                                                                              const char* place, unsigned level,
                                                                              void (*kernel)(Level, Parameters...))
{
    return pointer_launch(site, text, place, level, reinterpret_cast<void (*)(Parameters...)>(kernel));
}

enum nestbed_rows_end {};

} // namespace nestbed_count
#endif
#endif
