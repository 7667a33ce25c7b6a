#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "program/build/nvcc.hpp"
#include "program/build/program_folder.hpp"

namespace nestbed
{

namespace
{

int nvcc(const Arguments& arguments, const Given& /*given*/, std::ostream& out, std::ostream& err)
{
    const HeldSignals signals;
    const std::filesystem::path folder = program::program_folder();
    if (arguments == Arguments{"--nestbed-precompile"}) { // CMake runs it when it builds nestbed
        program::precompile_default(folder);
        return exit_ok;
    }
    program::note_call();
    return program::run_nvcc(program::parse_nvcc_command(arguments, program::nvcc_environment()), folder, signals,
                             out, err);
}

} // namespace

Command nvcc_command()
{
    return {.name = "nvcc",
            .arguments = "FILE.cu... [options of nvcc] -o PROGRAM",
            .summary = "build a CUDA program for the executor: it runs without a GPU",
            .text = "Takes nvcc's command line and builds the same program for the executor, with\n"
                    "g++. Options that are about GPU code, such as -arch, have no effect. The program\n"
                    "prints a table of its launches at its end, to standard error.\n"
                    "\n"
                    "  nestbed nvcc -rdc=true -arch=sm_90 my.cu -lcudadevrt -o my && ./my\n"
                    "\n"
                    "Options of its own:\n"
                    "  --nestbed-races          for the race detector, as NESTBED_WATCH=1 does\n"
                    "  --nestbed-cuda-arch=N    the value of __CUDA_ARCH__, by default 900, in the\n"
                    "                           whole file; none: it is not defined, so that\n"
                    "                           `#ifdef __CUDA_ARCH__` takes the code for the host\n"
                    "\n"
                    "Environment of nvcc: NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS\n"
                    "Environment of the program:\n"
                    "  NESTBED_SCHEDULE=fifo|eager|random:SEED   the order of execution\n"
                    "  NESTBED_PENDING_LIMIT=N                   limit of pending launches\n"
                    "  NESTBED_WORKERS=N                         threads of the CPU\n"
                    "  NESTBED_TREE=1                            print the launch tree at the end\n"
                    "  NESTBED_TRACE=FILE                        write a timeline (JSON)\n"
                    "  NESTBED_REPORT=FILE                       write the table and the races (JSON)\n"
                    "  NESTBED_SUPPRESSIONS=FILE                 races that are known\n"
                    "  NESTBED_STRICT=1                          warnings of the detector are errors\n"
                    "  NESTBED_ZERO_MEMORY=1                     cudaMalloc() returns zeros\n"
                    "  NESTBED_STACK_BYTES=N                     stack of a thread\n"
                    "  NESTBED_WATCHDOG_S=N                      report a kernel that waits for ever\n"
                    "                                            after N seconds; 0: never\n",
            .files = "cu",
            .operands = SIZE_MAX,
            .raw = true,
            .call = nvcc};
}

} // namespace nestbed
