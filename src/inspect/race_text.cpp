#include "inspect/race_text.hpp"

#include "base/terminal.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::size_t kColumns = 80; // of a terminal
constexpr std::size_t kIndent = 9;   // of what belongs to an access

std::string name_of(const RaceAccess& access)
{
    if (access.asynchronous)
        return access.write ? "asynchronous write" : "asynchronous read";
    if (access.is_volatile)
        return access.write ? "volatile write" : "volatile read";
    return access.atomic ? (access.write ? "atomic update" : "atomic read") : access.write ? "write" : "read";
}

std::string spelled(const SourcePlace& place)
{
    return place.line == 0 ? "unknown place" : fmt::format("{}:{}", place.file, place.line);
}

// Two parts of a line; the second begins a line of its own where both are too long for one.
std::string line_of(const std::string& first, std::string_view gap, const std::string& second)
{
    const bool fits = first.size() + gap.size() + second.size() <= kColumns;
    return fits ? fmt::format("{}{}{}\n", first, gap, second)
                : fmt::format("{}{}\n{}", first, gap.substr(0, gap.find(' ')), folded(second, kIndent));
}

std::string lines_of(const RaceAccess& access, const std::string& name)
{
    std::string text = line_of(fmt::format("  {:<6} {}", name, spelled(access.places.front())), "  ",
                               !access.host_thread.empty() ? access.host_thread
                               : access.by_host            ? "the host"
                               : !access.operation.empty() ? access.operation
                                                           : fmt::format("depth {}, block {}, thread {}",
                                                                         access.depth, access.block, access.thread));
    if (access.places.size() > 1 && access.places[1].file != access.places[0].file)
        text += folded("called at " + spelled(access.places[1]), kIndent);
    return text;
}

// The kernel and its launch; empty where there is nothing to say.
std::string launch_of(const RaceAccess& access, std::string_view in)
{
    const std::string kernel = access.kernel.empty() ? "" : fmt::format("{} {}", in, access.kernel);
    if (!access.launched_by)
        return kernel.empty() || access.launched_at.line == 0
                   ? ""
                   : line_of(fmt::format("{:{}}{}", "", kIndent, kernel), ", ",
                             "launched at " + spelled(access.launched_at));
    const RaceAccess::Launch& launch = *access.launched_by;
    const std::string by =
        fmt::format("{}block {}, thread {}", launch.kernel.empty() ? "" : fmt::format("by {}, ", launch.kernel),
                    launch.block, launch.thread);
    const std::string at = "launched at " + spelled(launch.place);
    if (kernel.empty())
        return line_of(fmt::format("{:{}}{}", "", kIndent, at), ", ", by);
    return line_of(fmt::format("{:{}}{}", "", kIndent, kernel), ", ", at) + fmt::format("{:{}}{}\n", "", kIndent, by);
}

// What two accesses have done.
std::string lines_of(const RaceAccess& first, const std::string& of_first, const RaceAccess& second,
                     const std::string& of_second)
{
    const std::string launch = launch_of(first, "in kernel");
    if (!first.kernel.empty() && launch == launch_of(second, "in kernel"))
        return of_first + of_second + launch_of(second, "both in kernel");
    return of_first + launch + of_second + launch_of(second, "in kernel");
}

std::string same_value_of(const Race& race)
{
    if (race.same_value.empty())
        return "";
    if (race.pairs == 1)
        return folded("both write the same value: " + race.same_value, 2);
    return folded(race.is_one_value
                      ? fmt::format("both write the same value, in all {} pairs: {}", race.pairs, race.same_value)
                      : fmt::format("both write the same value in each of the {} pairs (in the first: {})",
                                    race.pairs, race.same_value),
                  2);
}

std::string lines_of(const RaceAccess& access)
{
    return lines_of(access, name_of(access));
}

