#include "log/cell_form.hpp"

#include "model/mechanism.hpp"
#include "model/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace nestbed
{

namespace
{

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Digits without a leading zero.
bool is_whole(std::string_view text)
{
    return !text.empty() && (text.size() == 1 || text.front() != '0') && std::ranges::all_of(text, is_digit);
}

bool is_decimal(std::string_view text)
{
    const std::size_t point = std::min(text.find('.'), text.size());
    return is_whole(text.substr(0, point)) &&
           (point == text.size() ||
            (point + 1 < text.size() && std::ranges::all_of(text.substr(point + 1), is_digit)));
}

bool read(std::string_view text, double& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
}

// Calls is_one for each part between blanks.
template <class IsOne>
bool all_parts(std::string_view text, IsOne is_one)
{
    for (;;) {
        const std::size_t blank = std::min(text.find(' '), text.size());
        if (!is_one(text.substr(0, blank)))
            return false;
        if (blank == text.size())
            return true;
        text.remove_prefix(blank + 1);
    }
}

int number_at(std::string_view text, std::size_t place, std::size_t digits)
{
    int number = 0;
    for (const char digit : text.substr(place, digits))
        number = 10 * number + (digit - '0');
    return number;
}

// "2026-11-21T06:40:12Z", a time that a calendar has.
bool is_utc(std::string_view text)
{
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    if (!std::ranges::equal(text, kForm, [](char c, char form) { return form == '0' ? is_digit(c) : c == form; }))
        return false;
    const std::chrono::year_month_day day{std::chrono::year(number_at(text, 0, 4)),
                                          std::chrono::month(static_cast<unsigned>(number_at(text, 5, 2))),
                                          std::chrono::day(static_cast<unsigned>(number_at(text, 8, 2)))};
    return day.ok() && number_at(text, 11, 2) < 24 && number_at(text, 14, 2) < 60 && number_at(text, 17, 2) <= 60;
}

bool is_schedule(std::string_view text)
{
    constexpr std::string_view kRandom = "random:";
    return text.empty() || text == "fifo" || text == "eager" ||
           (text.starts_with(kRandom) && is_whole(text.substr(kRandom.size())));
}

bool is_in(const AxisRange& range, std::string_view text)
{
    std::uint64_t value = 0;
    return is_whole(text) && std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{} &&
           value >= range.least && value <= range.most;
}

bool is_mechanism(std::string_view text)
{
    return std::ranges::any_of(kMechanisms, [&](Mechanism one) { return name_of(one) == current_name(text); });
}

bool is_value_of(const Axis& axis, std::string_view text)
{
    if (axis.get == nullptr)
        return axis.name != "mechanism" || is_mechanism(text);
    if (text.empty() || (axis.text && !axis.of_workloads) || (!axis.range.word.empty() && text == axis.range.word))
        return true;
    if (axis.of_workloads) // perhaps of a workload that this program does not have
        return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
    if (axis.named())
        return number_on(axis, text).has_value();
    if (!axis.shape)
        return is_in(axis.range, text) || (axis.name == "seed" && text == "0");
    const std::size_t x = std::min(text.find('x'), text.size());
    return x < text.size() && is_in(axis.range, text.substr(0, x)) && is_in(axis.range, text.substr(x + 1));
}

std::string names_text(std::span<const std::string_view> names)
{
    std::vector<std::string_view> said;
    std::ranges::copy_if(names, std::back_inserter(said), [](std::string_view name) { return !name.empty(); });
    return fmt::format("{}", fmt::join(said, ", "));
}

std::string axis_text(const Axis& axis)
{
    if (axis.name == "mechanism") {
        std::vector<std::string_view> names;
        std::ranges::transform(kMechanisms, std::back_inserter(names), [](Mechanism one) { return name_of(one); });
        return names_text(names);
    }
    if (axis.of_workloads)
        return "the name of an input, in small letters, or nothing";
    if (const std::span<const std::string_view> names = names_on(axis); !names.empty())
        return names_text(names) + " or nothing";
    const std::string range = axis.range.most == std::numeric_limits<std::uint64_t>::max()
                                  ? fmt::format("from {}", axis.range.least)
                                  : fmt::format("from {} to {}", axis.range.least, axis.range.most);
    if (axis.shape)
        return fmt::format("two whole numbers {}, such as 8x32, or nothing", range);
    return fmt::format("a whole number {}{}, or nothing", range,
                       axis.range.word.empty() ? "" : fmt::format(", {}", axis.range.word));
}

} // namespace

bool has_form(Form form, const Axis* axis, std::string_view cell, double& number)
{
    number = std::numeric_limits<double>::quiet_NaN();
    if (cell.empty())
        return form != Form::name && form != Form::status && form != Form::backend && form != Form::index &&
               form != Form::utc && (form != Form::axis || is_value_of(*axis, cell));
    switch (form) {
    case Form::text:
    case Form::name:
        return true;
    case Form::axis:
        read(cell, number);
        return is_value_of(*axis, cell);
    case Form::status:
        return std::ranges::any_of(kStatuses, [&](Status one) { return name_of(one) == cell; });
    case Form::backend:
        return cell == "cuda" || cell == "cpu";
    case Form::schedule:
        return is_schedule(cell);
    case Form::submit:
        return cell == "held" || cell == "open";
    case Form::index:
    case Form::whole:
        return is_whole(cell) && read(cell, number);
    case Form::integer:
        return is_whole(cell.substr(cell.front() == '-' ? 1 : 0)) && read(cell, number);
    case Form::decimal:
        return is_decimal(cell) && read(cell, number);
    case Form::number:
        return read(cell, number);
    case Form::wholes:
        return all_parts(cell, is_whole);
    case Form::decimals:
        return all_parts(cell, is_decimal);
    case Form::utc:
        return is_utc(cell);
    }
    return false;
}

std::string_view name_of(Form form)
{
    constexpr std::array<std::string_view, 15> kNames{"text",     "name",   "axis",   "status",   "backend",
                                                      "schedule", "submit", "index",  "whole",    "integer",
                                                      "decimal",  "number", "wholes", "decimals", "utc"};
    return kNames.at(static_cast<std::size_t>(form));
}

bool is_number(Form form, const Axis* axis)
{
    if (form == Form::axis)
        return axis->get != nullptr && axis->names.empty() && !axis->shape && !axis->text && axis->range.word.empty();
    return form >= Form::index && form <= Form::number;
}

ColumnForm form_of(std::string_view column)
{
    const auto* const known = std::ranges::find(kColumnForms, column, &ColumnForm::column);
    ColumnForm form = known == kColumnForms.end() ? ColumnForm{.column = column, .form = Form::axis} : *known;
    if (const Axis* const axis = axis_of_column(column); form.what.empty() && axis != nullptr)
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
    case Form::status: {
        std::vector<std::string_view> names;
        std::ranges::transform(kStatuses, std::back_inserter(names), [](Status one) { return name_of(one); });
        return names_text(names);
    }
    case Form::backend:
        return "cuda, cpu";
    case Form::schedule:
        return "fifo, eager, random:SEED or nothing";
    case Form::submit:
        return "held, open or nothing";
    case Form::index:
        return "a whole number from 0";
    case Form::whole:
        return "a whole number from 0, or nothing";
    case Form::integer:
        return "a whole number, with a minus if it is negative, or nothing";
    case Form::decimal:
        return "a number from 0, such as 12.5, or nothing";
    case Form::number:
        return "a number or nothing";
    case Form::wholes:
        return "whole numbers separated by blanks, or nothing";
    case Form::decimals:
        return "numbers such as 12.5 separated by blanks, or nothing";
    case Form::utc:
        return "a time such as 2026-11-21T06:40:12Z";
    }
    return "";
}

} // namespace nestbed
