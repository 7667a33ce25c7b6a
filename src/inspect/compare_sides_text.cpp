#include "inspect/compare_sides_text.hpp"

#include "base/csv.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "inspect/compare_words.hpp"
#include "model/axis_table.hpp"
#include "run/executor_times.hpp"
#include "run/flat_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::array<std::string_view, 2> kSideNames{"A", "B"};

const StrategyInfo& info_of(const Case& point)
{
    return Registry::find_anywhere(point.strategy)->info();
}

std::string mechanism_text(const Case& point)
{
    return std::string(name_of(mechanism_of(info_of(point), point)));
}

// The value of an input: of the first side that has the axis.
std::string cell_of_input(const Axis& axis, const ComparedInput& input)
{
    const std::string a = cell_of(axis, input.sides[0].fastest->point);
    return a.empty() ? cell_of(axis, input.sides[1].fastest->point) : a;
}

// Names a configuration by what the configurations of its strategy in the log differ in.
class ConfigurationNames
{
  public:
    ConfigurationNames(const SidesComparison& comparison, const LoggedCases& log) : axes_(comparison.other_axes)
    {
        for (const CaseResult& result : log.results) {
            const Case& point = result.point;
            cells_[{name_on_side(point), "mechanism"}].insert(mechanism_text(point));
            for (const Axis* axis : axes_)
                cells_[{name_on_side(point), axis->name}].insert(cell_of(*axis, point));
        }
    }

    // "quick_kway by tail, grain 2048".
    std::string name(const Case& point) const
    {
        std::string text = name_on_side(point);
        if (differ(point, "mechanism"))
            text += " by " + mechanism_text(point);
        for (const Axis* axis : axes_)
            if (const std::string cell = cell_of(*axis, point); !cell.empty() && differ(point, axis->name))
                text += fmt::format(", {} {}", axis->name, cell);
        return text;
    }

  private:
    bool differ(const Case& point, std::string_view axis) const
    {
        return cells_.at({name_on_side(point), axis}).size() > 1;
    }

    std::vector<const Axis*> axes_;
    std::map<std::pair<std::string, std::string_view>, std::set<std::string>> cells_;
};

std::string side_text(const ComparedSide& side, std::string_view name)
{
    const std::string per_input =
        side.fewest == side.most ? fmt::format("{}", side.most) : fmt::format("{} to {}", side.fewest, side.most);
    std::string text =
        fmt::format("{}: {} {}: {}; {}, {} per input", name, side.asked.option, side.asked.patterns,
                    fmt::join(side.strategies, ", "), counted(side.configurations, "configuration"), per_input);
    if (side.left_out > 0)
        text += fmt::format("; {} left out, with rows that are not ok or have no time", side.left_out);
    return folded(text, 0);
}

std::string table_of(const SidesComparison& comparison, const LoggedCases& log)
{
    std::vector<Column> columns;
    Column workload{.name = "workload", .left = true, .axis = true};
    Column backend{.name = "backend", .left = true, .axis = true};
    for (const ComparedInput& input : comparison.inputs) {
        const Case& point = input.sides[0].fastest->point;
        workload.cells.emplace_back(info_of(point).workload->name);
        backend.cells.emplace_back(name_of(point.backend));
    }
    columns.push_back(std::move(workload));
    columns.push_back(std::move(backend));
    for (const Axis* axis : comparison.input_axes) {
        Column column{.name = std::string(axis->name), .left = axis->words(), .axis = true};
        for (const ComparedInput& input : comparison.inputs)
            column.cells.push_back(cell_of_input(*axis, input));
        const bool told = axis->input && axis->id != axis::seed && !column.value().empty();
        if (told || !column.constant())
            columns.push_back(std::move(column));
    }
    std::vector<Column> results{{.name = "clock", .left = true, .axis = true},
                                {.name = "A"},
                                {.name = "B"},
                                {.name = "A / B"},
                                {.name = "95% CI"},
                                {.name = "A is", .left = true}};
    const ConfigurationNames names(comparison, log);
    std::vector<std::string> notes;
    bool any_unlike = false;
    for (const ComparedInput& input : comparison.inputs) {
        const auto& [a, b] = input.sides;
        const bool unlike = a.held != b.held;
        any_unlike = any_unlike || unlike;
        add_row(results,
                {std::string(input.clock), format_us(a.median_us), format_us(b.median_us),
                 ratio_text(input.ratio.value).append(unlike ? FlatTimes::kUnlike : ""),
                 fmt::format("{} - {}", ratio_text(input.ratio.interval.low), ratio_text(input.ratio.interval.high)),
                 std::string(name_of(input.change))});
        notes.push_back(fmt::format("{}; {}", names.name(a.fastest->point), names.name(b.fastest->point)));
    }
    std::ranges::move(results, std::back_inserter(columns));
    const std::string unlike = fmt::format(
        "{} one of them open: open times include the host's submission, held times do not\n", FlatTimes::kUnlike);
    return table_text(std::move(columns), terminal_of(STDOUT_FILENO), notes) + (any_unlike ? unlike : "");
}

