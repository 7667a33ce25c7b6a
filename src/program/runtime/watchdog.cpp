// Says which kernel does not end, and why that may be.
#include "base/start_thread.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"
#include "program/runtime/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace nestbed::program
{

namespace
{

std::atomic<std::uint64_t> progress = 0;
std::atomic<bool> runs = false;

void report(double seconds)
{
    for (const WhereAWorkerIs& worker : where_workers_are()) {
        const std::string line = source_of(worker.code);
        say(fmt::format(
            "kernel {} (launched at {}) has run for {:g} s without a launch, a barrier or the end of a "
            "thread{}, in {}.\n"
            "nestbed: Its loop may never end; or it waits for what another thread writes by a plain read, which lets "
            "no "
            "other thread run. Then use an atomic function or an atomic load, sleep with "
            "__nanosleep(), or build with `nestbed races`, which sees reads of volatile variables. If it "
            "only computes for long, there is nothing to do: NESTBED_WATCHDOG_S=0 turns this message off.",
            worker.kernel, worker.launched_at, seconds, line.empty() ? "" : ", now at " + line, worker.thread));
    }
}

void watch(double seconds)
{
    using Clock = std::chrono::steady_clock;
    constexpr double kLongestPause = 0.2;
    const std::chrono::duration<double> pause(std::min(kLongestPause, seconds / 4));
    std::uint64_t last = progress;
    Clock::time_point since = Clock::now();
    for (;;) {
        std::this_thread::sleep_for(pause);
        const std::uint64_t now = progress;
        if (!runs || now != last) {
            last = now;
            since = Clock::now();
        } else if (Clock::now() - since > std::chrono::duration<double>(seconds)) {
            return report(seconds);
        }
    }
}

} // namespace

void made_progress()
{
    // Not exact if several workers count at once: any change will do.
    progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

WatchedRun::WatchedRun()
{
    static const bool begun = [] {
        if (const double seconds = environment().watchdog_s; seconds > 0)
            start_thread("the thread that looks whether kernels go on", [seconds] { watch(seconds); }).detach();
        return true;
    }();
    static_cast<void>(begun);
    made_progress();
    runs = true;
}

WatchedRun::~WatchedRun()
{
    runs = false;
}

} // namespace nestbed::program
