// Reads a log, or any other CSV with a header: its rows with their lines in the file.
#pragma once

#include "base/csv.hpp"
#include "base/text_source.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nestbed
{

using LogRow = CsvRow;

// The rows of a log, of which there may be millions: each loop over them parses the text again, and has one row in
// memory. All rows are complete.
class LogRows
{
  public:
    class Iterator
    {
      public:
        using value_type = LogRow;
        using difference_type = std::ptrdiff_t;

        const LogRow& operator*() const { return *row_; }
        const LogRow* operator->() const { return row_.get(); }
        Iterator& operator++();
        void operator++(int) { ++*this; }
        friend bool operator==(const Iterator& it, std::default_sentinel_t /*end*/) { return it.row_ == nullptr; }

      private:
        friend class LogRows;
        std::shared_ptr<CsvReader> reader_;
        std::shared_ptr<LogRow> row_;
    };

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Iterator begin() const;
    static std::default_sentinel_t end() { return {}; }

  private:
    friend struct ParsedLog;
    TextSource text_;
    std::size_t size_ = 0;
};

// Columns that are the same in many rows: their distinct combinations are collected while a log is read.
inline constexpr std::array<std::string_view, 8> kOriginColumns{"experiment", "run_id", "backend", "machine",
                                                                "gpu",        "driver", "cuda",    "git"};

struct RowOrigin {
    std::array<std::string, kOriginColumns.size()> cells; // empty where the log does not have the column
    std::size_t rows = 0;

    const std::string& at(std::string_view column) const;
};

struct ParsedLog {
    ParsedLog() = default;
    // The rows refer to the text. Throws RunError that names the file, and the line if a row is incomplete.
    ParsedLog(const std::string& file, TextSource text);

    std::string path; // its name: grid.csv, also for grid.csv.gz
    std::vector<std::string> columns;
    LogRows rows;
    std::vector<RowOrigin> origins; // in the order of their first rows
    std::size_t last_origin = 0;    // index of that of the last row

    bool has(std::string_view column) const { return places_.contains(column); }
    // Throws RunError that names the file and the column.
    std::size_t column(std::string_view name) const;
    // Throws RunError that names file, line and column for a cell that is not a number.
    double number(const LogRow& row, std::string_view column) const;
    // The same for a part of the cell, `text`.
    double number(const LogRow& row, std::string_view column, std::string_view text) const;
    // The different cells of one of kOriginColumns, in the order of their first rows.
    std::vector<std::string> values_of(std::string_view column) const;

  private:
    struct NameHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
    };

    std::unordered_map<std::string, std::size_t, NameHash, std::equal_to<>> places_; // of the columns
};

// As the constructor does. A string becomes part of the log; the caller keeps any other text.
ParsedLog parse_log(const std::string& path, TextSource text);
ParsedLog parse_log(const std::string& path, std::string text);

} // namespace nestbed
