#include "inspect/prediction_text.hpp"

#include "base/csv.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "inspect/compare_words.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <iterator>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

constexpr double kPercent = 100;

using Cells = std::vector<std::string>;

// Numbers have six digits; NaN is an empty cell.
template <class Value>
std::string cell_text(const Value& value)
{
    if constexpr (std::floating_point<Value>)
        return std::isnan(value) ? "" : fmt::format("{:.6g}", value);
    else
        return fmt::format("{}", value);
}

template <class... Values>
Cells cells_of(const Values&... values)
{
    return {cell_text(values)...};
}

// A CSV from its header and the cells of each row.
template <class Rows, class Row>
std::string csv_of(std::string_view header, const Rows& rows, const Row& cells_of_row)
{
    std::string text = fmt::format("{}\r\n", header);
    for (const auto& row : rows)
        text += csv_line(cells_of_row(row));
    return text;
}

// The same as a table for the terminal.
template <class Rows, class Row>
std::string table_of(std::vector<Column> columns, const Rows& rows, const Row& cells_of_row)
{
    for (const auto& row : rows)
        add_row(columns, cells_of_row(row)); // there may be more cells than columns
    return table_text(std::move(columns));
}

std::string cell(const Case& point, std::string_view axis)
{
    return cell_of(axis_named(axis), point);
}

std::string mechanism_text(Mechanism mechanism)
{
    return mechanism == Mechanism::none ? "" : std::string(name_of(mechanism));
}

// Strategy, mechanism, these axes, and the values.
template <class... Values>
Cells cells_of_case(const Demand& demand, const std::vector<const Axis*>& axes, const Values&... values)
{
    Cells cells{demand.point.strategy, mechanism_text(demand.mechanism)};
    for (const Axis* axis : axes)
        cells.push_back(cell_of(*axis, demand.point));
    (cells.push_back(cell_text(values)), ...);
    return cells;
}

std::string us_or_empty(const std::optional<Estimate>& us)
{
    return us ? format_us(us->value) : "";
}
// Nothing where launches alone are predicted and there are none.
std::string predicted_text(const Prediction& prediction)
{
    return prediction.bound == Bound::launches && prediction.us == 0 ? "" : format_us(prediction.us);
}
std::string ratio_or_empty(const std::optional<double>& ratio)
{
    return ratio ? fmt::format("{:.2f}", *ratio) : "";
}

Estimate measured_or_nan(const PredictedCase& one)
{
    return one.measured.value_or(Estimate{NAN, {NAN, NAN}});
}

// "64 32 grid": threshold, coarsening and aggregation.
std::string choice_text(const Case& point)
{
    return fmt::format("{} {} {}", point.threshold, point.coarsen, cell(point, "aggregate"));
}

std::vector<const Axis*> axes_of_cases(const std::vector<PredictedCase>& cases)
{
    std::vector<Case> points;
    for (const PredictedCase& one : cases)
        points.push_back(one.demand.point);
    return axes_of_plan(points);
}

std::string cases_table(const std::vector<PredictedCase>& cases, bool measured)
{
    const std::vector<const Axis*> axes = axes_of_cases(cases);
    std::vector<Column> columns{{"strategy", true}, {"mechanism", true, true}};
    for (const Axis* axis : axes)
        columns.push_back({std::string(axis->name), axis->named(), true});
    columns.insert(columns.end(), {{"launches", false, false, 1}, {"predicted"}, {"bound", true}});
    if (measured)
        columns.insert(columns.end(), {{"measured"}, {"ratio"}});
    return table_of(columns, cases, [&axes](const PredictedCase& one) {
        const Demand& demand = one.demand;
        return cells_of_case(demand, axes,
                             demand.mechanism == Mechanism::host ? static_cast<std::uint64_t>(demand.host_launches)
                                                                 : demand.form.total(),
                             predicted_text(one.prediction), name_of(one.prediction.bound), us_or_empty(one.measured),
                             ratio_or_empty(one.ratio()));
    });
}

// What the cases are of which only the launches are known; empty without any.
std::string launches_alone_text(const Roofline& roofline, const std::vector<PredictedCase>& cases)
{
    std::map<std::string, std::string> prices; // "9.87 us, 0.219 us": of a level, and of each further launch
    for (const PredictedCase& one : cases)
        if (const auto of = launch_prices(roofline, one.demand.mechanism); of && one.at_least())
            prices[mechanism_text(one.demand.mechanism)] =
                format_us(of->level_us) + (of->launch_us > 0 ? ", " + format_us(of->launch_us) : "");
    if (prices.empty())
        return "";
    std::string text = "(launches alone: at least so long: levels x price + further launches x price; prices of a "
                       "level and of a further launch:";
    for (const auto& [mechanism, us] : prices)
        text += fmt::format("{} {} {}", text.ends_with(':') ? "" : ";", mechanism, us);
    return words_in_lines(text + ")", 0, terminal_of(STDOUT_FILENO).columns);
}

