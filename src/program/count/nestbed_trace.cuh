// Traces the launches of a CUDA program besides counting them. `nestbed trace` includes this file first in every file that
// nvcc compiles, and its rewriter turns a launch k<<<grid, block, bytes, stream>>>(a) into
//   ({ Call nestbed_call(LEVEL, SITE, "k", "/folder/file.cu:LINE");
//      k<<<nestbed_call.grid(grid), nestbed_call.block(block), bytes, nestbed_call.stream(stream)>>>(nestbed_call.level(), a);
//      nestbed_call.launched(); })
// gives every kernel a first parameter, and as its first statement a guard that stamps the begin and the end of its grid.
#ifdef __CUDACC__
#ifndef NESTBED_TRACE_CUH
#define NESTBED_TRACE_CUH
#pragma GCC system_header
#define NESTBED_ON_BOTH __host__ __device__
#include "nestbed_count.cuh"

#include "trace_write.cuh"

namespace nestbed_trace
{

// The compiler wrapper looks for this: the file is traced, not only counted.
enum nestbed_traced {};

enum nestbed_rows_begin {};

static __device__ inline unsigned long long timer_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

// ---- the clock: see ask_for_time() ----

static __global__ void answer_with_time(Mail* mail)
{
    constexpr unsigned kReads = 2000;
    constexpr unsigned long long kPatience_ns = 2000000000ULL;
    unsigned long long last = timer_ns(), step = ~0ULL;
#pragma unroll 1
    for (unsigned i = 0; i < kReads || step == ~0ULL; ++i) {
        const unsigned long long now = timer_ns();
        if (now != last && now - last < step)
            step = now - last;
        last = now;
    }
    mail->step_ns = step;
    const unsigned long long begun = last;
#pragma unroll 1
    for (unsigned answered = 0; timer_ns() - begun < kPatience_ns && answered < 32;) {
        if (mail->asked == answered)
            continue;
        mail->time_ns = timer_ns();
        __threadfence_system();
        mail->answered = ++answered;
    }
}

static inline cudaError_t launch_clock(Mail* mail, cudaStream_t stream)
{
    answer_with_time<<<1, 1, 0, stream>>>(mail);
    return cudaGetLastError();
}

static inline void read_device(int device, bool last);
static const Hooks hooks = {{read_device, end_segment, write_trace}, launch_clock};

static inline void read_device(int device, bool last)
{
    read_trace(device, last, hooks);
}

struct Attached {
    Attached()
    {
        const Lock lock;
        nestbed_count::unit.trace = &hooks.of_count;
    }
};
static const Attached attached;

// ---- a grid's begin and end ----

// One stamp per block: a stamp per warp of many blocks would queue at the one address of the grid. The last warp of a block
// is known by a counter of threads in shared memory. It costs 4 bytes of it and a barrier at the begin, where no thread
// has left yet. The other ways are worse: a barrier at the end would wait for threads, and what others of their warp do next
// may wait for them; a counter in global memory would keep each warp for the time of a round trip.
static __device__ inline unsigned& threads_ended()
{
    __shared__ unsigned ended;
    return ended;
}

static __device__ inline unsigned threads_of_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

// GPUs start blocks in the order of their numbers, so a block past the first ones does not begin its grid, and does not
// stamp.
constexpr unsigned kFirstBlocks = 512;

// For kernels of files in which device functions launch: level() finds the kernel that called them.
struct BlockLevel {
    unsigned long long owner;
    Level level;
};
__device__ inline BlockLevel& level_of_block()
{
    __shared__ BlockLevel level;
    return level;
}

template <bool device_functions_launch>
class Grid
{
  public:
    __device__ explicit Grid(const Level& level) : level_(level)
    {
        if (device_functions_launch) {
            level_of_block().level = level;
            level_of_block().owner = nestbed_count::owner_of_block();
        }
        if (level_.grid == kNoGrid)
            return;
        if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
            threads_ended() = 0;
            if (blockIdx.x < kFirstBlocks && blockIdx.y == 0 && blockIdx.z == 0)
                atomicMax(&level_.trace->stamp(level_.grid).not_begun_ns, ~timer_ns());
        }
        if (threads_of_block() > 32)
            __syncthreads();
    }
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;
    // Threads of a warp may leave one after another.
    __device__ ~Grid()
    {
        if (level_.grid == kNoGrid)
            return;
        const unsigned leaving = __activemask();
        unsigned lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        if (lane != __ffs(static_cast<int>(leaving)) - 1u)
            return;
        const unsigned threads = threads_of_block();
        const unsigned count = static_cast<unsigned>(__popc(leaving));
        if (threads > 32 && atomicAdd(&threads_ended(), count) + count != threads)
            return;
        unsigned long long* end = &level_.trace->stamp(level_.grid).ended_ns;
        if (level_.ends != nullptr) {
            unsigned multiprocessor;
            asm("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
            end = level_.ends + multiprocessor % Ends::kLines * Ends::kGrids;
        }
        atomicMax(end, timer_ns());
    }

  private:
    const Level level_;
};

// ---- launches ----

#ifdef __CUDACC_RDC__
// Asks the memory for all that it must know at once: the launching thread waits for it.
struct Claimed {
    unsigned grid;
    nestbed_count::Counted counted;
};
static __device__ __noinline__ Claimed claim(Trace* trace, unsigned parent, unsigned level, unsigned site)
{
    unsigned long long number = 0, capacity = 0;
    if (trace != nullptr) {
        number = atomicAdd(&trace->grids, 1ULL);
        capacity = *static_cast<volatile unsigned long long*>(&trace->capacity);
    }
    const nestbed_count::Counted counted = nestbed_count::count_call(site, level);
    if (number >= capacity)
        return {kNoGrid, counted};
    Line& line = trace->line(static_cast<unsigned>(number));
    line.parent = parent;
    line.level = level;
    line.site = site;
    line.called_ns = timer_ns();
    return {static_cast<unsigned>(number), counted};
}

// The ends of a grid of many blocks.
static __device__ __noinline__ unsigned long long* claim_ends(Trace* trace, Line& line)
{
    if (!is_many(line.grid) || *static_cast<volatile unsigned long long*>(&trace->many) >= trace->many_capacity())
        return nullptr;
    const unsigned long long number = atomicAdd(&trace->many, 1ULL);
    if (number >= trace->many_capacity())
        return nullptr;
    line.ends = static_cast<unsigned>(number + 1);
    return trace->ends(static_cast<unsigned>(number));
}

#endif

// The level of the kernel that runs this. A kernel of a file without such functions did not say it.
static inline __host__ __device__ Level level()
{
#ifdef __CUDA_ARCH__
    const BlockLevel& own = level_of_block();
    if (own.owner == nestbed_count::owner_of_block())
        return own.level;
#endif
    return Level{nullptr, kNoGrid, nestbed_count::kUnknownLevel, nullptr};
}

class Call
{
  public:
    __host__ __device__ Call(const Level& parent, unsigned site, const char* kernel, const char* place)
        : child_(parent), site_(site), kernel_(kernel), place_(place)
    {
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
        child_.ends = nullptr;
        ++child_.level;
        nestbed_count::take_out_older_error();
        const Claimed claimed = claim(parent.trace, parent.grid, child_.level, site);
        child_.grid = claimed.grid;
        counted_ = claimed.counted;
#endif
#else
        if (cudaPeekAtLastError() != cudaSuccess)
            cudaGetLastError();
        call_.site = &nestbed_count::site_of(site, kernel, place);
#endif
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    __host__ __device__ dim3 grid(dim3 shape)
    {
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
        if (child_.grid != kNoGrid) {
            Line& line = child_.trace->line(child_.grid);
            keep(line.grid, shape);
            if (is_many(line.grid))
                child_.ends = claim_ends(child_.trace, line);
        }
#endif
#else
        keep(call_.grid, shape);
#endif
        return shape;
    }
    __host__ __device__ dim3 block(dim3 shape)
    {
#ifdef __CUDA_ARCH__
        if (child_.grid != kNoGrid)
            keep(child_.trace->line(child_.grid).block, shape);
#else
        keep(call_.block, shape);
#endif
        return shape;
    }
    __host__ __device__ cudaStream_t stream(cudaStream_t stream)
    {
#ifdef __CUDA_ARCH__
        const unsigned long long handle = reinterpret_cast<unsigned long long>(stream);
        if (child_.grid != kNoGrid)
            child_.trace->line(child_.grid).stream = handle <= 4 ? static_cast<unsigned>(handle) : 5u;
#else
        call_.stream = host_stream(stream);
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        is_captured_ = call_.stream != 0 && cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
                       status != cudaStreamCaptureStatusNone;
#endif
        return stream;
    }
    // After the configuration.
    __host__ __device__ const Level& level()
    {
#ifndef __CUDA_ARCH__
        child_ = is_captured_ ? call_of_graph(hooks) : call_from_host(hooks, call_, host_);
#endif
        return child_;
    }
    __host__ __device__ void launched()
    {
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
        const int error = cudaPeekAtLastError();
        if (error != 0 && child_.grid != kNoGrid)
            child_.trace->line(child_.grid).error = error;
        if (error != 0 || counted_ != nestbed_count::kCounted)
            nestbed_count::count_rest(counted_, site_, kernel_, place_, child_.level, error);
#endif
#else
        const int error = cudaPeekAtLastError();
        if (host_ != nullptr)
            host_->error = error;
        nestbed_count::count_host_launch(site_, kernel_, place_, error);
#endif
    }

  private:
    static __host__ __device__ void keep(unsigned* to, dim3 shape)
    {
        to[0] = shape.x;
        to[1] = shape.y;
        to[2] = shape.z;
    }
    // 0: the default stream. Each thread of the host may have its own.
    static __host__ unsigned long long host_stream(cudaStream_t stream)
    {
        static thread_local char thread;
        const unsigned long long handle = reinterpret_cast<unsigned long long>(stream);
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
        const bool own = handle == 0 || handle == 2;
#else
        const bool own = handle == 2;
#endif
        return own ? reinterpret_cast<unsigned long long>(&thread) : handle == 1 ? 0 : handle;
    }

    Level child_;
    unsigned site_;
    const char* kernel_;
    const char* place_;
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
    nestbed_count::Counted counted_ = nestbed_count::kCounted;
#endif
#else
    HostGrid call_ = {};
    HostGrid* host_ = nullptr;
    bool is_captured_ = false;
#endif
};

enum nestbed_rows_end {};

} // namespace nestbed_trace
#endif
#endif
