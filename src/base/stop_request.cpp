#include "base/stop_request.hpp"

#include "base/error.hpp"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

// The data that the signal handler uses. It can run at any point of the program.
struct {
    std::string said;
    std::atomic<int> signal{0};
    std::atomic<const std::string*> said_at_once{nullptr};
    std::array<int, 2> pipe{-1, -1};
} request; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): a signal handler has no parameter for it

void on_signal(int signal)
{
    if (const std::string* const said = request.said_at_once) {
        static_cast<void>(!write(STDERR_FILENO, said->data(), said->size()));
        _exit(exit_interrupted);
    }
    int none = 0;
    if (!request.signal.compare_exchange_strong(none, signal))
        _exit(exit_interrupted);
    static_cast<void>(!write(STDERR_FILENO, request.said.data(), request.said.size()));
    static_cast<void>(!write(request.pipe[1], "", 1));
}

} // namespace

StopRequest::StopRequest(std::string said)
{
    request.said = std::move(said);
    request.signal = 0;
    if (pipe2(request.pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw RunError(fmt::format("no pipe could be made: {}", std::strerror(errno)));
    struct sigaction action = {};
    action.sa_handler = on_signal;
    for (const int other : kSignals)
        sigaddset(&action.sa_mask, other);
    for (std::size_t index = 0; index < kSignals.size(); ++index) {
        sigaction(kSignals[index], nullptr, &before_[index]);
        if (before_[index].sa_handler != SIG_IGN)
            sigaction(kSignals[index], &action, nullptr);
    }
}

StopRequest::~StopRequest()
{
    for (std::size_t index = 0; index < kSignals.size(); ++index)
        sigaction(kSignals[index], &before_[index], nullptr);
    for (int& end : request.pipe)
        static_cast<void>(close(std::exchange(end, -1)));
}

int StopRequest::signal() const
{
    return request.signal;
}

int StopRequest::descriptor()
{
    return request.pipe[0];
}

StopRequest::AtOnce::AtOnce(const std::string& said)
{
    request.said_at_once = &said;
}

StopRequest::AtOnce::~AtOnce()
{
    request.said_at_once = nullptr;
}

} // namespace nestbed
