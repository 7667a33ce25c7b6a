// Progress of a long run, on standard error: one line that is rewritten on a terminal; elsewhere one line per minute.
#pragma once

#include "run/runner.hpp"

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

namespace nestbed
{

// "120 of 300 samples, about 56 s left, 2 not ok: nosync 64 x 512". The warm-up is not counted in the samples, but in
// the time left (time_left.hpp).
std::string progress_text(const Progress& progress);

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
    Clock::time_point shown_;
};

} // namespace nestbed
