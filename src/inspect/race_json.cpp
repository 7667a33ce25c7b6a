// Apart from race_text.cpp, because the run-time library of users' programs has no cases.
#include "inspect/race_text.hpp"
#include "model/case_text.hpp"

#include <nlohmann/json.hpp>

namespace nestbed
{

Json races_json(const Case& point, const Races& races)
{
    Json json;
    for (const auto& [key, value] : settings_of(point))
        json["case"][key] = value;
    json["status"] = name_of(races.sample.status);
    if (!races.sample.detail.empty())
        json["detail"] = races.sample.detail;
    json["races"] = Json::array();
    for (const Race& race : races.races)
        json["races"].push_back(race_json(race));
    json["bad_accesses"] = Json::array();
    for (const BadAccess& bad : races.bad_accesses)
        json["bad_accesses"].push_back(bad_access_json(bad));
    json["warnings"] = Json::array();
    for (const BadAccess& warning : races.warnings)
        json["warnings"].push_back(bad_access_json(warning));
    json["pairs"] = races.pairs();
    json["accesses"] = races.accesses;
    json["threads"] = races.threads;
    json["grids"] = races.grids;
    json["memory_bytes"] = races.memory_bytes;
    if (!races.incomplete.empty())
        json["incomplete"] = races.incomplete;
    return json;
}

} // namespace nestbed
