#include "cli/shell_files.hpp"

#include "base/version.hpp"
#include "cli/help.hpp"
#include "model/axis_table.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace nestbed
{

namespace
{

using boost::algorithm::replace_all_copy;

// The words that are allowed as an option's value; empty if the value is a number or free text.
std::vector<std::string_view> words_for(const Option& option)
{
    if (option.name == "strategy")
        return Registry::names();
    if (option.name == "backend")
        return {"auto", "cuda", "cpu"};
    if (option.name == "mechanism") {
        std::vector<std::string_view> names{"all"};
        for (const Mechanism mechanism : kMechanisms)
            if (mechanism != Mechanism::none)
                names.push_back(name_of(mechanism));
        return names;
    }
    if (option.name == "schedule")
        return {"fifo", "eager", "random:"};
    if (option.name == "expect")
        return {"ok", "wrong", "launch_failed", "unsupported"};
    if (option.name == "latency")
        return {"on", "off"};
    const auto axis = std::ranges::find(all_axes(), option.name, &Axis::name);
    if (axis == all_axes().end())
        return {};
    const std::span<const std::string_view> names = names_on(*axis);
    return {names.begin(), names.end()};
}

bool takes_file(const Option& option)
{
    return option.value == "FILE" || option.value == "FOLDER" || option.value == "PATH";
}

std::vector<std::string> spellings(const Option& option)
{
    std::vector<std::string> all{"--" + option.name};
    if (option.letter != 0)
        all.push_back({'-', option.letter});
    return all;
}

std::vector<std::string_view> command_names()
{
    std::vector<std::string_view> names;
    for (const Command& command : all_commands())
        names.push_back(command.name);
    return names;
}

} // namespace

std::string bash_completion()
{
    std::string cases;
    for (const Command& command : all_commands()) {
        std::vector<std::string> options;
        std::string values;
        for (const Option& option : options_of(command)) {
            const std::vector<std::string> names = spellings(option);
            options.insert(options.end(), names.begin(), names.end());
            if (option.value.empty())
                continue;
            const std::vector<std::string_view> words = words_for(option);
            values += fmt::format("        {}) {} ;;\n", fmt::join(names, "|"),
                                  takes_file(option) ? "COMPREPLY=($(compgen -f -- \"$word\")); return"
                                                     : fmt::format("values='{}'; takes=1", fmt::join(words, " ")));
        }
        cases += fmt::format(
            "    {})\n        options='{}'\n        ending='{}'\n        case $before in\n{}        esac ;;\n",
            command.name, fmt::join(options, " "), command.files, values);
    }
    return fmt::format(R"(# bash completion for nestbed, made by `nestbed completion bash`
function _nestbed {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local options= values= takes= ending= head=
    if [[ $COMP_CWORD == 1 || ( $COMP_CWORD == 2 && $before == help ) ]]; then
        COMPREPLY=($(compgen -W '{0} help --help --version' -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{1}    esac
    if [[ $takes ]]; then # the last of several, by comma
        [[ $word == *,* ]] && head=${{word%,*}},
        COMPREPLY=($(compgen -P "$head" -W "$values" -- "${{word##*,}}"))
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [[ $ending ]]; then
        COMPREPLY=($(compgen -d -S / -- "$word") $(compgen -f -X "!*.$ending" -- "$word"))
    fi
}}
complete -o filenames -F _nestbed nestbed
)",
                       fmt::join(command_names(), " "), cases);
}

namespace
{

// Escapes text inside the quotes of zsh's _arguments, where '[', ']' and ':' are special.
std::string zsh_text(std::string text)
{
    for (const std::string_view special : {"\\", "[", "]", ":"})
        text = replace_all_copy(text, std::string(special), "\\" + std::string(special));
    return replace_all_copy(text, "'", "'\\''");
}

std::string zsh_option(const Option& option)
{
    const std::vector<std::string> names = spellings(option);
    const std::vector<std::string_view> words = words_for(option);
    std::string action = takes_file(option) ? "_files" : " ";
    if (!words.empty()) {
        std::vector<std::string> quoted;
        for (const std::string_view word : words)
            quoted.push_back(replace_all_copy(std::string(word), ":", "\\:"));
        action = fmt::format("_values -s , {} {}", option.name, fmt::join(quoted, " "));
    }
    const std::string value = option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), action);
    const std::string help = fmt::format("[{}]{}", zsh_text(described(option)), value);
    std::string lines;
    for (const std::string& name : names)
        lines += fmt::format(" \\\n            '*{}{}'", name, help);
    return lines;
}

} // namespace

std::string zsh_completion()
{
    std::string names;
    std::string cases;
    for (const Command& command : all_commands()) {
        names += fmt::format("        '{}:{}'\n", command.name, zsh_text(std::string(command.summary)));
        cases += fmt::format("    {})\n        _arguments", command.name);
        for (const Option& option : options_of(command))
            cases += zsh_option(option);
        if (!command.files.empty())
            cases += fmt::format(" \\\n            '*:file:_files -g \"*.{}\"'", command.files);
        cases += " ;;\n";
    }
    return fmt::format(R"(#compdef nestbed
# zsh completion for nestbed, made by `nestbed completion zsh`
function _nestbed {{
    local -a commands=(
{}        'help:print the help'
    )
    if (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $words[2] == help ]]; then
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{}    esac
}}
_nestbed "$@"
)",
                       names, cases);
}

namespace
{

// Escapes text for groff, where '.' or '\'' at the beginning of a line, and '\' and '-' anywhere, are special.
std::string roff(std::string_view text)
{
    std::string safe = replace_all_copy(replace_all_copy(std::string(text), "\\", "\\e"), "-", "\\-");
    safe = replace_all_copy(replace_all_copy(safe, "\n.", "\n\\&."), "\n'", "\n\\&'");
    return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string roff_lines(std::string_view text) // without filling lines
{
    return fmt::format(".nf\n{}.fi\n", roff(text));
}

std::string roff_options(const Options& options)
{
    std::string text;
    for (const Option& option : options)
        text += fmt::format(".TP\n.B {}\n{}\n", roff(spelled(option)), roff(described(option)));
    return text;
}

} // namespace

std::string man_page()
{
    std::string text = fmt::format(".TH NESTBED 1 \"\" \"nestbed {}\" \"User Commands\"\n.SH NAME\nnestbed \\- {}\n"
                                   ".SH SYNOPSIS\n",
                                   kVersion, roff(kPurpose));
    for (const Command& command : all_commands())
        text +=
            fmt::format(".B {}\n{}\n.br\n", roff(fmt::format("nestbed {}", command.name)), roff(command.arguments));
    text += ".SH COMMANDS\n";
    for (const Command& command : all_commands()) {
        text += fmt::format(".SS {}\n{}", roff(usage_of(command)), roff_lines(command.text));
        text += roff_options(command.options);
        if (!command.settings.empty())
            text += command.files == "cfg" ? ".P\nAnd as options or in experiment files:\n" : "";
        text += roff_options(command.settings);
    }
    return text + fmt::format(".SH EXAMPLES\n{}.SH EXIT STATUS\n{}", roff_lines(kExamples), roff_lines(kExitCodes));
}

} // namespace nestbed
