// JSON as the program reads and writes it. Only json.cpp compiles the library's parser and writer: they would take seconds in every
// stage. Who looks into a value includes <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace nestbed
{

using Json = nlohmann::ordered_json; // its objects keep the order of their keys

// The writer recurses once per level, so that deep nesting could overflow the stack. No file of nestbed is nested as deep.
inline constexpr int kMaxJsonLevels = 32;

// Throws Json::parse_error, which names the place, if the text is not JSON. A discarded value if it is nested deeper than
// kMaxJsonLevels, or has a number that is too large.
Json parse_json(std::string_view text);
// A discarded value instead of an exception, too.
Json parsed_json(std::string_view text);

// On one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& json);
// The same as a file that people may read: indented, with a line feed at the end.
std::string json_lines(const Json& json);

} // namespace nestbed
