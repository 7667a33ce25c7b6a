#include "base/new_file.hpp"

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view option, const std::string& path, const std::string& why)
{
    throw UsageError(
        fmt::format("{} {}: {}; allowed: a new file in a folder that can be written to", option, path, why));
}

[[noreturn]] void fail(const std::string& path, std::string_view what, const std::string& why)
{
    throw RunError(fmt::format("{}: {} could not be written: {}", path, what, why));
}

fs::path folder_of(const std::string& path)
{
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? "." : folder;
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

// Writes a new file beside its place and renames it.
void put_in_place(const std::string& path, std::string_view content, std::string_view what, bool replaces,
                  std::optional<mode_t> mode)
{
    const std::string partial = folder_of(path) / fmt::format("nestbed-{:08x}.partial", std::random_device{}());
    try {
        const Descriptor file(done([&] {
            return open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); // NOLINT(*-vararg)
        }));
        try {
            while (!content.empty())
                content.remove_prefix(
                    static_cast<std::size_t>(done([&] { return write(file, content.data(), content.size()); })));
            if (mode)
                done([&] { return fchmod(file, *mode & 07777); });
            done([&] { return fsync(file); });
            done([&] { return replaces ? rename(partial.c_str(), path.c_str()) : rename_to_new(partial, path); });
        } catch (const std::system_error&) {
            static_cast<void>(unlink(partial.c_str()));
            throw;
        }
    } catch (const std::system_error& error) {
        fail(path, what, error.code().message());
    }
    bring_folder_to_disk(path);
}

} // namespace

int rename_to_new(const std::string& from, const std::string& to)
{
    const int result = renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
    const bool unsupported = result < 0 && (errno == EINVAL || errno == ENOSYS); // by the file system
    return unsupported ? rename(from.c_str(), to.c_str()) : result;
}

void check_new_file(const std::string& path, std::string_view option)
{
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        refuse(option, path, "it is a folder");
    if (fs::exists(fs::symlink_status(path, ignored)))
        refuse(option, path, "it already exists, and nothing is overwritten");
    const fs::path folder = folder_of(path);
    if (!fs::is_directory(folder, ignored))
        refuse(option, path, fmt::format("there is no folder {}", folder.string()));
    if (access(folder.c_str(), W_OK) != 0)
        refuse(option, path, std::strerror(errno));
}

void write_new_file(const std::string& path, std::string_view content, std::string_view what, std::string_view option,
                    std::optional<mode_t> mode)
{
    check_new_file(path, option);
    put_in_place(path, content, what, false, mode);
}

void replace_file(const std::string& path, std::string_view content, std::string_view what)
{
    struct stat there {
    };
    const bool exists = lstat(path.c_str(), &there) == 0;
    if (exists && !S_ISLNK(there.st_mode) && !S_ISREG(there.st_mode))
        fail(path, what, "it already exists and is not a regular file");
    put_in_place(path, content, what, true,
                 exists && S_ISREG(there.st_mode) ? std::optional(there.st_mode) : std::nullopt);
}

OutputFile::OutputFile(const std::string& path, bool overwrite, std::string_view option)
    : overwrite_(overwrite), option_(option), path_(path)
{
    if (overwrite)
        return;
    if (std::error_code ignored; fs::is_regular_file(path, ignored))
        throw UsageError(fmt::format("{} {}: it already exists, and nothing is overwritten; allowed: a new file, or "
                                     "--overwrite",
                                     option, path));
    check_new_file(path, option);
}

void OutputFile::write(std::string_view content, std::string_view what) const
{
    if (overwrite_)
        replace_file(path_, content, what);
    else
        write_new_file(path_, content, what, option_);
}

void bring_folder_to_disk(const std::string& path)
{
    const Descriptor folder(uninterrupted([&] {
        return open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); // NOLINT(*-vararg)
    }));
    const bool synced = folder >= 0 && uninterrupted([&] { return fsync(folder); }) == 0;
    // Ignore folders that cannot be read, and file systems that cannot sync folders: nothing can be done about them.
    if (!synced && errno != EACCES && errno != EINVAL && errno != ENOTSUP)
        throw RunError(fmt::format("{}: its folder could not be synced to the disk: {}", path, std::strerror(errno)));
}

} // namespace nestbed
