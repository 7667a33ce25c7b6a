#include "base/json.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>

namespace nestbed
{

namespace
{

// An object is searched from its first key for each new one.
constexpr std::size_t kMaxKeys = 20'000;

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
    std::array<std::size_t, kMaxJsonLevels + 1> keys{}; // by depth
    bool is_too_wide = false;
    try {
        Json json = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& /*value*/) {
            std::size_t& here = keys.at(static_cast<std::size_t>(depth));
            if (event == Json::parse_event_t::object_start)
                keys.at(static_cast<std::size_t>(depth) + 1) = 0;
            else if (event == Json::parse_event_t::key)
                is_too_wide |= ++here > kMaxKeys;
            return !is_too_wide;
        });
        return is_too_wide ? Json(Json::value_t::discarded) : json;
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
