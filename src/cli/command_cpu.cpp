#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/kernel_driver.hpp"
#include "cli/program_request.hpp"

#include <fmt/format.h>

namespace nestbed
{

namespace
{

int cpu(const Arguments& arguments, const Given& /*given*/, std::ostream& out, std::ostream& err)
{
    const ProgramRequest request = read_request(cpu_command(), arguments);
    const HeldSignals signals;
    if (!request.has_source) {
        if (!request.nvcc.empty())
            throw UsageError(
                fmt::format("cpu: '{}' is not a CUDA file; allowed: nestbed cpu my.cu [options] [-- arguments], "
                            "nestbed cpu -- make",
                            request.nvcc.front()));
        if (!request.after)
            throw UsageError(
                "cpu: nothing was given; allowed: nestbed cpu my.cu [options] [-- arguments], nestbed cpu -- make");
        if (!request.given.empty() && !(request.given.size() == 1 && request.given.contains("argument")))
            throw UsageError(
                "cpu: options are for `nestbed cpu my.cu`; a program that `nestbed cpu -- make` builds takes them "
                "from its environment: nestbed help nvcc");
        return run_build(*request.after, false, signals, err);
    }
    const auto environment = program_environment(request.given);
    const TemporaryFolder folder;
    const std::filesystem::path path = build_program(request, false, folder, signals, out, err);
    if (path.empty())
        return exit_could_not;
    out.flush();
    const ProgramEnd end = run_program_of_user(path, request.after.value_or(Arguments{}), environment, {}, signals);
    if (end.signal != 0)
        throw RunError(fmt::format("{}: {}", path.filename().string(), end.text()));
    return end.exit_code;
}

} // namespace

Command cpu_command()
{
    Options options = program_options({"schedule", "pending-limit", "workers", "tree", "trace", "zero-memory"});
    const Options of_kernel = kernel_options();
    options.insert(options.end(), of_kernel.begin(), of_kernel.end());
    return {.name = "cpu",
            .arguments = "FILE.cu... [options] [options of nvcc] [-- ARGUMENT...] | -- COMMAND...",
            .summary = "build a CUDA program for the executor and run it, without a GPU",
            .text = "Builds CUDA files as they are and runs the program on the CPU: kernels that\n"
                    "launch kernels follow CUDA's rules. The exit code is that of the program.\n"
                    "\n"
                    "  nestbed cpu my.cu -Iinclude --schedule eager -- 1000\n"
                    "\n"
                    "After -- alone stands a command that builds a program. It runs with an nvcc on\n"
                    "the PATH that builds for the executor (NVCC and CUDACXX name it too):\n"
                    "\n"
                    "  nestbed cpu -- make && ./my\n"
                    "\n"
                    "Such a program takes the options below from its environment (nestbed help nvcc).\n"
                    "\n"
                    "A file without main() gets one by --kernel, with an argument for each parameter:\n"
                    "an array of random numbers, one that is filled with a value, or a value. The\n"
                    "arrays are printed at the end. races, test and trace take it, too:\n"
                    "\n"
                    "  nestbed cpu my.cu --kernel sum --grid 4 --block 64 --arg int:256 \\\n"
                    "      --arg long:1=0 --arg int=256\n",
            .files = "cu",
            .operands = SIZE_MAX,
            .options = options,
            .raw = true,
            .call = cpu};
}

} // namespace nestbed
