#include "program/runtime/report_text.hpp"

#include "base/text.hpp"
#include "inspect/race_text.hpp"
#include "program/count/launch_table.hpp"
#include "program/report/findings.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace nestbed::program
{

namespace
{

std::string spelled(const SourcePlace& place)
{
    return place.line == 0 ? "unknown place" : fmt::format("{}:{}", place.file, place.line);
}

std::vector<nestbed_count::LaunchRow> rows_of(const std::vector<KernelCounts>& counts)
{
    std::vector<nestbed_count::LaunchRow> rows;
    for (const KernelCounts& one : counts) {
        const char* const known = nestbed_count::advice(one.first_error.c_str());
        rows.push_back({.kernel = one.kernel.c_str(),
                        .from_host = one.from_host,
                        .from_device = one.from_device,
                        .in_graphs = one.in_graphs,
                        .refused = one.refused,
                        .deepest = one.deepest,
                        .error = one.first_error.c_str(),
                        .place = one.place.c_str(),
                        .advice = !one.why_refused.empty() ? one.why_refused.c_str()
                                  : known != nullptr       ? known
                                                     : "the launch failed. Check its configuration and its stream."});
    }
    return rows;
}

template <class Print>
std::string printed(const std::vector<KernelCounts>& counts, const Print& print)
{
    char* text = nullptr;
    std::size_t bytes = 0;
    FILE* const out = ::open_memstream(&text, &bytes);
    if (out == nullptr)
        throw std::bad_alloc();
    const std::vector<nestbed_count::LaunchRow> rows = rows_of(counts);
    print(out, rows.data(), rows.size());
    const bool complete = std::fclose(out) == 0;
    std::string all(complete ? text : "", complete ? bytes : 0);
    std::free(text);
    if (!complete)
        throw std::bad_alloc();
    return all;
}

std::string reason(const Suppression& suppression)
{
    return suppression.why.empty() ? "" : fmt::format(" ({})", suppression.why);
}

constexpr std::size_t kIndent = 2;

// A message in lines of at most 80 characters, of which all but the first are indented.
std::string message(const std::string& text)
{
    return folded(text, kIndent).substr(kIndent);
}

} // namespace

std::string launches_text(const std::vector<KernelCounts>& counts, const nestbed_count::GraphLaunches& graphs)
{
    return printed(counts, [&](FILE* out, const nestbed_count::LaunchRow* rows, std::size_t count) {
        nestbed_count::print_table(out, rows, count, graphs);
    });
}

std::string refusals_text(const std::vector<KernelCounts>& counts)
{
    return printed(counts, nestbed_count::print_warnings);
}

std::string checked_text(const CheckedRaces& races)
{
    std::string text = races.races.grids == 0 && races.races.none() ? "not searched for races: no kernel ran\n"
                                                                    : races_text(races.races);
    if (const std::uint64_t open = races.races.open_launches; open != 0)
        text += message(
            fmt::format("note: {} at {} {} in no order with the launch before by another thread of the block into "
                        "the same stream. Races of another order of these are not reported: `nestbed test` tries "
                        "others",
                        open == 1 ? "1 launch" : fmt::format("{} launches", open), spelled(races.races.open_launch),
                        open == 1 ? "is" : "are"));
    for (const auto& [race, by] : races.suppressed_races)
        text +=
            message(fmt::format("suppressed by {}: race of {} between {} and {}{}", by.origin, race.memory,
                                spelled(race.first.places.front()), spelled(race.second.places.front()), reason(by)));
    for (const auto& [bad, by] : races.suppressed_accesses)
        text += message(
            fmt::format("suppressed by {}: {} at {}{}", by.origin,
                        bad.kind == BadAccess::Kind::synchronization ? "synchronization" : "access to " + bad.memory,
                        spelled(bad.access.places.front()), reason(by)));
    for (const Suppression& unused : races.unused)
        text += message(fmt::format("unused suppression at {}: nothing found matches {}", unused.origin,
                                    unused.next_line ? "this line or the next" : unused.what));
    return text;
}

Json report_json(const std::vector<KernelCounts>& counts, const nestbed_count::GraphLaunches& graphs,
                 const std::vector<FailedKernel>& failed, const std::string& incomplete,
                 const std::optional<CheckedRaces>& races)
{
    Json json{{"report_version", kReportVersion}};
    json["kernels"] = Json::array();
    std::uint64_t from_device = 0;
    std::uint64_t refused = 0;
    for (const KernelCounts& row : counts) {
        json["kernels"].push_back({{"kernel", row.kernel},
                                   {"from_host", row.from_host},
                                   {"from_device", row.from_device},
                                   {"in_graphs", row.in_graphs},
                                   {"refused", row.refused},
                                   {"deepest", row.deepest},
                                   {"first_error", row.first_error},
                                   {"place", row.place}});
        from_device += row.from_device;
        refused += row.refused;
    }
    json["launches_from_device"] = from_device;
    json["refused"] = refused;
    json["graphs"] = {
        {"from_host", graphs.from_host}, {"from_device", graphs.from_device}, {"refused", graphs.refused}};
    json["backend"] = "cpu";
    json["failed"] = Json::array();
    for (const FailedKernel& one : failed)
        json["failed"].push_back(
            {{"kernel", one.kernel}, {"place", one.place}, {"error", one.error}, {"text", one.text}});
    if (!incomplete.empty())
        json["incomplete"] = incomplete;
    if (!races)
        return json;
    json["races"] = Json::array();
    for (const Race& race : races->races.races)
        json["races"].push_back(race_json(race));
    json["notes"] = Json::array();
    for (const Race& note : races->races.notes)
        json["notes"].push_back(note_json(note));
    json["bad_accesses"] = Json::array();
    for (const BadAccess& bad : races->races.bad_accesses)
        json["bad_accesses"].push_back(bad_access_json(bad));
    json["warnings"] = Json::array();
    for (const BadAccess& warning : races->races.warnings)
        json["warnings"].push_back(bad_access_json(warning));
    json["suppressed"] = Json::array();
    const auto add_suppressed = [&](Json finding, const Suppression& by) {
        finding["by"] = by.origin;
        finding["why"] = by.why;
        json["suppressed"].push_back(std::move(finding));
    };
    for (const auto& [race, by] : races->suppressed_races)
        add_suppressed(race_json(race), by);
    for (const auto& [bad, by] : races->suppressed_accesses)
        add_suppressed(bad_access_json(bad), by);
    json["unused_suppressions"] = Json::array();
    for (const Suppression& unused : races->unused)
        json["unused_suppressions"].push_back({{"at", unused.origin}, {"suppression", unused.what}});
    json["pairs"] = races->races.pairs();
    json["accesses"] = races->races.accesses;
    json["threads"] = races->races.threads;
    json["grids"] = races->races.grids;
    return json;
}

} // namespace nestbed::program
