// A file that a command makes: whole, or not at all. Until then it has another name, nestbed-*.partial, in the same folder; what a process
// that was ended leaves of that is removed by the next one that writes the same file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace nestbed
{

// Throws UsageError if there is something of that name, or no folder for it. `option` is what named it.
void check_new_file(const std::string& path, std::string_view option = "--output");

// Writes it beside its place and renames it. `what` is the content's name in messages: "the image"; `mode` are its
// permissions, else the usual ones. Throws UsageError when it is
// there or cannot be made, RunError when it cannot be written.
void write_new_file(const std::string& path, std::string_view content, std::string_view what,
                    std::string_view option = "--output", std::optional<mode_t> mode = {});

// Writes it beside its place and renames it over what is there, through a symbolic link and with the same permissions. Throws
// RunError when it cannot be written, and where something other than a regular file is; what was there stays.
void replace_file(const std::string& path, std::string_view content, std::string_view what);
// The permissions of a file; none of one that cannot be asked.
std::optional<mode_t> permissions_of(const std::string& path);

// The name of a new file, or of one that was renamed, is on the disk too when its folder is. Nothing is done where the folder may not be
// read or its file system cannot do this. Throws RunError.
void bring_folder_to_disk(const std::string& path);

} // namespace nestbed
