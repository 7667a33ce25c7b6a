// Progress of a long run, on standard error, only when that is a terminal.
#pragma once

#include "runner.hpp"

#include <chrono>

namespace nestbed
{

class ProgressLine
{
  public:
    ProgressLine();
    // Wipes the line.
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const Progress& progress);

  private:
    using Clock = std::chrono::steady_clock;
    bool terminal_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point shown_;
};

} // namespace nestbed
