// The table of what the cells of one row must satisfy together, whatever its case and its run. Pure.
#pragma once

#include "log/row_cells.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace nestbed
{

struct RowRule {
    std::string_view columns; // that it is about
    std::string_view must;    // what must hold, as the documents say it
    // Throws RunError (RowCells::refuse) if it does not hold. Columns that the log lacks are not checked.
    void (*check)(const RowCells& row);
};

// A rule in words.
struct RuleText {
    std::string_view columns, must;
};

template <class Rule>
std::vector<RuleText> texts_of(std::span<const Rule> rules)
{
    std::vector<RuleText> texts;
    for (const Rule& rule : rules)
        texts.push_back({rule.columns, rule.must});
    return texts;
}

inline bool is_ok(const RowCells& row)
{
    return row.at("status"_column) == "ok";
}

inline bool on_executor(const RowCells& row)
{
    return row.at("backend"_column) == "cpu";
}

} // namespace nestbed