// How many times the least times the measured ones are; empty without any.
std::string launches_alone_measured_text(const std::vector<PredictedCase>& cases, const std::string& against)
{
    std::vector<double> ratios;
    for (const PredictedCase& one : cases)
        if (const std::optional<double> ratio = one.ratio(); ratio && one.at_least())
            ratios.push_back(*ratio);
    if (ratios.empty())
        return "";
    return words_in_lines(fmt::format("Measured in {}: {}, {:.2f} to {:.2f} times as long as their launches alone",
                                      against, counted(ratios.size(), "case"), std::ranges::min(ratios),
                                      std::ranges::max(ratios)),
                          0, terminal_of(STDOUT_FILENO).columns);
}

std::string left_out_text(const Predictions& predictions)
{
    std::size_t all = 0;
    std::string reasons;
    for (const auto& [why, cases] : predictions.left_out) {
        all += cases;
        reasons += words_in_lines(fmt::format("{}: {}", cases, why), 2, terminal_of(STDOUT_FILENO).columns);
    }
    return all == 0 ? "" : fmt::format("Not predicted: {}\n{}", counted(all, "case"), reasons);
}

// The strategies and mechanisms whose predictions are farthest from what was measured.
std::string worst_text(const std::vector<PredictedCase>& cases)
{
    constexpr std::size_t kMaxRows = 8;
    using Group = std::vector<PredictedCase>;
    std::map<std::pair<std::string, std::string>, Group> by_names;
    for (const PredictedCase& one : cases)
        if (one.ratio() && !one.at_least())
            by_names[{one.demand.point.strategy, mechanism_text(one.demand.mechanism)}].push_back(one);
    std::vector<Group> groups;
    for (const auto& [names, group] : by_names)
        groups.push_back(group);
    const auto median_off = [](const Group& group) { return nearness_of(group).median_off; };
    std::ranges::stable_sort(groups, std::greater(), median_off);
    const std::string of_all = groups.size() > kMaxRows ? fmt::format(", {} of {}", kMaxRows, groups.size()) : "";
    groups.resize(std::min(groups.size(), kMaxRows));
    const auto off = [](const PredictedCase& one) { return std::abs(std::log(std::max(*one.ratio(), 1e-9))); };
    return fmt::format("\nThe farthest{}:\n", of_all) +
           table_of({{"strategy", true}, {"mechanism", true}, {"cases"}, {"median off"}, {"worst ratio"}}, groups,
                    [&](const Group& group) {
                        return cells_of_case(group.front().demand, {}, group.size(),
                                             fmt::format("{:.1f} %", median_off(group) * kPercent),
                                             ratio_or_empty(std::ranges::max(group, {}, off).ratio()));
                    });
}

} // namespace

std::string predictions_text(const Roofline& roofline, const Predictions& predictions, const std::string& against)
{
    const std::vector<PredictedCase>& cases = predictions.cases;
    std::string text = fmt::format("GPU times predicted for {}\n", gpu_of(roofline.facts));
    if (!cases.empty())
        text += cases_table(cases, !against.empty()) + "(bound: what takes longest; nestbed help predict)\n" +
                launches_alone_text(roofline, cases) + "\n";
    text += fmt::format("Predicted: {}\n{}", counted(cases.size(), "case"), left_out_text(predictions));
    if (against.empty())
        return text;
    const Nearness nearness = nearness_of(cases);
    text += launches_alone_measured_text(cases, against);
    if (nearness.cases == 0 && std::ranges::any_of(cases, &PredictedCase::at_least))
        return text;
    text += words_in_lines(fmt::format("Measured in {}: {}", against, counted(nearness.cases, "case")), 0,
                           terminal_of(STDOUT_FILENO).columns);
    if (nearness.cases == 0)
        return text;
    return text +
           fmt::format("Median |measured / predicted - 1|: {:.1f} %; at most {:.0f} % in {:.0f} % of the cases\n",
                       nearness.median_off * kPercent, kNear * kPercent, nearness.within * kPercent) +
           worst_text(cases);
}

// "sizes" stands for all axes that are the size of a problem.
std::vector<const Axis*> axes_of_table(std::initializer_list<std::string_view> names)
{
    std::vector<const Axis*> axes;
    for (const std::string_view name : names)
        if (name != "sizes")
            axes.push_back(&axis_named(name));
        else
            for (const Axis& axis : plain_axes())
                if (axis.size)
                    axes.push_back(&axis);
    return axes;
}

std::string columns_text(const std::vector<const Axis*>& axes)
{
    std::string text = "strategy,mechanism";
    for (const Axis* axis : axes)
        text += "," + axis->column;
    return text;
}

