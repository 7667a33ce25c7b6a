// How much of the same a test tries: random orders of the executor, and what else only repeats the same code.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace nestbed
{

// A build with sanitizers looks for memory errors, and its executor is twenty times as slow. There, tests take every code
// path with few inputs. The other builds compare the answers of all inputs.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Whether this is a thorough run: tests/run.sh --thorough.
inline bool is_thorough()
{
    const char* thorough = std::getenv("NESTBED_THOROUGH");
    return thorough != nullptr && std::string_view(thorough) == "1";
}

// Returns `all` in a thorough run, otherwise `few`.
inline std::size_t random_orders(std::size_t few, std::size_t all)
{
    return is_thorough() ? all : few;
}

// Returns `all`; with sanitizers, `few`.
template <class Value>
Value unless_sanitized(Value all, Value few)
{
    return kSanitized ? few : all;
}

// The schedules of the executor. Fifo is the fastest: ten times as fast as random.
inline std::vector<const char*> every_schedule()
{
    return kSanitized ? std::vector{"fifo"} : std::vector{"fifo", "eager", "random:1"};
}

} // namespace nestbed
