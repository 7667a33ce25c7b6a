#include "base/new_file.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::string_view kPartial = ".partial";

[[noreturn]] void refuse(std::string_view option, const std::string& path, const std::string& why)
{
    throw UsageError(
        fmt::format("{} {}: {}; allowed: a new file in a folder that can be written to", option, path, why));
}

[[noreturn]] void fail(const std::string& path, std::string_view what, const std::string& why)
{
    throw RunError(fmt::format("{}: {} could not be written: {}", path, what, why));
}

// Throws std::system_error with errno.
template <class Call>
auto done(const Call& call)
{
    const auto result = uninterrupted(call);
    if (result < 0)
        throw std::system_error(errno, std::generic_category());
    return result;
}

// The prefix of the names of all partial files for this place.
std::string partial_name(const FilePlace& place)
{
    constexpr std::size_t kDigits = 16;
    return fmt::format("nestbed-{}-", sha256_of(place.name()).substr(0, kDigits));
}

// Removes the files of processes that ended while they wrote a file for this place. A file that is still being
// written is locked and stays. On a file system without locks no file is removed.
void remove_stale_partial_files(const FilePlace& place)
{
    for (const std::string& name : place.names_in_folder()) {
        const FilePlace partial = place.sibling(name);
        if (!name.starts_with(partial_name(place)) || !name.ends_with(kPartial) || !partial.is_regular_file())
            continue;
        const int file = partial.open(O_RDWR | O_NONBLOCK);
        if (file < 0)
            continue;
        if (::flock(file, LOCK_EX | LOCK_NB) == 0)
            static_cast<void>(partial.remove());
        static_cast<void>(::close(file));
    }
}

// A new file beside its final place. Its name is random. It is opened only if nothing has that name, so that it never
// writes to a link or a pipe that somebody else put there. The destructor removes it unless it was put in its place.
// If a process ended before that, the next process that writes to the same place removes the file. All members throw
// std::system_error.
class PartialFile
{
  public:
    explicit PartialFile(const FilePlace& place) : place_(place)
    {
        remove_stale_partial_files(place);
        while (!open())
            ;
    }
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;
    ~PartialFile()
    {
        if (descriptor_ >= 0)
            static_cast<void>(::close(descriptor_));
        if (file_)
            static_cast<void>(file_->remove());
    }

    void write(std::string_view content) const
    {
        while (!content.empty()) {
            const ssize_t wrote = done([&] { return ::write(descriptor_, content.data(), content.size()); });
            content.remove_prefix(static_cast<std::size_t>(wrote));
        }
    }

    void set_permissions(mode_t mode) const
    {
        done([&] { return ::fchmod(descriptor_, mode & 07777U); });
    }

    // Syncs the content to disk before it renames the file, so that after a machine crash the name never refers to an
    // empty file. `replaces`: replaces an existing file; otherwise an existing file is an error. The file stays
    // locked until it has its final name.
    void put_in_place(bool replaces)
    {
        done([&] { return ::fsync(descriptor_); });
        done([&] { return file_->rename_to(place_, replaces); });
        file_.reset();
        // Close the file before the folder is opened: the process may have only one file descriptor left.
        static_cast<void>(::close(std::exchange(descriptor_, -1)));
        bring_folder_to_disk(place_);
    }

  private:
    // Returns false if another process removed the file as stale before it was locked.
    bool open()
    {
        const FilePlace partial =
            place_.sibling(fmt::format("{}{:08x}{}", partial_name(place_), std::random_device{}(), kPartial));
        const int file = partial.open(O_WRONLY | O_CREAT | O_EXCL);
        if (file < 0 && errno != EEXIST)
            throw std::system_error(errno, std::generic_category());
        if (file < 0)
            return false;
        struct stat made {
        };
        const bool taken = (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
                           (::fstat(file, &made) == 0 && made.st_nlink == 0);
        if (taken) {
            static_cast<void>(::close(file));
            return false;
        }
        file_ = partial;
        descriptor_ = file;
        return true;
    }

    FilePlace place_;
    std::optional<FilePlace> file_; // empty once it is in its place
    int descriptor_ = -1;
};

} // namespace

void check_new_file(const std::string& path, std::string_view option)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        refuse(option, path, "it is a folder");
    if (std::filesystem::exists(path, ignored))
        refuse(option, path, "it already exists, and nothing is overwritten");
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
        refuse(option, path, fmt::format("there is no folder {}", folder.string()));
    if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
        refuse(option, path, std::strerror(errno));
}

void write_new_file(const std::string& path, std::string_view content, std::string_view what, std::string_view option,
                    std::optional<mode_t> mode)
{
    check_new_file(path, option);
    write_new_file(FilePlace::named(path), content, what, option, mode);
}

void write_new_file(const FilePlace& place, std::string_view content, std::string_view what, std::string_view option,
                    std::optional<mode_t> mode)
{
    if (place.status())
        refuse(option, place.path(), "it already exists, and nothing is overwritten");
    std::optional<PartialFile> file;
    try {
        file.emplace(place);
    } catch (const std::system_error& error) { // for example, a folder that is not writable
        refuse(option, place.path(), error.code().message());
    }
    try {
        file->write(content);
        if (mode)
            file->set_permissions(*mode);
        file->put_in_place(false);
    } catch (const std::system_error& error) {
        fail(place.path(), what, error.code().message());
    }
}

void replace_file(const std::string& path, std::string_view content, std::string_view what)
{
    replace_file(FilePlace::to_replace(path), content, what);
}

void replace_file(const FilePlace& place, std::string_view content, std::string_view what)
{
    const auto there = place.status();
    const bool is_link = there && S_ISLNK(there->st_mode);
    if (there && !is_link && !S_ISREG(there->st_mode))
        fail(place.path(), what, "it already exists and is not a regular file");
    try {
        PartialFile file(place);
        file.write(content);
        if (there && !is_link)
            file.set_permissions(there->st_mode);
        file.put_in_place(true);
    } catch (const std::system_error& error) {
        fail(place.path(), what, error.code().message());
    }
}

OutputFile::OutputFile(const std::string& path, bool overwrite, std::string_view option)
    : overwrite_(overwrite), option_(option), place_(overwrite ? FilePlace::to_replace(path) : FilePlace::named(path))
{
    if (overwrite)
        return;
    if (std::error_code ignored; std::filesystem::is_regular_file(path, ignored))
        throw UsageError(fmt::format("{} {}: it already exists, and nothing is overwritten; allowed: a new file, or "
                                     "--overwrite",
                                     option, path));
    check_new_file(path, option);
}

void OutputFile::write(std::string_view content, std::string_view what) const
{
    if (overwrite_)
        replace_file(place_, content, what);
    else
        write_new_file(place_, content, what, option_);
}

void bring_folder_to_disk(const FilePlace& place)
{
    const int error = place.sync_folder() < 0 ? errno : 0;
    // Ignore folders that cannot be read, and file systems that cannot sync folders: nothing can be done about them.
    if (error != 0 && error != EACCES && error != EINVAL && error != ENOTSUP)
        throw RunError(
            fmt::format("{}: its folder could not be synced to the disk: {}", place.path(), std::strerror(error)));
}

} // namespace nestbed
