// SHA-256, with libmd.
#pragma once

#include <string>
#include <string_view>

namespace nestbed
{

// 64 hexadecimal digits.
std::string sha256_of(std::string_view text);

} // namespace nestbed
