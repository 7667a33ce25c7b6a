// The two ways in which nestbed gives up, and the exit codes that main gives them.
#pragma once

#include <stdexcept>

namespace nestbed
{

enum ExitCode : int {
    exit_ok = 0,            // every row is ok, or what was expected
    exit_could_not = 1,     // it could not run, or could not go on
    exit_usage = 2,         // a bad option or a bad experiment file; nothing was run, nothing was written
    exit_rows_bad = 3,      // it ran, and some rows are wrong, failed, unsupported or missing; compare: a regression
    exit_interrupted = 130, // a signal asked it to stop; what was measured is in the log
};

// The user asked for something that cannot be: the text names the option or the file and line, the value, and
// what is allowed.
class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

// The request was good and the machine could not do it: a full disk, a lost device.
class RunError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

} // namespace nestbed
