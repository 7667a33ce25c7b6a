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

// What a worker that was killed has to be gone in: its driver may hold it while a kernel is taken from the device.
inline constexpr std::chrono::minutes kEndTimeout{1};

// A process that was started to be a worker. It is killed when it goes out of scope.
class WorkerProcess
{
  public:
    // As WorkerOptions::program. Throws RunError when it cannot be started.
    explicit WorkerProcess(const std::vector<std::string>& program);
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;
    ~WorkerProcess();

    int socket() const { return socket_; }

    // Kills it. How it ended; nothing if it does not.
    std::optional<ProgramEnd> killed();

    // It was told to end: by itself, if it does so in time.
    void leave();

    std::optional<ProgramEnd> ended_within(std::chrono::milliseconds time);

  private:
    int socket_ = -1;
    pid_t process_ = 0;
};

} // namespace nestbed
