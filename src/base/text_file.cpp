#include "base/text_file.hpp"

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/gzip.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace nestbed
{

namespace
{

constexpr std::string_view kCompressed = ".gz";

std::string read_all(int file, const std::string& path, std::size_t max_bytes)
{
    const auto check_size = [&](std::size_t size) {
        if (size > max_bytes)
            refuse_text(path,
                        fmt::format("it is too large; allowed: {}", format_bytes(static_cast<double>(max_bytes))));
    };
    const std::size_t expected = size_of_text(file, path);
    check_size(expected);
    std::string text(expected + 1, '\0'); // one more byte, to detect the end
    std::size_t size = 0;
    while (true) {
        if (size == text.size()) // the file grew, or it is in /proc, where files report a size of 0
            text.resize(size + (std::size_t{1} << 16));
        const ssize_t count = uninterrupted([&] { return read(file, text.data() + size, text.size() - size); });
        if (count < 0)
            refuse_text(path, std::strerror(errno));
        if (count == 0)
            break;
        size += static_cast<std::size_t>(count);
        check_size(size);
    }
    text.resize(size);
    return text;
}

} // namespace

void refuse_text(const std::string& path, const std::string& why)
{
    throw RunError(fmt::format("{}: it could not be read: {}", path, why));
}

int open_text(const std::string& path)
{
    // O_NONBLOCK: do not wait for a process that writes to a pipe.
    return uninterrupted([&] {
        return open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); // NOLINT(*-vararg)
    });
}

std::size_t size_of_text(int file, const std::string& path)
{
    struct stat status {
    };
    if (file < 0 || fstat(file, &status) != 0)
        refuse_text(path, std::strerror(errno));
    if (S_ISDIR(status.st_mode))
        throw RunError(fmt::format("{}: it is a folder; allowed: a file", path));
    if (!S_ISREG(status.st_mode))
        refuse_text(path, "it is a pipe or a device; allowed: a regular file");
    return static_cast<std::size_t>(status.st_size);
}

std::string stored_path(const std::string& path)
{
    std::error_code ignored;
    const std::string compressed = path + std::string(kCompressed);
    return !path.empty() && !std::filesystem::exists(path, ignored) && std::filesystem::exists(compressed, ignored)
               ? compressed
               : path;
}

std::string text_name(const std::string& path)
{
    return path.ends_with(kCompressed) ? path.substr(0, path.size() - kCompressed.size()) : path;
}

std::string read_text_file(const std::string& path, std::size_t max_bytes)
{
    const std::string file = stored_path(path);
    std::string content = read_all(Descriptor(open_text(file)), file, max_bytes);
    return is_gzip(content) ? unpacked_gzip(content, file, max_bytes) : content;
}

std::string read_open_text(int file, const std::string& path)
{
    return read_all(file, path, kMaxTextBytes);
}

} // namespace nestbed