std::string totals_text(const SidesComparison& comparison)
{
    const auto count = [&](Change change) {
        return std::ranges::count(comparison.inputs, change, &ComparedInput::change);
    };
    double logarithms = 0;
    double least = comparison.inputs.front().ratio.value;
    double most = least;
    for (const ComparedInput& input : comparison.inputs) {
        logarithms += std::log(input.ratio.value);
        least = std::min(least, input.ratio.value);
        most = std::max(most, input.ratio.value);
    }
    const std::size_t inputs = comparison.inputs.size();
    std::string text = fmt::format("Of {}: A is faster on {}, slower on {}, the same on {}", counted(inputs, "input"),
                                   count(Change::faster), count(Change::slower), count(Change::same));
    if (const auto few = count(Change::too_few); few > 0)
        text += fmt::format("; on {} fewer than {} samples: not tested", few, kFewestSamples);
    text += fmt::format(". A / B is {} to {}, its geometric mean {}.", ratio_text(least), ratio_text(most),
                        ratio_text(std::exp(logarithms / static_cast<double>(inputs))));
    for (std::size_t place = 0; place < 2; ++place)
        if (const std::size_t alone = comparison.sides[place].alone; alone > 0)
            text += fmt::format(" Not compared: {} that only {} has.", counted(alone, "input"), kSideNames[place]);
    return folded(text, 0);
}

} // namespace

std::string sides_text(const SidesComparison& comparison, const std::string& path, const LoggedCases& log)
{
    std::string text = fmt::format("{}: on each input the fastest of A and the fastest of B\n", path);
    for (std::size_t place = 0; place < 2; ++place)
        text += side_text(comparison.sides[place], kSideNames[place]);
    const bool executor = std::ranges::any_of(comparison.inputs, [](const ComparedInput& input) {
        return input.sides[0].fastest->point.backend == BackendKind::cpu;
    });
    if (executor)
        text += folded(kExecutorTimes, 0);
    return text + table_of(comparison, log) + "\n" + totals_text(comparison);
}

std::string sides_csv(const SidesComparison& comparison)
{
    std::vector<std::string> cells{"workload", "backend"};
    for (const Axis* axis : comparison.input_axes)
        cells.push_back(axis->column);
    cells.emplace_back("clock");
    for (const char* side : {"a", "b"}) {
        for (const char* name : {"configurations", "strategy", "mechanism"})
            cells.push_back(fmt::format("{}_{}", name, side));
        for (const Axis* axis : comparison.other_axes)
            cells.push_back(fmt::format("{}_{}", axis->column, side));
        for (const char* name : {"samples", "median", "submit"})
            cells.push_back(fmt::format("{}_{}{}", name, side, name == std::string_view("median") ? "_us" : ""));
    }
    for (const char* name : {"ratio", "ratio_low", "ratio_high", "a_is"})
        cells.emplace_back(name);
    std::string text = csv_line(cells);
    for (const ComparedInput& input : comparison.inputs) {
        const Case& first = input.sides[0].fastest->point;
        cells = {std::string(info_of(first).workload->name), std::string(name_of(first.backend))};
        for (const Axis* axis : comparison.input_axes)
            cells.push_back(cell_of_input(*axis, input));
        cells.emplace_back(input.clock);
        for (const SideBest& side : input.sides) {
            const Case& point = side.fastest->point;
            cells.push_back(std::to_string(side.configurations));
            cells.push_back(point.strategy);
            cells.push_back(mechanism_text(point));
            for (const Axis* axis : comparison.other_axes)
                cells.push_back(cell_of(*axis, point));
            cells.push_back(std::to_string(times_of(*side.fastest).size()));
            cells.push_back(fmt::format("{}", side.median_us));
            cells.emplace_back(input.clock == "gpu" ? (side.held ? "held" : "open") : "");
        }
        for (const double number : {input.ratio.value, input.ratio.interval.low, input.ratio.interval.high})
            cells.push_back(fmt::format("{}", number));
        cells.emplace_back(name_of(input.change));
        text += csv_line(cells);
    }
    return text;
}

} // namespace nestbed
