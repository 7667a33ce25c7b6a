#include "log/parsed_log.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <utility>

namespace nestbed
{

namespace
{

// Zero bytes would end a message too early; after a power failure some file systems leave them in a file.
void check_is_text(const std::string& path, const TextSource& text)
{
    std::string buffer;
    std::size_t line = 1;
    std::string_view piece;
    for (std::size_t at = 0; !(piece = text.piece(at, buffer)).empty(); at += piece.size()) {
        const std::size_t nul = piece.find('\0');
        if (nul != std::string_view::npos)
            throw RunError(fmt::format(
                "{}:{}: byte {} is 0: the file is damaged, or not text", path,
                line + static_cast<std::size_t>(std::ranges::count(piece.substr(0, nul), '\n')), at + nul));
        line += static_cast<std::size_t>(std::ranges::count(piece, '\n'));
    }
}

} // namespace

LogRows::Iterator LogRows::begin() const
{
    Iterator first;
    if (size_ == 0)
        return first;
    first.reader_ = std::make_shared<CsvReader>(text_);
    first.row_ = std::make_shared<LogRow>();
    first.reader_->next(*first.row_); // the header
    return ++first;
}

LogRows::Iterator& LogRows::Iterator::operator++()
{
    if (!reader_->next(*row_))
        row_.reset();
    return *this;
}

const std::string& RowOrigin::at(std::string_view column) const
{
    return cells.at(static_cast<std::size_t>(std::ranges::find(kOriginColumns, column) - kOriginColumns.begin()));
}

namespace
{

// Finds the origin of each row of a log.
class Origins
{
  public:
    explicit Origins(ParsedLog& log) : log_(log)
    {
        for (const std::string_view name : kOriginColumns)
            places_.push_back(log.has(name) ? std::optional(log.column(name)) : std::nullopt);
    }

    void count(const LogRow& row)
    {
        if (log_.origins.empty() || !is_of_last(row)) {
            std::string cells;
            for (const std::optional<std::size_t>& place : places_)
                cells.append(place ? row.cells[*place] : "").push_back('\0');
            const auto [found, is_new] = index_of_.try_emplace(std::move(cells), log_.origins.size());
            log_.last_origin = found->second;
            if (is_new)
                add(row);
        }
        ++log_.origins[log_.last_origin].rows;
    }

  private:
    bool is_of_last(const LogRow& row) const
    {
        const RowOrigin& last = log_.origins[log_.last_origin];
        for (std::size_t index = 0; index < places_.size(); ++index)
            if (places_[index] && last.cells[index] != row.cells[*places_[index]])
                return false;
        return true;
    }

    void add(const LogRow& row)
    {
        RowOrigin& origin = log_.origins.emplace_back();
        for (std::size_t index = 0; index < places_.size(); ++index)
            if (places_[index])
                origin.cells[index] = row.cells[*places_[index]];
    }

    ParsedLog& log_;
    std::vector<std::optional<std::size_t>> places_; // of kOriginColumns
    std::unordered_map<std::string, std::size_t> index_of_;
};

} // namespace

ParsedLog::ParsedLog(const std::string& file, TextSource text) : path(text_name(file))
{
    check_is_text(path, text);
    rows.text_ = std::move(text);
    CsvReader reader(rows.text_);
    LogRow row;
    try {
        if (!reader.next(row))
            throw RunError(fmt::format("{}: it is empty; allowed: a CSV with a header", path));
        columns = row.cells;
        for (std::size_t place = 0; place < columns.size(); ++place)
            if (!places_.try_emplace(columns[place], place).second)
                throw RunError(
                    fmt::format("{}:{}: column '{}' is there twice; allowed: a header with each column once", path,
                                row.line, columns[place]));
        for (const std::string_view old : {"floor_us", "items_offered", "delta"})
            if (has(old))
                throw RunError(fmt::format(
                    "{}:{}: column '{}' is of key version 1: nestbed has other names for columns and other keys "
                    "of cases now; allowed: a log of key version 2",
                    path, row.line, old));
        Origins origins_of_rows(*this);
        for (; reader.next(row); ++rows.size_) {
            if (row.cells.size() != columns.size())
                throw RunError(fmt::format("{}:{}: {} cells under {} columns: the row is incomplete", path, row.line,
                                           row.cells.size(), columns.size()));
            origins_of_rows.count(row);
        }
    } catch (const CsvError& error) {
        throw RunError(fmt::format("{}: {}; the file may be cut off", path, error.what()));
    }
}

std::size_t ParsedLog::column(std::string_view name) const
{
    const auto found = places_.find(name);
    if (found == places_.end())
        throw RunError(fmt::format("{}: it has no column {}", path, name));
    return found->second;
}

double ParsedLog::number(const LogRow& row, std::string_view name) const
{
    return number(row, name, row.cells[column(name)]);
}

double ParsedLog::number(const LogRow& row, std::string_view name, std::string_view text) const
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        throw RunError(fmt::format("{}:{}: {} is '{}'; allowed: a number", path, row.line, name, text));
    return value;
}

std::vector<std::string> ParsedLog::values_of(std::string_view column) const
{
    std::vector<std::string> values;
    std::unordered_set<std::string_view> seen;
    for (const RowOrigin& origin : origins)
        if (seen.insert(origin.at(column)).second)
            values.push_back(origin.at(column));
    return values;
}

ParsedLog parse_log(const std::string& path, TextSource text)
{
    return {path, std::move(text)};
}

ParsedLog parse_log(const std::string& path, std::string text)
{
    return {path, TextSource::of(std::move(text))};
}

} // namespace nestbed
