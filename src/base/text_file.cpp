#include "base/text_file.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nestbed
{

namespace
{

constexpr int kReading = O_RDONLY | O_NONBLOCK | O_NOCTTY; // do not wait for a process that writes to a pipe

std::string read_all(const Descriptor& file, const std::string& path, std::size_t most_bytes)
{
    const auto refuse = [&](const std::string& why) {
        throw RunError(fmt::format("{}: it could not be read: {}", path, why));
    };
    const auto check_size = [&](std::size_t size) {
        if (size > most_bytes)
            refuse(fmt::format("it is too large; allowed: {}", format_bytes(static_cast<double>(most_bytes))));
    };
    struct stat status {
    };
    if (file < 0 || fstat(file, &status) != 0)
        refuse(std::strerror(errno));
    if (S_ISDIR(status.st_mode))
        throw RunError(fmt::format("{}: it is a folder; allowed: a file", path));
    if (!S_ISREG(status.st_mode))
        refuse("it is a pipe or a device; allowed: a regular file");
    check_size(static_cast<std::size_t>(status.st_size));
    std::string text(static_cast<std::size_t>(status.st_size) + 1,
                     '\0'); // one more byte, to detect the end
    std::size_t size = 0;
    while (true) {
        if (size == text.size()) // the file grew, or it is in /proc, where files report a size of 0
            text.resize(size + (std::size_t{1} << 16));
        const ssize_t count = uninterrupted([&] { return read(file, text.data() + size, text.size() - size); });
        if (count < 0)
            refuse(std::strerror(errno));
        if (count == 0)
            break;
        size += static_cast<std::size_t>(count);
        check_size(size);
    }
    text.resize(size);
    return text;
}

} // namespace

std::string read_text_file(const std::string& path, std::size_t most_bytes)
{
    return read_all(Descriptor(uninterrupted([&] {
                        return open(path.c_str(), kReading | O_CLOEXEC); // NOLINT(*-vararg)
                    })),
                    path, most_bytes);
}

std::string read_text_file(const FilePlace& place)
{
    return read_all(Descriptor(place.open(kReading)), place.path(), kMostTextBytes);
}

} // namespace nestbed