Json json_of(const RaceAccess& access, const std::string& name)
{
    Json json{{"kind", name}};
    if (access.by_host) {
        json["host"] = true;
        if (!access.host_thread.empty())
            json["host_thread"] = access.host_thread;
    } else if (!access.operation.empty())
        json["operation"] = access.operation;
    else
        json.update({{"depth", access.depth}, {"block", access.block}, {"thread", access.thread}});
    for (const SourcePlace& place : access.places)
        json["places"].push_back(spelled(place));
    if (!access.kernel.empty())
        json["kernel"] = access.kernel;
    if (access.launched_at.line != 0)
        json["launched_at"] = spelled(access.launched_at);
    if (access.launched_by) {
        json["launched_by"] = {{"place", spelled(access.launched_by->place)},
                               {"block", access.launched_by->block},
                               {"thread", access.launched_by->thread}};
        if (!access.launched_by->kernel.empty())
            json["launched_by"]["kernel"] = access.launched_by->kernel;
    }
    return json;
}
Json json_of(const RaceAccess& access)
{
    return json_of(access, name_of(access));
}

std::string_view name_of(BadAccess::Kind kind)
{
    switch (kind) {
    case BadAccess::Kind::out_of_bounds:
        return "out of bounds";
    case BadAccess::Kind::uninitialized:
        return "uninitialized";
    case BadAccess::Kind::freed:
        return "use after free";
    case BadAccess::Kind::by_host:
        return "access by the host";
    case BadAccess::Kind::of_host:
        return "memory of the host";
    case BadAccess::Kind::other_block:
        return "memory of another block";
    case BadAccess::Kind::other_stack:
        return "memory of another thread";
    case BadAccess::Kind::nowhere:
        return "illegal address";
    case BadAccess::Kind::synchronization:
        return "synchronization";
    case BadAccess::Kind::constant:
        return "write to constant memory";
    case BadAccess::Kind::read_only:
        return "not read-only";
    case BadAccess::Kind::misaligned:
        break;
    }
    return "misaligned";
}

// "out of bounds: write of in[1024], 4 bytes past its end"
std::string first_line_of(const BadAccess& bad)
{
    if (bad.kind == BadAccess::Kind::of_host || bad.kind == BadAccess::Kind::nowhere)
        return fmt::format("{}: {} of {}", name_of(bad.kind), name_of(bad.access), bad.memory);
    if (bad.kind == BadAccess::Kind::synchronization)
        return fmt::format("{}: {}", name_of(bad.kind), bad.text);
    if (bad.kind == BadAccess::Kind::other_stack)
        return fmt::format("{}: {} of a local variable of another thread", name_of(bad.kind), name_of(bad.access));
    const std::string text = fmt::format("{}: {} of {}, ", name_of(bad.kind), name_of(bad.access), bad.memory);
    if (bad.kind == BadAccess::Kind::other_block)
        return text + (bad.beyond == static_cast<std::ptrdiff_t>(BadAccess::OfBlock::not_begun)
                           ? "whose block may not have begun: a cluster.sync() before the access would do"
                       : bad.beyond == static_cast<std::ptrdiff_t>(BadAccess::OfBlock::ended)
                           ? "whose block may have ended: a cluster.sync() after the access would do"
                           : "which only the threads of its block, or of its cluster, can access");
    if (bad.kind == BadAccess::Kind::uninitialized && bad.beyond != 0)
        return text + fmt::format("of which nothing has written {} of {} bytes", bad.beyond, bad.bytes);
    if (bad.kind == BadAccess::Kind::uninitialized)
        return text + "which nothing has written";
    if (bad.kind == BadAccess::Kind::freed)
        return text + fmt::format("freed at {}", spelled(bad.freed));
    if (bad.kind == BadAccess::Kind::by_host)
        return text + "which is memory of the device (cudaMemcpy() copies it)";
    if (bad.kind == BadAccess::Kind::constant)
        return text + "a __constant__ variable, which only the host may write";
    if (bad.kind == BadAccess::Kind::read_only)
        return text + "which this kernel has written: __ldg() is for data that is read-only for the whole kernel";
    if (bad.kind == BadAccess::Kind::misaligned)
        return text + fmt::format("{} bytes at an address that is no multiple of {}", bad.bytes, bad.beyond);
    const std::ptrdiff_t bytes = bad.beyond < 0 ? -bad.beyond : bad.beyond;
    return text + fmt::format("{} {} {}", bytes, bytes == 1 ? "byte" : "bytes",
                              bad.beyond < 0 ? "before its beginning" : "past its end");
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many)
{
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

// "no races", "2 kinds of races, 31 pairs", "no races, 1 place with accesses out of bounds"
std::string summary(const Races& races)
{
    std::string text = "no races";
    if (!races.races.empty())
        text = counted(races.races.size(), "kind", "kinds") + " of races, " + counted(races.pairs(), "pair", "pairs");
    const auto places = [&](BadAccess::Kind kind) {
        return static_cast<std::uint64_t>(std::ranges::count(races.bad_accesses, kind, &BadAccess::kind));
    };
    using enum BadAccess::Kind;
    for (const auto& [kind, what] : {std::pair(out_of_bounds, "with accesses out of bounds"),
                                     std::pair(uninitialized, "with reads of uninitialized memory"),
                                     std::pair(freed, "with accesses to freed memory"),
                                     std::pair(by_host, "where the host accesses memory of the device"),
                                     std::pair(of_host, "where a kernel accesses memory of the host"),
                                     std::pair(misaligned, "with misaligned accesses"),
                                     std::pair(other_block, "with accesses to shared memory of another block"),
                                     std::pair(other_stack, "with accesses to local memory of another thread"),
                                     std::pair(nowhere, "with accesses to an address that is no memory"),
                                     std::pair(synchronization, "with wrong synchronization"),
                                     std::pair(constant, "where a kernel writes constant memory"),
                                     std::pair(read_only, "where __ldg() reads what the kernel wrote")})
        if (const std::uint64_t count = places(kind); count != 0)
            text += fmt::format(", {} {}", counted(count, "place", "places"), what);
    return text;
}

} // namespace

