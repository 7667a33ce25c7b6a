// Being asked to stop: Ctrl-C, SIGTERM (which clusters send) and SIGHUP.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>

namespace nestbed
{

// What a run throws where it cannot wait for the end of what it was asked to stop.
class Interrupted
{
};

// While it lives the first such signal is noted, and `said` is written to standard error at once; the second one ends the process with
// exit code 130 (a worker ends with it). Signals that this process ignores stay ignored. One at a time.
class StopRequest
{
  public:
    explicit StopRequest(std::string said);
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;
    ~StopRequest();

    // Which signal asked, 0 for none yet.
    int signal() const;
    bool asked() const { return signal() != 0; }
    // Can be read from, for poll(), once one has asked. -1 when there is no StopRequest.
    static int descriptor();

  private:
    static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, kSignals.size()> before_{};
};

} // namespace nestbed
