// How a thread that reports at a signal stops the detector.
#include "device/races/detector.hpp"

#include <chrono>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace nestbed::races
{

namespace
{

std::atomic<pid_t> stopper = 0;

} // namespace

void Busy::stop()
{
    stopper = gettid();
    stopped_ = true;
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