namespace
{

std::string first_line_of(const Race& race)
{
    return fmt::format("race: {} and {} of {} ({})", name_of(race.first), name_of(race.second), race.memory,
                       counted(race.bytes, "byte", "bytes"));
}

std::string first_line_of_note(const Race& note)
{
    return fmt::format("note: the order of a {} and a {} of {} is open (which is no race)", name_of(note.first),
                       name_of(note.second), note.memory);
}

std::string text_of(const Race& race)
{
    return folded(first_line_of(race), 0) +
           lines_of(race.first, lines_of(race.first), race.second, lines_of(race.second)) + same_value_of(race) +
           folded("missing: " + race.missing, 2) + fmt::format("  {}\n\n", counted(race.pairs, "pair", "pairs"));
}

std::string text_of(const BadAccess& bad)
{
    const bool is_call = bad.kind == BadAccess::Kind::synchronization;
    return folded(first_line_of(bad), 0) + (is_call ? lines_of(bad.access, "at") : lines_of(bad.access)) +
           launch_of(bad.access, "in kernel") +
           (bad.allocation.empty() ? "" : folded("memory " + bad.allocation, 2)) +
           fmt::format("  {}\n\n",
                       is_call ? counted(bad.count, "time", "times") : counted(bad.count, "access", "accesses"));
}

// The launch that a race is about: that of the deeper grid.
const RaceAccess& of_deeper_grid(const Race& race)
{
    return race.first.depth > race.second.depth ? race.first : race.second;
}

std::string launch_site(const Race& race)
{
    const RaceAccess& access = of_deeper_grid(race);
    const SourcePlace place = access.launched_by ? access.launched_by->place : access.launched_at;
    if (!access.kernel.empty())
        return fmt::format("kernel {}, launched at {}", access.kernel, spelled(place));
    if (access.by_host || !access.operation.empty())
        return "the host";
    return place.line == 0 ? "the root grid" : "grids launched at " + spelled(place);
}

// Grouped by launch site, because what one launch lacks shows as several races. Those of the smallest depth come first: they may be the cause
// of the deeper ones.
std::string races_by_launch(std::vector<Race> races)
{
    std::ranges::stable_sort(races, {}, [](const Race& race) { return of_deeper_grid(race).depth; });
    std::vector<std::pair<std::string, std::vector<Race>>> sites;
    for (const Race& race : races) {
        const std::string site = launch_site(race);
        const auto found = std::ranges::find(sites, site, [](const auto& one) { return one.first; });
        (found != sites.end() ? *found : sites.emplace_back(site, std::vector<Race>{})).second.push_back(race);
    }
    std::string text;
    for (const auto& [site, of_site] : sites) {
        if (sites.size() > 1)
            text += folded(fmt::format("races of {}:", site), 0) + "\n";
        for (const Race& race : of_site)
            text += text_of(race);
    }
    return text;
}

} // namespace

