#include "log/retry.hpp"

#include "base/csv.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "log/csv_log.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>
#include <unordered_map>

namespace nestbed
{

namespace
{
void copy_file(const std::string& from, const std::string& to, std::string_view what)
{
    struct stat there {
    };
    if (stat(from.c_str(), &there) == 0)
        write_new_file(to, read_text_file(from), what, "--output", there.st_mode);
}
} // namespace

RowsAside back_up_failed_rows(const std::string& path, const ParsedLog& rows, const std::vector<CaseResult>& results,
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
    aside.file = free_name_for_copy(path);
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(path, ignored);
    try {
        copy_file(manifest_path(path), manifest_path(aside.file), "the manifest"); // first, as a run does
        copy_file(path, aside.file, "the log as it was");
        replace_file(path, kept, "the log without the rows that failed");
    } catch (const std::runtime_error&) {
        // A log that has still all its rows needs no copy.
        if (std::filesystem::file_size(path, ignored) == bytes) {
            std::filesystem::remove(aside.file, ignored);
            std::filesystem::remove(manifest_path(aside.file), ignored);
        }
        throw;
    }
    return aside;
}

} // namespace nestbed
