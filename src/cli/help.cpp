#include "cli/help.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "model/modules.hpp"
#include "plan/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::string_view kPurpose = "measures recursion by dynamic parallelism on GPUs";
constexpr std::string_view kExamples = R"(  nestbed run experiments/book.cfg -o book.csv
  nestbed run --strategy nosync --grid 64 --block 128,256
  nestbed run experiments/grid.cfg --backend cpu --grid 1:64:*2 --dry-run
)";
constexpr std::string_view kExitCodes = R"(  0    all rows are ok, or as `expect` says
  1    the command could not run
  2    an option or the experiment file is wrong
  3    rows are wrong, failed, unsupported or missing, or compare found a
       regression
  130  interrupted
)";

// "-o, --output FILE".
std::string spelled(const Option& option)
{
    return fmt::format("{}--{}{}{}", option.letter == 0 ? "" : fmt::format("-{}, ", option.letter), option.name,
                       option.value.empty() ? "" : " ", option.value);
}

// The purpose of an option, and its default.
std::string described(const Option& option)
{
    return option.default_text.empty() ? option.help
                                       : fmt::format("{} (default: {})", option.help, option.default_text);
}

// Formats two columns within 80 characters; the second one is wrapped.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& lines)
{
    constexpr std::size_t kMaxLeft = 30;
    std::size_t left = 0;
    for (const auto& line : lines)
        if (line.first.size() <= kMaxLeft)
            left = std::max(left, line.first.size());
    const std::size_t indent = left + 4;
    std::string text;
    for (const auto& [first, second] : lines) {
        const std::string right = folded(second, indent);
        text += first.size() <= left ? fmt::format("  {:<{}}{}", first, left + 2, right.substr(indent))
                                     : fmt::format("  {}\n{}", first, right);
    }
    return text;
}

// Without the parameters of workloads.
std::string table_of(const Options& options)
{
    std::vector<std::pair<std::string, std::string>> lines;
    lines.reserve(options.size());
    for (const Option& option : options)
        if (!option.own)
            lines.emplace_back(spelled(option), described(option));
    return two_columns(lines);
}

bool has_own(const Command& command)
{
    return std::ranges::any_of(command.settings, &Option::own);
}

std::vector<std::string> options_of_command(const Command& command)
{
    std::vector<std::string> names;
    for (const Option& option : command.settings)
        if (option.own)
            names.push_back(fmt::format("--{}", option.name));
    return names;
}

std::vector<std::string_view> workload_names()
{
    std::vector<std::string_view> names;
    for (const WorkloadInfo* workload : Registry::workloads())
        names.push_back(workload->name);
    return names;
}

std::vector<const StrategyInfo*> strategies_of(const WorkloadInfo& workload)
{
    std::vector<const StrategyInfo*> found;
    for (const Strategy* strategy : Registry::all())
        if (strategy->info().workload == &workload)
            found.push_back(&strategy->info());
    return found;
}

// An axis with its meaning and default for the workload; of a workload, with those of its strategies that have it, if not
// all have.
std::pair<std::string, std::string> parameter_line(const Option& option, const Axis& axis,
                                                   const std::vector<const StrategyInfo*>& having, bool all_have)
{
    Option shown = option;
    const WorkloadInfo& workload = *having.front()->workload;
    const AxisText text = text_for(axis, *having.front());
    shown.help = text.help;
    shown.default_text = text.default_text;
    std::vector<std::string_view> values;
    if (axis.id == axis::input)
        std::ranges::transform(workload.inputs, std::back_inserter(values),
                               [](InputKind input) { return name_of(input); });
    else if (axis.own)
        values.assign(axis.names.begin(), axis.names.end());
    if (!values.empty())
        shown.help = fmt::format("{}; one of {}", shown.help, fmt::join(values, ", "));
    std::vector<std::string_view> names;
    for (const StrategyInfo* const one : having)
        names.push_back(one->name);
    if (!all_have)
        shown.help += fmt::format("; only {}", fmt::join(names, ", "));
    return {spelled(shown), described(shown)};
}

// The parameters of a workload that has these strategies.
struct Parameters {
    std::vector<std::pair<std::string, std::string>> lines; // those that have a meaning of their own there
    std::vector<std::string> others;                        // the options that mean the same for others
};
Parameters parameters_of(const Command& command, const WorkloadInfo& workload,
                         const std::vector<const StrategyInfo*>& strategies)
{
    Parameters parameters;
    for (const Axis& axis : plain_axes()) {
        const auto option = std::ranges::find(command.settings, axis.name, &Option::name);
        std::vector<const StrategyInfo*> having;
        std::ranges::copy_if(strategies, std::back_inserter(having),
                             [&](const StrategyInfo* one) { return applies(axis, *one); });
        if (option == command.settings.end() || having.empty())
            continue;
        const bool meant =
            std::ranges::find(workload.meanings, axis.id, &AxisMeaning::name) != workload.meanings.end();
        if (meant || axis.own || axis.id == axis::input)
            parameters.lines.push_back(parameter_line(*option, axis, having, having.size() == strategies.size()));
        else
            parameters.others.push_back(fmt::format("--{}", axis.name));
    }
    return parameters;
}

