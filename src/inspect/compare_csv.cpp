#include "inspect/compare_csv.hpp"

#include "base/csv.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace nestbed
{

namespace
{
std::string number_cell(const std::optional<double>& value)
{
    return value ? fmt::format("{}", *value) : "";
}
} // namespace

std::string compare_csv(const Comparison& comparison, double tolerance)
{
    std::vector<std::string> cells = comparison.columns;
    if (comparison.by_key)
        cells.emplace_back("key");
    for (const char* name :
         {"clock", "rows_a", "ok_a", "status_a", "median_a_us", "submit_a", "rows_b", "ok_b", "status_b",
          "median_b_us", "submit_b", "ratio", "ratio_low", "ratio_high", "verdict", "regression"})
        cells.emplace_back(name);
    std::string text = csv_line(cells);
    for (const ComparedCase& one : comparison.cases) {
        cells = one.cells;
        if (comparison.by_key)
            cells.push_back(one.key);
        cells.push_back(one.clock);
        for (const CaseSide* side : {&one.before, &one.after}) {
            cells.push_back(std::to_string(side->rows));
            cells.push_back(std::to_string(side->ok));
            cells.push_back(side->status);
            cells.push_back(number_cell(side->median_us));
            cells.push_back(side->submit);
        }
        cells.push_back(number_cell(one.ratio));
        cells.push_back(one.interval ? number_cell(one.interval->low) : "");
        cells.push_back(one.interval ? number_cell(one.interval->high) : "");
        cells.emplace_back(name_of(one.change));
        cells.emplace_back(is_regression(one, tolerance) ? "yes" : "no");
        text += csv_line(cells);
    }
    return text;
}

} // namespace nestbed
