// Progress of a long run, on standard error: one line that is rewritten on a terminal; elsewhere one line per minute.
#pragma once

#include "run/runner.hpp"

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

namespace nestbed
{

// "120 of 300 samples, about 56 s left, 2 not ok: nosync 64 x 512". The warm-up is not counted. The time left follows
// from the work that this run has done in `elapsed` and from the estimated costs of this work and of the rest.
std::string progress_text(const Progress& progress, std::chrono::duration<double> elapsed);

class ProgressReport
{
  public:
    using Clock = std::chrono::steady_clock;

    ProgressReport(std::ostream& err, bool terminal, std::function<Clock::time_point()> now = Clock::now);
    // Clears the line.
    ~ProgressReport();
    ProgressReport(const ProgressReport&) = delete;
    ProgressReport& operator=(const ProgressReport&) = delete;

    void show(const Progress& progress);
    // Prints a line that stays.
    void say(const std::string& text);

  private:
    std::ostream& err_;
    bool terminal_;
    std::function<Clock::time_point()> now_;
    Clock::time_point start_, shown_;
};

} // namespace nestbed
