// What is known of a run whose kernels have not ended: for a time limit, a crash, or a request to end.
#pragma once

#include <string>

namespace nestbed::cpu
{

struct LastRead {
    std::string memory; // "flag[0]"; empty: there was none
    std::string place;  // FILE:LINE
    bool is_plain = false;
};

class Interruptible
{
  public:
    Interruptible() = default;
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
    virtual ~Interruptible() = default;

    // Stops the observer's work, for ever: a thread that runs kernels waits at its next access. Only the thread that calls this uses the
    // observer from now on. Where a thread is at work and does not come to an end of that (a signal has stopped it), this returns after a
    // second, and what the observer has may not be whole.
    virtual void stop() = 0;
    // The last access of a kernel: "read of flag[0] at my.cu:12 (depth 0, block 0, thread 3)". A thread that waits in a
    // loop for another one has this access. Empty: there was none. Ask before Observer::end().
    virtual std::string last_access() = 0;
    // An access to an address where no memory is, which has ended in a signal: "write of address 0x7f0000001000 at my.cu:12 (depth 0,
    // block 0, thread 3)", and the memory that is nearest. Ask before Observer::end().
    virtual std::string access_without_memory(const void* address) = 0;
    // The address after the last access of the thread of a kernel that runs; nullptr: not known. For the handler of a signal.
    virtual const void* place_of_last_access() const = 0;
    // What a thread (the observer's handle) read last.
    virtual LastRead last_read(void* thread) = 0;
};

// The observer of this program, if it has one.
extern Interruptible* interruptible;

} // namespace nestbed::cpu
