#include "text_file.hpp"

#include "error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace nestbed
{

std::string read_text_file(const std::string& path)
{
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad())
        throw RunError(fmt::format("{}: it could not be read: {}", path, std::strerror(errno)));
    return text;
}

} // namespace nestbed
