#include "predict/prediction_text.hpp"

#include "base/csv.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

constexpr double kPercent = 100;

std::string cell(const Case& point, std::string_view axis)
{
    return cell_of(axis_named(axis), point);
}

// "2048x512": the blocks and threads of the root grid; "2048x2048 by 16x16": a matrix and its blocks; and what the
// case limits.
std::string shape_of(const Case& point)
{
    if (point.aggregate != Aggregate::absent)
        return fmt::format("{} {}, {} {} {}", cell(point, "input"), point.elements, point.threshold, point.coarsen,
                           cell(point, "aggregate"));
    std::string shape =
        point.nx != 0 ? fmt::format("{}x{}", point.nx, point.ny) : fmt::format("{}x{}", point.grid, point.block);
    if (point.nx != 0 && point.shape.threads() != 0)
        shape += " by " + name_of(point.shape);
    for (const auto& [name, axis] :
         {std::pair("depth", "depth"), std::pair("wave", "wave"), std::pair("limit", "pending-limit")})
        if (const std::string value = cell(point, axis); !value.empty() && value != axis_named(axis).range.word)
            shape += fmt::format(" {} {}", name, value);
    return shape;
}

std::string mechanism_text(Mechanism mechanism)
{
    return mechanism == Mechanism::none ? "" : std::string(name_of(mechanism));
}

std::string table_of(const std::vector<PredictedCase>& cases, bool measured)
{
    std::vector<Column> columns{
        {"strategy", true}, {"mechanism", true, true}, {"shape", true, true}, {"launches", false, false, 1},
        {"predicted"},      {"bound", true},           {"measured"},          {"ratio"}};
    for (const PredictedCase& one : cases) {
        const std::optional<double> ratio = one.ratio();
        const std::array<std::string, 8> cells{one.demand.point.strategy,
                                               mechanism_text(one.demand.mechanism),
                                               shape_of(one.demand.point),
                                               std::to_string(one.demand.form.total()),
                                               format_us(one.prediction.us),
                                               std::string(name_of(one.prediction.bound)),
                                               one.measured ? format_us(one.measured->value) : "",
                                               ratio ? fmt::format("{:.2f}", *ratio) : ""};
        for (std::size_t index = 0; index < cells.size(); ++index)
            columns[index].cells.push_back(cells[index]);
    }
    if (!measured)
        columns.resize(columns.size() - 2);
    return table_text(std::move(columns), terminal_of(STDOUT_FILENO));
}

std::string cases_text(std::size_t cases)
{
    return fmt::format("{} case{}", cases, cases == 1 ? "" : "s");
}

std::string left_out_text(const Predictions& predictions)
{
    std::size_t all = 0;
    std::string reasons;
    for (const auto& [why, cases] : predictions.left_out) {
        all += cases;
        reasons += words_in_lines(fmt::format("{}: {}", cases, why), 2, terminal_of(STDOUT_FILENO).columns);
    }
    return all == 0 ? "" : fmt::format("Not predicted: {}\n{}", cases_text(all), reasons);
}

// The strategies and mechanisms whose predictions are farthest from what was measured.
std::string worst_text(const std::vector<PredictedCase>& cases)
{
    constexpr std::size_t kNamed = 8;
    std::map<std::pair<std::string, std::string>, std::vector<PredictedCase>> groups;
    for (const PredictedCase& one : cases)
        if (one.ratio())
            groups[{one.demand.point.strategy, mechanism_text(one.demand.mechanism)}].push_back(one);
    std::vector<std::tuple<double, std::string, std::string, std::size_t, double>> lines;
    for (const auto& [names, some] : groups) {
        const auto off = [](const PredictedCase& one) { return std::abs(std::log(std::max(*one.ratio(), 1e-9))); };
        lines.emplace_back(-nearness_of(some).median_off, names.first, names.second, some.size(),
                           *std::ranges::max(some, {}, off).ratio());
    }
    std::ranges::sort(lines);
    std::vector<Column> columns{{"strategy", true}, {"mechanism", true}, {"cases"}, {"median off"}, {"worst ratio"}};
    for (const auto& [off, strategy, mechanism, number, worst] : lines) {
        if (columns.front().cells.size() == kNamed)
            break;
        columns[0].cells.push_back(strategy);
        columns[1].cells.push_back(mechanism);
        columns[2].cells.push_back(std::to_string(number));
        columns[3].cells.push_back(fmt::format("{:.1f} %", -off * kPercent));
        columns[4].cells.push_back(fmt::format("{:.2f}", worst));
    }
    return fmt::format("\nThe farthest{}:\n",
                       lines.size() > kNamed ? fmt::format(", {} of {}", kNamed, lines.size()) : "") +
           table_text(std::move(columns), terminal_of(STDOUT_FILENO));
}

