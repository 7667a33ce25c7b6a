// `nestbed build`: a workload of the user's own, in a folder outside of the repository.
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "model/modules.hpp"
#include "program/workload/workload_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view kBuildText = R"(
Compiles the .cu files of FOLDER for what this machine has: with g++ for the
executor and the race detector, and with nvcc if nestbed was built with CUDA.
`nestbed run --load FOLDER`, `races`, `tree`, `trace`, `list` and the others
then know its strategies. NESTBED_LOAD=FOLDER does the same for every command.
--new writes FOLDER/FOLDER.cu, to change: a complete workload, with its input,
its check, two parameters, a strategy that launches kernels from kernels, and a
flat one.
)";

// Names of nestbed's workloads, and those with which its strategies begin.
std::set<std::string> taken_names()
{
    std::set<std::string> taken;
    if (modules_in_use() != nullptr)
        taken = modules_in_use()->workloads();
    for (const std::string_view strategy : Registry::names())
        taken.emplace(strategy.substr(0, strategy.find('_')));
    return taken;
}

// Throws RunError if a workload with these strategies names a figure that does not exist.
void check_figures(const std::vector<std::string>& strategies)
{
    const std::vector<std::string> known = program::known_figures();
    const std::vector<std::string_view> names(known.begin(), known.end());
    for (const std::string& strategy : strategies) {
        const WorkloadInfo& workload = *Registry::find_anywhere(strategy)->info().workload;
        for (const std::string_view figure : workload.figures)
            if (std::ranges::find(names, figure) == names.end())
                throw RunError(fmt::format("workload {}: there is no figure '{}'{}", workload.name, figure,
                                           suggestions(figure, names, "experiments/figures.py")));
    }
}

int build(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    if (given.at("argument").empty())
        throw UsageError("build: no folder was named; allowed: nestbed build FOLDER");
    const std::string folder = given.at("argument").front();
    if (given.contains("new")) {
        const fs::path file = program::write_new_workload(folder, taken_names());
        out << fmt::format("{}: a workload to change\nnestbed build {}\n", file.string(), folder);
        return exit_ok;
    }
    {
        const HeldSignals signals;
        if (!program::build_workload(folder, signals, err))
            return exit_could_not;
    }
    // What it registers shows whether it can be loaded.
    if (modules_in_use() == nullptr)
        return exit_ok;
    const std::vector<std::string> strategies = modules_in_use()->load_file(
        program::workload_module(folder, false), fmt::format("to build it: nestbed build {}", folder));
    if (strategies.empty())
        throw RunError(fmt::format("{} has no strategy; allowed: one with an object of type Register", folder));
    check_figures(strategies);
    check_parameters();
    out << fmt::format("strategies: {}\nnestbed run --load {} --strategy {}\n", fmt::join(strategies, ", "), folder,
                       fmt::join(strategies, ","));
    return exit_ok;
}

} // namespace

Command build_command()
{
    return {.name = "build",
            .arguments = "[--new] FOLDER",
            .summary = "write or compile a workload of your own",
            .text = kBuildText.substr(1),
            .operands = 1,
            .options = {{.name = "new", .value = "", .help = "write a workload to change"}},
            .call = build};
}

} // namespace nestbed
