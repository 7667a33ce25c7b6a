#include "cli/run_options.hpp"

#include "base/error.hpp"
#include "base/standard_streams.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "cli/device_option.hpp"
#include "cli/log_files.hpp"
#include "log/csv_log.hpp"
#include "plan/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <unistd.h>
#include <vector>

namespace nestbed
{

Options run_options()
{
    return {
        {.name = "output",
         .value = "FILE",
         .help = "the CSV; an existing log is continued; - for standard output",
         .default_text = "results/local/EXPERIMENT.csv, or a new name without an experiment",
         .letter = 'o'},
        {.name = "experiment",
         .value = "NAME",
         .help = "the experiment's name in rows and manifest",
         .default_text = "the file's name, or adhoc"},
        {.name = "shard",
         .value = "I/N",
         .help = "measure only part I of N; the parts have about the same run time, and `nestbed merge` joins "
                 "their CSVs"},
        {.name = "resume",
         .value = "",
         .help = "continue the CSV even if another machine with the same kind of device began it, or with fewer "
                 "repetitions"},
        {.name = "overwrite", .value = "", .help = "move an existing CSV aside and measure everything"},
        {.name = "retry-failed",
         .value = "",
         .help = "measure the CSV's failed rows again; the previous CSV becomes FILE.old-1"},
        {.name = "in-process",
         .value = "",
         .help = "measure without a worker process, for profilers and debuggers; a crash ends the run"},
        {.name = "untimed", .value = "", .help = "leave all times empty, for a run under a profiler"},
        reference_option(),
        {.name = "plot", .value = "", .help = "draw the figures of the log at the end (experiments/plot.sh)"},
        {.name = "no-nvtx", .value = "", .help = "no NVTX ranges around the timed regions, to measure their cost"},
        {.name = "dry-run", .value = "", .help = "print the plan and measure nothing"},
        device_option("with --dry-run: the GPU to plan for, which need not be here")};
}

std::string output_path(const Given& given, const std::string& experiment, const std::optional<Shard>& shard)
{
    const std::string part = shard ? fmt::format(".{}-of-{}", shard->number, shard->of) : "";
    std::string path = only_value(given, "output", fmt::format("{}/{}{}.csv", kDefaultFolder, experiment, part));
    if (is_open_on(STDOUT_FILENO, path))
        return "-";
    check_is_not_compressed(path);
    // Leaves room for longer names beside it, such as FILE.old-1.json.
    constexpr std::size_t kMaxBytes = 220;
    if (const std::string name = std::filesystem::path(path).filename().string(); name.size() > kMaxBytes)
        throw UsageError(fmt::format("--output {}: the file's name has {} bytes; allowed: at most {}", path,
                                     name.size(), kMaxBytes));
    if (is_open_on(STDERR_FILENO, path))
        throw UsageError(fmt::format("--output {}: it is standard error, where messages go; allowed: a file that can "
                                     "be written, or - for standard output",
                                     path));
    return path;
}

bool names_its_log(const Given& given)
{
    return given.at("argument").empty() && !given.contains("experiment") && !given.contains("output") &&
           !given.contains("shard");
}

std::string own_log_name(const Settings& settings, const std::string& run_id)
{
    constexpr std::size_t kMaxBytes = 60;
    std::string name;
    for (const Setting& setting : settings.of("strategy"))
        for (const std::string& one : split(setting.value, ','))
            name += one + "-";
    name.resize(std::min(name.size(), kMaxBytes));
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; }, '-');
    name.erase(name.find_last_not_of("-_") + 1);
    return fmt::format("{}-{}{}", name.empty() ? "adhoc" : name, run_id.substr(0, run_id.find('-')),
                       run_id.substr(run_id.rfind('-')));
}

std::string experiment_name(const Given& given, const std::string& default_name)
{
    const auto found = given.find("experiment");
    if (found == given.end())
        return default_name;
    std::string name = found->second.size() == 1 ? found->second.front() : "";
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
        throw UsageError(fmt::format("--experiment {}: it is not a valid name; allowed: a file name without '/'",
                                     fmt::join(found->second, " --experiment ")));
    return name;
}

std::chrono::seconds timeout_of(const Settings& settings, BackendKind backend)
{
    constexpr std::uint64_t kMax = 86'400;
    const auto setting = settings.one("timeout");
    return std::chrono::seconds(setting ? parse_number(*setting, 1, kMax) : backend == BackendKind::cuda ? 60 : 600);
}

void check_options(const Given& given, const Settings& settings)
{
    static_cast<void>(timeout_of(settings, BackendKind::cpu));
    for (const char* option : {"resume", "retry-failed"})
        if (given.contains(option) && given.contains("overwrite"))
            throw UsageError(fmt::format("--{}: not with --overwrite; allowed: one of them", option));
    if (given.contains("device") && !given.contains("dry-run"))
        throw UsageError("--device: a run measures on the GPU that is here; allowed: with --dry-run");
    for (const char* option : {"resume", "retry-failed"})
        if (given.contains(option) && names_its_log(given))
            throw UsageError(fmt::format("--{}: a run without an experiment has a log of its own; allowed: with "
                                         "--output FILE",
                                         option));
    if (given.contains("plot") && given.contains("untimed"))
        throw UsageError("--plot: an untimed run has nothing to draw; allowed: without --untimed");
    for (const char* key : {"precision", "latency"})
        if (const auto setting = settings.one(key); setting && setting->value != "off" && given.contains("untimed"))
            throw UsageError(
                fmt::format("{}: an untimed run has no times; allowed: without --untimed", setting->place()));
}

std::string resume_command(const std::vector<std::string>& arguments, const std::string& output)
{
    std::vector<std::string> words{program_invocation_name, "run"};
    std::ranges::copy_if(arguments, std::back_inserter(words),
                         [](const std::string& word) { return word != "--overwrite" && word != "--retry-failed"; });
    if (!output.empty())
        words.insert(words.end(), {"--output", output});
    return shell_text(words);
}

} // namespace nestbed
