#include "run/worker_process.hpp"

#include "base/error.hpp"
#include "model/modules.hpp"
#include "run/worker_session.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{
// Time to exit for a worker that was told to end; a profiler may have to write its report.
constexpr std::chrono::minutes kLeaveTimeout{1};
} // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& program)
{
    if (modules_in_use() != nullptr)
        modules_in_use()->expect_unchanged();
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw RunError(fmt::format("no worker could be started: {}", std::strerror(errno)));
    socket_ = ends[0];
    std::vector<std::string> words = program;
    words.insert(words.end(), {kWorkerCommand, std::to_string(getpid())});
    sigset_t none;
    sigemptyset(&none);
    try {
        // The worker's output goes to standard error, because standard output is for data.
        process_ = start_program(words, {ends[1], STDERR_FILENO, STDERR_FILENO}, none);
    } catch (const RunError& error) {
        close(ends[0]);
        close(ends[1]);
        throw RunError(fmt::format("there is no worker: {}", error.what()));
    }
    close(ends[1]);
}

WorkerProcess::~WorkerProcess()
{
    if (process_ != 0)
        static_cast<void>(killed());
    close(socket_);
}

std::optional<ProgramEnd> WorkerProcess::killed()
{
    if (process_ != 0)
        kill(-process_, SIGKILL);
    return ended_within(kEndTimeout);
}

void WorkerProcess::leave()
{
    shutdown(socket_, SHUT_WR);
    static_cast<void>(ended_within(kLeaveTimeout));
}

std::optional<ProgramEnd> WorkerProcess::ended_within(std::chrono::milliseconds time)
{
    using Clock = std::chrono::steady_clock;
    if (process_ == 0)
        return ProgramEnd{};
    const Clock::time_point until = Clock::now() + time;
    while (!has_ended(process_)) {
        if (Clock::now() > until)
            return std::nullopt;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(-process_, SIGKILL); // kill the processes that it left behind
    return end_of(std::exchange(process_, 0));
}

} // namespace nestbed
