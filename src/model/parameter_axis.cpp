#include "model/parameter_axis.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace nestbed
{

namespace
{

// What its values look like: the same in all declarations of a name.
AxisRange range_of(const Parameter& one)
{
    if (one.file)
        return {};
    return one.names.empty() ? AxisRange{one.least, one.most} : AxisRange{0, one.names.size() - 1};
}

bool has_default(const Parameter& one)
{
    return !one.file && (!one.names.empty() || one.initial() >= one.least);
}

// What it means in each workload; the numbers of a user's program, which have no place, say nothing.
std::string help_of(const std::vector<const Parameter*>& declared)
{
    const std::uint32_t place = std::ranges::min(declared, {}, &Parameter::place)->place;
    std::set<std::string_view> meanings;
    for (const Parameter* const one : declared)
        if (one->place == place)
            meanings.insert(one->help);
    std::string help;
    for (const std::string_view meaning : meanings)
        help.append(help.empty() ? "" : "; or ").append(meaning);
    return help;
}

// "whole numbers from 1 to 16", "simpson, trapezoid": what users can ask for.
std::string values_text(const Parameter& one)
{
    if (one.file)
        return "files";
    std::string text;
    for (const std::string_view name : one.names)
        text.append(text.empty() ? "" : ", ").append(name);
    return one.names.empty() ? "whole numbers from " + std::to_string(one.least) + " to " + std::to_string(one.most)
                             : text;
}

} // namespace

std::string column_of_name(std::string_view name)
{
    std::string column(name);
    std::ranges::replace(column, '-', '_');
    return column;
}

std::string default_text_of(const Parameter& one)
{
    if (!one.default_text.empty() || one.file)
        return std::string(one.default_text);
    return one.names.empty() ? std::to_string(one.initial()) : std::string(one.names[one.initial()]);
}

Axis axis_of(std::vector<const Parameter*> declared)
{
    std::ranges::sort(declared, {}, [](const Parameter* one) { return std::pair(one->place, one->help); });
    const auto with_default = std::ranges::find_if(declared, [](const Parameter* one) { return has_default(*one); });
    const Parameter& first = with_default == declared.end() ? *declared.front() : **with_default;
    const bool agree = std::ranges::all_of(
        declared, [&](const Parameter* one) { return !has_default(*one) || one->initial() == first.initial(); });
    Axis axis{.name = first.name,
              .column = column_of_name(first.name),
              .help = help_of(declared),
              .default_text = agree ? default_text_of(first) : "by the workload",
              .id = axis::own,
              .range = range_of(first),
              .default_value = agree ? first.initial() : 0,
              .names = first.names};
    axis.parameter = &first;
    axis.text = first.file;
    axis.always_in_key = !first.file;
    axis.own = true;
    axis.in_dry_run = !first.file;
    for (const Parameter* const one : declared) {
        axis.input = axis.input || one->is_problem() || one->decides_input;
        axis.size = axis.size || one->size;
    }
    axis.problem = std::ranges::all_of(declared, &Parameter::is_problem);
    axis.get = [name = axis.name](const Case& point) { return std::optional<std::uint64_t>(point[name]); };
    axis.set = [name = axis.name](Case& point, std::optional<std::uint64_t> number) {
        point.own.set(name, static_cast<std::uint32_t>(number.value_or(0)));
    };
    axis.applies = [name = axis.name](const StrategyInfo& info, Mechanism /*by*/, BackendKind /*on*/) {
        return info.parameter(name) != nullptr;
    };
    return axis;
}

bool is_same(const Parameter& one, const Parameter& other)
{
    return values_text(one) == values_text(other) && one.help == other.help && one.initial() == other.initial() &&
           one.default_text == other.default_text && one.role == other.role &&
           one.decides_input == other.decides_input && one.size == other.size;
}

std::string why_not(const Parameter& one, std::span<const Axis> general, const Parameter* before)
{
    constexpr std::size_t kMaxLetters = 40;
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
    constexpr std::string_view kOthers = "0123456789-";
    const auto is_word = [&](std::string_view name, std::string_view others) {
        return !name.empty() && kLetters.find(name.front()) != std::string_view::npos && name.size() <= kMaxLetters &&
               std::ranges::all_of(name, [&](char letter) {
                   return (std::string(kLetters) + std::string(others)).find(letter) != std::string::npos;
               });
    };
    if (!is_word(one.name, kOthers))
        return "it is not a valid name of a parameter; allowed: small letters, digits and '-', a letter first, not "
               "more than " +
               std::to_string(kMaxLetters);
    if (std::ranges::find(general, one.name, &Axis::name) != general.end() ||
        std::ranges::find(general, column_of_name(one.name), &Axis::column) != general.end())
        return "it is the name of an axis of all workloads; allowed: another name, or that axis";
    for (const std::string_view name : one.names)
        if (!is_word(name, "0123456789_") || std::ranges::count(one.names, name) > 1)
            return "its value '" + std::string(name) +
                   "' is not a valid name, or is repeated; allowed: small letters, digits and _, a letter first";
    if (one.file && !one.names.empty())
        return "its values are files and names; allowed: one of these";
    const AxisRange range = range_of(one);
    if (range.least > range.most)
        return "its values are " + values_text(one) + "; allowed: a least value that is not above the greatest";
    if (one.initial() > range.most || (one.initial() != 0 && one.initial() < range.least))
        return "its default " + std::to_string(one.initial()) +
               " is not one of its values; allowed: " + values_text(one) + ", or 0 if its workload replaces that";
    if (before != nullptr && values_text(*before) != values_text(one))
        return "it has other values (" + values_text(one) +
               ") than in another workload; allowed: " + values_text(*before) + ", or another name";
    return "";
}

} // namespace nestbed
