#include "inspect/claim_numbers.hpp"

#include "base/error.hpp"

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

class Measuring
{
  public:
    Measuring(const ClaimNumber& number, const ParsedLog& log) : number_(number), log_(log) {}

    Estimate estimate()
    {
        if (number_.by.empty())
            return one(number_.rows, number_.to);
        std::vector<Estimate> estimates;
        for (const Selection& group : groups()) {
            const auto here = [&](Selection selection) {
                for (const auto& [column, condition] : group)
                    selection[column] = condition;
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
    [[noreturn]] static void refuse(const std::string& why) { throw RunError(why); }

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

    // Each set of values of `by` among the rows, in the order in which the file has them.
    std::vector<Selection> groups()
    {
        std::vector<Selection> found;
        std::set<std::vector<std::string>> seen;
        for (const LogRow* row : rows_of(number_.rows)) {
            std::vector<std::string> values;
            Selection group;
            for (const std::string& column : number_.by) {
                values.push_back(row->cells[log_.column(column)]);
                group[column] = {.any_of = {values.back()}};
            }
            if (seen.insert(values).second)
                found.push_back(group);
        }
        return found;
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
                refuse("it has no geometric mean");
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
    const ParsedLog& log_;
    std::set<std::size_t> lines_;
};

} // namespace

MeasuredNumber measure(const ClaimNumber& number, const ParsedLog& log)
{
    Measuring measuring(number, log);
    const Estimate estimate = [&] {
        try {
            return measuring.estimate();
        } catch (const RunError& error) {
            throw RunError(fmt::format("claim {}: {}", number.id, error.what()));
        }
    }();
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

} // namespace nestbed
