#include "base/json.hpp"

#include <nlohmann/json.hpp>

namespace nestbed
{

Json parse_json(std::string_view text)
{
    bool too_deep = false;
    Json json = Json::parse(text, [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
        too_deep = too_deep || depth > kMaxJsonLevels;
        return !too_deep;
    });
    return too_deep ? Json(Json::value_t::discarded) : json;
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
