// Programs that nestbed runs. They are given as a list of arguments, never as text for a shell.
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

// Where a program's output goes. Files are created if they do not exist and appended to if they do. Both paths may be
// the same.
struct ProgramOutput {
    std::string out_path;
    std::string error_path;
};

// How a program ended.
struct ProgramEnd {
    int exit_code = 0;
    int signal = 0; // the signal that ended it; 0: it exited by itself
    bool timed_out = false;

    bool good() const { return exit_code == 0 && signal == 0 && !timed_out; }
    std::string text() const; // "exit code 3", "signal 11 (Segmentation fault)", "no end in time"
};

// The time between the request to end and the forced end of a program.
inline constexpr std::chrono::seconds kGrace{5};

// Starts arguments[0], the path of a program, in its own process group, with these descriptors and this signal mask.
// SIGPIPE, which this process ignores, has its default action there. Throws RunError with the program and the reason
// if it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments, const std::array<int, 3>& in_out_error,
                    const sigset_t& mask);

// Whether the process has ended. It must still be waited for; until then its process group number stays valid.
bool has_ended(pid_t process);

// Waits until a program ends.
ProgramEnd end_of(pid_t process);

// Runs arguments[0], the path of a program, with empty standard input, in its own process group, and waits for it.
// After the timeout the group receives SIGTERM and, after the grace period, SIGKILL. Processes that the program
// leaves in its group are killed. SIGINT, SIGTERM and SIGHUP end the program first, and are then delivered to this
// process. Throws RunError with the program and the reason if it cannot be started, or if such a signal did not end
// this process.
ProgramEnd run_program(const std::vector<std::string>& arguments, const ProgramOutput& output,
                       std::chrono::milliseconds timeout, std::chrono::milliseconds grace = kGrace);

// The path of a program: found on the PATH, or unchanged if the name contains a '/'. Empty if no executable file is
// found.
std::string find_program(std::string_view name);

// Quotes words for a POSIX shell: words of plain characters stay as they are, others get single quotes.
std::string shell_text(const std::vector<std::string>& words);

} // namespace nestbed
