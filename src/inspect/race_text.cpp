#include "inspect/race_text.hpp"

#include "base/text.hpp"
#include "model/case_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace nestbed
{

namespace
{

std::string name_of(const RaceAccess& access)
{
    return access.atomic ? (access.write ? "atomic update" : "atomic read") : access.write ? "write" : "read";
}

std::string spelled(const SourcePlace& place)
{
    return place.line == 0 ? "unknown place" : fmt::format("{}:{}", place.file, place.line);
}

std::string line_of(const RaceAccess& access)
{
    std::string text = fmt::format("  {:<6} {}  depth {}, block {}, thread {}\n", name_of(access),
                                   spelled(access.places.front()), access.depth, access.block, access.thread);
    if (access.places.size() > 1 && access.places[1].file != access.places[0].file)
        text += fmt::format("         called at {}\n", spelled(access.places[1]));
    if (access.launched_by)
        text += fmt::format("         launched at {}, block {}, thread {}\n", spelled(access.launched_by->place),
                            access.launched_by->block, access.launched_by->thread);
    return text;
}

nlohmann::ordered_json json_of(const RaceAccess& access)
{
    nlohmann::ordered_json json{
        {"kind", name_of(access)}, {"depth", access.depth}, {"block", access.block}, {"thread", access.thread}};
    for (const SourcePlace& place : access.places)
        json["places"].push_back(spelled(place));
    if (access.launched_by)
        json["launched_by"] = {{"place", spelled(access.launched_by->place)},
                               {"block", access.launched_by->block},
                               {"thread", access.launched_by->thread}};
    return json;
}

} // namespace

std::string races_text(const Races& races)
{
    std::string text;
    for (const Race& race : races.races) {
        text += fmt::format("race: {} and {} of {} ({} {})\n", name_of(race.first), name_of(race.second), race.memory,
                            race.bytes, race.bytes == 1 ? "byte" : "bytes");
        text += line_of(race.first) + line_of(race.second);
        text += folded("missing: " + race.missing, 2);
        text += fmt::format("  {} {}\n\n", race.pairs, race.pairs == 1 ? "pair" : "pairs");
    }
    const std::string watched = fmt::format("{} accesses of {} threads in {} {}", races.accesses, races.threads,
                                            races.grids, races.grids == 1 ? "grid" : "grids");
    const Status status = races.sample.status;
    const bool ran = status == Status::ok || status == Status::wrong || status == Status::count_mismatch;
    if (races.races.empty())
        return text + fmt::format("no races{}: {}\n", ran ? "" : " in what ran", watched);
    return text + fmt::format("{} {} of races, {} {}: {}\n", races.races.size(),
                              races.races.size() == 1 ? "kind" : "kinds", races.pairs(),
                              races.pairs() == 1 ? "pair" : "pairs", watched);
}

nlohmann::ordered_json races_json(const Case& point, const Races& races)
{
    nlohmann::ordered_json json;
    for (const auto& [key, value] : settings_of(point))
        json["case"][key] = value;
    json["status"] = name_of(races.sample.status);
    if (!races.sample.detail.empty())
        json["detail"] = races.sample.detail;
    json["races"] = nlohmann::ordered_json::array();
    for (const Race& race : races.races)
        json["races"].push_back({{"memory", race.memory},
                                 {"bytes", race.bytes},
                                 {"first", json_of(race.first)},
                                 {"second", json_of(race.second)},
                                 {"missing", race.missing},
                                 {"pairs", race.pairs}});
    json["pairs"] = races.pairs();
    json["accesses"] = races.accesses;
    json["threads"] = races.threads;
    json["grids"] = races.grids;
    json["memory_bytes"] = races.memory_bytes;
    return json;
}

} // namespace nestbed
