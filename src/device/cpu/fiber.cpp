#include "device/cpu/fiber.hpp"

#include "base/error.hpp"
#include "device/cpu/own_memory.hpp"
#include "device/cpu/standstill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace nestbed::cpu
{

constinit __thread ThreadContext* current_thread = nullptr;
constinit __thread ThreadContext* latest_thread = nullptr;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constinit std::size_t stack_bytes = 1024UL * 1024; // instrumented frames are several times larger
void leave(void** fake, const void* bottom, std::size_t size)
{
    __sanitizer_start_switch_fiber(fake, bottom, size);
}
void enter(void* fake, const void** bottom, std::size_t* size)
{
    __sanitizer_finish_switch_fiber(fake, bottom, size);
}
// AddressSanitizer still knows the frames of an earlier stack at these addresses: unmapping does not remove them.
void forget_frames(const boost::context::stack_context& stack)
{
    __asan_unpoison_memory_region(static_cast<const char*>(stack.sp) - stack.size, stack.size);
}
#else
// The local memory that a CUDA thread may have (512 KB; CUDA guide, "Technical Specifications"), and frames. Only pages that are touched
// take memory.
constinit std::size_t stack_bytes = 576UL * 1024;
void leave(void** /*fake*/, const void* /*bottom*/, std::size_t /*size*/) {}
void enter(void* /*fake*/, const void** /*bottom*/, std::size_t* /*size*/) {}
void forget_frames(const boost::context::stack_context& /*stack*/) {}
#endif

constinit std::size_t more_stack_bytes = 0;

std::size_t bytes_of_next_stack()
{
    return stack_bytes + more_stack_bytes;
}

constinit thread_local Carrier* running = nullptr;

std::atomic<std::size_t> stacks = 0;

// Linux's default where the file cannot be read.
std::size_t max_mappings()
{
    static const std::size_t most = [] {
        std::size_t read = 65530;
        std::ifstream("/proc/sys/vm/max_map_count") >> read;
        return read;
    }();
    return most;
}

// Stacks that all begin at the same place of a page share few sets of the processor's caches, so that the threads of a block push each
// other's out at every barrier. So each begins one cache line lower than the one before, up to a page.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kLineBytes = 64;
std::atomic<std::size_t> made_stacks = 0;

void move_begin(boost::context::stack_context& stack, std::ptrdiff_t by)
{
    stack.sp = static_cast<char*>(stack.sp) + by;
    stack.size += static_cast<std::size_t>(by);
}

// Of all threads of kernels: where they end, by where they begin.
struct Stacks {
    std::mutex mutex;
    std::map<std::uintptr_t, std::uintptr_t> ends;

    static Stacks& all()
    {
        static Stacks& of_process = *new Stacks; // carriers may end after static objects
        return of_process;
    }
    void add(const boost::context::stack_context& stack)
    {
        const auto end = reinterpret_cast<std::uintptr_t>(stack.sp);
        const std::lock_guard lock(mutex);
        ends[end - stack.size] = end;
    }
    void remove(const boost::context::stack_context& stack)
    {
        const std::lock_guard lock(mutex);
        ends.erase(reinterpret_cast<std::uintptr_t>(stack.sp) - stack.size);
    }
};

struct Ending { // thrown through a kernel when its carrier is destroyed
};

} // namespace

void set_stack_bytes(std::size_t bytes)
{
    stack_bytes = bytes;
}

void set_more_stack_bytes(std::size_t bytes)
{
    more_stack_bytes = bytes;
}

Carrier* current_carrier()
{
    return running;
}

std::size_t max_stacks()
{
    constexpr std::size_t kOfOthers = 4096; // mappings for everything else in the process
    return (std::max(max_mappings(), 2 * kOfOthers) - kOfOthers) / 2;
}

bool has_stacks_to_spare()
{
    return stacks < max_stacks() / 2;
}

bool is_on_stack_of_thread(const void* address)
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    Stacks& all = Stacks::all();
    const std::lock_guard lock(all.mutex);
    const auto after = all.ends.upper_bound(at);
    return after != all.ends.begin() && at < std::prev(after)->second;
}

// Past the kernel's limit a guard page would be left out in silence.
boost::context::stack_context Carrier::StackAllocator::allocate()
{
    if (stacks.fetch_add(1) >= max_stacks()) {
        --stacks;
        throw Fault(fmt::format(
            "the executor needs a stack for each thread that has begun and waits, and has no more: {} are in use, "
            "because "
            "Linux allows a process {} memory mappings (vm.max_map_count), two for each stack; use smaller blocks, "
            "fewer levels of recursion, fewer workers, or the schedule fifo (under eager, all levels above the "
            "running one wait)",
            max_stacks(), max_mappings()));
    }
    try {
        *made = inner.allocate();
    } catch (const std::bad_alloc&) {
        throw Fault(
            fmt::format("the executor could not allocate {} bytes for the stack of one more thread; {} are in "
                        "use; use smaller blocks or fewer workers",
                        bytes_of_next_stack(), --stacks));
    }
    forget_frames(*made);
    move_begin(*made, -static_cast<std::ptrdiff_t>(made_stacks++ * kLineBytes % kPageBytes));
    Stacks::all().add(*made);
    return *made;
}

