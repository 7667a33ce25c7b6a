#include "log/row_check.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

namespace nestbed
{

RowCheck::RowCheck(const ParsedLog& log) : log_(&log)
{
    for (const std::string& column : log.columns)
        columns_.push_back({.form = form_of(column), .axis = axis_of_column(column)});
}

void RowCheck::check(const LogRow& row)
{
    for (std::size_t place = 0; place < columns_.size(); ++place) {
        Column& column = columns_[place];
        const std::string& cell = row.cells[place];
        if (column.form.form == Form::text || (column.known && column.cell == cell))
            continue;
        if (!has_form(column.form.form, column.axis, cell))
            throw RunError(fmt::format("{}:{}: {} is '{}'; allowed: {}", log_->path, row.line, column.form.column,
                                       cell, form_text(column.form.form, column.axis)));
        column.cell = cell;
        column.known = true;
    }
}

void RowCheck::check_once(const LogRow& row)
{
    check(row);
    if (!log_->has("key") || !log_->has("run_id") || !log_->has("repetition"))
        return;
    const std::string& repetition = row.cells[log_->column("repetition")];
    if (repetition.empty())
        throw RunError(fmt::format("{}:{}: repetition is ''; allowed: a whole number from 0", log_->path, row.line));
    const std::string run = row.cells[log_->column("key")] + '\0' + row.cells[log_->column("run_id")];
    const auto [first, is_new] = lines_[run].try_emplace(repetition, row.line);
    if (!is_new)
        throw RunError(fmt::format("{}:{}: repetition {} of the case is already in {}:{}; allowed: every row once",
                                   log_->path, row.line, repetition, log_->path, first->second));
}

} // namespace nestbed
