// A file that a command creates: complete, or not at all. Until it is complete it has another name in the same
// folder, nestbed-*.partial. If a process ends before that, the next process that writes the same file removes the
// partial one.
#pragma once

#include "base/file_place.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace nestbed
{

// Throws UsageError if the name already exists, or if there is no folder for it. `option` is the option that named
// the file.
void check_new_file(const std::string& path, std::string_view option = "--output");

// Writes the content to a file beside `path` and renames it. `what` names the content in messages: "the image".
// `mode` sets the permissions; by default the usual ones apply. Throws UsageError if the file already exists or
// cannot be created, RunError if it cannot be written.
void write_new_file(const std::string& path, std::string_view content, std::string_view what,
                    std::string_view option = "--output", std::optional<mode_t> mode = {});
void write_new_file(const FilePlace& place, std::string_view content, std::string_view what,
                    std::string_view option = "--output", std::optional<mode_t> mode = {});

// Writes the content to a file beside `path` and renames it over an existing file. Follows symbolic links and keeps
// the permissions. Throws RunError if the file cannot be written, or if something other than a regular file is there;
// the existing content is then unchanged.
void replace_file(const std::string& path, std::string_view content, std::string_view what);
// The same in a folder that is already open. Replaces a link, which has taken the name since the place was found.
void replace_file(const FilePlace& place, std::string_view content, std::string_view what);

// A file that a command writes at its end: a new one, or with --overwrite also in place of an existing one.
class OutputFile
{
  public:
    // Throws as check_new_file(), except for a file that is to be replaced.
    OutputFile(const std::string& path, bool overwrite, std::string_view option = "--output");
    const std::string& path() const { return place_.path(); }
    // Throws as write_new_file() or replace_file().
    void write(std::string_view content, std::string_view what) const;

  private:
    bool overwrite_;
    std::string option_;
    FilePlace place_;
};

// Syncs the folder of a file to disk: only then is the name of a new or renamed file on the disk too. Does nothing if
// the folder cannot be read or the file system does not support this. Throws RunError.
void bring_folder_to_disk(const FilePlace& place);

} // namespace nestbed
