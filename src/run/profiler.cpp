#include "run/profiler.hpp"

#include "model/case_text.hpp"
#include "model/strategy.hpp"

#include <fmt/format.h>

#include <string_view>

namespace nestbed
{

namespace
{

// The thread instructions give the number of launches: the first instruction of the device runtime's launch function
// is executed once per launch. The other metrics describe the recursion in more detail.
constexpr std::string_view kMetrics =
    "thread_inst_executed,inst_executed,sm__ctas_launched.sum,sm__warps_launched.sum,"
    "sm__warps_active.avg.pct_of_peak_sustained_active,dram__bytes_read.sum,dram__bytes_write.sum,"
    "gpu__time_duration.sum,launch__grid_size";

std::vector<std::string> page_of(const std::string& report, const char* page, const ProfilerPrograms& programs)
{
    return {programs.ncu, "--import", report, "--page", page, "--csv"};
}

} // namespace

ProfileCommands profile_commands(const Case& point, const std::string& experiment, const std::string& stem,
                                 const ProfilerPrograms& programs)
{
    const std::string report = stem + kReportEnding;
    ProfileCommands commands{.collect = {programs.ncu, "--clock-control", "none", "--cache-control", "none", "--nvtx",
                                         "--nvtx-include", fmt::format("regex:{}@.*/", kRangeDomain), "--metrics",
                                         std::string(kMetrics), "--import-source", "no", "--force-overwrite",
                                         "--export", report, programs.nestbed, "run", "--experiment", experiment},
                             .source = page_of(report, "source", programs),
                             .raw = page_of(report, "raw", programs)};
    for (const auto& [key, value] : settings_of(point)) {
        commands.collect.push_back("--" + key);
        commands.collect.push_back(value);
    }
    for (const char* word : {"--repeat", "1", "--warmup", "0", "--untimed", "--in-process", "--output"})
        commands.collect.emplace_back(word);
    commands.collect.push_back(stem + kLedgerEnding);
    commands.raw.insert(commands.raw.end(), {"--print-units", "base"});
    return commands;
}

std::string stem_name(std::size_t number, const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const std::string mechanism =
        info.mechanisms.size() == 1 ? "" : fmt::format("-{}", name_of(mechanism_of(info, point)));
    const bool matrix = info.over_matrix();
    return fmt::format("{:03}-{}{}-{}x{}", number, point.strategy, mechanism, matrix ? point.nx : point.grid,
                       matrix ? point.ny : point.block);
}

std::string shell_text(const std::vector<std::string>& words)
{
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    std::string text;
    for (const std::string& word : words) {
        text += text.empty() ? "" : " ";
        if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char character : word)
            text += character == '\'' ? "'\\''" : std::string(1, character);
        text += '\'';
    }
    return text;
}

} // namespace nestbed