std::string number_cell(double value)
{
    return std::isnan(value) ? "" : fmt::format("{:.6g}", value);
}

} // namespace

std::string predictions_text(const Roofline& roofline, const Predictions& predictions, const std::string& against)
{
    std::string text = fmt::format("GPU times predicted for {} (driver {}, CUDA {})\n", roofline.gpu, roofline.driver,
                                   roofline.cuda);
    if (!predictions.cases.empty())
        text +=
            table_of(predictions.cases, !against.empty()) + "(bound: what takes longest; nestbed help predict)\n\n";
    text += fmt::format("Predicted: {}\n{}", cases_text(predictions.cases.size()), left_out_text(predictions));
    if (against.empty())
        return text;
    const Nearness nearness = nearness_of(predictions.cases);
    text += words_in_lines(fmt::format("Measured in {}: {}", against, cases_text(nearness.cases)), 0,
                           terminal_of(STDOUT_FILENO).columns);
    if (nearness.cases == 0)
        return text;
    return text +
           fmt::format("Median |measured / predicted - 1|: {:.1f} %; at most {:.0f} % in {:.0f} % of the cases\n",
                       nearness.median_off * kPercent, kNear * kPercent, nearness.within * kPercent) +
           worst_text(predictions.cases);
}

std::string predictions_csv(const Predictions& predictions)
{
    constexpr std::array kAxes{"type", "input",       "elements", "grid",      "block",   "nx",
                               "ny",   "block-shape", "depth",    "threshold", "coarsen", "aggregate"};
    std::vector<std::string> header{"strategy", "mechanism"};
    for (const char* axis : kAxes)
        header.push_back(axis_named(axis).column);
    for (const char* column :
         {"wave", "waves", "streams", "launches", "predicted_us", "bound", "latency_us", "rate_us", "work_us",
          "measured_us", "measured_low_us", "measured_high_us", "measured_over_predicted", "off"})
        header.emplace_back(column);
    std::string text = csv_line(header);
    for (const PredictedCase& one : predictions.cases) {
        const Demand& demand = one.demand;
        std::vector<std::string> cells{demand.point.strategy, std::string(name_of(demand.mechanism))};
        for (const char* axis : kAxes)
            cells.push_back(cell(demand.point, axis));
        for (const std::uint32_t count : {demand.plan.wave, demand.plan.waves(), demand.plan.streams})
            cells.push_back(std::to_string(count));
        cells.push_back(std::to_string(demand.form.total()));
        cells.push_back(number_cell(one.prediction.us));
        cells.emplace_back(name_of(one.prediction.bound));
        for (const double us : {one.prediction.latency_us, one.prediction.rate_us, one.prediction.work_us})
            cells.push_back(number_cell(us));
        const double none = std::nan("");
        const Estimate measured = one.measured.value_or(Estimate{none, {none, none}});
        for (const double value : {measured.value, measured.interval.low, measured.interval.high,
                                   one.ratio().value_or(none), std::abs(one.ratio().value_or(none) - 1)})
            cells.push_back(number_cell(value));
        text += csv_line(cells);
    }
    return text;
}

std::string studies_text(const std::vector<NeedStudy>& studies)
{
    if (studies.empty())
        return "";
    std::vector<Column> columns{{"strategy", true},
                                {"mechanism", true, true},
                                {"input", true},
                                {"off"},
                                {"chosen", true},
                                {"measured"},
                                {"cost"}};
    for (const NeedStudy& study : studies) {
        const PredictedCase& chosen = study.cases.at(study.chosen);
        const Case& point = chosen.demand.point;
        const Nearness nearness = nearness_of(study.cases);
        const std::array<std::string, 7> cells{
            point.strategy,
            mechanism_text(chosen.demand.mechanism),
            fmt::format("{} {}", cell(point, "input"), point.elements),
            nearness.cases == 0 ? "" : fmt::format("{:.0f} %", nearness.median_off * kPercent),
            fmt::format("{} {} {}", point.threshold, point.coarsen, cell(point, "aggregate")),
            chosen.measured ? format_us(chosen.measured->value) : "",
            study.cost_of_choice() ? fmt::format("{:.2f}", *study.cost_of_choice()) : ""};
        for (std::size_t index = 0; index < cells.size(); ++index)
            columns[index].cells.push_back(cells[index]);
    }
    return "\nData-dependent launches: the threshold, coarsening and aggregation that the\nmodel "
           "chooses, and how many times the least measured time they take:\n" +
           table_text(std::move(columns), terminal_of(STDOUT_FILENO));
}

