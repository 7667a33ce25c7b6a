#include "program/report/findings.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace nestbed::program
{

namespace
{

using Place = Finding::Place;
using Level = Finding::Level;

std::string text_at(const Json& json, const char* key)
{
    return json.value(key, "");
}

// "my.cu:14". Nothing for "unknown place".
std::optional<Place> place_of(const std::string& spelled, std::string text)
{
    const std::size_t colon = spelled.rfind(':');
    if (colon == std::string::npos)
        return {};
    Place place{.file = spelled.substr(0, colon), .text = std::move(text)};
    const auto [end, error] =
        std::from_chars(spelled.data() + colon + 1, spelled.data() + spelled.size(), place.line);
    if (error != std::errc{} || end != spelled.data() + spelled.size() || place.line == 0)
        return {};
    return place;
}

bool is_in_project(const Place& place)
{
    return !place.file.starts_with('/') && !place.file.starts_with("..");
}

// ---- identity ----

// Indices, addresses, lines and threads change from version to version of a program: each number becomes '#', but not in a name.
std::string without_numbers(std::string_view text)
{
    const auto is_digit = [](char each) { return std::isdigit(static_cast<unsigned char>(each)) != 0; };
    const auto is_of_number = [](char each) {
        return std::isxdigit(static_cast<unsigned char>(each)) != 0 || each == 'x';
    };
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_in_name =
            !result.empty() && (std::isalnum(static_cast<unsigned char>(result.back())) != 0 || result.back() == '_');
        if (is_in_name || !is_digit(text[at])) {
            result += text[at];
            continue;
        }
        result += '#';
        while (at + 1 < text.size() && is_of_number(text[at + 1]))
            ++at;
    }
    return result;
}

std::string without_blanks(std::string text)
{
    std::erase_if(text, [](unsigned char each) { return std::isspace(each) != 0; });
    return text;
}

// All instances of a template have the lines of one kernel.
std::string without_arguments(const std::string& kernel)
{
    return kernel.substr(0, kernel.find('<'));
}

// By its statement; where the source could not be read, by its line.
std::string identity_of_access(const Json& access)
{
    const std::string place = access.at("places").at(0);
    const std::string source = text_at(access, "source");
    const std::string file =
        place.substr(place.rfind('/') + 1); // the folder in which the program ran may be another one
    return fmt::format("{}|{}|{}|{}|{}|{}", text_at(access, "kind"),
                       source.empty() ? file : file.substr(0, file.rfind(':')), without_blanks(source),
                       without_arguments(text_at(access, "kernel")), without_numbers(text_at(access, "operation")),
                       access.contains("host") ? "host" : "");
}

std::string identity(std::string_view kind, std::string_view what, std::vector<std::string> accesses)
{
    std::ranges::sort(accesses); // which is the first may depend on the order of the run
    return fmt::format("{}|{}|{}", kind, without_numbers(what), fmt::join(accesses, "|"));
}

// ---- places ----

// In the project, if a caller of it is there: no line of a library is the one to look at.
void add_access(std::vector<Place>& places, const Json& access)
{
    std::string who =
        access.contains("host_thread") ? text_at(access, "host_thread")
        : access.contains("host")      ? "the host"
        : access.contains("operation")
            ? text_at(access, "operation")
            : fmt::format("depth {}, block {}, thread {}", access.at("depth").get<std::uint64_t>(),
                          access.at("block").get<std::uint64_t>(), access.at("thread").get<std::uint64_t>());
    if (const std::string kernel = text_at(access, "kernel"); !kernel.empty())
        who += ", in kernel " + kernel;
    const std::string text = fmt::format("{}, {}", text_at(access, "kind"), who);
    std::vector<Place> of_access;
    for (const Json& place : access.at("places"))
        if (std::optional<Place> one = place_of(place, of_access.empty() ? text : "called here"))
            if (of_access.empty() || (of_access.size() == 1 && one->file != of_access.front().file))
                of_access.push_back(*std::move(one));
    if (of_access.size() > 1 && !is_in_project(of_access[0]) && is_in_project(of_access[1])) {
        std::swap(of_access[0], of_access[1]);
        of_access[0].text = text;
        of_access[1].text = "the access itself";
    }
    std::ranges::move(of_access, std::back_inserter(places));
}

void add_launch(std::vector<Place>& places, const Json& access)
{
    std::optional<Place> place;
    if (const auto by = access.find("launched_by"); by != access.end()) {
        const std::string kernel = text_at(*by, "kernel");
        place = place_of(by->at("place"),
                         fmt::format("launched here by {}block {}, thread {}", kernel.empty() ? "" : kernel + ", ",
                                     by->at("block").get<std::uint64_t>(), by->at("thread").get<std::uint64_t>()));
    } else {
        place = place_of(text_at(access, "launched_at"), "launched here");
    }
    const auto is_same = [&](const Place& one) {
        return one.file == place->file && one.line == place->line && one.text == place->text;
    };
    if (place && std::ranges::none_of(places, is_same))
        places.push_back(*std::move(place));
}

std::vector<Place> places_of(const std::vector<const Json*>& accesses)
{
    std::vector<Place> places;
    for (const Json* const access : accesses)
        add_access(places, *access);
    for (const Json* const access : accesses)
        add_launch(places, *access);
    return places;
}

// ---- findings ----

Finding of_race(const Json& race, Level level)
{
    const Json& first = race.at("first");
    const Json& second = race.at("second");
    std::vector<Place> places;
    add_access(places, first);
    const bool is_first_seen = !places.empty() && is_in_project(places.front());
    return {.level = level,
            .kind = level == Level::note ? "open order" : "race",
            .message = race.at("message"),
            .advice = "missing: " + race.at("missing").get<std::string>(),
            .places = is_first_seen ? places_of({&first, &second}) : places_of({&second, &first}),
            .identity = identity("race", race.at("memory").get<std::string>(),
                                 {identity_of_access(first), identity_of_access(second)})};
}

Finding of_bad_access(const Json& bad, Level level)
{
    const std::string kind = bad.at("kind");
    const Json& access = bad.at("access");
    return {.level = level,
            .kind = kind,
            .message = bad.at("message"),
            .advice = bad.contains("allocation") ? "memory " + text_at(bad, "allocation") : "",
            .places = places_of({&access}),
            .identity = identity(kind, bad.contains("text") ? text_at(bad, "text") : text_at(bad, "memory"),
                                 {identity_of_access(access)})};
}

// Of what has one place at most.
Finding of_place(Level level, const std::string& kind, const std::string& message, const std::string& place,
                 const std::string& what)
{
    std::vector<Place> places;
    if (std::optional<Place> one = place_of(place, what))
        places.push_back(*std::move(one));
    return {.level = level,
            .kind = kind,
            .message = message,
            .places = std::move(places),
            .identity = identity(kind, message, {})};
}

Finding of_refused(const Json& kernel, Level level)
{
    const auto count = [&](const char* name) { return kernel.at(name).get<std::uint64_t>(); };
    const std::string name = text_at(kernel, "kernel");
    const std::string error = text_at(kernel, "first_error");
    Finding finding =
        of_place(level, "refused launch",
                 fmt::format("refused launch: {} of {} launches of {} were refused: {}", count("refused"),
                             count("from_host") + count("from_device") + count("in_graphs"), name, error),
                 text_at(kernel, "place"), "the first");
    finding.identity = identity(finding.kind, "", {name, error});
    return finding;
}

} // namespace

