// The executor as a backend: everything that a backend offers, on one screen.
#pragma once

#include "base/error.hpp"
#include "device/cpu/cuda_language.hpp"
#include "device/cpu/guarded_memory.hpp"
#include "device/cpu/launch_shape.hpp"
#include "device/cpu/observer.hpp"
#include "model/case.hpp"
#include "model/elapsed.hpp"
#include "model/facts.hpp"
#include "model/session.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace nestbed::inline on_cpu
{

inline constexpr BackendKind kBackend = BackendKind::cpu;

// Number of threads of a block that run in lockstep.
inline constexpr unsigned kLockstepThreads = 1;

// Atomic operations that order other memory operations, and loads that race with those of other threads.
inline unsigned load_acquire(unsigned* address)
{
    return std::atomic_ref<unsigned>(*address).load(std::memory_order_acquire);
}
template <class T>
T load_relaxed(const T* address)
{
    return std::atomic_ref<T>(*const_cast<T*>(address)).load(std::memory_order_relaxed);
}
inline unsigned load_in_block(const unsigned* address)
{
    return load_relaxed(address);
}
inline void store_release(unsigned* address, unsigned value)
{
    std::atomic_ref<unsigned>(*address).store(value, std::memory_order_release);
}
inline void store_relaxed(unsigned* address, unsigned value)
{
    std::atomic_ref<unsigned>(*address).store(value, std::memory_order_relaxed);
}
inline unsigned fetch_add_acq_rel(unsigned* address, unsigned value)
{
    return std::atomic_ref<unsigned>(*address).fetch_add(value, std::memory_order_acq_rel);
}

// The executor has one memory.
template <class T>
T* of_any_memory(T* pointer)
{
    return pointer;
}

// Device memory. Its initial contents are neither zero nor data of an earlier case: a kernel that reads memory that
// nothing wrote to reads the same values every time.
template <class T>
class Buffer
{
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    // The name is for the observer.
    explicit Buffer(std::size_t count, std::string_view name = "memory")
        : data_(static_cast<T*>(cpu::allocate_guarded(count * sizeof(T), alignof(T), name))), count_(count)
    {
        if (cpu::observer != nullptr)
            cpu::observer->memory({.begin = data_.get(),
                                   .bytes = count * sizeof(T),
                                   .element = cpu::kElement<T>,
                                   .name = name,
                                   .guard_bytes = cpu::kMemoryGuardBytes});
        constexpr int kPoison = 0xFF; // NaN as a float
        std::memset(static_cast<void*>(data_.get()), kPoison, count * sizeof(T));
    }
    T* data() const { return data_.get(); }
    std::size_t size() const { return count_; }

  private:
    struct Delete {
        void operator()(T* data) const
        {
            if (cpu::observer != nullptr)
                cpu::observer->forget(data);
            cpu::release_guarded(data);
        }
    };
    std::unique_ptr<T[], Delete> data_;
    std::size_t count_ = 0;
};

class Context
{
  public:
    explicit Context(const SessionOptions& options);

    const DeviceFacts& facts() const { return facts_; }
    std::string schedule() const { return nestbed::name_of(executor_.schedule()); }
    cpu::Executor& executor() { return executor_; }

    // Throws RunError if there is not enough memory.
    template <class T>
    Buffer<T> allocate(std::size_t count, std::string_view name = "memory")
    {
        try {
            return Buffer<T>(count, name);
        } catch (const std::bad_alloc&) {
            throw RunError("out of memory: " + std::to_string(count * sizeof(T)) + " bytes could not be allocated");
        }
    }
    template <class T>
    void upload(Buffer<T>& to, std::span<const T> from)
    {
        copy_bytes(to.data(), from.data(), from.size_bytes());
    }
    template <class T>
    void download(std::span<T> to, const Buffer<T>& from)
    {
        copy_bytes(to.data(), from.data(), to.size_bytes());
    }
    // Copies elements in the middle of timed work: waits for what was launched before.
    template <class T>
    void read(std::span<T> to, const Buffer<T>& from, std::size_t first)
    {
        copy_bytes(to.data(), from.data() + first, to.size_bytes());
    }
    template <class T>
    void read_by_copy(std::span<T> to, const Buffer<T>& from, std::size_t first)
    {
        read(to, from, first);
    }
    // Copies the first `count` elements.
    template <class T>
    void copy(Buffer<T>& to, const Buffer<T>& from, std::size_t count)
    {
        copy_bytes(to.data(), from.data(), count * sizeof(T));
    }
    // Sets a __constant__ variable.
    template <class T>
    void set_constant(T& constant, const T& value)
    {
        executor_.finish();
        constant = value;
    }
    template <class T>
    void fill_bytes(Buffer<T>& buffer, unsigned char byte, std::size_t count)
    {
        executor_.finish();
        if (count > 0) // an empty buffer has no address
            std::memset(static_cast<void*>(buffer.data()), byte, count * sizeof(T));
    }

    // Sets the pending-launch limit and returns the value read back. settle() is not needed: there is no memory to
    // allocate.
    std::uint32_t set_pending_limit(std::uint32_t launches, const std::function<void()>& /*settle*/)
    {
        executor_.set_pending_limit(launches);
        return executor_.pending_limit();
    }

    // Reserves space for this many lines of kernel printf: there is always enough.
    void reserve_printf(std::uint64_t /*lines*/) {}

    // The preparation that began with the clock is over: what the next time() says of it.
    void prepared(const WallClock& clock) { prepare_us_ = clock.elapsed_us(); }
    // Runs `work`, which launches into streams 0 to streams - 1, and waits for all of it.
    template <class Work>
    Elapsed time(unsigned /*streams*/, Work&& work, Timing /*timing*/ = {})
    {
        alive();
        host_launches_ = 0;
        const WallClock clock;
        try {
            work();
            executor_.finish();
        } catch (...) {
            cpu::expect_accesses_inside(); // a bad index is the reason of whatever else went wrong
            throw;
        }
        const Elapsed elapsed{
            .gpu_us = {}, .wall_us = clock.elapsed_us(), .host_launches = host_launches_, .prepare_us = prepare_us_};
        if (cpu::observer != nullptr)
            cpu::observer->synchronized();
        cpu::expect_accesses_inside();
        return elapsed;
    }
    // The state of a GPU: there is none.
    static GpuState gpu_state() { return {}; }
    // How many blocks of a kernel share a GPU; here, enough of them for the workers.
    template <auto Kernel>
    std::uint32_t resident_blocks(std::uint32_t /*threads*/, unsigned /*shared_bytes*/ = 0) const
    {
        return 2 * facts_.multiprocessors;
    }
    // Lets launches of this kernel, also those from kernels, ask for so many bytes of dynamic shared memory. Throws RunError
    // if no block of compute capability 9.0 can have as many.
    template <auto Kernel>
    void allow_shared(unsigned bytes)
    {
        if (bytes > cpu::kMaxSharedBytes)
            throw RunError(std::to_string(bytes) + " bytes of dynamic shared memory; allowed: at most " +
                           std::to_string(cpu::kMaxSharedBytes));
        allowed_shared_bytes<Kernel> = bytes;
        max_allowed_shared_bytes = std::max<std::size_t>(max_allowed_shared_bytes, bytes);
    }
    // Calls SessionOptions::alive.
    void alive() const
    {
        if (alive_)
            alive_();
    }
    void count_host_launch()
    {
        if (host_launches_)
            ++*host_launches_;
    }
    // What `work` launches is a graph, which the host launches once.
    template <class Work>
    void launch_as_graph(const Work& work)
    {
        const std::optional<std::uint32_t> before = host_launches_;
        work();
        host_launches_ = before;
        count_host_launch();
    }
    // For work that a library launches: the number of launches is then unknown.
    void lose_count_of_host_launches() { host_launches_.reset(); }

    // From now on, kernel launches by another mechanism throw DeviceFault; empty: all mechanisms are allowed.
    void restrict_to_mechanism(std::optional<Mechanism> mechanism) { executor_.restrict_to_mechanism(mechanism); }
    // Finds the races of the kernels that `work` runs. Throws RunError in a program without a race detector, or if
    // the memory limit is exceeded; UsageError if there is more than one worker.
    Races watch(const std::function<void()>& work);
    // Sets the number from which the executor draws, from the next launch on.
    void draw_from(std::uint64_t seed) { executor_.draw_from(seed); }
    // Does nothing: profilers that use ranges are for GPUs.
    void name_range(const std::string& /*name*/) {}

    static bool has(Mechanism mechanism) { return !cuda_only(mechanism); }
    // Memory for pending launches beyond the memory for the default limit, in bytes: there is none here.
    static std::int64_t limit_bytes() { return 0; }

    // False if nothing can run any more.
    static bool usable() { return true; }

    static std::string error_name(int error)
    {
        return std::string(cpu::name_of(static_cast<cpu::LaunchError>(error)));
    }

  private:
    void copy_bytes(void* to, const void* from, std::size_t bytes)
    {
        executor_.finish();
        if (bytes > 0) // an empty buffer has no address
            std::memcpy(to, from, bytes);
    }

    cpu::Executor executor_;
    DeviceFacts facts_;
    std::function<void()> alive_;
    std::optional<std::uint32_t> host_launches_;
    std::optional<double> prepare_us_; // of the latest preparation
};

class TimedRange
{
  public:
    explicit TimedRange(const Context& /*context*/) {}
};

// Launches from the host. Launches into different streams run in the order of the calls.
template <auto Kernel, class... Args>
void host_launch(Context& context, unsigned stream, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    check_shared<Kernel>(shape);
    context.executor().run(shape.grid, shape.block, kernel_call<Kernel>(shape, args...), stream);
}

// The launch of a user's kernel: call(shape, stream).
template <class Call>
void host_launched(Context& context, unsigned stream, const LaunchShape& shape, const Call& call)
{
    context.count_host_launch();
    cpu::KernelCall made = cpu::call_made_by([&] { call(shape, nullptr); });
    if (shape.shared_bytes > max_allowed_shared_bytes)
        refuse_shared(shape, max_allowed_shared_bytes);
    made.shared_bytes = shape.shared_bytes;
    context.executor().run(shape.grid, shape.block, std::move(made), stream);
}

// See device_launch_to_wait_for() (device/cpu/launch_shape.hpp).
inline bool wait_for_child(unsigned* flag, unsigned long long /*patience_ns*/)
{
    if (load_acquire(flag) == 0)
        return false;       // nobody will raise it any more
    store_relaxed(flag, 0); // for the next child
    return true;
}
inline void signal_parent(unsigned* flag)
{
    constexpr std::uintptr_t kNoFlags = 1U << 16U; // the flags of a case that has none begin at 0
    if (reinterpret_cast<std::uintptr_t>(flag) < kNoFlags)
        throw DeviceFault("a parent waits for its child, and there are no flags; allowed: parent_waits set by "
                          "launches() of the strategy");
    store_release(flag, 1);
}

// Nanoseconds on a clock that all threads share.
inline unsigned long long timer_ns()
{
    return static_cast<unsigned long long>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// The worker that runs the calling thread.
inline unsigned multiprocessor()
{
    return cpu::worker_number();
}

// True in the thread of a block that began first. It marks the begin for the others.
inline bool begins_for_others()
{
    return cpu::first_of_block();
}

// True in the thread of a block that ends last. It marks the end for the others.
inline bool ends_for_others()
{
    return cpu::last_of_block();
}

inline void busy_wait_us(unsigned us)
{
    cpu::delay(us);
}

} // namespace nestbed::inline on_cpu