// Those of users' own workloads, which are few.
std::string user_workloads_text(const Command& command)
{
    std::map<std::string_view, const WorkloadInfo*> workloads;
    if (modules_in_use() != nullptr)
        for (const std::string& strategy : modules_in_use()->user_strategies())
            if (const WorkloadInfo* const workload = Registry::find_anywhere(strategy)->info().workload)
                workloads.emplace(workload->name, workload);
    std::string text;
    for (const auto& [name, workload] : workloads)
        text += fmt::format("\nParameters of {}:\n{}", name,
                            two_columns(parameters_of(command, *workload, strategies_of(*workload)).lines));
    return text;
}

bool takes_axes(const Options& options)
{
    return std::ranges::any_of(options, [](const Option& option) { return option.value == "AXIS"; });
}

} // namespace

std::string usage_of(const Command& command)
{
    return fmt::format("nestbed {}{}{}", command.name, command.arguments.empty() ? "" : " ", command.arguments);
}

bool takes_load(const Command& command)
{
    constexpr std::array<std::string_view, 4> kOthers{"list", "races", "merge", "draw"};
    return !command.settings.empty() || command.files == "csv" ||
           std::ranges::find(kOthers, command.name) != kOthers.end();
}

Options options_of(const Command& command)
{
    Options options = command.options;
    if (takes_load(command))
        options.push_back(
            {.name = "load", .value = "FOLDER", .help = "also the workload that `nestbed build` made there"});
    options.push_back({.name = "help", .value = "", .help = "print this help", .letter = 'h'});
    options.insert(options.end(), command.settings.begin(), command.settings.end());
    return options;
}

std::string help_text()
{
    std::vector<std::pair<std::string, std::string>> commands;
    for (const Command& command : all_commands())
        commands.emplace_back(command.name, command.summary);
    return fmt::format("nestbed {}.\n\nUsage:\n  nestbed COMMAND [arguments] [options]\n"
                       "  nestbed help COMMAND     the options of a command; also nestbed COMMAND --help\n"
                       "  nestbed help run NAME    the parameters of a workload, or of a strategy\n"
                       "  nestbed --version\n\nCommands:\n{}\nExamples:\n{}\nExit codes:\n{}",
                       kPurpose, two_columns(commands), kExamples, kExitCodes);
}

std::string help_text(const Command& command, const std::string& name)
{
    if (!has_own(command))
        throw UsageError(fmt::format("'{}' was not expected; allowed: nestbed help {}", name, command.name));
    const Strategy* const strategy = Registry::find_anywhere(name);
    const std::vector<const WorkloadInfo*> workloads = Registry::workloads();
    const auto named = std::ranges::find(workloads, name, &WorkloadInfo::name);
    if (strategy == nullptr && named == workloads.end()) {
        expect_workload_built(name);
        std::vector<std::string_view> names = workload_names();
        std::ranges::copy(Registry::names(), std::back_inserter(names));
        throw UsageError(fmt::format("there is no workload or strategy '{}'{}{}", name,
                                     suggestions(name, names, kListsStrategies), user_workload_hint(name)));
    }
    const bool whole = named != workloads.end(); // a strategy may have the name of its workload
    const WorkloadInfo& workload = whole ? **named : *strategy->info().workload;
    const std::vector<const StrategyInfo*> strategies =
        whole ? strategies_of(workload) : std::vector{&strategy->info()};
    const Parameters parameters = parameters_of(command, workload, strategies);
    std::string text = folded(whole ? fmt::format("{}: {}", workload.name, workload.summary)
                                    : fmt::format("{}: {} (workload {}: {})", name, strategy->info().summary,
                                                  workload.name, workload.summary),
                              0);
    if (whole) {
        std::vector<std::string_view> names;
        for (const StrategyInfo* one : strategies)
            names.push_back(one->name);
        text += "\n" + folded(fmt::format("Strategies: {}", fmt::join(names, ", ")), 0);
    }
    if (!parameters.lines.empty())
        text += "\nParameters, with their meaning here:\n" + two_columns(parameters.lines);
    return text + "\n" +
           folded(fmt::format("Also, as for others (nestbed help {}): {}", command.name,
                              fmt::join(parameters.others, ", ")),
                  0);
}

std::string parameters_text(const WorkloadInfo& workload, const std::vector<const StrategyInfo*>& strategies)
{
    const Parameters parameters = parameters_of(run_command(), workload, strategies);
    return parameters.lines.empty() ? "" : "\nParameters, with their meaning here:\n" + two_columns(parameters.lines);
}

std::string help_text(const Command& command)
{
    Command own = command;
    own.settings.clear();
    std::string text = folded(usage_of(command), 0);
    text += fmt::format("\n{}\nOptions:\n{}", command.text, table_of(options_of(own)));
    if (command.settings.empty())
        return text;
    text += fmt::format("\nSettings{}:\n{}",
                        command.files == "cfg" ? ", here as options and in experiment files as KEY = VALUE" : "",
                        table_of(command.settings));
    if (has_own(command))
        text += "\n" +
                folded(fmt::format("Parameters of some workloads only: {}. nestbed help {} NAME: what they mean to a "
                                   "workload, or to a strategy. Workloads: {}",
                                   fmt::join(options_of_command(command), ", "), command.name,
                                   fmt::join(workload_names(), ", ")),
                       0) +
                user_workloads_text(command);
    if (takes_axes(command.settings))
        text += "\nAXIS: numbers, comma-separated: 64,256,2048 or 1:8 or 0:100:10 or 1:64k:*2;\n"
                "      64k is 65536, 1M is 1048576, 2^20 too\n"
                "LIST: names, comma-separated; *_tail: all that match; --mechanism all: every\n"
                "      mechanism that a strategy has\n";
    return text;
}

} // namespace nestbed
