#include "cli/completion.hpp"

#include "cli/help.hpp"
#include "model/axis_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nestbed
{

namespace
{

using Names = std::vector<std::string>;

// The values of an option; none if the value is a number, a file or free text.
Names values_of(const Option& option)
{
    if (option.name == "strategy") {
        const std::vector<std::string_view> names = Registry::names();
        return {names.begin(), names.end()};
    }
    if (option.name == "backend")
        return {"auto", "cuda", "cpu"};
    if (option.name == "schedule")
        return {"fifo", "eager", "random:"};
    if (option.name == "expect")
        return {"ok", "wrong", "launch_failed", "unsupported"};
    if (option.name == "latency")
        return {"on", "off"};
    if (option.name == "mechanism") {
        Names names{"all"};
        for (const Mechanism mechanism : kMechanisms)
            if (mechanism != Mechanism::none)
                names.emplace_back(name_of(mechanism));
        return names;
    }
    const auto axis = std::ranges::find(all_axes(), option.name, &Axis::name);
    return axis == all_axes().end() ? Names{} : Names{names_on(*axis).begin(), names_on(*axis).end()};
}

Names candidates(const Arguments& words)
{
    if (words.size() < 2 || (words.size() == 2 && words.front() == "help")) {
        Names names{"help", "--help", "--version"};
        for (const Command& command : all_commands())
            names.push_back(command.name);
        return names;
    }
    const Command* command = find_command(words.front());
    if (command == nullptr)
        return {};
    const bool one_of_several = command->with && words.size() > 2 && !words[1].starts_with('-');
    const Options options = options_of(one_of_several ? command->with(words[1]) : *command);
    const std::string& before = words[words.size() - 2];
    for (const Option& option : options)
        if (!option.value.empty() && (before == "--" + option.name || before == fmt::format("-{}", option.letter)))
            return values_of(option);
    Names names;
    if (words.back().starts_with('-'))
        for (const Option& option : options)
            names.push_back("--" + option.name);
    return names;
}

} // namespace

std::string completions(const Arguments& words)
{
    const std::string last = words.empty() ? "" : words.back();
    const std::size_t list = last.rfind(',') + 1; // the last of several values
    std::string text;
    for (const std::string& name : candidates(words))
        if (name.starts_with(last.substr(list)))
            text += fmt::format("{}{}\n", last.substr(0, list), name);
    return text;
}

} // namespace nestbed
