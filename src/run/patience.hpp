// How long a run waits for a worker's answer.
#pragma once

#include "model/case.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <utility>

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

// How long samples may take: so many times as long as expected, and at least the given timeout. For the first sample of a
// case there is only an estimate, which may be far too low. Later samples take about as long as those before them.
class SampleTimeouts
{
  public:
    // Without an estimate all samples have the given timeout.
    SampleTimeouts(std::chrono::milliseconds least, std::function<double(const Case&)> estimate_us)
        : min_(least), estimate_us_(std::move(estimate_us))
    {
    }

    std::chrono::milliseconds of(const Case& point) const
    {
        constexpr double kTimesEstimated = 50;
        constexpr double kTimesMeasured = 20;
        if (!estimate_us_)
            return min_;
        const auto found = longest_.find(point);
        const std::chrono::duration<double, std::micro> longest =
            found != longest_.end()
                ? kTimesMeasured * std::chrono::duration<double, std::micro>(found->second)
                : kTimesEstimated * std::chrono::duration<double, std::micro>(estimate_us_(point));
        return std::max(min_, std::chrono::ceil<std::chrono::milliseconds>(longest));
    }
    void took(const Case& point, std::chrono::steady_clock::duration time)
    {
        auto& longest = longest_[point];
        longest = std::max(longest, time);
    }
    // Call this for a new worker: its first sample makes the input again.
    void forget() { longest_.clear(); }

  private:
    std::chrono::milliseconds min_;
    std::function<double(const Case&)> estimate_us_;
    std::map<Case, std::chrono::steady_clock::duration> longest_;
};

} // namespace nestbed
