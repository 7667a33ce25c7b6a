// A carrier: a fiber that carries CUDA threads, one after another, and that can stop in the middle of one.
#pragma once

#include "device/cpu/executor.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include <exception>
#include <memory>
#include <vector>

namespace nestbed::cpu
{

struct Block;

class Carrier
{
  public:
    enum class Stop : std::uint8_t { idle, at_barrier, yielded, waiting };

    Carrier();
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;
    // Ends the fiber. A thread that is stopped in mid-kernel is unwound: its kernel's objects are destroyed.
    ~Carrier();

    // Scheduler side: goes on until the carrier stops, and says why it did. Rethrows what a kernel threw.
    Stop resume();
    // Fiber side: stops here until the next resume().
    void stop(Stop why);

    Block* block = nullptr;        // whose threads it carries; set before the first resume()
    std::uint32_t next_thread = 0; // which thread to carry next
    ThreadContext context;

  private:
    // Boost's allocator of stacks with a guard page, which tells us where the stack is: AddressSanitizer has
    // to be told of every switch.
    struct StackAllocator {
        boost::context::protected_fixedsize_stack inner;
        boost::context::stack_context* made;
        boost::context::stack_context allocate();
        void deallocate(boost::context::stack_context& stack) { inner.deallocate(stack); }
    };

    void run();
    void switch_back(Stop why);

    boost::context::stack_context stack_;
    boost::context::fiber fiber_;  // this carrier while it is stopped
    boost::context::fiber caller_; // who resumed it, while it runs
    Stop why_ = Stop::idle;
    bool ending_ = false;
    std::exception_ptr error_;
    // AddressSanitizer's view of both stacks.
    void* own_fake_stack_ = nullptr;
    const void* caller_bottom_ = nullptr;
    std::size_t caller_size_ = 0;
};

// Carriers are costly to make and cheap to reuse.
class CarrierPool
{
  public:
    Carrier& take();
    void put(Carrier& carrier) { idle_.push_back(&carrier); }
    void clear();

  private:
    std::vector<std::unique_ptr<Carrier>> all_;
    std::vector<Carrier*> idle_;
};

// The carrier that runs on this operating-system thread; nullptr outside kernels.
Carrier* current_carrier();

// Defined by the executor: runs thread `carrier.next_thread` of `carrier.block` (and, in sequential
// schedules, those after it).
void carry_threads(Carrier& carrier);

} // namespace nestbed::cpu
