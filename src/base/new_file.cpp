#include "base/new_file.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
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

std::string folder_of(const std::string& path)
{
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

// The prefix of the names of all partial files for this place.
std::string partial_name(const std::string& place)
{
    constexpr std::size_t kDigits = 16;
    const std::string name = std::filesystem::path(place).filename().string();
    return fmt::format("nestbed-{}-", sha256_of(name).substr(0, kDigits));
}

// Removes the files of processes that ended while they wrote a file for this place. A file that is still being
// written is locked and stays. On a file system without locks no file is removed.
void remove_stale_partial_files(const std::string& place)
{
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::directory_iterator entry(folder_of(place), error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (!name.starts_with(partial_name(place)) || !name.ends_with(kPartial) ||
            !fs::is_regular_file(entry->symlink_status(ignored)))
            continue;
        const int file =
            ::open(entry->path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); // NOLINT(*-vararg)
        if (file < 0)
            continue;
        if (::flock(file, LOCK_EX | LOCK_NB) == 0)
            static_cast<void>(::unlink(entry->path().c_str()));
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
    explicit PartialFile(const std::string& place) : place_(place)
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
        if (!name_.empty())
            static_cast<void>(::unlink(name_.c_str()));
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
        done([&] { return replaces ? ::rename(name_.c_str(), place_.c_str()) : rename_to_new(); });
        name_.clear();
        // Close the file before the folder is opened: the process may have only one file descriptor left.
        static_cast<void>(::close(std::exchange(descriptor_, -1)));
        bring_folder_to_disk(place_);
    }

  private:
    // Returns false if another process removed the file as stale before it was locked.
    bool open()
    {
        const std::string name =
            fmt::format("{}/{}{:08x}{}", folder_of(place_), partial_name(place_), std::random_device{}(), kPartial);
        const int file =
            ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); // NOLINT(*-vararg)
        if (file < 0 && errno != EEXIST && errno != EINTR)
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
        name_ = name;
        descriptor_ = file;
        return true;
    }

    // Falls back to a plain rename on file systems without RENAME_NOREPLACE.
    int rename_to_new() const
    {
        const int result = ::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, place_.c_str(), RENAME_NOREPLACE);
        return result < 0 && (errno == EINVAL || errno == ENOSYS) ? ::rename(name_.c_str(), place_.c_str()) : result;
    }

    std::string place_;
    std::string name_;
    int descriptor_ = -1;
};

// Resolves all symbolic links.
std::string real_path(const std::string& path)
{
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    if (!real)
        throw std::system_error(errno, std::generic_category());
    return real.get();
}
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
    std::optional<PartialFile> file;
    try {
        file.emplace(path);
    } catch (const std::system_error& error) { // for example, a folder that is not writable
        refuse(option, path, error.code().message());
    }
    try {
        file->write(content);
        if (mode)
            file->set_permissions(*mode);
        file->put_in_place(false);
    } catch (const std::system_error& error) {
        fail(path, what, error.code().message());
    }
}

std::optional<mode_t> permissions_of(const std::string& path)
{
    struct stat there {
    };
    return ::stat(path.c_str(), &there) == 0 ? std::optional(there.st_mode) : std::nullopt;
}

void replace_file(const std::string& path, std::string_view content, std::string_view what)
{
    struct stat there {
    };
    const bool is_there = ::stat(path.c_str(), &there) == 0;
    if (is_there && !S_ISREG(there.st_mode))
        fail(path, what, "it already exists and is not a regular file");
    try {
        PartialFile file(is_there ? real_path(path) : path); // replace the target of a symbolic link, not the link
        file.write(content);
        if (is_there)
            file.set_permissions(there.st_mode);
        file.put_in_place(true);
    } catch (const std::system_error& error) {
        fail(path, what, error.code().message());
    }
}

void bring_folder_to_disk(const std::string& path)
{
    const int folder = uninterrupted(
        [&] { return ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }); // NOLINT(*-vararg)
    int error = folder < 0 ? errno : 0;
    if (folder >= 0) {
        error = uninterrupted([&] { return ::fsync(folder); }) < 0 ? errno : 0;
        static_cast<void>(::close(folder));
    }
    // Ignore folders that cannot be read, and file systems that cannot sync folders: nothing can be done about them.
    if (error != 0 && error != EACCES && error != EINVAL && error != ENOTSUP)
        throw RunError(fmt::format("{}: its folder could not be synced to the disk: {}", path, std::strerror(error)));
}

} // namespace nestbed
