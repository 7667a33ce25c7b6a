// A busy host: threads that spin on its cores, and a thread of a lower priority or on one core.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace nestbed
{

// The number of cores that this process may use: those of its affinity mask, or fewer if its control group has a quota.
unsigned usable_cores();
// The same for a mask of so many cores and the text of cpu.max of a control group: "1600000 100000" is a quota of 16 cores,
// and "max 100000" is none (Linux, Documentation/admin-guide/cgroup-v2.rst).
unsigned usable_cores(unsigned mask, std::string_view quota);

// Threads that spin without a pause, on any cores. They are threads of this process, so they end when it ends, in whatever
// way; and they end by themselves after kMaxLoadSeconds.
class HostLoad
{
  public:
    // Returns when all of them spin. Throws RunError if one cannot be started.
    explicit HostLoad(unsigned threads);
    HostLoad(const HostLoad&) = delete;
    HostLoad& operator=(const HostLoad&) = delete;
    ~HostLoad();

    // Throws RunError if a thread has ended because of kMaxLoadSeconds.
    void expect_busy() const;

  private:
    std::atomic<bool> ended_ = false;
    std::atomic<bool> too_late_ = false;
    std::vector<std::jthread> threads_;
};

inline constexpr double kMaxLoadSeconds = 900;

// How a thread runs. Only a privileged thread can raise its priority again, so that work runs in a thread of its own.
struct ThreadPlace {
    unsigned nice = 0; // 0 to 19: added to that of the calling thread; the system allows at most 19 (setpriority(2))
    bool pinned = false; // it stays on the core on which it starts
};

// Calls work() in a thread with this place, or in the calling thread if the place is that of any thread. Returns when it has
// ended, and throws what it throws. Throws RunError if the system refuses the place.
void run_at(ThreadPlace place, const std::function<void()>& work);

} // namespace nestbed
