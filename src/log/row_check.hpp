// Checks that the cells of a log's rows have the form of their columns (cell_form.hpp), so that a damaged log is an error
// and not a wrong number. Pure.
#pragma once

#include "log/cell_form.hpp"
#include "log/parsed_log.hpp"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestbed
{

class RowCheck
{
  public:
    // The log must outlive the object.
    explicit RowCheck(const ParsedLog& log);

    // Throws RunError that names file, line and column, the cell, and what is allowed. Columns that the log lacks are not
    // checked. Most cells are those of the row before, and are not read again.
    void check(const LogRow& row);
    // The same, and for a repetition of a case, by its key, that its run already has.
    void check_once(const LogRow& row);

  private:
    struct Column {
        ColumnForm form;
        const Axis* axis = nullptr;
        std::string cell; // of the row before
        bool known = false;
    };

    const ParsedLog* log_;
    std::vector<Column> columns_;
    std::unordered_map<std::string, std::unordered_map<std::string, std::size_t>>
        lines_; // by key and run, repetition
};

} // namespace nestbed