std::string predictions_csv(const Predictions& predictions)
{
    std::vector<const Axis*> axes = axes_of_table({"type", "input", "sizes", "grid", "block", "nx", "ny",
                                                   "block-shape", "depth", "threshold", "coarsen", "aggregate"});
    std::vector<PredictedCase> of_user;
    std::ranges::copy_if(predictions.cases, std::back_inserter(of_user), &PredictedCase::at_least);
    for (const Axis* axis : axes_of_cases(of_user)) // what tells a user's cases apart
        if (axis->id != axis::wave && axis->id != axis::streams && std::ranges::find(axes, axis) == axes.end() &&
            std::ranges::any_of(of_user,
                                [&](const PredictedCase& one) { return !cell_of(*axis, one.demand.point).empty(); }))
            axes.push_back(axis);
    return csv_of(columns_text(axes) +
                      ",wave,waves,streams,launches,predicted_us,bound,latency_us,rate_us,work_us,measured_us,"
                      "measured_low_us,measured_high_us,measured_over_predicted,off",
                  predictions.cases, [&axes](const PredictedCase& one) {
                      const LaunchPlan& plan = one.demand.plan;
                      const Prediction& predicted = one.prediction;
                      const Estimate measured = measured_or_nan(one);
                      const double ratio = one.ratio().value_or(NAN);
                      return cells_of_case(one.demand, axes, plan.wave, plan.waves(), plan.streams,
                                           one.demand.form.total(), predicted.us, name_of(predicted.bound),
                                           predicted.latency_us, predicted.rate_us, predicted.work_us, measured.value,
                                           measured.interval.low, measured.interval.high, ratio, std::abs(ratio - 1));
                  });
}

std::string studies_text(const std::vector<NeedStudy>& studies)
{
    if (studies.empty())
        return "";
    return "\nData-dependent launches: the threshold, coarsening and aggregation that the\nmodel "
           "chooses, and how many times the least measured time they take:\n" +
           table_of({{"strategy", true},
                     {"mechanism", true, true},
                     {"input", true},
                     {"off"},
                     {"chosen", true},
                     {"measured"},
                     {"cost"}},
                    studies, [](const NeedStudy& study) {
                        const PredictedCase& chosen = study.cases.at(study.chosen);
                        const Case& point = chosen.demand.point;
                        const Nearness near = nearness_of(study.cases);
                        return cells_of_case(
                            chosen.demand, {}, fmt::format("{} {}", cell(point, "input"), size_text(point)),
                            near.cases == 0 ? "" : fmt::format("{:.0f} %", near.median_off * kPercent),
                            choice_text(point), us_or_empty(chosen.measured), ratio_or_empty(study.cost_of_choice()));
                    });
}

std::string studies_csv(const std::vector<NeedStudy>& studies)
{
    const std::vector<const Axis*> axes = axes_of_table({"input", "sizes", "threshold", "coarsen", "aggregate"});
    return csv_of(columns_text(axes) + ",cases,median_off,flat_us,alone_us,predicted_us,measured_us,least_us,cost",
                  studies, [&axes](const NeedStudy& study) {
                      const PredictedCase& chosen = study.cases.at(study.chosen);
                      return cells_of_case(
                          chosen.demand, axes, study.cases.size(), nearness_of(study.cases).median_off, study.flat_us,
                          study.alone_us, chosen.prediction.us, measured_or_nan(chosen).value,
                          study.cases.at(study.best).measured->value, study.cost_of_choice().value_or(NAN));
                  });
}

std::string parameters_text(const Roofline& roofline)
{
    constexpr std::size_t kWidth = 16;
    std::vector<std::pair<std::string, Estimate>> rows; // by name; the meanings of the names are below the table
    std::string meanings;
    for (const RooflineParameter& parameter : roofline_parameters()) {
        for (const auto& one : roofline.parameters)
            if (roofline_parameter(one.first) == &parameter)
                rows.emplace_back(one);
        meanings += fmt::format("{:<{}}", parameter.name, kWidth) + folded(parameter.meaning, kWidth).substr(kWidth);
    }
    const std::string table =
        table_of({{"parameter", true}, {"value"}, {"95% CI"}, {"unit", true}}, rows, [](const auto& row) {
            const auto& [key, one] = row;
            return cells_of(key, fmt::format("{:.4g}", one.value),
                            fmt::format("{:.4g} - {:.4g}", one.interval.low, one.interval.high),
                            roofline_parameter(key)->unit);
        });
    return fmt::format("Launch roofline of {}\n{}\n{}", gpu_of(roofline.facts), table, meanings);
}

std::string parameters_csv(const Roofline& roofline)
{
    constexpr double kMegabytesPerUsInGb = 1e-3;
    const double bandwidth = parameter_of(roofline, "bandwidth");
    return csv_of("parameter,value,low,high,unit,reads_mb", roofline.parameters, [&](const auto& row) {
        const auto& [key, one] = row;
        const std::string_view unit = roofline_parameter(key)->unit;
        return cells_of(key, one.value, one.interval.low, one.interval.high, unit,
                        unit == "us" ? one.value * bandwidth * kMegabytesPerUsInGb : NAN);
    });
}

} // namespace nestbed