void Carrier::StackAllocator::deallocate(boost::context::stack_context& stack)
{
    Stacks::all().remove(stack);
    move_begin(stack, static_cast<std::ptrdiff_t>(-reinterpret_cast<std::uintptr_t>(stack.sp) % kPageBytes));
    inner.deallocate(stack);
    --stacks;
}

Carrier::Carrier()
    : fiber_(std::allocator_arg,
             StackAllocator{boost::context::protected_fixedsize_stack(bytes_of_next_stack()), &stack_},
             [this](boost::context::fiber&& caller) {
                 caller_ = std::move(caller);
                 enter(nullptr, &caller_bottom_, &caller_size_);
                 run();
                 return std::move(caller_);
             })
{
}

// Boost also unwinds a fiber that is destroyed, but then AddressSanitizer would not be told about the switch.
Carrier::~Carrier()
{
    if (cannot_unwind_) { // the destructor of the fiber would unwind it
        alignas(boost::context::fiber) std::array<std::byte, sizeof(boost::context::fiber)> never_destroyed;
        new (never_destroyed.data()) boost::context::fiber(std::move(fiber_));
        StackAllocator{{}, &stack_}.deallocate(stack_);
    } else {
        ending_ = true;
        static_cast<void>(resume());
    }
    latest_thread = nullptr;
}

void Carrier::run()
{
    while (!ending_) {
        try {
            carry_threads(*this);
        } catch (const Ending&) {
            break;
        } catch (...) {
            error_ = std::current_exception();
        }
        switch_back(Stop::idle);
    }
    leave(nullptr, caller_bottom_, caller_size_);
}

Carrier::Stop Carrier::resume()
{
    Carrier* outer = std::exchange(running, this);
    ThreadContext* outer_context = std::exchange(current_thread, &context);
    latest_thread = &context;
    void* fake = nullptr;
    leave(&fake, static_cast<const char*>(stack_.sp) - stack_.size, stack_.size);
    fiber_ = std::move(fiber_).resume();
    enter(fake, nullptr, nullptr);
    running = outer;
    current_thread = outer_context;
    if (error_)
        std::rethrow_exception(std::exchange(error_, nullptr));
    return why_;
}

void Carrier::stop(Stop why)
{
    switch_back(why);
    if (ending_)
        throw Ending{};
}

void Carrier::stop_without_unwinding(Stop why)
{
    cannot_unwind_ = true;
    switch_back(why);
    cannot_unwind_ = false;
}

std::uint64_t Carrier::state() const
{
#ifdef __x86_64__
    constexpr std::size_t kRegisters = 5 * sizeof(std::uint64_t); // below the frame pointer
#else
    constexpr std::size_t kRegisters = 0;
#endif
    const std::byte* const low = static_cast<const std::byte*>(frame_) - kRegisters;
    return number_for(low, static_cast<std::size_t>(static_cast<const std::byte*>(stack_.sp) - low));
}

void Carrier::end_by(std::exception_ptr error)
{
    error_ = std::move(error);
    cannot_unwind_ = true;
    switch_back(Stop::idle); // resume() throws the error, and nobody resumes this fiber again
}

void Carrier::switch_back(Stop why)
{
    why_ = why;
    leave(&own_fake_stack_, caller_bottom_, caller_size_);
    caller_ = std::move(caller_).resume();
    enter(own_fake_stack_, &caller_bottom_, &caller_size_);
}

Carrier& CarrierPool::take()
{
    if (std::exchange(stack_bytes_, bytes_of_next_stack()) != bytes_of_next_stack()) {
        std::erase_if(all_, [this](const auto& each) { return std::ranges::find(idle_, each.get()) != idle_.end(); });
        idle_.clear();
    }
    if (idle_.empty()) {
        all_.push_back(std::make_unique<Carrier>());
        return *all_.back();
    }
    Carrier* carrier = idle_.back();
    idle_.pop_back();
    return *carrier;
}

// A stack to which a child has a pointer is not used again, so that no thread of the child has it as its own.
void CarrierPool::put(Carrier& carrier)
{
    constexpr std::size_t kMaxKept = 64;
    if (std::exchange(carrier.has_children_with_local, false) && kept_ < kMaxKept)
        ++kept_;
    else
        idle_.push_back(&carrier);
}

void CarrierPool::clear()
{
    idle_.clear();
    all_.clear();
    kept_ = 0;
}

} // namespace nestbed::cpu
