#include "base/file_place.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

std::string folder_of(const std::string& path)
{
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

std::string name_of_file(const std::string& path)
{
    const std::string name = std::filesystem::path(path).filename().string();
    return name.empty() ? "." : name;
}

int open_at(int folder, const std::string& name, int flags)
{
    constexpr mode_t kDefaultMode = 0666;
    return uninterrupted(
        [&] { return ::openat(folder, name.c_str(), flags | O_CLOEXEC, kDefaultMode); }); // NOLINT(*-vararg)
}

std::shared_ptr<const Descriptor> open_folder(int from, const std::string& path)
{
    return std::make_shared<const Descriptor>(open_at(from, path, O_PATH | O_DIRECTORY));
}

// Where the link leads; empty if it is none.
std::string target_of(int folder, const std::string& name)
{
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(folder, name.c_str(), target.data(), target.size());
    return size < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(size));
}

bool is_same(const struct stat& one, const struct stat& other)
{
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

} // namespace

FilePlace::FilePlace(std::string path, std::shared_ptr<const Descriptor> folder, std::string name, int error)
    : path_(std::move(path)), folder_(std::move(folder)), name_(std::move(name)), error_(error)
{
}

FilePlace FilePlace::named(const std::string& path)
{
    const auto folder = open_folder(AT_FDCWD, folder_of(path));
    return {path, folder, name_of_file(path), *folder < 0 ? errno : 0};
}

FilePlace FilePlace::followed(const std::string& path)
{
    constexpr int kMaxLinks = 40; // as Linux
    FilePlace place = named(path);
    std::string target;
    for (int links = 0; place.error_ == 0 && !(target = target_of(*place.folder_, place.name_)).empty(); ++links) {
        place.folder_ = open_folder(*place.folder_, folder_of(target));
        place.name_ = name_of_file(target);
        place.error_ = *place.folder_ < 0 ? errno : links == kMaxLinks ? ELOOP : 0;
    }
    return place;
}

FilePlace FilePlace::to_replace(const std::string& path)
{
    FilePlace place = followed(path);
    return place.status() ? place : named(path);
}

FilePlace FilePlace::sibling(const std::string& name) const
{
    return {std::filesystem::path(path_).replace_filename(name).string(), folder_, name, error_};
}

int FilePlace::folder() const
{
    errno = error_;
    return error_ == 0 ? static_cast<int>(*folder_) : -1;
}

std::optional<struct stat> FilePlace::status() const
{
    struct stat there {
    };
    const int in = folder();
    return in >= 0 && ::fstatat(in, name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 ? std::optional(there)
                                                                                     : std::nullopt;
}

bool FilePlace::is_regular_file() const
{
    const auto there = status();
    return there && S_ISREG(there->st_mode);
}

bool FilePlace::is_reached() const
{
    struct stat ours {
    };
    struct stat there {
    };
    const int in = folder();
    return in >= 0 && ::fstat(in, &ours) == 0 && ::stat(folder_of(path_).c_str(), &there) == 0 &&
           is_same(ours, there);
}

std::vector<std::string> FilePlace::names_in_folder() const
{
    std::vector<std::string> names;
    const int in = folder();
    const int readable = in < 0 ? -1 : open_at(in, ".", O_RDONLY | O_DIRECTORY);
    if (readable < 0)
        return names;
    DIR* const entries = ::fdopendir(readable);
    if (entries == nullptr) {
        static_cast<void>(::close(readable));
        return names;
    }
    while (const dirent* const entry = ::readdir(entries)) // NOLINT(concurrency-mt-unsafe): of a stream of our own
        names.emplace_back(&entry->d_name[0]);
    static_cast<void>(::closedir(entries));
    return names;
}

int FilePlace::open(int flags) const
{
    const int in = folder();
    return in < 0 ? -1 : open_at(in, name_, flags | O_NOFOLLOW);
}

int FilePlace::remove() const
{
    const int in = folder();
    return in < 0 ? -1 : ::unlinkat(in, name_.c_str(), 0);
}

int FilePlace::rename_to(const FilePlace& other, bool replaces) const
{
    const int from = folder();
    const int to = from < 0 ? -1 : other.folder();
    if (to < 0)
        return -1;
    if (replaces)
        return ::renameat(from, name_.c_str(), to, other.name_.c_str());
    const int result = ::renameat2(from, name_.c_str(), to, other.name_.c_str(), RENAME_NOREPLACE);
    const bool unsupported = result < 0 && (errno == EINVAL || errno == ENOSYS); // by the file system
    return unsupported ? ::renameat(from, name_.c_str(), to, other.name_.c_str()) : result;
}

int FilePlace::sync_folder() const
{
    const int in = folder();
    const int readable = in < 0 ? -1 : open_at(in, ".", O_RDONLY | O_DIRECTORY);
    if (readable < 0)
        return -1;
    const int result = uninterrupted([&] { return ::fsync(readable); });
    const int error = errno;
    static_cast<void>(::close(readable));
    errno = error;
    return result;
}

} // namespace nestbed
