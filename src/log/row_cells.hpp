// The cells of a log's rows by their columns, after a check of their forms (cell_form.hpp). Pure.
#pragma once

#include "log/cell_form.hpp"
#include "log/parsed_log.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

class RowCells
{
  public:
    // The log must outlive the object.
    explicit RowCells(const ParsedLog& log);

    // Takes the next row. Throws RunError that names file, line and column for a cell that does not have its form. Most
    // cells are those of the row before, and are not read again.
    void read(const LogRow& row);

    // Columns by "gpu_us"_column. A column that the log lacks is empty.
    bool has(std::size_t column) const { return places_[column] != kNone; }
    const std::string& at(std::size_t column) const { return has(column) ? row_->cells[places_[column]] : kNothing; }
    bool has_value(std::size_t column) const { return !at(column).empty(); }
    // NaN if the cell is empty.
    double number(std::size_t column) const { return numbers_[column]; }

    const ParsedLog& log() const { return *log_; }
    const LogRow& row() const { return *row_; }
    std::string place() const; // file and line
    [[noreturn]] void refuse(std::size_t column, const std::string& expected) const;
    [[noreturn]] void refuse(std::string_view column, const std::string& cell, const std::string& expected) const;

  private:
    struct Read {
        std::size_t column = kNone; // in kColumnForms
        Form form = Form::text;
        const Axis* axis = nullptr;
        std::string cell; // of the row before
        bool known = false;
    };
    static constexpr std::size_t kNone = SIZE_MAX;
    static inline const std::string kNothing;

    const ParsedLog* log_;
    const LogRow* row_ = nullptr;
    std::vector<Read> reads_; // by column of the log
    std::array<std::size_t, kColumnForms.size()> places_{};
    std::array<double, kColumnForms.size()> numbers_{};
};

} // namespace nestbed
