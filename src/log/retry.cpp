#include "log/retry.hpp"

#include "base/csv.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "log/csv_log.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"

#include <optional>
#include <stdexcept>
#include <unordered_map>

namespace nestbed
{

RowsAside back_up_failed_rows(const LogPlace& place, const ParsedLog& rows, const std::vector<CaseResult>& results,
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
    const std::string whole = read_text_file(place.log);
    const std::string manifest_file = manifest_of(place.path, runs_of(rows));
    const FilePlace manifest =
        manifest_file == manifest_path(place.path) ? place.manifest : FilePlace::followed(manifest_file);
    const auto mode = [](const FilePlace& of) {
        const auto there = of.status();
        return there ? std::optional(there->st_mode) : std::nullopt;
    };
    const std::string manifest_text = manifest.status() ? read_text_file(manifest) : "";
    const FileContent log{.text = whole, .mode = mode(place.log)};
    const std::optional<FileContent> its_manifest =
        manifest.status() ? std::optional(FileContent{.text = manifest_text, .mode = mode(manifest)}) : std::nullopt;
    const LogPlace copy = place.free_place("old");
    try {
        write_log(copy, log, "the log as it was", its_manifest);
        replace_file(place.log, kept, "the log without the rows that failed");
    } catch (const std::runtime_error&) {
        if (read_text_file(place.log) == whole) // otherwise only the sync of its folder failed
            remove_log(copy, log, its_manifest);
        throw;
    }
    aside.file = copy.path;
    return aside;
}

} // namespace nestbed
