// What is said of the numbers of the claims.
#include "inspect/claim_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace nestbed
{

namespace
{

std::string text_of(const Condition& condition)
{
    return condition.any_of.empty() ? fmt::format("{} to {}", condition.from, condition.to)
                                    : fmt::format("{}", fmt::join(condition.any_of, " or "));
}

std::string text_of(const Selection& selection)
{
    std::vector<std::string> parts;
    for (const auto& [column, condition] : selection)
        parts.push_back(fmt::format("{} = {}", column, text_of(condition)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

std::string where(const Selection& selection)
{
    return selection.empty() ? "" : " where " + text_of(selection);
}

std::string digits_text(double value, int digits)
{
    const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
    const int exponent = std::atoi(scientific.substr(scientific.find('e') + 1).c_str());
    return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

std::string description_of(const ClaimNumber& number)
{
    std::string text;
    switch (number.statistic) {
    case Statistic::median:
        text = "median of " + number.what;
        break;
    case Statistic::ratio:
        text = "ratio of the medians of " + number.what;
        break;
    case Statistic::count:
        text = "rows with " + text_of(number.counted);
        break;
    case Statistic::same:
        text = number.what + " of every row";
        break;
    }
    if (!number.per.empty())
        text += " over " + number.per;
    text += where(number.rows);
    if (!number.to.empty()) {
        std::vector<std::string> others;
        for (const Selection& selection : number.to) {
            Selection different;
            for (const auto& [column, condition] : selection)
                if (const auto same = number.rows.find(column);
                    same == number.rows.end() || text_of(same->second) != text_of(condition))
                    different[column] = condition;
            others.push_back(text_of(different));
        }
        text += fmt::format(", to {}{}", number.to.size() > 1 ? "the smaller of " : "", fmt::join(others, " and "));
    }
    constexpr std::string_view kOver[]{"", "the least", "the greatest", "the geometric mean"};
    if (number.over != Over::none)
        text +=
            fmt::format("; {} over {}", kOver[static_cast<std::size_t>(number.over)], fmt::join(number.by, " and "));
    return text;
}

std::string interval_text(const ClaimNumber& number, const std::optional<Interval>& interval)
{
    if (!interval)
        return "";
    return fmt::format("{} to {}{}", digits_text(interval->low, number.digits),
                       digits_text(interval->high, number.digits), unit_of(number.unit).suffix);
}

std::string within_text(const ClaimNumber& number)
{
    return number.within == 0 ? "the same" : fmt::format("within {:.3g} %", 100 * number.within);
}

bool near(const ClaimNumber& number, const MeasuredNumber& first, const MeasuredNumber& second)
{
    if (number.within == 0)
        return first.text == second.text;
    // Of the shares of a count the difference, for they may be 0; of what is said as "12 % more" that of the ratios.
    const Unit& unit = unit_of(number.unit);
    const double one = (first.value - unit.offset) / unit.factor;
    const double other = (second.value - unit.offset) / unit.factor;
    const double scale = number.statistic == Statistic::count ? 1 : std::abs(one);
    return std::abs(other - one) <= number.within * scale;
}

} // namespace nestbed
