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

// GPUs start blocks in the order of their numbers, so blocks past the number that any of them holds at once are not the
// first: they do not stamp the begin.
constexpr unsigned kFirstBlocks = 8192;

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
            if (blockIdx.x < kFirstBlocks)
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
        if (threads <= 32 || atomicAdd(&threads_ended(), count) + count == threads)
            atomicMax(&level_.trace->stamp(level_.grid).ended_ns, timer_ns());
    }

  private:
    const Level level_;
};

// ---- launches ----

#ifdef __CUDACC_RDC__
static __device__ __noinline__ unsigned claim(Trace* trace, unsigned parent, unsigned level, unsigned site)
{
    nestbed_count::take_out_older_error();
    if (trace == nullptr)
        return kNoGrid;
    const unsigned long long number = atomicAdd(&trace->grids, 1ULL);
    if (number >= trace->capacity)
        return kNoGrid;
    Line& line = trace->line(static_cast<unsigned>(number));
    line.parent = parent;
    line.level = level;
    line.site = site;
    line.called_ns = timer_ns();
    return static_cast<unsigned>(number);
}

static __device__ __noinline__ void note_launch(Trace* trace, unsigned grid, unsigned level, unsigned site,
                                                const char* kernel, const char* place)
{
    const int error = cudaPeekAtLastError();
    if (grid != kNoGrid && error != 0)
        trace->line(grid).error = error;
    nestbed_count::count_launch(site, kernel, place, level);
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
    return Level{nullptr, kNoGrid, nestbed_count::kUnknownLevel};
}

class Call
{
  public:
    __host__ __device__ Call(const Level& parent, unsigned site, const char* kernel, const char* place)
        : child_(parent), site_(site), kernel_(kernel), place_(place)
    {
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
        ++child_.level;
        child_.grid = claim(parent.trace, parent.grid, child_.level, site);
#endif
#else
        if (cudaPeekAtLastError() != cudaSuccess)
            cudaGetLastError();
        child_ = call_from_host(hooks, site, kernel, place, host_);
#endif
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    __host__ __device__ dim3 grid(dim3 shape)
    {
        if (unsigned* const to = shape_of_grid())
            keep(to, shape);
        return shape;
    }
    __host__ __device__ dim3 block(dim3 shape)
    {
        if (unsigned* const to = shape_of_grid())
            keep(to + 3, shape);
        return shape;
    }
    __host__ __device__ cudaStream_t stream(cudaStream_t stream)
    {
#ifdef __CUDA_ARCH__
        const unsigned long long handle = reinterpret_cast<unsigned long long>(stream);
        if (child_.grid != kNoGrid)
            child_.trace->line(child_.grid).stream = handle <= 4 ? static_cast<unsigned>(handle) : 5u;
#else
        if (host_ != nullptr)
            host_->stream = host_stream(stream);
#endif
        return stream;
    }
    __host__ __device__ const Level& level() const
    {
        return child_;
    }
    __host__ __device__ void launched()
    {
#ifdef __CUDA_ARCH__
#ifdef __CUDACC_RDC__
        note_launch(child_.trace, child_.grid, child_.level, site_, kernel_, place_);
#endif
#else
        if (host_ != nullptr)
            host_->error = cudaPeekAtLastError();
        nestbed_count::count_host_launch(site_, kernel_, place_);
#endif
    }

  private:
    static __host__ __device__ void keep(unsigned* to, dim3 shape)
    {
        to[0] = shape.x;
        to[1] = shape.y;
        to[2] = shape.z;
    }
    __host__ __device__ unsigned* shape_of_grid() const
    {
#ifdef __CUDA_ARCH__
        return child_.grid == kNoGrid ? nullptr : child_.trace->line(child_.grid).grid;
#else
        return host_ == nullptr ? nullptr : host_->grid;
#endif
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
    HostGrid* host_ = nullptr;
};

enum nestbed_rows_end {};

} // namespace nestbed_trace
#endif
#endif
