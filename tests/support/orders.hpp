// How many random orders of the executor a test tries.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace nestbed
{

// Returns `all` in a thorough run (tests/run.sh --thorough), otherwise `few`.
inline std::size_t random_orders(std::size_t few, std::size_t all)
{
    const char* thorough = std::getenv("NESTBED_THOROUGH");
    return thorough != nullptr && std::string_view(thorough) == "1" ? all : few;
}

} // namespace nestbed
