// Progress of a long run, on standard error: a line that is rewritten on a terminal, elsewhere a line a minute.
#pragma once

#include "run/runner.hpp"

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

namespace nestbed
{

// "120 of 300 samples, about 56 s left, 2 not ok: nosync 64 x 512": warm-up not counted; the time left by what this run has measured in
// `elapsed`, what that was likely to cost, and what is left.
std::string progress_text(const Progress& progress, std::chrono::duration<double> elapsed);

class ProgressReport
{
  public:
    using Clock = std::chrono::steady_clock;

    ProgressReport(std::ostream& err, bool terminal, std::function<Clock::time_point()> now = Clock::now);
    // Wipes the line.
    ~ProgressReport();
    ProgressReport(const ProgressReport&) = delete;
    ProgressReport& operator=(const ProgressReport&) = delete;

    void show(const Progress& progress);
    // A line that stays.
    void say(const std::string& text);

  private:
    std::ostream& err_;
    bool terminal_;
    std::function<Clock::time_point()> now_;
    Clock::time_point start_, shown_;
};

} // namespace nestbed
