#include "program/include/nestbed/program/print.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace nestbed::program
{

namespace
{

constexpr unsigned kMaxArguments = 32;

// The bytes of a format that take as many arguments.
std::size_t bytes_of_first(std::string_view format, unsigned arguments)
{
    std::size_t at = 0;
    while (true) {
        const std::size_t percent = format.find('%', at);
        if (percent == std::string_view::npos)
            return format.size();
        const std::size_t type = format.find_first_of("diouxXcsfFeEgGaAp%", percent + 1);
        if (type == std::string_view::npos)
            return percent;
        const std::string_view between = format.substr(percent, type - percent);
        const auto needed = (format[type] == '%' ? 0U : 1U) + static_cast<unsigned>(std::ranges::count(between, '*'));
        if (needed > arguments)
            return percent;
        arguments -= needed;
        at = type + 1;
    }
}

} // namespace

int print_of_kernel(unsigned count, const char* format, ...) // NOLINT(*-vararg): as C's printf()
{
    if (format == nullptr)
        return -1;
    const unsigned used = std::min(count, kMaxArguments);
    const std::size_t bytes = count > used ? bytes_of_first(format, used) : std::strlen(format);
    std::va_list arguments;
    va_start(arguments, format);
    static_cast<void>(std::vprintf(std::string(format, bytes).c_str(), arguments));
    va_end(arguments);
    static_cast<void>(std::fputs(format + bytes, stdout));
    return static_cast<int>(used);
}

} // namespace nestbed::program
