#include "program/runtime/report_text.hpp"

#include "base/text.hpp"
#include "inspect/race_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestbed::program
{

namespace
{

std::string spelled(const SourcePlace& place)
{
    return place.line == 0 ? "unknown place" : fmt::format("{}:{}", place.file, place.line);
}

// What to do about a launch that failed. `error` without "cudaError".
std::string_view advice(std::string_view error)
{
    if (error == "LaunchPendingCountExceeded")
        return "more launches were pending than the limit allows. Raise cudaLimitDevRuntimePendingLaunchCount before "
               "the first launch, launch the root grid in waves, or use a chain of tail launches.";
    if (error == "LaunchOutOfResources")
        return "the block needs more registers or shared memory than there are. Use smaller blocks or "
               "__launch_bounds__.";
    if (error == "LaunchMaxDepthExceeded")
        return "the nesting is too deep. Raise cudaLimitDevRuntimeSyncDepth, or process small inputs in one kernel.";
    return "the launch failed. Check its configuration and its stream.";
}

std::string row_text(std::size_t width, const KernelCounts& row)
{
    return fmt::format("{:<{}}  {:>9}  {:>11}  {:>7}  {:>7}{}{}\n", row.kernel, width, row.from_host, row.from_device,
                       row.refused, row.deepest, row.first_error.empty() ? "" : "  ", row.first_error);
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

std::string launches_text(const std::vector<KernelCounts>& counts)
{
    if (counts.empty())
        return "nestbed: no kernel ran: the program launched none\n";
    std::size_t width = std::string_view("kernel").size();
    KernelCounts total{.kernel = "total"};
    for (const KernelCounts& row : counts) {
        width = std::max(width, row.kernel.size());
        total.from_host += row.from_host;
        total.from_device += row.from_device;
        total.refused += row.refused;
        total.deepest = std::max(total.deepest, row.deepest);
    }
    std::string text =
        fmt::format("{:<{}}  from host  from device  refused  deepest  first error\n", "kernel", width);
    for (const KernelCounts& row : counts)
        text += row_text(width, row);
    if (counts.size() > 1)
        text += row_text(width, total);
    const std::uint64_t launches = total.from_host + total.from_device;
    if (total.refused == launches)
        text += message(fmt::format("nestbed: no kernel ran: {} of {} launches were refused ({})", launches, launches,
                                    counts.front().first_error));
    return text;
}

std::string refusals_text(const std::vector<KernelCounts>& counts)
{
    std::string text;
    for (const KernelCounts& row : counts)
        if (row.refused > 0)
            text += message(fmt::format("warning: {} of {} launches of {} were refused, first at {}", row.refused,
                                        row.from_host + row.from_device, row.kernel, row.place)) +
                    folded(fmt::format("{}, which only cudaGetLastError() in the launching thread returns: {}",
                                       row.first_error,
                                       row.why_refused.empty() ? advice(row.first_error) : row.why_refused),
                           kIndent);
    return text;
}

std::string checked_text(const CheckedRaces& races)
{
    std::string text = races.races.grids == 0 ? "not searched for races: no kernel ran\n" : races_text(races.races);
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

Json report_json(const std::vector<KernelCounts>& counts, const std::vector<FailedKernel>& failed,
                 const std::string& incomplete, const std::optional<CheckedRaces>& races)
{
    Json json;
    json["kernels"] = Json::array();
    std::uint64_t from_device = 0;
    std::uint64_t refused = 0;
    for (const KernelCounts& row : counts) {
        json["kernels"].push_back({{"kernel", row.kernel},
                                   {"from_host", row.from_host},
                                   {"from_device", row.from_device},
                                   {"refused", row.refused},
                                   {"deepest", row.deepest},
                                   {"first_error", row.first_error},
                                   {"place", row.place}});
        from_device += row.from_device;
        refused += row.refused;
    }
    json["launches_from_device"] = from_device;
    json["refused"] = refused;
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
        json["notes"].push_back(race_json(note));
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
