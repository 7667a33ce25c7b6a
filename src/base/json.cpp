#include "base/json.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace nestbed
{

namespace
{

bool is_too_deep(std::string_view text)
{
    int levels = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char one = text[at];
        if (one == '"')
            quoted = !quoted;
        else if (quoted)
            at += one == '\\' ? 1 : 0;
        else if (one == '[' || one == '{')
            ++levels;
        else if (one == ']' || one == '}')
            --levels;
        if (levels > kMaxJsonLevels)
            return true;
    }
    return false;
}

} // namespace

Json parse_json(std::string_view text)
{
    if (is_too_deep(text))
        return Json(Json::value_t::discarded);
    try {
        return Json::parse(text);
    } catch (const Json::out_of_range&) { // a number that is too large
        return Json(Json::value_t::discarded);
    }
}

Json parsed_json(std::string_view text)
{
    try {
        return parse_json(text);
    } catch (const Json::parse_error&) {
        return Json(Json::value_t::discarded);
    }
}

std::string json_text(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_lines(const Json& json)
{
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nestbed
