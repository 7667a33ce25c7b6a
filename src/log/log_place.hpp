// Where a log is, with its manifest and its copies. The links of the names are followed once, when the object is made.
// What takes one of the names later is not followed.
#pragma once

#include "base/file_place.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace nestbed
{

// The full name of the log followed by .json, so that no two logs share one: grid.csv.json, also for grid.csv.gz, and
// grid.gpu0.json for grid.gpu0. For a name without an extension, such as grid: grid.manifest.json.
std::string manifest_path(const std::string& csv_path);
// The name in earlier versions: grid.json for grid.csv, and for grid.gpu0 too. Such a file is read but never written.
std::string old_manifest_path(const std::string& csv_path);

// A log is written as plain text only. Throws UsageError if this log is compressed: by its name, or because only its
// compressed file is there.
void check_is_not_compressed(const std::string& csv_path);

struct LogPlace {
    LogPlace(const std::string& csv_path); // NOLINT(google-explicit-constructor): the path of a log is its place

    std::string path;   // as the user gave it
    FilePlace named;    // this name itself
    FilePlace log;      // the file to which it led, or was to lead
    FilePlace manifest; // beside the name, not beside the file to which it led

    // The names themselves from now on, after what had them was moved.
    void follow_no_links();
    // FILE.WORD-N beside the name, with the first number N for which neither a log nor its manifest exists.
    LogPlace free_place(std::string_view word) const;

  private:
    LogPlace(const FilePlace& name, const FilePlace& its_manifest);
};

struct FileContent {
    std::string_view text;
    std::optional<mode_t> mode; // permissions; empty: the default
};

// Writes a new log with its manifest: both, or none if one of them cannot be written. `what` names the log in messages.
// Throws as write_new_file() does.
void write_log(const LogPlace& place, const FileContent& log, std::string_view what,
               const std::optional<FileContent>& manifest);
// Removes them again, unless another program has changed them.
void remove_log(const LogPlace& place, const FileContent& log, const std::optional<FileContent>& manifest);

} // namespace nestbed
