// A case of nestbed's own that `nestbed races` watches: what it prints of it, and its time limit.
#pragma once

#include "model/session.hpp"

#include <chrono>
#include <iosfwd>
#include <string>

namespace nestbed
{

struct WatchedCase {
    const Case& point;
    std::chrono::milliseconds timeout;
    bool as_json;
    std::ostream& out;
    std::ostream& err;
};

// "strategy nosync, backend cpu, …"
std::string heading(const Case& point);
void print_races(const WatchedCase& watched, const Races& races);

// If the case has not ended after its timeout, prints what was found and where its kernels are, and ends the process with
// exit_rows_bad: kernels that wait for what never comes cannot be stopped. One at a time; the process must have an
// observer.
class TimeLimit
{
  public:
    explicit TimeLimit(const WatchedCase& watched);
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;
    ~TimeLimit();
};

} // namespace nestbed
