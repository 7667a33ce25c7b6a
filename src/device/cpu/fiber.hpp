// A carrier: a fiber that runs CUDA threads, one after another, and that can stop in the middle of a thread.
#pragma once

#include "device/cpu/executor.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace nestbed::cpu
{

struct Block;

// What a thread that gives way did before: see standstill.hpp.
struct Repetition {
    std::uint64_t epoch = 0;
    std::uint64_t state = 0;
    std::uint64_t stops = 0;            // in the epoch
    std::uint64_t period = 0, left = 0; // stops for which `state` is compared; of them, those to come
    bool repeats = false;
};

class Carrier
{
  public:
    enum class Stop : std::uint8_t { idle, at_barrier, at_warp, yielded, gave_way, waiting };

    Carrier();
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;
    // Ends the fiber. If a thread is stopped inside a kernel, its stack is unwound: the objects of the kernel are
    // destroyed. After stop_without_unwinding() they are not.
    ~Carrier();

    // Scheduler side: runs until the carrier stops, and returns why it stopped. Rethrows what a kernel threw.
    Stop resume();
    // Fiber side: stops here until the next resume().
    void stop(Stop why);
    bool has_on_stack(const void* address) const
    {
        const auto* const top = static_cast<const std::byte*>(stack_.sp);
        return std::less_equal<>{}(top - stack_.size, address) && std::less<>{}(address, top);
    }
    // The same for a caller that no exception can leave.
    void stop_without_unwinding(Stop why);
    // Call it in a function that the thread calls to give way, and that saves all registers (__builtin_unwind_init()); `frame`:
    // __builtin_frame_address(0) there.
    void gives_way_in(const void* frame) { frame_ = frame; }
    // Of a thread that has given way: a number for its stack, and so for the registers too.
    std::uint64_t state() const;
    // Ends the run of the kernel by this error, without unwinding: does not return.
    void end_by(std::exception_ptr error);

    Block* block = nullptr;        // the block whose threads it runs; set before the first resume()
    std::uint32_t next_thread = 0; // which thread to run next
    ThreadContext context;
    Repetition repetition;
    bool has_children_with_local = false; // a child has a pointer to what is on the stack

  private:
    // Boost's allocator of stacks with a guard page, with a limit to their number. It also records where the stack is,
    // because AddressSanitizer must be told about every switch.
    struct StackAllocator {
        boost::context::protected_fixedsize_stack inner;
        boost::context::stack_context* made;
        boost::context::stack_context allocate();
        void deallocate(boost::context::stack_context& stack);
    };

    void run();
    void switch_back(Stop why);

    boost::context::stack_context stack_;
    boost::context::fiber fiber_;  // this carrier while it is stopped
    boost::context::fiber caller_; // the fiber that resumed it, while it runs
    Stop why_ = Stop::idle;
    const void* frame_ = nullptr;
    bool ending_ = false;
    bool cannot_unwind_ = false;
    std::exception_ptr error_;
    // AddressSanitizer's view of both stacks.
    void* own_fake_stack_ = nullptr;
    const void* caller_bottom_ = nullptr;
    std::size_t caller_size_ = 0;
};

// Carriers are expensive to create and cheap to reuse.
class CarrierPool
{
  public:
    Carrier& take();
    void put(Carrier& carrier);
    void clear();

  private:
    std::vector<std::unique_ptr<Carrier>> all_;
    std::vector<Carrier*> idle_;
    std::size_t stack_bytes_ = 0; // of the carriers that are made now
    std::size_t kept_ = 0;        // see put()
};

// Bytes of the stack of a carrier that is made from now on. The default is enough for the local memory of a CUDA
// thread; deep recursion of device functions may need more.
void set_stack_bytes(std::size_t bytes);

// And bytes beyond those.
void set_more_stack_bytes(std::size_t bytes);

// How many stacks the process may have: Linux limits its memory mappings (vm.max_map_count), and a stack and its guard
// page are two.
std::size_t max_stacks();

// The carrier that runs on this operating-system thread; nullptr outside kernels.
Carrier* current_carrier();

// Defined by the executor: runs thread `carrier.next_thread` of `carrier.block`. In sequential schedules it also runs
// the threads after it.
void carry_threads(Carrier& carrier);

} // namespace nestbed::cpu
