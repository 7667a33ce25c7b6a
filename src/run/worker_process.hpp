// The process of a worker, and the socket to it.
#pragma once

#include "base/subprocess.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace nestbed
{

// The time in which a killed worker must end: its driver may hold it while a kernel is removed from the device.
inline constexpr std::chrono::minutes kEndTimeout{1};

// A process that was started as a worker. It is killed when it goes out of scope.
class WorkerProcess
{
  public:
    // `program`: see WorkerOptions::program. Throws RunError if the process cannot be started.
    explicit WorkerProcess(const std::vector<std::string>& program);
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;
    ~WorkerProcess();

    int socket() const { return socket_; }

    // Kills the process. Returns how it ended; empty if it does not end.
    std::optional<ProgramEnd> killed();

    // Tells the process to end, and waits some time until it does so by itself.
    void leave();

    std::optional<ProgramEnd> ended_within(std::chrono::milliseconds time);

  private:
    int socket_ = -1;
    pid_t process_ = 0;
};

} // namespace nestbed
