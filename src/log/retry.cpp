#include "log/retry.hpp"

#include "base/csv.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "log/csv_log.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <unordered_map>

namespace nestbed
{

RowsAside put_failed_aside(const ParsedLog& rows, const std::vector<CaseResult>& results,
                           const std::function<bool(const Case&, Status)>& failed)
{
    namespace fs = std::filesystem;
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
    aside.file = free_name(rows.path, "old");
    const std::string whole = read_text_file(rows.path);
    const std::string manifest = manifest_of(rows.path, runs_of(rows));
    try {
        if (fs::exists(manifest))
            write_new_file(manifest_path(aside.file), read_text_file(manifest), "the manifest", "--output",
                           permissions_of(manifest));
        write_new_file(aside.file, whole, "the log as it was", "--output",
                       permissions_of(rows.path)); // written completely, or not at all
        replace_file(rows.path, kept, "the log without the rows that failed");
    } catch (const std::runtime_error&) {
        std::error_code ignored;
        if (read_text_file(rows.path) == whole) // otherwise only the sync of its folder failed
            for (const std::string& copy : {aside.file, manifest_path(aside.file)})
                fs::remove(copy, ignored);
        throw;
    }
    return aside;
}

} // namespace nestbed
