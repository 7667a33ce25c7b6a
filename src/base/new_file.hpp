// A file that a command creates: complete, or not at all. Until it is complete it has another name in the same folder,
// nestbed-*.partial. Symbolic links are never followed, so that nobody can plant one in the place of a file of root.
#pragma once

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

// The same over an existing file, whose permissions it keeps, or over a link. Throws RunError if the file cannot be
// written, or if something else is there; the existing content is then unchanged.
void replace_file(const std::string& path, std::string_view content, std::string_view what);

// A file that a command writes at its end: a new one, or with --overwrite also in place of an existing one.
class OutputFile
{
  public:
    // Throws as check_new_file(), except for a file that is to be replaced.
    OutputFile(const std::string& path, bool overwrite, std::string_view option = "--output");
    const std::string& path() const { return path_; }
    // Throws as write_new_file() or replace_file().
    void write(std::string_view content, std::string_view what) const;

  private:
    bool overwrite_;
    std::string option_;
    std::string path_;
};

// Renames within a folder, but replaces nothing. Returns -1 and sets errno, as the system call does.
int rename_to_new(const std::string& from, const std::string& to);

// Syncs the folder of a file to disk: only then is the name of a new or renamed file on the disk too. Does nothing if
// the folder cannot be read or the file system does not support this. Throws RunError.
void bring_folder_to_disk(const std::string& path);

} // namespace nestbed
