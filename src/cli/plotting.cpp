#include "cli/plotting.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "inspect/profiler.hpp"
#include "log/manifest.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

namespace nestbed
{

namespace
{
constexpr std::chrono::minutes kPlotTimeout{30}; // packages may have to be installed

// The script beside the build folder that this program lies in.
std::string plot_script()
{
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    return (program.parent_path().parent_path().parent_path() / "experiments" / "plot.sh").string();
}
} // namespace

void prepare_plot(const std::string& path)
{
    if (!has_manifest(path))
        throw UsageError(fmt::format("--plot: {} is no file; allowed: with an --output that is one", path));
    const std::string script = plot_script();
    if (find_program(script).empty())
        throw UsageError(
            fmt::format("--plot: there is no {}; allowed: in a build folder of nestbed's repository", script));
    const ProgramEnd end = run_program({script, "--setup"}, {"/dev/stderr", "/dev/stderr"}, kPlotTimeout);
    if (!end.good())
        throw RunError(fmt::format("--plot: {} --setup: {}", script, end.text()));
}

void plot(const std::string& path)
{
    const std::string script = plot_script();
    const ProgramEnd end = run_program({script, path}, {"/dev/stdout", "/dev/stderr"}, kPlotTimeout);
    if (!end.good())
        throw RunError(fmt::format("the figures could not be drawn ({}), but the log is whole; again: {}", end.text(),
                                   shell_text({script, path})));
}

} // namespace nestbed
