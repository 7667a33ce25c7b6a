#include "log/old_names.hpp"

#include "model/mechanism.hpp"

#include <algorithm>

namespace nestbed
{

namespace
{
constexpr std::string_view kMechanism = "mechanism";

bool has_mechanism(const ParsedLog& log, std::string_view name)
{
    return log.has(kMechanism) && std::ranges::any_of(log.rows, [&](const LogRow& row) {
               return row.cells[log.column(kMechanism)] == name;
           });
}
} // namespace

std::string current_cell(std::string_view column, const std::string& cell)
{
    if (column == kMechanism)
        return std::string(current_name(cell));
    return column == "seed" && cell == "0" ? "" : cell; // where nothing is drawn
}

bool keys_agree(const ParsedLog& one, const ParsedLog& other)
{
    constexpr std::string_view kNow = name_of(Mechanism::null_stream);
    return !(has_mechanism(one, kOldNullStream) && has_mechanism(other, kNow)) &&
           !(has_mechanism(other, kOldNullStream) && has_mechanism(one, kNow));
}

} // namespace nestbed
