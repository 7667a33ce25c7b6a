#include "base/host_load.hpp"

#include "base/error.hpp"
#include "base/start_thread.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace nestbed
{

namespace
{

using Clock = std::chrono::steady_clock;

// Of the calling thread, whose number is 0 for both calls.
void take(ThreadPlace place)
{
    if (place.nice > 0) {
        const int nice = getpriority(PRIO_PROCESS, 0) + static_cast<int>(place.nice);
        if (setpriority(PRIO_PROCESS, 0, nice) != 0)
            throw RunError(fmt::format("niceness {} is refused: {}", nice, std::strerror(errno)));
    }
    if (place.pinned) {
        const int core = sched_getcpu();
        cpu_set_t only;
        CPU_ZERO(&only);
        if (core >= 0)
            CPU_SET(static_cast<std::size_t>(core), &only);
        if (core < 0 || sched_setaffinity(0, sizeof(only), &only) != 0)
            throw RunError(fmt::format("no thread can be pinned to core {}: {}", core, std::strerror(errno)));
    }
}

double number_in(const std::string& text)
{
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

unsigned usable_cores(unsigned mask, std::string_view quota)
{
    const std::string line(quota.substr(0, quota.find('\n')));
    const std::vector<std::string> words = split(line, ' ');
    const double used = words.size() == 2 ? number_in(words[0]) : 0; // "max" is no number
    const double period = words.size() == 2 ? number_in(words[1]) : 0;
    if (used > 0 && period > 0)
        mask = std::min(mask, static_cast<unsigned>(std::ceil(used / period)));
    return std::max(1U, mask);
}

unsigned usable_cores()
{
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string quota;
    std::getline(file, quota);
    return usable_cores(std::thread::hardware_concurrency(), quota);
}

HostLoad::HostLoad(unsigned threads)
{
    std::atomic<unsigned> busy = 0;
    const Clock::time_point until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kMaxLoadSeconds));
    try {
        for (unsigned thread = 0; thread < threads; ++thread)
            threads_.push_back(start_thread("a thread that keeps a core busy", [this, &busy, until] {
                ++busy;
                while (!ended_)
                    if (Clock::now() >= until) {
                        too_late_ = true;
                        return;
                    }
            }));
    } catch (...) {
        ended_ = true;
        threads_.clear(); // joins: they still use `busy`
        throw;
    }
    while (busy < threads)
        std::this_thread::yield();
}

HostLoad::~HostLoad()
{
    ended_ = true;
}

void HostLoad::expect_busy() const
{
    if (too_late_)
        throw RunError(
            fmt::format("the load on the host ended after {:.0f} s, before the sample; allowed: fewer runs "
                        "per sample (--runs)",
                        kMaxLoadSeconds));
}

void run_at(ThreadPlace place, const std::function<void()>& work)
{
    if (place.nice == 0 && !place.pinned)
        return work();
    std::exception_ptr error;
    start_thread("the thread that submits the sample", [&] {
        try {
            take(place);
            work();
        } catch (...) {
            error = std::current_exception();
        }
    }).join();
    if (error)
        std::rethrow_exception(error);
}

} // namespace nestbed
