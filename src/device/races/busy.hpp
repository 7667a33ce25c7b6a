// Whether the detector is at work.
#pragma once

#include <atomic>
#include <utility>

namespace nestbed::races
{

// While the detector works, accesses are its own. Functions of the library that it shares with watched code may be those of the watched
// code, because the linker keeps one of each.
class Busy
{
  public:
    Busy() : before_(now())
    {
        now_.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst); // stop() sees this, or this thread sees stop()
        if (!before_ && is_stopped())
            wait_for_end();
    }
    ~Busy()
    {
        now_.store(before_, std::memory_order_release);
        if (!before_ && is_stopped())
            wait_for_end();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

    static bool now() { return now_.load(std::memory_order_relaxed); }
    // For Interruptible::stop().
    static void stop();
    static bool is_stopped() { return stopped_.load(std::memory_order_relaxed); }

  private:
    static void wait_for_end(); // unless it is the thread that called stop()

    static inline constinit std::atomic<bool> now_ = false;
    static inline constinit std::atomic<bool> stopped_ = false;
    bool before_;
};

} // namespace nestbed::races
