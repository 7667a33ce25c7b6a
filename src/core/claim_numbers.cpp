#include "claim_numbers.hpp"

#include "error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kSeed = 1;

// A value and what it is under resampling; no resamples where there is no interval.
struct Estimate {
    double value = 0;
    std::vector<double> resampled;
    std::size_t counted = 0, rows = 0; // of `count`
    std::string cell;                  // of `same`
};

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

// " where strategy = nosync"; empty for all rows.
std::string where(const Selection& selection)
{
    return selection.empty() ? "" : " where " + text_of(selection);
}

// Significant digits, never with an exponent: 0.0761, 20.7, 3651.
std::string digits_text(double value, int digits)
{
    const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
    const int exponent = std::atoi(scientific.substr(scientific.find('e') + 1).c_str());
    return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

class Measuring
{
  public:
    Measuring(const ClaimNumber& number, const LogRows& log) : number_(number), log_(log) {}

    Estimate estimate()
    {
        if (number_.by.empty())
            return one(number_.rows, number_.to);
        std::vector<Estimate> estimates;
        for (const std::string& value : values_of(number_.by, number_.rows)) {
            const auto here = [&](Selection selection) {
                selection[number_.by] = {.any_of = {value}};
                return selection;
            };
            std::vector<Selection> to;
            for (const Selection& selection : number_.to)
                to.push_back(here(selection));
            estimates.push_back(one(here(number_.rows), to));
        }
        return over(estimates);
    }

    std::vector<std::size_t> lines() const { return {lines_.begin(), lines_.end()}; }

  private:
    [[noreturn]] void refuse(const std::string& why) const
    {
        throw RunError(fmt::format("claim {}: {}", number_.id, why));
    }

    using Conditions = std::vector<std::pair<std::size_t, const Condition*>>; // by place of the column

    Conditions conditions_of(const Selection& selection) const
    {
        Conditions conditions;
        for (const auto& [column, condition] : selection)
            conditions.emplace_back(log_.column(column), &condition);
        return conditions;
    }

    static bool all_hold(const Conditions& conditions, const LogRow& row)
    {
        return std::ranges::all_of(conditions,
                                   [&](const auto& one) { return one.second->holds(row.cells[one.first]); });
    }

    std::vector<const LogRow*> rows_of(const Selection& selection)
    {
        std::vector<const LogRow*> rows;
        const auto conditions = conditions_of(selection);
        for (const LogRow& row : log_.rows)
            if (all_hold(conditions, row))
                rows.push_back(&row);
        if (rows.empty())
            refuse(fmt::format("{} has no row{}", log_.path, where(selection)));
        for (const LogRow* row : rows)
            lines_.insert(row->line);
        return rows;
    }

    // In the order in which the file has them.
    std::vector<std::string> values_of(const std::string& column, const Selection& selection)
    {
        std::vector<std::string> values;
        for (const LogRow* row : rows_of(selection))
            if (const std::string& cell = row->cells[log_.column(column)];
                std::ranges::find(values, cell) == values.end())
                values.push_back(cell);
        return values;
    }

    void check_ok(const LogRow& row) const
    {
        if (log_.has("status") && row.cells[log_.column("status")] != "ok")
            refuse(fmt::format("{}:{}: status is {}; allowed: ok", log_.path, row.line,
                               row.cells[log_.column("status")]));
    }

    std::vector<double> numbers_of(const Selection& selection)
    {
        std::vector<double> numbers;
        for (const LogRow* row : rows_of(selection)) {
            check_ok(*row);
            numbers.push_back(log_.number(*row, number_.what));
        }
        return numbers;
    }

    std::string same_cell(const Selection& selection, const std::string& column)
    {
        const std::vector<std::string> cells = values_of(column, selection);
        if (cells.size() != 1)
            refuse(
                fmt::format("{} differs in {}{}: {}", column, log_.path, where(selection), fmt::join(cells, ", ")));
        return cells.front();
    }

    double divisor(const Selection& selection)
    {
        if (number_.per.empty())
            return 1;
        const double value = log_.number(*rows_of(selection).front(), number_.per);
        static_cast<void>(same_cell(selection, number_.per));
        if (value == 0)
            refuse(fmt::format("{} is 0 in {}{}", number_.per, log_.path, where(selection)));
        return value;
    }

    Estimate counted(const Selection& selection)
    {
        const std::vector<const LogRow*> rows = rows_of(selection);
        const auto conditions = conditions_of(number_.counted);
        const auto count = std::ranges::count_if(rows, [&](const LogRow* row) { return all_hold(conditions, *row); });
        return {.value = static_cast<double>(count) / static_cast<double>(rows.size()),
                .counted = static_cast<std::size_t>(count),
                .rows = rows.size()};
    }

    Estimate ratio(const std::vector<double>& above, const std::vector<Selection>& to)
    {
        std::vector<double> below;
        for (const Selection& selection : to)
            if (std::vector<double> numbers = numbers_of(selection); below.empty() || median(numbers) < median(below))
                below = std::move(numbers);
        if (!(median(below) > 0))
            refuse(fmt::format("the median of {} that it is compared to is not above 0", number_.what));
        Estimate estimate{.value = median(above) / median(below), .resampled = resampled_medians(above, kSeed)};
        const std::vector<double> drawn = resampled_medians(below, kSeed + 1);
        std::ranges::transform(estimate.resampled, drawn, estimate.resampled.begin(), std::divides());
        return estimate;
    }

    Estimate one(const Selection& selection, const std::vector<Selection>& to)
    {
        if (number_.statistic == Statistic::count)
            return counted(selection);
        if (number_.statistic == Statistic::same) {
            const std::string cell = same_cell(selection, number_.what);
            return {.value = log_.number(*rows_of(selection).front(), number_.what), .cell = cell};
        }
        const std::vector<double> numbers = numbers_of(selection);
        if (number_.statistic == Statistic::ratio)
            return ratio(numbers, to);
        Estimate estimate{.value = median(numbers), .resampled = resampled_medians(numbers, kSeed)};
        const double per = divisor(selection);
        estimate.value /= per;
        for (double& value : estimate.resampled)
            value /= per;
        return estimate;
    }

    double made_of(const std::vector<double>& values) const
    {
        if (number_.over == Over::least)
            return std::ranges::min(values);
        if (number_.over == Over::greatest)
            return std::ranges::max(values);
        double logarithms = 0;
        for (const double value : values)
            logarithms += std::log(value);
        return std::exp(logarithms / static_cast<double>(values.size()));
    }

    Estimate over(const std::vector<Estimate>& estimates) const
    {
        std::vector<double> values;
        for (const Estimate& one : estimates)
            values.push_back(one.value);
        Estimate whole{.value = made_of(values)};
        if (number_.statistic == Statistic::count || number_.statistic == Statistic::same) {
            const auto chosen = std::ranges::find(estimates, whole.value, &Estimate::value);
            if (chosen == estimates.end())
                refuse("a count has no geometric mean; allowed: \"least\", \"greatest\"");
            return *chosen;
        }
        for (std::size_t draw = 0; draw < estimates.front().resampled.size(); ++draw) {
            for (std::size_t index = 0; index < estimates.size(); ++index)
                values[index] = estimates[index].resampled[draw];
            whole.resampled.push_back(made_of(values));
        }
        return whole;
    }

    const ClaimNumber& number_;
    const LogRows& log_;
    std::set<std::size_t> lines_;
};

} // namespace

MeasuredNumber measure(const ClaimNumber& number, const LogRows& log)
{
    Measuring measuring(number, log);
    const Estimate estimate = measuring.estimate();
    const Unit& unit = unit_of(number.unit);
    const auto in_unit = [&](double value) { return value * unit.factor + unit.offset; };
    MeasuredNumber measured{.value = in_unit(estimate.value), .lines = measuring.lines()};
    if (number.statistic == Statistic::count)
        measured.text = fmt::format("{} of {}", estimate.counted, estimate.rows);
    else if (number.statistic == Statistic::same)
        measured.text = estimate.cell + std::string(unit.suffix);
    else
        measured.text = digits_text(measured.value, number.digits) + std::string(unit.suffix);
    if (!estimate.resampled.empty()) {
        const Interval interval = middle_95(estimate.resampled);
        measured.interval = {.low = in_unit(interval.low), .high = in_unit(interval.high)};
    }
    return measured;
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
        text += fmt::format("; {} over {}", kOver[static_cast<std::size_t>(number.over)], number.by);
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
