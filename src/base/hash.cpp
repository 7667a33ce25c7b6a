#include "base/hash.hpp"

#include <array>
#include <cstdint>
#include <sha2.h>

namespace nestbed
{

std::string sha256_of(std::string_view text)
{
    std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
    SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digest.data());
    return digest.data();
}

} // namespace nestbed
