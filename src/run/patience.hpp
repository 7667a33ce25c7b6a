// How long an answer of a worker is waited for.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace nestbed
{

// What a sample has to end in once a stop was asked for.
inline constexpr std::chrono::seconds kStopGrace{5};

// By which a wait that was late was not a wait: the processes were stopped, or the machine slept.
inline constexpr std::chrono::milliseconds kOverslept{1000};

// Time is what its owner says that it is.
class Patience
{
  public:
    using Time = std::chrono::steady_clock::time_point;

    Patience(std::chrono::milliseconds timeout, Time now) : timeout_(timeout), until_(now + timeout) {}

    bool stopping() const { return stopping_; }
    // A stop was asked for.
    void stop(Time now)
    {
        stopping_ = true;
        until_ = std::min<Time>(until_, now + kStopGrace);
    }
    // Of the worker. It does not help where a stop was asked for.
    void sign_of_life(Time now)
    {
        if (!stopping_)
            until_ = now + timeout_;
    }
    // What is left; nothing when the time is over. Of a time that was over long ago all is left: this process did not run meanwhile, and
    // perhaps the worker did neither.
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
