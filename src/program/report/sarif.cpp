#include "program/report/sarif.hpp"

#include "base/hash.hpp"
#include "base/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace nestbed::program
{

namespace
{

constexpr std::string_view kRoot = "%SRCROOT%";

std::string name_of(Finding::Level level)
{
    return level == Finding::Level::error ? "error" : level == Finding::Level::warning ? "warning" : "note";
}

std::string rule_of(const Finding& finding)
{
    std::string id = finding.kind;
    std::ranges::replace(id, ' ', '-');
    return id;
}

std::string description_of(std::string_view kind)
{
    if (kind == "race")
        return "Two accesses to the same memory that no rule of CUDA orders";
    if (kind == "open order")
        return "Two volatile accesses whose order is open";
    if (kind == "uninitialized")
        return "A read of memory that nothing has written";
    if (kind == "synchronization")
        return "A barrier or a function of a warp that is used in a way that CUDA leaves undefined";
    if (kind == "refused launch")
        return "Launches that were refused: their kernels did not run";
    std::string text(kind);
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

// RFC 3986: of a path.
std::string uri_of(std::string_view path)
{
    std::string uri;
    for (const char each : path)
        if (std::isalnum(static_cast<unsigned char>(each)) != 0 ||
            std::string_view("/-._~+,=@").find(each) != std::string_view::npos)
            uri += each;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(each));
    return uri;
}

// In a message, braces are doubled: others are placeholders (SARIF, 3.11.5).
Json text_message(std::string_view text)
{
    std::string doubled;
    for (const char each : text)
        doubled.append(each == '{' || each == '}' ? 2 : 1, each);
    return {{"text", std::move(doubled)}};
}

Json location_of(const Finding::Place& place)
{
    Json file;
    if (place.file.starts_with('/'))
        file["uri"] = "file://" + uri_of(place.file);
    else
        file = {{"uri", uri_of(place.file)}, {"uriBaseId", kRoot}};
    Json location{
        {"physicalLocation", {{"artifactLocation", std::move(file)}, {"region", {{"startLine", place.line}}}}}};
    if (!place.text.empty())
        location["message"] = text_message(place.text);
    return location;
}

// A link to a related location: brackets and backslashes in its text are escaped (SARIF, 3.11.6).
std::string link_to(const Finding::Place& place, std::size_t id)
{
    std::string text;
    for (const char each : fmt::format("{}:{}", place.file, place.line)) {
        if (each == '[' || each == ']' || each == '\\')
            text += '\\';
        text += each;
    }
    return fmt::format("[{}]({}): {}", text, id, place.text);
}

Json result_of(const Finding& finding, std::size_t number)
{
    std::string text = finding.message;
    if (!finding.advice.empty())
        text += "\n" + finding.advice;
    Json related = Json::array();
    for (std::size_t id = 1; id < finding.places.size(); ++id) {
        text += "\n" + link_to(finding.places[id], id);
        related.push_back(location_of(finding.places[id]));
        related.back()["id"] = id;
    }
    Json result{{"ruleId", rule_of(finding)}, {"level", name_of(finding.level)}, {"message", text_message(text)}};
    result["locations"].push_back(location_of(finding.places.front()));
    if (!related.empty())
        result["relatedLocations"] = std::move(related);
    result["partialFingerprints"]["nestbedFinding/v1"] = sha256_of(fmt::format("{}|{}", finding.identity, number));
    return result;
}

} // namespace

std::string sarif_text(const SarifRun& run)
{
    Json rules = Json::array();
    Json results = Json::array();
    Json notifications = Json::array();
    const auto notify = [&](const std::string& text) {
        notifications.push_back({{"level", "error"}, {"message", text_message(text)}});
    };
    for (const std::string& problem : run.problems)
        notify(problem);
    std::map<std::string_view, std::size_t> numbers; // of those with one identity
    for (std::size_t index = 0; index < run.findings.size(); ++index) {
        const Finding& finding = run.findings[index];
        if (finding.kind == kIncomplete ||
            finding.places.empty()) { // GitHub refuses a file with a result that has no place
            notify((finding.kind == kIncomplete ? "the report is incomplete: " : "") + finding.message);
            continue;
        }
        const std::string id = rule_of(finding);
        if (std::ranges::none_of(rules, [&](const Json& rule) { return rule.at("id") == id; })) {
            const Json text{{"text", description_of(finding.kind)}};
            rules.push_back({{"id", id}, {"shortDescription", text}, {"fullDescription", text}, {"help", text}});
        }
        results.push_back(result_of(finding, numbers[finding.identity]++));
        if (run.are_new)
            results.back()["baselineState"] = (*run.are_new)[index] ? "new" : "unchanged";
    }
    Json one;
    one["tool"]["driver"] = {{"name", "nestbed"}, {"version", kVersion}, {"rules", std::move(rules)}};
    one["invocations"] = Json::array({{{"executionSuccessful", notifications.empty()}}});
    if (!notifications.empty())
        one["invocations"][0]["toolExecutionNotifications"] = std::move(notifications);
    one["originalUriBaseIds"][std::string(kRoot)]["uri"] = "file://" + uri_of(run.folder) + "/";
    one["results"] = std::move(results);
    return json_lines({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                       {"version", "2.1.0"},
                       {"runs", Json::array({std::move(one)})}});
}

} // namespace nestbed::program
