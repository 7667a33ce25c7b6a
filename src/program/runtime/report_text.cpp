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

constexpr std::string_view kPendingExceeded = "LaunchPendingCountExceeded";

std::string spelled(const SourcePlace& place)
{
    return place.line == 0 ? "unknown place" : fmt::format("{}:{}", place.file, place.line);
}

std::string reason(const Suppression& suppression)
{
    return suppression.why.empty() ? "" : fmt::format(" ({})", suppression.why);
}

} // namespace

std::string launches_text(const std::vector<KernelCounts>& counts)
{
    if (counts.empty())
        return "nestbed: the program launched no kernel\n";
    std::size_t width = 20;
    for (const KernelCounts& row : counts)
        width = std::max(width, row.kernel.size());
    std::string text = fmt::format("{:<{}}  {:>9}  {:>11}  {:>7}  {:>7}  first error\n", "kernel", width, "from host",
                                   "from device", "refused", "deepest");
    for (const KernelCounts& row : counts) {
        text += fmt::format("{:<{}}  {:>9}  {:>11}  {:>7}  {:>7}", row.kernel, width, row.from_host, row.from_device,
                            row.refused, row.deepest);
        text += row.first_error.empty() ? "\n" : fmt::format("  {}\n", row.first_error);
    }
    return text;
}

std::string refusals_text(const std::vector<KernelCounts>& counts)
{
    std::uint64_t launches = 0;
    std::uint64_t refused = 0;
    const KernelCounts* first = nullptr;
    for (const KernelCounts& row : counts) {
        launches += row.from_host + row.from_device;
        refused += row.refused;
        if (row.refused > 0 && first == nullptr)
            first = &row;
    }
    if (first == nullptr)
        return "";
    std::string text = fmt::format(
        "warning: {} of {} launches {} refused, so their work was not done (first: {} at {}, {}). ", refused,
        launches, refused == 1 ? "was" : "were", first->kernel, first->place, first->first_error);
    if (std::ranges::any_of(counts, [](const KernelCounts& row) { return row.first_error == kPendingExceeded; }))
        text +=
            "Raise the limit with cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, N) before the first "
            "launch, launch fewer grids at a time (in waves), or use tail launches (cudaStreamTailLaunch), which do "
            "not count as pending.";
    else
        text += "Check the launch configuration there: grid and block must not be empty, a block has at most 1024 "
                "threads, and shared memory is limited.";
    return text + "\n";
}

std::string checked_text(const CheckedRaces& races)
{
    std::string text = races_text(races.races);
    for (const auto& [race, by] : races.suppressed_races)
        text += fmt::format("suppressed by {}: race of {} between {} and {}{}\n", by.origin, race.memory,
                            spelled(race.first.places.front()), spelled(race.second.places.front()), reason(by));
    for (const auto& [bad, by] : races.suppressed_accesses)
        text += fmt::format("suppressed by {}: access to {} at {}{}\n", by.origin, bad.memory,
                            spelled(bad.access.places.front()), reason(by));
    for (const Suppression& unused : races.unused)
        text += fmt::format("unused suppression at {}: nothing found matches {}\n", unused.origin,
                            unused.next_line ? "this line or the next" : unused.what);
    return text;
}

nlohmann::ordered_json report_json(const std::vector<KernelCounts>& counts, const std::optional<CheckedRaces>& races)
{
    nlohmann::ordered_json json;
    json["kernels"] = nlohmann::ordered_json::array();
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
    if (!races)
        return json;
    json["races"] = nlohmann::ordered_json::array();
    for (const Race& race : races->races.races)
        json["races"].push_back(race_json(race));
    json["bad_accesses"] = nlohmann::ordered_json::array();
    for (const BadAccess& bad : races->races.bad_accesses)
        json["bad_accesses"].push_back(bad_access_json(bad));
    json["bad_accesses"] = nlohmann::ordered_json::array();
    for (const BadAccess& bad : races->races.bad_accesses)
        json["bad_accesses"].push_back(bad_access_json(bad));
    json["suppressed"] = nlohmann::ordered_json::array();
    const auto add_suppressed = [&](nlohmann::ordered_json finding, const Suppression& by) {
        finding["by"] = by.origin;
        finding["why"] = by.why;
        json["suppressed"].push_back(std::move(finding));
    };
    for (const auto& [race, by] : races->suppressed_races)
        add_suppressed(race_json(race), by);
    for (const auto& [bad, by] : races->suppressed_accesses)
        add_suppressed(bad_access_json(bad), by);
    json["unused_suppressions"] = nlohmann::ordered_json::array();
    for (const Suppression& unused : races->unused)
        json["unused_suppressions"].push_back({{"at", unused.origin}, {"suppression", unused.what}});
    json["pairs"] = races->races.pairs();
    json["accesses"] = races->races.accesses;
    json["threads"] = races->races.threads;
    json["grids"] = races->races.grids;
    return json;
}

} // namespace nestbed::program
