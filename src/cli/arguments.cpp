#include "cli/arguments.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/user_program.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nestbed
{

namespace po = boost::program_options;

namespace
{

Option option_of(const Key& key, Values values, std::string_view default_text, std::string_view help)
{
    std::string text(help.empty() ? key.help : help);
    if (help.empty() && !key.hint.empty())
        text += fmt::format("; {}", key.hint);
    return {.name = std::string(key.name),
            .value = std::string(values == Values::one ? key.one : key.value),
            .help = std::move(text),
            .default_text = std::string(default_text.empty() ? key.default_text : default_text),
            .own = key.own};
}

} // namespace

SplitArguments split_at_dashes(const Arguments& arguments)
{
    const auto dashes = std::ranges::find(arguments, "--");
    SplitArguments split{.before = {arguments.begin(), dashes}};
    if (dashes != arguments.end())
        split.after = Arguments(dashes + 1, arguments.end());
    return split;
}

Options key_options()
{
    Options options;
    for (const Key& key : all_keys())
        options.push_back(option_of(key, Values::several, "", ""));
    return options;
}

Options axis_options(Values values)
{
    Options options;
    for (const Key& key : all_keys())
        if (key.axis && !is_of_program(axis_named(key.name)))
            options.push_back(option_of(key, values, "", ""));
    return options;
}

Options key_options(Values values, const std::vector<KeyUse>& uses)
{
    Options options;
    for (const KeyUse& use : uses) {
        options.push_back(
            option_of(*std::ranges::find(all_keys(), use.name, &Key::name), values, use.default_text, use.help));
        options.back().own = false;
    }
    return options;
}

namespace
{

// Turns `--pending_limit` into `--pending-limit`. A negative number after an option is its value, not an option, and what comes after
// `--arguments` is its value as it is: `--arguments --num_items={elements}`.
std::vector<std::string> tidy(const std::vector<std::string>& arguments)
{
    std::vector<std::string> tidied;
    for (const std::string& argument : arguments) {
        const bool after_option =
            !tidied.empty() && tidied.back().starts_with("--") && tidied.back().find('=') == std::string::npos;
        const bool is_negative =
            argument.size() > 1 && argument[0] == '-' && argument[1] >= '0' && argument[1] <= '9';
        if (after_option && (is_negative || (tidied.back() == "--arguments" && argument.starts_with('-')))) {
            tidied.back() += "=" + argument;
        } else if (argument.starts_with("--")) {
            const std::size_t equals = argument.find('=');
            tidied.push_back(canonical_key(argument.substr(0, equals)) +
                             (equals == std::string::npos ? "" : argument.substr(equals)));
        } else {
            tidied.push_back(argument);
        }
    }
    return tidied;
}

} // namespace

Option overwrite_option()
{
    return {.name = "overwrite", .value = "", .help = "replace an existing file"};
}

Given parse_arguments(const Arguments& arguments, const Options& options, std::size_t operands,
                      std::string_view usage)
{
    po::options_description all;
    for (const Option& option : options) {
        const std::string name = option.letter == 0 ? option.name : option.name + "," + option.letter;
        if (option.value.empty())
            all.add_options()(name.c_str(), po::bool_switch());
        else
            all.add_options()(name.c_str(), po::value<std::vector<std::string>>()->composing());
    }
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
        for (const Option& option : options)
            spelled.push_back("--" + option.name);
        const std::vector<std::string_view> allowed(spelled.begin(), spelled.end());
        throw UsageError(fmt::format("unknown option '{}'{}", error.get_option_name(),
                                     suggestions(error.get_option_name(), allowed, "--help")));
    } catch (const po::error& error) {
        throw UsageError(fmt::format("{}; allowed: --option VALUE, see --help", error.what()));
    }
    const std::vector<std::string>& others = given["argument"];
    if (others.size() > operands)
        throw UsageError(fmt::format("'{}' was not expected; allowed: {}", others[operands], usage));
    return given;
}

std::string only_value(const Given& given, const std::string& key, const std::string& default_text,
                       std::string_view allowed)
{
    const auto found = given.find(key);
    if (found == given.end())
        return default_text;
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
