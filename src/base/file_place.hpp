// The place of a file: a name in a folder that is open. Whatever happens to the path of the folder, or to links, later:
// the place remains in this folder, and a link that has taken the name is never followed.
#pragma once

#include "base/descriptor.hpp"

#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace nestbed
{

class FilePlace
{
  public:
    // The name itself, even if it is a link now.
    static FilePlace named(const std::string& path);
    // The place to which the path leads now, over links, even if there is no file.
    static FilePlace followed(const std::string& path);
    // The place of a file that is to be replaced: followed() if there is a file, else named().
    static FilePlace to_replace(const std::string& path);

    // Another name in the same folder.
    FilePlace sibling(const std::string& name) const;

    // As the user gave it, for messages.
    const std::string& path() const { return path_; }
    const std::string& name() const { return name_; }

    // What has the name, which may be a link; empty if nothing has it, or the folder could not be opened.
    std::optional<struct stat> status() const;
    bool is_regular_file() const;
    // Whether the path of the folder still leads to the folder that is open.
    bool is_reached() const;
    // The names in the folder; empty if it cannot be read.
    std::vector<std::string> names_in_folder() const;

    // These return -1 and set errno, as the system calls do. A link is an error: ELOOP.
    int open(int flags) const;
    int remove() const;
    // Within one folder. `replaces`: replaces what has the new name; otherwise that is an error.
    int rename_to(const FilePlace& other, bool replaces) const;
    // Only then are new names in the folder on the disk.
    int sync_folder() const;

  private:
    FilePlace(std::string path, std::shared_ptr<const Descriptor> folder, std::string name, int error = 0);
    int folder() const;

    std::string path_;
    std::shared_ptr<const Descriptor> folder_;
    std::string name_;
    int error_; // errno of opening the folder
};

} // namespace nestbed
