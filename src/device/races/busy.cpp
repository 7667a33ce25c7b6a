// How a thread that reports at a signal stops the detector.
#include "device/races/detector.hpp"

#include <chrono>
#include <linux/membarrier.h>
#include <mutex>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace nestbed::races
{

namespace
{

std::atomic<pid_t> stopper = 0;
constinit std::mutex of_all;

} // namespace

void Busy::enter()
{
    if (has_others() && !is_stopped()) {
        is_own_ = true; // a function that a signal calls here does not enter
        std::atomic_signal_fence(std::memory_order_seq_cst);
        of_all.lock();
        now_ = true; // the one before has left
    }
    if (is_stopped())
        wait_for_end();
}

void Busy::leave()
{
    if (is_stopped())
        wait_for_end();
    if (is_own_) {
        of_all.unlock();
        std::atomic_signal_fence(std::memory_order_seq_cst);
        is_own_ = false;
    }
}

void Busy::stop()
{
    stopper = gettid();
    stopped_ = is_watched_ = true;
    // Busy() has no fence for the processor, which would cost time at every access: this one is for all threads.
    constexpr std::chrono::milliseconds kTick(1);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) // NOLINT(*-vararg)
        std::this_thread::sleep_for(kTick);
    constexpr unsigned kMaxTicks = 1000;
    for (unsigned tick = 0; tick < kMaxTicks && now_.load(std::memory_order_acquire); ++tick)
        std::this_thread::sleep_for(kTick);
}

void Busy::wait_for_end()
{
    if (stopper == gettid())
        return;
    now_ = false;
    for (;;)
        pause();
}

} // namespace nestbed::races