std::vector<Finding> findings_of(const Json& report)
{
    std::vector<Finding> findings;
    for (const Json& bad : report.at("bad_accesses"))
        findings.push_back(of_bad_access(bad, Level::error));
    for (const Json& race : report.at("races"))
        findings.push_back(of_race(race, Level::error));
    for (const Json& failed : report.at("failed"))
        findings.push_back(
            of_place(Level::error, "failed kernel",
                     fmt::format("failed kernel: {} ({})", text_at(failed, "text"), text_at(failed, "error")),
                     text_at(failed, "place"), "launched here"));
    if (const auto others = report.find("others"); others != report.end())
        for (const Json& other : *others)
            findings.push_back(of_place(Level::error, other.at("kind"),
                                        fmt::format("{}: {}", text_at(other, "kind"), text_at(other, "text")),
                                        text_at(other, "place"), ""));
    // A program that has asked for the error of a launch knows that it was refused.
    const Level of_refusals = report.at("unread_refusals").get<bool>() ? Level::error : Level::warning;
    for (const Json& kernel : report.at("kernels"))
        if (kernel.at("refused").get<std::uint64_t>() != 0)
            findings.push_back(of_refused(kernel, of_refusals));
    if (report.contains("incomplete"))
        findings.push_back(of_place(Level::error, std::string(kIncomplete), text_at(report, "incomplete"), "", ""));
    for (const Json& warning : report.at("warnings"))
        findings.push_back(of_bad_access(warning, Level::warning));
    for (const Json& note : report.at("notes"))
        findings.push_back(of_race(note, Level::note));
    return findings;
}

Json read_report(const std::string& path, std::string_view option)
{
    constexpr std::string_view kAllowed =
        "allowed: what `nestbed races FILE.cu --json` printed, or NESTBED_REPORT of a program that it built";
    Json report = parsed_json([&] {
        try {
            return read_text_file(path);
        } catch (const RunError& error) {
            throw UsageError(fmt::format("{}: {}", option, error.what()));
        }
    }());
    if (!report.is_object() || !report.contains("kernels"))
        throw UsageError(fmt::format("{} {}: it is not a report of a program; {}", option, path, kAllowed));
    if (const Json version = report.value("report_version", Json()); version != kReportVersion)
        throw UsageError(
            fmt::format("{} {}: the report is of version {}, and this nestbed knows version {}; make it again",
                        option, path, version.is_null() ? "0" : json_text(version), kReportVersion));
    if (!report.contains("races"))
        throw UsageError(fmt::format("{} {}: its program was not searched for races; {}", option, path, kAllowed));
    try {
        static_cast<void>(report.at("grids").get<std::uint64_t>());
        static_cast<void>(report.at("exit_code").get<int>());
        static_cast<void>(findings_of(report));
    } catch (const Json::exception& error) {
        throw UsageError(fmt::format("{} {}: the report is damaged: {}", option, path, error.what()));
    }
    return report;
}

std::vector<bool> are_new(const std::vector<Finding>& findings, const std::vector<Finding>& known)
{
    std::map<std::string_view, std::size_t> left;
    for (const Finding& one : known)
        ++left[one.identity];
    std::vector<bool> result;
    for (const Finding& finding : findings) {
        const auto found = left.find(finding.identity);
        // What was not looked for after a run's early end may be new.
        const bool is_known = finding.kind != kIncomplete && found != left.end() && found->second != 0;
        if (is_known)
            --found->second;
        result.push_back(!is_known);
    }
    return result;
}

std::string new_text(const Finding& finding)
{
    const std::string place =
        finding.places.empty() ? "" : fmt::format("{}:{}: ", finding.places[0].file, finding.places[0].line);
    return fmt::format("{}new: {}\n", place, finding.message);
}

} // namespace nestbed::program
