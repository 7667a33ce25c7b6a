#include "cli/help.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nestbed
{

const std::string_view kPurpose = "measures recursion by dynamic parallelism on GPUs";
const std::string_view kExamples = R"(  nestbed run experiments/book.cfg -o book.csv
  nestbed run --strategy nosync --grid 64 --block 128,256
  nestbed run experiments/grid.cfg --backend cpu --grid 1:64:*2 --dry-run
)";
const std::string_view kExitCodes = R"(  0    all rows are ok, or as `expect` says
  1    the command could not run
  2    an option or the experiment file is wrong
  3    rows are wrong, failed, unsupported or missing, or compare found a
       regression
  130  interrupted
)";

namespace
{

// Formats two columns within 80 characters; the second one is wrapped.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& lines)
{
    constexpr std::size_t kMostLeft = 30;
    std::size_t left = 0;
    for (const auto& line : lines)
        if (line.first.size() <= kMostLeft)
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

std::string table_of(const Options& options)
{
    std::vector<std::pair<std::string, std::string>> lines;
    lines.reserve(options.size());
    for (const Option& option : options)
        lines.emplace_back(spelled(option), described(option));
    return two_columns(lines);
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

Options options_of(const Command& command)
{
    Options options = command.options;
    options.push_back({.name = "help", .value = "", .help = "print this help", .letter = 'h'});
    options.insert(options.end(), command.settings.begin(), command.settings.end());
    return options;
}

std::string spelled(const Option& option)
{
    return fmt::format("{}--{}{}{}", option.letter == 0 ? "" : fmt::format("-{}, ", option.letter), option.name,
                       option.value.empty() ? "" : " ", option.value);
}

std::string described(const Option& option)
{
    return option.otherwise.empty() ? option.help : fmt::format("{} (default: {})", option.help, option.otherwise);
}

std::string help_text()
{
    std::vector<std::pair<std::string, std::string>> commands;
    for (const Command& command : all_commands())
        commands.emplace_back(command.name, command.summary);
    return fmt::format("nestbed {}.\n\nUsage:\n  nestbed COMMAND [arguments] [options]\n"
                       "  nestbed help COMMAND     the options of a command; also nestbed COMMAND --help\n"
                       "  nestbed --version\n\nCommands:\n{}\nExamples:\n{}\nExit codes:\n{}",
                       kPurpose, two_columns(commands), kExamples, kExitCodes);
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
    if (takes_axes(command.settings))
        text += "\nAXIS: numbers, comma-separated: 64,256,2048 or 1:8 or 0:100:10 or 1:64k:*2;\n"
                "      64k is 65536, 1M is 1048576, 2^20 too\n"
                "LIST: names, comma-separated; *_tail: all that match; --mechanism all: every\n"
                "      mechanism that a strategy has\n";
    return text;
}

} // namespace nestbed
