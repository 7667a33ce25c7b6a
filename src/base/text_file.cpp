#include "base/text_file.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace nestbed
{

std::string read_text_file(const std::string& path)
{
    const auto refuse = [&](const std::string& why) {
        throw RunError(fmt::format("{}: it could not be read: {}", path, why));
    };
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
        refuse(std::strerror(EISDIR));
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open())
        refuse(std::strerror(errno));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (file.bad())
        refuse(std::strerror(errno));
    return text;
}

} // namespace nestbed
