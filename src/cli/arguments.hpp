// The words of a command line, checked against the options of a command. Boost.Program_options does the work.
#pragma once

#include "plan/settings.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

using Arguments = std::vector<std::string>;

// What a command line gave, by option; under "argument" what is no option.
using Given = std::map<std::string, std::vector<std::string>>;

// An option, as the parser, the help, the completion and the man page have it.
struct Option {
    std::string name;
    std::string value; // what stands for its value in the help: "FILE"; empty: a switch
    std::string help;
    std::string otherwise{}; // the value where it is not given; empty: there is none
    char letter = 0;         // "-o"; 0: none
};
using Options = std::vector<Option>;

// A key of experiment files as an option of a command that has its own default for it, or its own words.
struct KeyUse {
    std::string_view name;
    std::string_view otherwise{}; // empty: the key's
    std::string_view help{};      // empty: the key's
};

enum class Values : bool { one, several };

// Keys of experiment files as options: all of them, those that are axes of the cases, or these.
Options key_options();
Options axis_options(Values values);
Options key_options(Values values, const std::vector<KeyUse>& uses);

// At most `operands` words that are no option. An option may be spelled with '_' for '-'. Throws UsageError, with the
// nearest option for one that is unknown; `usage` says how the command is called.
Given parse_arguments(const Arguments& arguments, const Options& options, std::size_t operands,
                      std::string_view usage);

// The value of an option that takes a file's name, or `otherwise`. Throws UsageError when there are several.
std::string only_value(const Given& given, const std::string& key, const std::string& otherwise,
                       std::string_view allowed = "a file's name, or -");

// The keys that were given replace what a file says of them.
void set_from(Settings& settings, const Given& given);

} // namespace nestbed
