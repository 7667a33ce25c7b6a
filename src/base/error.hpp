// The two kinds of errors in nestbed, and the exit codes that main returns for them.
#pragma once

#include <stdexcept>

namespace nestbed
{

enum ExitCode : int {
    exit_ok = 0,            // every row is ok or as expected
    exit_could_not = 1,     // the command could not start, or could not continue
    exit_usage = 2,         // invalid option or experiment file; nothing was run or written
    exit_rows_bad = 3,      // it ran, but some rows are wrong, failed, unsupported or missing; compare: a regression
    exit_interrupted = 130, // a signal asked the process to stop; the log contains what was measured
};

// The user asked for something impossible. The text names the option or the file and line, the value, and the values
// allowed.
class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

// The request was valid, but the machine could not carry it out: a full disk, a lost device.
class RunError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

} // namespace nestbed
