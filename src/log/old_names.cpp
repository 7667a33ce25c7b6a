#include "log/old_names.hpp"

#include "model/case.hpp"

#include <algorithm>

namespace nestbed
{

namespace
{
constexpr std::string_view kMechanism = "mechanism";

bool has_mechanism(const ParsedLog& log, std::string_view name)
{
    return std::ranges::any_of(log.origins, [&](const RowOrigin& origin) { return origin.at(kMechanism) == name; });
}

// The value that all reductions had before the column existed.
std::string_view only_value(std::string_view column)
{
    if (column == "input")
        return name_of(kDefaultInput);
    return column == "operator" ? name_of(Operator::sum) : "";
}
} // namespace

bool is_known(const ParsedLog& log, std::string_view column)
{
    return log.has(column) || !only_value(column).empty();
}

std::string current_cell(const ParsedLog& log, const LogRow& row, std::string_view column)
{
    if (!log.has(column)) {
        const auto has_value = [&](std::string_view name) {
            return log.has(name) && !row.cells[log.column(name)].empty();
        };
        return has_value("elements") && !has_value("nx") ? std::string(only_value(column)) : ""; // for a reduction
    }
    const std::string& cell = row.cells[log.column(column)];
    if (column == kMechanism)
        return std::string(current_name(cell));
    return column == "seed" && cell == "0" ? "" : cell; // if no numbers are drawn
}

bool keys_agree(const ParsedLog& one, const ParsedLog& other)
{
    constexpr std::string_view kNow = name_of(Mechanism::null_stream);
    return !(has_mechanism(one, kOldNullStream) && has_mechanism(other, kNow)) &&
           !(has_mechanism(other, kOldNullStream) && has_mechanism(one, kNow));
}

} // namespace nestbed
