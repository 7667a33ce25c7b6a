// What the fuzz targets share: a property that must hold, and the text of a refusal.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

namespace nestbed
{

// Ends the process if a property does not hold; libFuzzer then keeps the input. `about` describes what was seen
// instead.
inline void require(bool holds, std::string_view property, std::string_view about = "")
{
    if (holds)
        return;
    static_cast<void>(std::fprintf(stderr, "does not hold: %.*s\n%.*s\n", static_cast<int>(property.size()),
                                   property.data(), static_cast<int>(about.size()), about.data()));
    std::abort();
}

// Returns the text of the Error that call() throws, or "" if it throws nothing. Any other exception ends the process.
template <class Error, class Call>
std::string refusal_of(Call&& call)
{
    try {
        std::invoke(call);
    } catch (const Error& error) {
        const std::string text = error.what();
        require(!text.empty(), "a refusal says something");
        return text;
    }
    return "";
}

// Whether the text has no byte that would break a line, or overwrite it on a terminal.
inline bool is_one_line(std::string_view text)
{
    return std::ranges::none_of(text, [](char byte) {
        const auto code = static_cast<unsigned char>(byte);
        return (code < 0x20 && byte != '\t') || code == 0x7F;
    });
}

} // namespace nestbed