std::string studies_csv(const std::vector<NeedStudy>& studies)
{
    constexpr std::array kChoice{"input", "elements", "threshold", "coarsen", "aggregate"};
    std::vector<std::string> header{"strategy", "mechanism"};
    header.insert(header.end(), kChoice.begin(), kChoice.end());
    for (const char* column :
         {"cases", "median_off", "flat_us", "alone_us", "predicted_us", "measured_us", "least_us", "cost"})
        header.emplace_back(column);
    std::string text = csv_line(header);
    for (const NeedStudy& study : studies) {
        const PredictedCase& chosen = study.cases.at(study.chosen);
        std::vector<std::string> cells{chosen.demand.point.strategy, mechanism_text(chosen.demand.mechanism)};
        for (const char* axis : kChoice)
            cells.push_back(cell(chosen.demand.point, axis));
        const Nearness nearness = nearness_of(study.cases);
        const double none = std::nan("");
        cells.push_back(std::to_string(study.cases.size()));
        for (const double value : {nearness.cases == 0 ? none : nearness.median_off, study.flat_us, study.alone_us,
                                   chosen.prediction.us, chosen.measured ? chosen.measured->value : none,
                                   study.cases.at(study.best).measured->value, study.cost_of_choice().value_or(none)})
            cells.push_back(number_cell(value));
        text += csv_line(cells);
    }
    return text;
}

std::string parameters_text(const Roofline& roofline)
{
    std::vector<Column> columns{{"parameter", true}, {"value"}, {"95% CI"}, {"unit", true}};
    std::size_t widest = 0;
    for (const RooflineParameter& parameter : roofline_parameters())
        widest = std::max(widest, parameter.name.size());
    std::string meanings; // below the table, once per parameter: they are longer than a row
    for (const RooflineParameter& parameter : roofline_parameters()) {
        for (const auto& [key, one] : roofline.parameters) {
            if (roofline_parameter(key) != &parameter)
                continue;
            columns[0].cells.push_back(key);
            columns[1].cells.push_back(fmt::format("{:.4g}", one.value));
            columns[2].cells.push_back(fmt::format("{:.4g} - {:.4g}", one.interval.low, one.interval.high));
            columns[3].cells.emplace_back(parameter.unit);
        }
        meanings += fmt::format("{:<{}}", parameter.name, widest + 2) +
                    folded(parameter.meaning, widest + 2).substr(widest + 2);
    }
    return fmt::format("Launch roofline of {} (driver {}, CUDA {})\n{}\n{}", roofline.gpu, roofline.driver,
                       roofline.cuda, table_text(std::move(columns), terminal_of(STDOUT_FILENO)), meanings);
}

std::string parameters_csv(const Roofline& roofline)
{
    constexpr double kMegabytesPerUsInGb = 1e-3;
    std::string text = csv_line({"parameter", "value", "low", "high", "unit", "reads_mb"});
    const double bandwidth = parameter_of(roofline, "bandwidth");
    for (const auto& [key, one] : roofline.parameters) {
        const std::string unit(roofline_parameter(key)->unit);
        text += csv_line({key, number_cell(one.value), number_cell(one.interval.low), number_cell(one.interval.high),
                          unit, unit == "us" ? number_cell(one.value * bandwidth * kMegabytesPerUsInGb) : ""});
    }
    return text;
}

std::string correlations_csv(std::span<const ParameterPair> pairs)
{
    std::string text = csv_line({"parameter", "with", "correlation"});
    for (const ParameterPair& pair : pairs)
        text += csv_line({pair.first, pair.second, fmt::format("{:.3f}", pair.correlation)});
    return text;
}

} // namespace nestbed
