// A CUDA device as a backend: thin RAII wrappers over the CUDA runtime. Every call is checked.
#pragma once

#include "device/cuda/gate.cuh"
#include "device/cuda/handles.cuh"
#include "device/cuda/kernel_language.cuh"
#include "device/cuda/nvml.cuh"
#include "device/cuda/report.cuh"
#include "device/pending_limit.hpp"
#include "model/case.hpp"
#include "model/elapsed.hpp"
#include "model/facts.hpp"
#include "model/session.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nestbed::inline on_cuda
{

inline constexpr BackendKind kBackend = BackendKind::cuda;

class Context
{
  public:
    explicit Context(const SessionOptions& options);

    const DeviceFacts& facts() const { return facts_; }
    std::string schedule() const { return {}; }

    // Only the executor can find races.
    static Races watch(const std::function<void()>& /*work*/)
    {
        throw UsageError("--backend cuda: the race detector runs on the executor; allowed: --backend cpu");
    }

    // Throws RunError if there is not enough memory. The name is used in race reports.
    template <class T>
    Buffer<T> allocate(std::size_t count, std::string_view /*name*/ = {})
    {
        return Buffer<T>(count);
    }
    template <class T>
    void upload(Buffer<T>& to, std::span<const T> from)
    {
        check(cudaMemcpy(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice));
    }
    template <class T>
    void download(std::span<T> to, const Buffer<T>& from)
    {
        check(cudaMemcpy(to.data(), from.data(), to.size_bytes(), cudaMemcpyDeviceToHost));
    }
    // Copies a few elements in the middle of timed work, after what was launched into stream 0 before: a kernel writes them
    // into memory that the host polls. It does not count as a launch of the work. Copies into the host's memory take
    // longer (host_read in results/method.md).
    template <class T>
    void read(std::span<T> to, const Buffer<T>& from, std::size_t first)
    {
        static_assert(sizeof(T) % sizeof(unsigned) == 0 && alignof(T) >= alignof(unsigned));
        report_.read(stream(0), to.data(), from.data() + first, to.size_bytes());
    }
    // The same by a copy into pageable memory.
    template <class T>
    void read_by_copy(std::span<T> to, const Buffer<T>& from, std::size_t first)
    {
        check(cudaMemcpyAsync(to.data(), from.data() + first, to.size_bytes(), cudaMemcpyDeviceToHost, stream(0)));
        check(cudaStreamSynchronize(stream(0)));
    }
    Report& report() { return report_; }
    template <class T>
    void copy(Buffer<T>& to, const Buffer<T>& from, std::size_t count)
    {
        check(cudaMemcpy(to.data(), from.data(), count * sizeof(T), cudaMemcpyDeviceToDevice));
    }
    template <class T>
    void set_constant(T& constant, const T& value)
    {
        check(cudaMemcpyToSymbol(constant, &value, sizeof(T)));
    }
    template <class T>
    void fill_bytes(Buffer<T>& buffer, unsigned char byte, std::size_t count)
    {
        check(cudaMemset(buffer.data(), byte, count * sizeof(T)));
    }

    // Sets cudaLimitDevRuntimePendingLaunchCount and returns the value read back. The device runtime allocates the
    // memory for a new limit at the next kernel that launches a kernel. settle() runs such a kernel, untimed.
    std::uint32_t set_pending_limit(std::uint32_t launches, const std::function<void()>& settle);

    // Reserves space for this many lines of kernel printf. Lines that do not fit into the buffer are lost without an
    // error.
    void reserve_printf(std::uint64_t lines);

    // The preparation that began with the clock is over: what the next time() says of it, uploads of graphs included.
    void prepared(const WallClock& clock)
    {
        check(cudaDeviceSynchronize());
        prepare_us_ = clock.elapsed_us();
    }
    // Runs `work`, which launches into streams 0 to streams - 1, and waits for all of it. The timing events are in
    // stream 0. The other streams wait for stream 0 at the start, and stream 0 waits for them at the end.
    template <class Work>
    Elapsed time(unsigned streams, Work&& work, Timing timing = {})
    {
        alive();
        if (timing.flushed)
            flush_l2();
        begin(streams);
        const HeldStream held(timing.held ? &gate_ : nullptr, stream(0));
        const WallClock clock;
        fork(streams);
        work();
        check(cudaGetLastError());
        join(streams);
        held.let_go();
        check(cudaEventSynchronize(stop_));
        const double wall_us = clock.elapsed_us();
        float gpu_ms = 0;
        check(cudaEventElapsedTime(&gpu_ms, start_, stop_));
        return {.gpu_us = gpu_ms * 1000.0,
                .held = timing.held && gate_.held(),
                .wall_us = wall_us,
                .host_launches = host_launches_,
                .prepare_us = prepare_us_};
    }
    // The current state, or a recent one.
    const GpuState& gpu_state() { return nvml_.state(); }
    // Calls SessionOptions::alive.
    void alive() const
    {
        if (alive_)
            alive_();
    }
    // Only the executor checks the mechanism of launches, and makes random draws.
    void restrict_to_mechanism(std::optional<Mechanism> /*mechanism*/) {}
    void draw_from(std::uint64_t /*seed*/) {}
    // Names the range of the next timed region; empty: it has no range.
    void name_range(std::string name) { range_ = std::move(name); }
    const std::string& range() const { return range_; }

    cudaStream_t stream(unsigned index) const { return *streams_[index]; }
    void count_host_launch()
    {
        if (host_launches_)
            ++*host_launches_;
    }
    // For work that a library launches: the number of launches is then unknown.
    void lose_count_of_host_launches() { host_launches_.reset(); }

    // Captures what `work` launches into stream 0 as a graph, instantiates and uploads it. for_device: a kernel of
    // the graph may launch the graph again.
    template <class Work>
    Graph capture(bool for_device, Work&& work)
    {
        begin(1);
        check(cudaStreamBeginCapture(stream(0), cudaStreamCaptureModeThreadLocal));
        cudaGraph_t graph = nullptr;
        try {
            work();
        } catch (...) {
            static_cast<void>(cudaStreamEndCapture(stream(0), &graph));
            static_cast<void>(cudaGraphDestroy(graph));
            throw;
        }
        check(cudaStreamEndCapture(stream(0), &graph));
        Graph made(graph, for_device);
        made.upload(stream(0));
        return made;
    }
    void launch(const Graph& graph)
    {
        count_host_launch();
        graph.launch(stream(0));
    }

    // Number of blocks of this kernel that are resident on the device at once: the maximum of a cooperative grid.
    std::uint32_t resident_blocks(const void* kernel, std::uint32_t threads, unsigned shared_bytes = 0) const
    {
        int blocks = 0;
        check(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared_bytes));
        return static_cast<std::uint32_t>(blocks) * facts_.multiprocessors;
    }
    template <auto Kernel>
    std::uint32_t resident_blocks(std::uint32_t threads, unsigned shared_bytes = 0) const
    {
        return resident_blocks(reinterpret_cast<const void*>(Kernel), threads, shared_bytes);
    }
    // Lets launches of this kernel, also those from kernels, ask for so many bytes of dynamic shared memory. More than 48 KB
    // need it. Throws CudaError if a block of the device cannot have as many.
    template <auto Kernel>
    void allow_shared(unsigned bytes)
    {
        check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    }

    // Dynamic shared memory that a block of this kernel can have, in bytes.
    template <auto Kernel>
    static unsigned max_shared()
    {
        int device = 0;
        int all = 0;
        cudaFuncAttributes kernel{};
        check(cudaGetDevice(&device));
        check(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        check(cudaFuncGetAttributes(&kernel, Kernel));
        return static_cast<unsigned>(all) - static_cast<unsigned>(kernel.sharedSizeBytes);
    }

    bool has(Mechanism mechanism) const { return !since_9_0(mechanism) || std::stoi(facts_.compute_capability) >= 9; }
    // Memory for pending launches beyond the memory for the default limit, in bytes.
    std::int64_t limit_bytes() const { return limit_bytes_; }

    // False if nothing can run any more: a kernel error stays in the CUDA context, that of a refused call does not.
    static bool usable()
    {
        static_cast<void>(cudaGetLastError());
        return cudaDeviceSynchronize() == cudaSuccess;
    }

    static std::string error_name(int error) { return cudaGetErrorName(static_cast<cudaError_t>(error)); }

  private:
    void begin(unsigned streams);
    void fork(unsigned streams);
    void join(unsigned streams);
    // Writes more bytes than the cache can hold.
    void flush_l2();

    DeviceFacts facts_;
    std::function<void()> alive_;
    PendingLimit limit_;
    std::int64_t limit_bytes_ = 0;
    std::optional<std::uint32_t> host_launches_;
    std::optional<double> prepare_us_; // of the latest preparation
    std::string range_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<std::unique_ptr<Event>> joins_;
    Event start_, stop_;
    Gate gate_;
    Report report_;
    Nvml nvml_;
    Buffer<unsigned char> other_data_; // data that fills the L2 cache
};

// An NVTX range around a timed region, in the domain kRangeDomain. Nsight tools find the region by it. It begins
// before the clock starts and ends after the clock stops.
class TimedRange
{
  public:
    explicit TimedRange(const Context& context);
    ~TimedRange();
    TimedRange(const TimedRange&) = delete;
    TimedRange& operator=(const TimedRange&) = delete;

  private:
    bool open_;
};

// Launches from the host. Errors of the launch itself are checked after all timed work has been issued.
template <auto Kernel, class... Args>
void host_launch(Context& context, unsigned stream, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    Kernel<<<shape.grid, shape.block, shape.shared_bytes, context.stream(stream)>>>(args...);
}

// The launch of a user's kernel: call(shape, stream).
template <class Call>
void host_launched(Context& context, unsigned stream, const LaunchShape& shape, const Call& call)
{
    context.count_host_launch();
    call(shape, context.stream(stream));
}

// Launches a grid whose blocks can wait for each other. Throws CudaError if the blocks do not all fit on the device
// at once.
template <auto Kernel, class... Args>
void cooperative_launch(Context& context, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    void* arguments[] = {static_cast<void*>(&args)...};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(Kernel), shape.grid, shape.block, arguments,
                                      shape.shared_bytes, context.stream(0)));
}

} // namespace nestbed::inline on_cuda
