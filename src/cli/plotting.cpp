#include "cli/plotting.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "cli/data_folders.hpp"
#include "log/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace nestbed
{

namespace
{
constexpr std::chrono::minutes kPlotTimeout{30}; // it may have to install packages

// The possible places of plot.sh.
std::vector<std::string> plot_scripts()
{
    std::vector<std::string> scripts;
    for (const std::filesystem::path& folder : data_folders("experiments"))
        scripts.push_back((folder / "plot.sh").string());
    return scripts;
}

// The first script that exists. Throws UsageError.
std::string plot_script()
{
    const std::vector<std::string> scripts = plot_scripts();
    const auto found =
        std::ranges::find_if(scripts, [](const std::string& script) { return !find_program(script).empty(); });
    if (found != scripts.end())
        return *found;
    throw UsageError(
        fmt::format("--plot: there is no {}; a copy of the program cannot draw; allowed: the program in its "
                    "build folder or as installed, or draw the log later by experiments/plot.sh",
                    fmt::join(scripts, " and no ")));
}
} // namespace

void prepare_plot(const std::string& path)
{
    if (!has_manifest(path))
        throw UsageError(fmt::format("--plot: {} is not a file; allowed: an --output that is a file", path));
    const std::string script = plot_script();
    const ProgramEnd end = run_program({script, "--setup"}, {"/dev/stderr", "/dev/stderr"}, kPlotTimeout);
    if (!end.good())
        throw RunError(fmt::format("--plot: {} --setup: {}", script, end.text()));
}

void plot(const std::string& path)
{
    const std::string script = plot_script();
    // The script calls this program for its computations.
    setenv("NESTBED", std::filesystem::read_symlink("/proc/self/exe").c_str(), 1);
    const ProgramEnd end = run_program({script, path}, {"/dev/stdout", "/dev/stderr"}, kPlotTimeout);
    if (!end.good())
        throw RunError(fmt::format("the figures could not be drawn ({}), but the log is complete; to draw again: {}",
                                   end.text(), shell_text({script, path})));
}

} // namespace nestbed
