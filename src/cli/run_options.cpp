#include "cli/run_options.hpp"

#include "base/error.hpp"
#include "base/standard_streams.hpp"
#include "inspect/profiler.hpp"
#include "plan/axis.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <unistd.h>
#include <vector>

namespace nestbed
{

namespace po = boost::program_options;

po::options_description run_options()
{
    po::options_description options("Options", 80);
    options.add_options()(
        "output,o", po::value<std::vector<std::string>>()->value_name("FILE"),
        "the CSV; a run goes on with what is there; - for standard output (results/local/EXPERIMENT.csv, "
        "of a shard EXPERIMENT.I-of-N.csv)");
    options.add_options()("experiment", po::value<std::vector<std::string>>()->value_name("NAME"),
                          "the experiment's name in rows and manifest (the file's stem, or adhoc)");
    options.add_options()(
        "shard", po::value<std::vector<std::string>>()->value_name("I/N"),
        "measure part I of N alone, all of about the same run time; `nestbed merge` joins their CSVs");
    options.add_options()("resume", po::bool_switch(),
                          "go on with the CSV also where another machine with such a device began it");
    options.add_options()("overwrite", po::bool_switch(), "move a CSV that is there aside, and measure all");
    options.add_options()("retry-failed", po::bool_switch(),
                          "measure rows of the CSV again that failed; as it was it is kept, FILE.old-1");
    options.add_options()("in-process", po::bool_switch(),
                          "no worker: for profilers and debuggers; a crash ends the run");
    options.add_options()("untimed", po::bool_switch(),
                          "leave all times empty: for a run under a profiler, which would spoil them");
    options.add_options()("plot", po::bool_switch(),
                          "draw the figures of the log when it is done (experiments/plot.sh)");
    options.add_options()("no-nvtx", po::bool_switch(),
                          "no NVTX ranges round the timed regions: to measure what they cost");
    options.add_options()("dry-run", po::bool_switch(), "print the plan, measure nothing");
    options.add_options()("help,h", po::bool_switch(), "print this");
    return options;
}

std::string output_path(const Given& given, const std::string& experiment, const std::optional<Shard>& shard)
{
    const std::string part = shard ? fmt::format(".{}-of-{}", shard->number, shard->of) : "";
    std::string path = only_value(given, "output", fmt::format("{}/{}{}.csv", kUsualFolder, experiment, part));
    if (is_open_on(STDOUT_FILENO, path))
        return "-";
    // There is room beside it for FILE.rescued-1.json and the like.
    constexpr std::size_t kMostBytes = 220;
    if (const std::string name = std::filesystem::path(path).filename().string(); name.size() > kMostBytes)
        throw UsageError(fmt::format("--output {}: the file's name has {} bytes; allowed: at most {}", path,
                                     name.size(), kMostBytes));
    if (is_open_on(STDERR_FILENO, path))
        throw UsageError(fmt::format("--output {}: it is standard error, where messages go; allowed: a file that can "
                                     "be written, or - for standard output",
                                     path));
    return path;
}

std::string experiment_name(const Given& given, const std::string& usual)
{
    const auto found = given.find("experiment");
    if (found == given.end())
        return usual;
    std::string name = found->second.size() == 1 ? found->second.front() : "";
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
        throw UsageError(fmt::format("--experiment {}: it is no name; allowed: one that a file can have",
                                     fmt::join(found->second, " --experiment ")));
    return name;
}

std::chrono::seconds timeout_of(const Settings& settings, BackendKind backend)
{
    constexpr std::uint64_t kMost = 86'400;
    const auto setting = settings.one("timeout");
    return std::chrono::seconds(setting ? parse_number(*setting, 1, kMost) : backend == BackendKind::cuda ? 60 : 600);
}

void check_options(const Given& given, const Settings& settings)
{
    static_cast<void>(timeout_of(settings, BackendKind::cpu));
    for (const char* option : {"resume", "retry-failed"})
        if (given.contains(option) && given.contains("overwrite"))
            throw UsageError(fmt::format("--{}: not with --overwrite; allowed: one of them", option));
    if (given.contains("plot") && given.contains("untimed"))
        throw UsageError("--plot: an untimed run has nothing to draw; allowed: without --untimed");
    for (const char* key : {"precision", "latency"})
        if (const auto setting = settings.one(key); setting && setting->value != "off" && given.contains("untimed"))
            throw UsageError(
                fmt::format("{}: an untimed run has no times; allowed: without --untimed", setting->place()));
}

std::string command_to_go_on(const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{program_invocation_name, "run"};
    std::ranges::copy_if(arguments, std::back_inserter(words),
                         [](const std::string& word) { return word != "--overwrite" && word != "--retry-failed"; });
    return shell_text(words);
}

} // namespace nestbed
