// nestbed and the test program as child processes, and their results.
#pragma once

#include "base/subprocess.hpp"
#include "support/cli_support.hpp"
#include "support/program_support.hpp"

#include <string>
#include <vector>

namespace nestbed
{

struct ProgramRun {
    ProgramEnd end;
    std::string out, err;
};

// Runs the program arguments[0]. Its outputs go to two new files in the folder.
inline ProgramRun run_of(const ScratchFolder& folder, const std::vector<std::string>& arguments,
                         std::chrono::milliseconds timeout = std::chrono::minutes{1})
{
    const std::string out = folder.write("stdout", "");
    const std::string err = folder.write("stderr", "");
    const ProgramEnd end = run_program(arguments, {out, err}, timeout);
    return {end, folder.read("stdout"), folder.read("stderr")};
}

// Runs the test program as nestbed with the faults.
inline ProgramRun run_with_faults(const ScratchFolder& folder, std::vector<std::string> arguments,
                                  std::chrono::milliseconds timeout = std::chrono::minutes{1})
{
    arguments.insert(arguments.begin(), this_program());
    return run_of(folder, arguments, timeout);
}

} // namespace nestbed
