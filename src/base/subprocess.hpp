// Programs that nestbed runs. They are given as a list of arguments, never as text for a shell.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace nestbed
{

// How a program ended.
struct ProgramEnd {
    int exit_code = 0;
    int signal = 0; // the signal that ended it; 0: it exited by itself
    bool timed_out = false;
    std::chrono::nanoseconds elapsed{}; // from its start until its end was seen

    bool good() const { return exit_code == 0 && signal == 0 && !timed_out; }
    std::string text() const; // "exit code 3", "signal 11 (Segmentation fault)", "no end in time"
};

// Starts arguments[0], the path of a program, in its own process group, with these descriptors and this signal mask.
// SIGPIPE, which this process ignores, has its default action there. Throws RunError with the program and the reason
// if it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments, const std::array<int, 3>& in_out_error,
                    const sigset_t& mask);

// Whether the process has ended. It must still be waited for; until then its process group number stays valid.
bool has_ended(pid_t process);

// Waits until a program ends.
ProgramEnd end_of(pid_t process);

// While this object lives, SIGINT, SIGTERM and SIGHUP wait. run_child() ends its program when one of them comes. The
// signal is delivered when this object is destroyed: after temporary files were removed. Signals that this process
// ignores stay ignored.
class HeldSignals
{
  public:
    HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
    ~HeldSignals();

    const sigset_t& before() const { return before_; }
    // A signal that came and asks this process to end, otherwise 0.
    int came() const;

  private:
    sigset_t asking_{}, before_{};
};

// The time between the request to end and the forced end of a program: what an executor's program reports then may take 5 s.
inline constexpr std::chrono::seconds kGrace{6};

struct Child {
    std::vector<std::string> arguments;               // arguments[0] is the path of the program
    std::map<std::string, std::string> environment{}; // in addition to that of this process
    int in = 0, out = 1, error = 2;                   // its standard files
    std::optional<std::chrono::milliseconds> timeout{};
    std::chrono::milliseconds grace = kGrace;
    std::function<bool()> must_end{}; // asked every 20 ms; true ends the program
    bool own_group = true;            // false: it may use the terminal as this process does
    bool default_signals = false;     // SIGINT, SIGTERM and SIGHUP end it, also where this process ignores them
};

// Runs a program and waits for it. It ends with this process, also if this is killed. A program that must end gets SIGTERM and, after
// the grace period, SIGKILL, and with it all programs of its group; processes that it leaves in its group are killed. Throws RunError
// with the program and the reason if it cannot be started, or if a signal asked this process to end.
ProgramEnd run_child(const Child& child, const HeldSignals& signals);

// Where a program's output goes. Files are created if they do not exist and appended to if they do. Both paths may be
// the same.
struct ProgramOutput {
    std::string out_path;
    std::string error_path;
};

// The same with empty standard input. A signal that asked this process to end is delivered before it throws.
ProgramEnd run_program(const std::vector<std::string>& arguments, const ProgramOutput& output,
                       std::chrono::milliseconds timeout, std::chrono::milliseconds grace = kGrace);

// The path of a program: found on the PATH, or unchanged if the name contains a '/'. Empty if no executable file is
// found.
std::string find_program(std::string_view name);

// Quotes words for a POSIX shell: words of plain characters stay as they are, others get single quotes.
std::string shell_text(const std::vector<std::string>& words);

} // namespace nestbed
