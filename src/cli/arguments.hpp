// Parses the words of a command line and checks them against the options of a command, with Boost.Program_options.
#pragma once

#include "plan/settings.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

using Arguments = std::vector<std::string>;

// The words before and after the first "--": those after it are a program and its arguments, or only its arguments.
struct SplitArguments {
    Arguments before;
    std::optional<Arguments> after; // empty: there is no "--"
};
SplitArguments split_at_dashes(const Arguments& arguments);

// The values on a command line, by option. Words that are not options are under "argument".
using Given = std::map<std::string, std::vector<std::string>>;

// An option for the parser, the help and the completion.
struct Option {
    std::string name;
    std::string value; // placeholder for its value in the help: "FILE"; empty: a switch
    std::string help;
    std::string default_text{}; // the default; empty: there is none
    char letter = 0;            // "-o"; 0: none
    bool own = false;           // a parameter of some workloads: the help shows it with a workload
};
using Options = std::vector<Option>;

// A key of experiment files, used as an option of a command that may have its own default or help for it.
struct KeyUse {
    std::string_view name;
    std::string_view default_text{}; // empty: that of the key
    std::string_view help{};         // empty: that of the key
};

enum class Values : bool { one, several };

// Keys of experiment files as options: all keys, only the axes of cases, or only the keys in `uses`.
Options key_options();
Options axis_options(Values values);
Options key_options(Values values, const std::vector<KeyUse>& uses);

// --overwrite of a command that writes a file at its end (OutputFile in base/new_file.hpp).
Option overwrite_option();

// At most `operands` words may be other than options. An option may be spelled with '_' instead of '-'. Throws
// UsageError; for an unknown option the message suggests the nearest one. `usage` says how to call the command.
Given parse_arguments(const Arguments& arguments, const Options& options, std::size_t operands,
                      std::string_view usage);

// The value of an option that takes a file name, or `default_text`. Throws UsageError if there are several values.
std::string only_value(const Given& given, const std::string& key, const std::string& default_text,
                       std::string_view allowed = "a file's name, or -");

// Replaces the values that a file gives to a key by those on the command line.
void set_from(Settings& settings, const Given& given);

} // namespace nestbed
