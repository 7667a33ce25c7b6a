// Requests to stop: Ctrl-C, SIGTERM (which cluster schedulers send) and SIGHUP.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>

namespace nestbed
{

// Thrown by a run that was asked to stop and cannot wait for the current work to end.
class Interrupted
{
};

// While this object lives, it records the first such signal and writes `said` to standard error at once. The second
// signal ends the process with exit code 130 (a worker ends with it). Signals that this process ignores stay ignored.
// Only one object at a time.
class StopRequest
{
  public:
    explicit StopRequest(std::string said);
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;
    ~StopRequest();

    // The signal that was received first; 0 if there is none yet.
    int signal() const;
    bool asked() const { return signal() != 0; }
    // A descriptor for poll() that becomes readable after the first signal. -1 if there is no StopRequest.
    static int descriptor();

    // While this object lives, no work is under way that could be finished: a signal writes `said` and ends the process
    // with exit code 130. `said` must live as long.
    class AtOnce
    {
      public:
        explicit AtOnce(const std::string& said);
        AtOnce(const AtOnce&) = delete;
        AtOnce& operator=(const AtOnce&) = delete;
        ~AtOnce();
    };

  private:
    static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, kSignals.size()> before_{};
};

} // namespace nestbed
