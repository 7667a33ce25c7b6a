// Programs that nestbed runs: given as a list of arguments, never as a text for a shell.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace nestbed
{

// Where a program writes. Files are made when they are not there, and added to when they are; both may be the same.
struct ProgramOutput {
    std::string out_path;
    std::string error_path;
};

// How a program ended.
struct ProgramEnd {
    int exit_code = 0;
    int signal = 0; // that ended it; 0: it ended by itself
    bool timed_out = false;

    bool good() const { return exit_code == 0 && signal == 0 && !timed_out; }
    std::string text() const; // "exit code 3", "signal 11 (Segmentation fault)", "no end in time"
};

// What a program has, after it was asked to end, until it is made to.
inline constexpr std::chrono::seconds kGrace{5};

// Starts arguments[0], the path of a program, in a process group of its own, with these descriptors and this signal mask; what this process
// ignores is not ignored there. Throws RunError with the program and the reason when it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments, const std::array<int, 3>& in_out_error,
                    const sigset_t& mask);

// The process has ended; it stays there to be waited for, and so does the number of its group.
bool has_ended(pid_t process);

// Waits for the end of a program.
ProgramEnd end_of(pid_t process);

// Runs arguments[0], the path of a program, with nothing to read, in a process group of its own, and waits for it. Past the
// timeout the group is sent SIGTERM and, after the grace, SIGKILL. What a program leaves behind in its group is killed.
// SIGINT, SIGTERM and SIGHUP end the program first, and then come to this process. Throws RunError with the program and
// the reason when it cannot be started, and when such a signal did not end this process.
ProgramEnd run_program(const std::vector<std::string>& arguments, const ProgramOutput& output,
                       std::chrono::milliseconds timeout, std::chrono::milliseconds grace = kGrace);

// The path of a program: on the PATH, or with a '/' in its name as it is. Empty where there is none that can be run.
std::string find_program(std::string_view name);

} // namespace nestbed
