#include "base/error.hpp"
#include "cli/commands.hpp"
#include "program/build/program_folder.hpp"
#include "program/count/counted_build.hpp"

#include <fmt/format.h>

#include <ostream>

namespace nestbed
{

namespace
{

int count(const Arguments& arguments, const Given& /*given*/, std::ostream& out, std::ostream& err)
{
    const SplitArguments split = split_at_dashes(arguments);
    const bool is_strict = !split.before.empty() && split.before.front() == "--strict";
    if (split.before.size() > (is_strict ? 1 : 0))
        throw UsageError(fmt::format(
            "count: '{}' was not expected; allowed: nestbed count [--strict] -- COMMAND, with the command "
            "that builds your program, such as make",
            split.before[is_strict ? 1 : 0]));
    out.flush();
    const HeldSignals signals;
    return program::run_counted_build(is_strict ? program::Recorded::counts_strictly : program::Recorded::counts,
                                      split.after.value_or(Arguments{}), program::program_folder(), signals, err);
}

} // namespace

Command count_command()
{
    return {.name = "count",
            .arguments = "[--strict] -- COMMAND...",
            .summary = "build a CUDA program with nvcc so that it counts its launches",
            .text = "Runs a build with nvcc, such as make. The source files stay as they are. The\n"
                    "program that is built prints a table when it ends, on standard error: for each\n"
                    "kernel the launches from the host and from the device, how many of them were\n"
                    "refused, with the first error and its place, and the deepest nesting level.\n"
                    "The exit code is that of COMMAND. A launch that cannot be counted, such as\n"
                    "cuLaunchKernel, is a line of the table; with --strict the build fails at it.\n"
                    "\n"
                    "  nestbed count -- nvcc -rdc=true -arch=sm_90 my.cu -o my\n"
                    "  nestbed count -- make -B\n"
                    "  nestbed count -- cmake --build build --clean-first\n"
                    "\n"
                    "NESTBED_REPORT=FILE, when the program runs, writes the table as JSON to a file;\n"
                    "%p in its name is the number of the process. NESTBED_HOST_COMPILER, during the\n"
                    "build, is the C++ compiler that nvcc uses; -ccbin cannot be given.\n"
                    "The counts are read at the end (exit, _exit), before cudaDeviceReset, and after\n"
                    "cudaDeviceSynchronize, which must be called in files that nvcc compiles as CUDA.\n",
            .raw = true,
            .call = count};
}

} // namespace nestbed
