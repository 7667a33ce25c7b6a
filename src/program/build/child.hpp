// Programs that a command runs for its user: compilers, builds, the user's program. They end with this process, also if
// it is killed.
#pragma once

#include "base/subprocess.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestbed::program
{

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

    const sigset_t& asking() const { return asking_; }
    const sigset_t& before() const { return before_; }

  private:
    sigset_t asking_{}, before_{};
};

// A folder in $TMPDIR or /tmp that is removed with its content at the end of the scope.
class TemporaryFolder
{
  public:
    TemporaryFolder(); // throws RunError
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

struct Child {
    std::vector<std::string> arguments;             // arguments[0] is the path of the program
    std::map<std::string, std::string> environment; // in addition to that of this process
    int in = 0, out = 1, error = 2;
    std::optional<std::chrono::milliseconds> timeout{};
    std::function<bool()> must_end{}; // asked every 20 ms; true ends the program
    bool own_group = true;            // false: it may use the terminal as this process does
};

// Runs a program and waits for it. A program that must end gets SIGTERM and, six seconds later, SIGKILL, and with it all
// programs of its group. Throws RunError if it cannot be started, or if a signal asked this process to end.
ProgramEnd run_child(const Child& child, const HeldSignals& signals);

} // namespace nestbed::program
