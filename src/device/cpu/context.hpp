// The executor as a backend: the whole of what a backend offers, on one screen.
#pragma once

#include "base/error.hpp"
#include "device/cpu/cuda_language.hpp"
#include "device/cpu/observer.hpp"
#include "model/case.hpp"
#include "model/elapsed.hpp"
#include "model/facts.hpp"
#include "model/session.hpp"

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

// Threads of a block that run in step.
inline constexpr unsigned kInStep = 1;

// What a run of kernels throws that the device cannot do: the sample's error, not the session's.
using DeviceFault = cpu::Fault;

// Atomic operations that order other memory operations.
inline unsigned load_acquire(unsigned* address)
{
    return std::atomic_ref<unsigned>(*address).load(std::memory_order_acquire);
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

struct LaunchShape {
    dim3 grid;
    dim3 block;
};

// Memory of the device. Not zero, and not what an earlier case left: a kernel that reads what nobody wrote reads the same every time.
template <class T>
class Buffer
{
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    // The name is for who watches.
    explicit Buffer(std::size_t count, std::string_view name = "memory") : data_(new T[count]), count_(count)
    {
        if (cpu::observer != nullptr)
            cpu::observer->memory(data_.get(), count * sizeof(T), cpu::kElement<T>, name);
        constexpr int kPoison = 0xFF; // not-a-number, in floats
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
            delete[] data;
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

    // Throws RunError when the memory cannot be had.
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
    // The first `count` elements.
    template <class T>
    void copy(Buffer<T>& to, const Buffer<T>& from, std::size_t count)
    {
        copy_bytes(to.data(), from.data(), count * sizeof(T));
    }
    template <class T>
    void fill_bytes(Buffer<T>& buffer, unsigned char byte, std::size_t count)
    {
        if (count > 0) // an empty buffer has no address
            std::memset(static_cast<void*>(buffer.data()), byte, count * sizeof(T));
    }

    // Sets the pending-launch limit and returns it as read back. There is no memory to settle.
    std::uint32_t set_pending_limit(std::uint32_t launches, const std::function<void()>& /*settle*/)
    {
        executor_.set_pending_limit(launches);
        return executor_.pending_limit();
    }

    // Makes room for this many lines of kernel printf: there is always room.
    void reserve_printf(std::uint64_t /*lines*/) {}

    // Runs `work`, which launches into streams 0 to streams - 1, and waits for all of it.
    template <class Work>
    Elapsed time(unsigned /*streams*/, Work&& work, Timing /*timing*/ = {})
    {
        alive();
        host_launches_ = 0;
        const WallClock clock;
        work();
        if (cpu::observer != nullptr)
            cpu::observer->synchronized();
        return {.gpu_us = {}, .wall_us = clock.elapsed_us(), .host_launches = host_launches_};
    }
    // That of a GPU: there is none.
    static GpuState gpu_state() { return {}; }
    // SessionOptions::alive
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
    // For work that a library launches.
    void lose_count_of_host_launches() { host_launches_.reset(); }

    // Launches from kernels that go by another mechanism throw DeviceFault from now on; empty: all are allowed.
    void go_by(std::optional<Mechanism> mechanism) { executor_.go_by(mechanism); }
    // Finds the races of what runs in `work`. Throws RunError in a program that does not watch, or past the limit of memory; UsageError
    // where more than one worker runs.
    Races watch(const std::function<void()>& work);
    // What the executor draws from, from the next launch on.
    void draw_from(std::uint64_t draws) { executor_.draw_from(draws); }
    // Profilers that know ranges are for GPUs.
    void name_range(const std::string& /*name*/) {}

    static bool has(Mechanism mechanism) { return !cuda_only(mechanism); }
    // Bytes by which the memory for pending launches exceeds that for the default limit: none is kept here.
    static std::int64_t limit_bytes() { return 0; }

    // False when nothing can be run any more.
    static bool usable() { return true; }

    static std::string error_name(int error)
    {
        return std::string(cpu::name_of(static_cast<cpu::LaunchError>(error)));
    }

  private:
    static void copy_bytes(void* to, const void* from, std::size_t bytes)
    {
        if (bytes > 0) // an empty buffer has no address
            std::memcpy(to, from, bytes);
    }

    cpu::Executor executor_;
    DeviceFacts facts_;
    std::function<void()> alive_;
    std::optional<std::uint32_t> host_launches_;
};

class TimedRange
{
  public:
    explicit TimedRange(const Context& /*context*/) {}
};

// A launch from the host. Streams are run in order of the calls.
template <auto Kernel, class... Args>
void host_launch(Context& context, unsigned stream, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    context.executor().run(
        shape.grid, shape.block, [=] { Kernel(args...); }, stream);
}

// Launches from a kernel; the error code is CUDA's.
template <auto Kernel, Mechanism How, class... Args>
int device_launch(LaunchShape shape, Args... args)
{
    return cpu::launch(shape.grid, shape.block, How, [=] { Kernel(args...); });
}

// The executor waits by itself: the child is complete when the launch returns, and its flag is not needed.
template <auto Kernel, class... Args>
int device_launch_to_wait_for(LaunchShape shape, Args... args)
{
    return cpu::launch_and_wait(shape.grid, shape.block, [=] { Kernel(args...); });
}
inline bool wait_for_child(const unsigned* /*flag*/, unsigned long long /*patience_ns*/)
{
    return true;
}
inline void signal_parent(const unsigned* /*flag*/) {}

// Nanoseconds on a clock that all threads share.
inline unsigned long long timer_ns()
{
    return static_cast<unsigned long long>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// The worker that the calling thread is on.
inline unsigned multiprocessor()
{
    return cpu::worker_number();
}

// True in the thread of a block that began first: it speaks for the others.
inline bool begins_for_others()
{
    return cpu::first_of_block();
}

// True in the thread of a block that ends last: it speaks for the others.
inline bool ends_for_others()
{
    return cpu::last_of_block();
}

inline void hold_up(unsigned us)
{
    cpu::delay(us);
}

} // namespace nestbed::inline on_cpu
