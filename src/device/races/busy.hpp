// Whether the detector is at work.
#pragma once

#include <atomic>
#include <utility>

namespace nestbed::races
{

// While the detector works, accesses are its own. Functions of the library that it shares with watched code may be those of the watched
// code, because the linker keeps one of each. Of several threads, one after another is in it.
class Busy
{
  public:
    Busy() : before_(now())
    {
        now_.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst); // stop() sees this, or this thread sees stop()
        if (!before_ && is_watched_.load(std::memory_order_relaxed)) [[unlikely]]
            enter();
    }
    ~Busy()
    {
        now_.store(before_, std::memory_order_release);
        if (!before_ && is_watched_.load(std::memory_order_relaxed)) [[unlikely]]
            leave();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

    // Whether the calling thread is in it.
    static bool now()
    {
        return (has_others() && is_own_) || (now_.load(std::memory_order_relaxed) && (!has_others() || is_stopped()));
    }
    // The program is about to have another thread, which may come here. The caller, which is its first one, is not in it.
    static void expect_others() { has_others_ = is_watched_ = true; }
    static bool has_others() { return has_others_.load(std::memory_order_relaxed); }
    // For Interruptible::stop().
    static void stop();
    static bool is_stopped() { return stopped_.load(std::memory_order_relaxed); }

  private:
    static void wait_for_end(); // unless it is the thread that called stop()
    static void enter();
    static void leave();

    static inline constinit std::atomic<bool> now_ = false;
    static inline constinit std::atomic<bool> stopped_ = false;
    static inline constinit std::atomic<bool> has_others_ = false;
    static inline constinit std::atomic<bool> is_watched_ = false; // one of these two
    static inline constinit thread_local bool is_own_ = false;     // the calling thread has the lock, or is about to
    bool before_;
};

} // namespace nestbed::races
