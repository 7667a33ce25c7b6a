#include "log/row_cells.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace nestbed
{

RowCells::RowCells(const ParsedLog& log) : log_(&log), reads_(log.columns.size())
{
    places_.fill(kNone);
    numbers_.fill(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t place = 0; place < log.columns.size(); ++place) {
        Read& read = reads_[place];
        const auto* const known = std::ranges::find(kColumnForms, log.columns[place], &ColumnForm::column);
        read.axis = axis_of_column(log.columns[place]);
        if (known != kColumnForms.end()) {
            read.column = static_cast<std::size_t>(known - kColumnForms.begin());
            read.form = known->form;
            if (places_[read.column] == kNone) // of columns with one name, the first counts
                places_[read.column] = place;
        } else if (read.axis != nullptr) {
            read.form = Form::axis;
        }
    }
}

void RowCells::read(const LogRow& row)
{
    row_ = &row;
    for (std::size_t place = 0; place < reads_.size(); ++place) {
        Read& read = reads_[place];
        const std::string& cell = row.cells[place];
        if (read.form == Form::text || (read.known && read.cell == cell))
            continue;
        double number = 0;
        if (!has_form(read.form, read.axis, cell, number))
            throw RunError(fmt::format("{}: {} is '{}'; allowed: {}", this->place(), log_->columns[place], cell,
                                       form_text(read.form, read.axis)));
        if (read.column != kNone)
            numbers_[read.column] = number;
        read.cell = cell;
        read.known = true;
    }
}

std::string RowCells::place() const
{
    return fmt::format("{}:{}", log_->path, row_->line);
}

void RowCells::refuse(std::size_t column, const std::string& expected) const
{
    refuse(kColumnForms.at(column).column, at(column), expected);
}

void RowCells::refuse(std::string_view column, const std::string& cell, const std::string& expected) const
{
    throw RunError(fmt::format("{}: {} is '{}'; expected: {}", place(), column, cell, expected));
}

} // namespace nestbed
