// The words of a command line, checked against the options of a command. Boost.Program_options does the work.
#pragma once

#include "plan/settings.hpp"

#include <boost/program_options/options_description.hpp>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// What a command line gave, by option; under "argument" what is no option.
using Given = std::map<std::string, std::vector<std::string>>;

// The keys of an experiment file as options; all of them, or only these.
boost::program_options::options_description key_options(std::initializer_list<std::string_view> only = {});
// Those of them that are axes of the cases.
boost::program_options::options_description axis_options();

// At most `positional` words that are no option. An option may be spelled with '_' for '-'. Throws UsageError, with the
// nearest option for one that is unknown.
Given parse_arguments(const std::vector<std::string>& arguments,
                      const boost::program_options::options_description& options, std::size_t positional);

// The value of an option that takes a file's name, or `otherwise`. Throws UsageError when there are several.
std::string only_value(const Given& given, const std::string& key, const std::string& otherwise,
                       std::string_view allowed = "a file's name, or -");

// The keys that were given replace what a file says of them.
void set_from(Settings& settings, const Given& given);

} // namespace nestbed
