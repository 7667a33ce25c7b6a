#include "log/retry.hpp"

#include "base/csv.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <unordered_map>

namespace nestbed
{

namespace
{

// A number that --overwrite has not given to a log or its manifest either.
std::string free_name(const std::string& path)
{
    for (unsigned number = 1;; ++number) {
        std::string name = fmt::format("{}.old-{}", path, number);
        std::error_code ignored;
        if (!std::filesystem::exists(std::filesystem::symlink_status(name, ignored)) &&
            !std::filesystem::exists(fmt::format("{}.old-{}", manifest_path(path), number), ignored))
            return name;
    }
}

} // namespace

RowsAside put_failed_aside(const ParsedLog& rows, const std::vector<CaseResult>& results,
                           const std::function<bool(const Case&, Status)>& failed)
{
    std::unordered_map<std::string, const Case*> by_key;
    for (const CaseResult& result : results)
        by_key.emplace(result.key, &result.point);
    RowsAside aside;
    std::string kept = csv_line(rows.columns);
    for (const LogRow& row : rows.rows)
        if (failed(*by_key.at(row.cells[rows.column("key")]), sample_of(rows, row).status))
            ++aside.rows;
        else
            kept += csv_line(row.cells);
    if (aside.rows == 0)
        return aside;
    aside.file = free_name(rows.path);
    replace_file(aside.file, read_text_file(rows.path), "the log as it was"); // whole, or not at all
    replace_file(rows.path, kept, "the log without the rows that failed");
    return aside;
}

} // namespace nestbed
