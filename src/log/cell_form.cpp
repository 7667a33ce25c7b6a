#include "log/cell_form.hpp"

#include "base/text.hpp"
#include "model/mechanism.hpp"
#include "model/sample.hpp"
#include "model/text_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

namespace nestbed
{

namespace
{

template <class Number>
bool parse(std::string_view text, Number& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

bool is_whole(std::string_view text)
{
    std::uint64_t number = 0;
    return parse(text, number);
}

bool is_finite(std::string_view text, double above = -std::numeric_limits<double>::infinity())
{
    double number = 0;
    return parse(text, number) && std::isfinite(number) && number > above;
}

bool is_value_of(const Axis& axis, std::string_view text)
{
    if (axis.name == "mechanism")
        return std::ranges::any_of(kMechanisms, [&](Mechanism one) { return name_of(one) == text; });
    if (axis.get == nullptr || axis.text || axis.of_workloads) // inputs of workloads that this program may not have
        return true;
    std::optional<std::uint64_t> value;
    return parse_value(axis, text, value);
}

template <class Names>
std::string names_text(const Names& all)
{
    std::vector<std::string_view> names;
    std::ranges::transform(all, std::back_inserter(names), [](auto one) { return name_of(one); });
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string axis_text(const Axis& axis)
{
    if (axis.name == "mechanism")
        return names_text(kMechanisms);
    if (axis.get == nullptr || axis.text || axis.of_workloads)
        return "any text";
    if (axis.named()) {
        std::vector<std::string_view> names;
        std::ranges::copy_if(names_on(axis), std::back_inserter(names), [](auto name) { return !name.empty(); });
        return fmt::format("{} or nothing", fmt::join(names, ", "));
    }
    const std::string range = axis.range.most == std::numeric_limits<std::uint64_t>::max()
                                  ? fmt::format("from {}", axis.range.least)
                                  : fmt::format("from {} to {}", axis.range.least, axis.range.most);
    if (axis.shape)
        return fmt::format("two whole numbers {}, such as 8x32, or nothing", range);
    return fmt::format("a whole number {}{}, or nothing", range,
                       axis.range.word.empty() ? "" : fmt::format(", {}", axis.range.word));
}

} // namespace

bool parse_value(const Axis& axis, std::string_view text, std::optional<std::uint64_t>& value)
{
    const auto parse_number = [&](std::string_view digits, std::uint64_t& number) {
        return parse(digits, number) && number >= axis.range.least && number <= axis.range.most;
    };
    value = std::nullopt;
    if (text.empty() && axis.range.word.empty())
        value = 0;
    if (text.empty() || text == axis.range.word)
        return true;
    if (axis.named() || axis.text) {
        value = axis.named() ? number_on(axis, text) : number_of_text(std::string(text));
        return value.has_value();
    }
    if (!axis.shape)
        return parse_number(text, value.emplace());
    constexpr unsigned kShapeBits = 32;
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    const std::size_t x = std::min(text.find('x'), text.size() - 1);
    const bool is_shape = parse_number(text.substr(0, x), width) && parse_number(text.substr(x + 1), height);
    value = width << kShapeBits | height;
    return is_shape;
}

bool has_form(Form form, const Axis* axis, std::string_view cell)
{
    if (cell.empty() && form != Form::axis)
        return form != Form::name && form != Form::status && form != Form::backend;
    switch (form) {
    case Form::text:
    case Form::name:
        return true;
    case Form::axis:
        return is_value_of(*axis, cell);
    case Form::status:
        return std::ranges::any_of(kStatuses, [&](Status one) { return name_of(one) == cell; });
    case Form::backend:
        return cell == "cuda" || cell == "cpu";
    case Form::whole:
        return is_whole(cell);
    case Form::number:
        return is_finite(cell);
    case Form::time:
        return is_finite(cell, 0);
    case Form::numbers:
        return std::ranges::all_of(split(cell, ' '), [](std::string_view one) { return is_finite(one); });
    }
    return false;
}

std::string_view name_of(Form form)
{
    constexpr std::array<std::string_view, 9> kNames{"text",  "name",   "axis", "status", "backend",
                                                     "whole", "number", "time", "numbers"};
    return kNames.at(static_cast<std::size_t>(form));
}

bool is_number(Form form, const Axis* axis)
{
    if (form == Form::axis)
        return axis->get != nullptr && axis->names.empty() && !axis->shape && !axis->text && axis->range.word.empty();
    return form == Form::whole || form == Form::number || form == Form::time;
}

ColumnForm form_of(std::string_view column)
{
    const Axis* const axis = axis_of_column(column);
    const auto* const known = std::ranges::find(kColumnForms, column, &ColumnForm::column);
    ColumnForm form{.column = column, .form = axis == nullptr ? Form::text : Form::axis};
    if (known != kColumnForms.end())
        form = *known;
    if (form.what.empty() && axis != nullptr)
        form.what = axis->help;
    return form;
}

std::string form_text(Form form, const Axis* axis)
{
    switch (form) {
    case Form::text:
        return "any text";
    case Form::name:
        return "a text that is not empty";
    case Form::axis:
        return axis_text(*axis);
    case Form::status:
        return names_text(kStatuses);
    case Form::backend:
        return "cuda, cpu";
    case Form::whole:
        return "a whole number from 0, or nothing";
    case Form::number:
        return "a number or nothing";
    case Form::time:
        return "a number above 0, or nothing";
    case Form::numbers:
        return "numbers separated by blanks, or nothing";
    }
    return "";
}

} // namespace nestbed