std::string races_text(const Races& races)
{
    // What a wrong access does comes before the races that it makes. A read of what nothing has written may be the effect of a race.
    std::string text;
    for (const BadAccess& bad : races.bad_accesses)
        if (bad.kind != BadAccess::Kind::uninitialized)
            text += text_of(bad);
    text += races_by_launch(races.races);
    for (const BadAccess& bad : races.bad_accesses)
        if (bad.kind == BadAccess::Kind::uninitialized)
            text += text_of(bad);
    for (const BadAccess& warning : races.warnings)
        text += folded(fmt::format("warning: {}", warning.text), 0) + lines_of(warning.access, "at") +
                launch_of(warning.access, "in kernel") + "\n";
    for (const Race& note : races.notes) {
        text += folded(first_line_of_note(note), 0);
        text += lines_of(note.first, lines_of(note.first), note.second, lines_of(note.second)) +
                folded("missing: " + note.missing, 2) + "\n";
    }
    const std::string watched = fmt::format("{} accesses of {} threads in {} {}", races.accesses, races.threads,
                                            races.grids, races.grids == 1 ? "grid" : "grids");
    const Status status = races.sample.status;
    const bool ran = status == Status::ok || status == Status::wrong || status == Status::count_mismatch;
    return text +
           folded(fmt::format("{}{}: {}", summary(races),
                              (ran && races.incomplete.empty()) || !races.none() ? "" : " in what ran", watched),
                  0) +
           (races.incomplete.empty() ? "" : folded("not all: " + races.incomplete, 2));
}

std::string in_colours(const std::string& text)
{
    const auto colour_of = [](std::string_view label) {
        if (label == "no races" || label == "  missing")
            return Colour::green;
        if (label == "warning" || label == "note")
            return Colour::yellow;
        bool is_finding = label == "race";
        for (auto kind = 0; kind <= static_cast<int>(BadAccess::Kind::read_only); ++kind)
            is_finding = is_finding || label == name_of(static_cast<BadAccess::Kind>(kind));
        return is_finding ? Colour::red : Colour::none;
    };
    std::string lines;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        const std::string_view label = line.substr(0, line.find(':'));
        lines += coloured(label, colour_of(label));
        lines += rest.substr(label.size(), line.size() + 1 - label.size());
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    return lines;
}

Json race_json(const Race& race)
{
    Json json{{"message", first_line_of(race)},
              {"memory", race.memory},
              {"bytes", race.bytes},
              {"first", json_of(race.first)},
              {"second", json_of(race.second)},
              {"missing", race.missing},
              {"pairs", race.pairs}};
    if (!race.same_value.empty())
        json["same_value"] = race.same_value;
    return json;
}

Json note_json(const Race& note)
{
    Json json = race_json(note);
    json["message"] = first_line_of_note(note);
    return json;
}

Json bad_access_json(const BadAccess& bad)
{
    Json json{{"kind", name_of(bad.kind)}, {"message", first_line_of(bad)}};
    if (bad.kind == BadAccess::Kind::synchronization) {
        json["text"] = bad.text;
        json["access"] = json_of(bad.access, "call");
        json["count"] = bad.count;
        return json;
    }
    json["memory"] = bad.memory;
    json["bytes"] = bad.bytes;
    if (bad.kind == BadAccess::Kind::out_of_bounds)
        json["beyond"] = bad.beyond;
    if (!bad.allocation.empty())
        json["allocation"] = bad.allocation;
    if (bad.kind == BadAccess::Kind::freed)
        json["freed"] = spelled(bad.freed);
    json["access"] = json_of(bad.access);
    json["count"] = bad.count;
    return json;
}

} // namespace nestbed
