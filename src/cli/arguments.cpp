#include "cli/arguments.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace nestbed
{

namespace po = boost::program_options;

namespace
{

template <class Wanted>
po::options_description options_of_keys(Wanted&& wanted)
{
    po::options_description options("Settings, the same in a file (key = value) and here", 80);
    for (const Key& key : all_keys())
        if (wanted(key))
            options.add_options()(
                std::string(key.name).c_str(),
                po::value<std::vector<std::string>>()->composing()->value_name(std::string(key.value)),
                std::string(key.help).c_str());
    return options;
}

} // namespace

po::options_description key_options(std::initializer_list<std::string_view> only)
{
    return options_of_keys(
        [&](const Key& key) { return only.size() == 0 || std::ranges::find(only, key.name) != only.end(); });
}

po::options_description axis_options()
{
    return options_of_keys([](const Key& key) { return key.axis; });
}

namespace
{

// `--pending_limit` is `--pending-limit`; a negative number after an option is its value, not an option.
std::vector<std::string> tidy(const std::vector<std::string>& arguments)
{
    std::vector<std::string> tidied;
    for (const std::string& argument : arguments) {
        if (argument.starts_with("--")) {
            const std::size_t equals = argument.find('=');
            tidied.push_back(canonical_key(argument.substr(0, equals)) +
                             (equals == std::string::npos ? "" : argument.substr(equals)));
        } else if (argument.size() > 1 && argument[0] == '-' && argument[1] >= '0' && argument[1] <= '9' &&
                   !tidied.empty() && tidied.back().starts_with("--") &&
                   tidied.back().find('=') == std::string::npos) {
            tidied.back() += "=" + argument;
        } else {
            tidied.push_back(argument);
        }
    }
    return tidied;
}

} // namespace

Given parse_arguments(const std::vector<std::string>& arguments, const po::options_description& options,
                      std::size_t positional)
{
    po::options_description all;
    all.add(options);
    all.add_options()("argument", po::value<std::vector<std::string>>());
    po::positional_options_description names;
    names.add("argument", -1);
    Given given;
    try {
        namespace style = po::command_line_style;
        const auto parsed = po::command_line_parser(tidy(arguments))
                                .options(all)
                                .positional(names)
                                .style(style::unix_style & ~style::allow_guessing)
                                .run();
        for (const auto& option : parsed.options) {
            auto& values = given[option.string_key];
            values.insert(values.end(), option.value.begin(), option.value.end());
        }
    } catch (const po::unknown_option& error) {
        std::vector<std::string> spelled;
        for (const auto& option : options.options())
            spelled.push_back("--" + option->long_name());
        const std::vector<std::string_view> allowed(spelled.begin(), spelled.end());
        throw UsageError(fmt::format("unknown option '{}'{}; allowed: {}", error.get_option_name(),
                                     did_you_mean(error.get_option_name(), allowed), fmt::join(allowed, ", ")));
    } catch (const po::error& error) {
        throw UsageError(fmt::format("{}; allowed: --option VALUE, see --help", error.what()));
    }
    const std::vector<std::string>& others = given["argument"];
    if (others.size() > positional)
        throw UsageError(fmt::format("'{}' was not expected; allowed: {}", others[positional],
                                     positional == 0 ? "options only" : "one experiment file, and options"));
    return given;
}

std::string only_value(const Given& given, const std::string& key, const std::string& otherwise,
                       std::string_view allowed)
{
    const auto found = given.find(key);
    if (found == given.end())
        return otherwise;
    if (found->second.size() != 1 || found->second.front().empty())
        throw UsageError(fmt::format("--{} takes one value; allowed: {}", key, allowed));
    return found->second.front();
}

void set_from(Settings& settings, const Given& given)
{
    for (const Key& key : all_keys())
        if (const auto found = given.find(std::string(key.name)); found != given.end())
            settings.set(found->first, found->second);
}

} // namespace nestbed
