// How long a run waits for a worker's answer.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace nestbed
{

// The time in which a sample must end after a request to stop.
inline constexpr std::chrono::seconds kStopGrace{5};

// If a wait ends later than this after its time, it was not a real wait: the processes were stopped, or the machine
// slept.
inline constexpr std::chrono::milliseconds kOverslept{1000};

// The owner passes the current time in every call.
class Patience
{
  public:
    using Time = std::chrono::steady_clock::time_point;

    Patience(std::chrono::milliseconds timeout, Time now) : timeout_(timeout), until_(now + timeout) {}

    bool stopping() const { return stopping_; }
    // Call this when a stop is requested.
    void stop(Time now)
    {
        stopping_ = true;
        until_ = std::min<Time>(until_, now + kStopGrace);
    }
    // Call this when the worker gives a sign of life. It has no effect after a request to stop.
    void sign_of_life(Time now)
    {
        if (!stopping_)
            until_ = now + timeout_;
    }
    // The time left; empty if the time is over. If it was over long ago, the full time is given again: this process
    // did not run in between, and perhaps the worker did not run either.
    std::optional<std::chrono::milliseconds> left(Time now)
    {
        using std::chrono::milliseconds;
        if (now > until_ + kOverslept)
            until_ = now + (stopping_ ? milliseconds(kStopGrace) : timeout_);
        const auto left = std::chrono::ceil<milliseconds>(until_ - now);
        return left.count() > 0 ? std::optional(left) : std::nullopt;
    }

  private:
    std::chrono::milliseconds timeout_;
    Time until_;
    bool stopping_ = false;
};

} // namespace nestbed
