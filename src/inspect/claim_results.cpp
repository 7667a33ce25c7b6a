#include "inspect/claim_results.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "inspect/profiler.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <set>
#include <sstream>
#include <utility>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What sha256sum wrote, by file: "DIGEST  NAME" a line.
std::map<std::string, std::string> sums_in(const std::string& list)
{
    std::map<std::string, std::string> sums;
    std::istringstream lines(list);
    std::string line;
    while (std::getline(lines, line))
        if (const std::size_t blank = line.find("  "); blank != std::string::npos)
            sums[line.substr(blank + 2)] = line.substr(0, blank);
    return sums;
}

std::string claims_on(const Claims& claims, const std::string& log)
{
    std::vector<std::string> ids;
    for (const Claim& claim : claims.claims)
        if (claim.log == log)
            ids.push_back(claim.id);
    return ids.empty() ? log : fmt::format("{} {}", ids.size() == 1 ? "claim" : "claims", fmt::join(ids, ", "));
}

// Every file of the SHA256SUMS of a folder ("" for that of the results itself) must be as it was; the claims' CSVs must be among them.
void check_sums(ClaimResults& results, const fs::path& folder)
{
    const fs::path list = fs::path(results.folder) / folder / "SHA256SUMS";
    const std::map<std::string, std::string> sums = sums_in(read_text_file(list.string()));
    for (const auto& [name, said] : results.claims.logs)
        if (fs::path(name).parent_path() == folder && !sums.contains(fs::path(name).filename()))
            results.problems.push_back(
                fmt::format("{}: {} has no line for {}", claims_on(results.claims, name), list.string(), name));
    for (const auto& [name, sum] : sums) {
        const fs::path path = fs::path(results.folder) / folder / name;
        const std::string claims = claims_on(results.claims, (folder / name).string());
        if (!fs::exists(path))
            results.problems.push_back(fmt::format("{}: there is no {}", claims, path.string()));
        else if (sha256_of(read_text_file(path.string())) != sum)
            results.problems.push_back(
                fmt::format("{}: {} is not the file that was measured: its SHA-256 is not that of {}", claims,
                            path.string(), list.string()));
    }
}

// Seconds since the epoch of "2026-11-21T12:03:03Z"; nothing for another text.
std::optional<std::time_t> seconds_of(const std::string& utc)
{
    std::tm parts{};
    std::istringstream stream(utc);
    stream >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
    return stream ? std::optional(timegm(&parts)) : std::nullopt;
}

std::string all_of(const ParsedLog& log, const char* column)
{
    std::vector<std::string> values;
    if (log.has(column))
        for (const LogRow& row : log.rows)
            if (const std::string& cell = row.cells[log.column(column)];
                !cell.empty() && std::ranges::find(values, cell) == values.end())
                values.push_back(cell);
    return fmt::format("{}", fmt::join(values, ", "));
}

// From the start of each run, by the manifest, to the last of its rows.
double minutes_of(const Json& runs, const ParsedLog& log)
{
    double seconds = 0;
    for (const auto& [id, run] : runs.items()) {
        std::optional<std::time_t> end;
        for (const LogRow& row : log.rows)
            if (row.cells[log.column("run_id")] == id)
                end = std::max(end, seconds_of(row.cells[log.column("utc")]));
        if (const auto begin = seconds_of(run.at("started_utc").get<std::string>()); begin && end)
            seconds += std::difftime(*end, *begin);
    }
    return seconds / 60;
}

LogFacts facts_of(const std::string& path, const ParsedLog& log, const ClaimLog& said)
{
    LogFacts facts{
        .figure = said.figure, .command = said.command, .hardware = all_of(log, "gpu"), .git = all_of(log, "git")};
    const std::string manifest = fs::path(path).replace_extension(".json").string();
    if (!fs::exists(manifest))
        return facts;
    try {
        const Json runs = Json::parse(read_text_file(manifest)).at("runs");
        facts.minutes = minutes_of(runs, log);
        if (facts.command.empty())
            for (const auto& [id, run] : runs.items())
                facts.command += fmt::format("{}{}", facts.command.empty() ? "" : "; ",
                                             shell_text(run.at("command").get<std::vector<std::string>>()));
    } catch (const Json::exception& error) {
        throw RunError(fmt::format("{}: it is no manifest of nestbed: {}", manifest, error.what()));
    }
    return facts;
}

std::string filled(const Claim& claim, const std::vector<MeasuredNumber>& numbers)
{
    std::string sentence = claim.sentence;
    for (std::size_t index = 0; index < numbers.size(); ++index) {
        const std::string name = fmt::format("{{{}}}", claim.numbers[index].id.substr(claim.id.size() + 1));
        for (std::size_t at = 0; (at = sentence.find(name, at)) != std::string::npos;)
            sentence.replace(at, name.size(), numbers[index].text);
    }
    return sentence;
}

// Reads a CSV with what goes with it. What is wrong is a problem of all claims that rest on it, but the rows are still used.
std::optional<ParsedLog> read_log(ClaimResults& results, const std::string& name, const ClaimLog& said)
{
    const std::string path = (fs::path(results.folder) / name).string();
    const std::string claims = claims_on(results.claims, name);
    const auto guarded = [&](const auto& work) {
        try {
            work();
        } catch (const RunError& error) {
            results.problems.push_back(fmt::format("{}: {}", claims, error.what()));
        }
    };
    std::optional<ParsedLog> log;
    guarded([&] {
        log = parse_log(path, read_text_file(path));
        results.logs[name] = {.figure = said.figure, .command = said.command};
        guarded([&] { results.logs[name] = facts_of(path, *log, said); });
    });
    if (const fs::path figure = fs::path(results.folder) / said.figure; !said.figure.empty() && !fs::exists(figure))
        results.problems.push_back(fmt::format("{}: there is no figure {}", claims, figure.string()));
    return log;
}

} // namespace

const MeasuredNumber* ClaimResults::find(const std::string& number_id) const
{
    for (const MeasuredClaim& claim : measured)
        for (std::size_t index = 0; index < claim.numbers.size(); ++index)
            if (claim.claim.numbers[index].id == number_id)
                return &claim.numbers[index];
    return nullptr;
}

ClaimResults measure_claims(const std::string& folder)
{
    const std::string path = (fs::path(folder) / "claims.json").string();
    ClaimResults results{.folder = folder, .claims = parse_claims(path, read_text_file(path))};
    std::map<std::string, std::optional<ParsedLog>> logs;
    std::set<fs::path> folders;
    for (const auto& [name, said] : results.claims.logs) {
        logs[name] = read_log(results, name, said);
        folders.insert(fs::path(name).parent_path());
    }
    for (const fs::path& place : folders) {
        try {
            check_sums(results, place);
        } catch (const RunError& error) {
            for (const auto& [name, said] : results.claims.logs)
                if (fs::path(name).parent_path() == place)
                    results.problems.push_back(fmt::format("{}: {}", claims_on(results.claims, name), error.what()));
        }
    }
    for (const Claim& claim : results.claims.claims) {
        const std::optional<ParsedLog>& log = logs.at(claim.log);
        if (!log)
            continue;
        try {
            MeasuredClaim measured{.claim = claim, .numbers = {}, .sentence = ""};
            for (const ClaimNumber& number : claim.numbers)
                measured.numbers.push_back(measure(number, *log));
            measured.sentence = filled(claim, measured.numbers);
            results.measured.push_back(std::move(measured));
        } catch (const RunError& error) {
            results.problems.emplace_back(error.what());
        }
    }
    return results;
}

std::vector<SecondNumber> measure_second(const ClaimResults& first, const std::string& folder)
{
    std::map<std::string, ParsedLog> logs;
    std::map<std::string, std::string> unreadable;
    for (const auto& [name, facts] : first.logs) {
        if (facts.hardware.empty()) // the book's: nobody measures them again
            continue;
        const std::string path = (fs::path(folder) / fs::path(name).filename()).string();
        try {
            logs[name] = parse_log(path, read_text_file(path));
        } catch (const RunError& error) {
            unreadable[name] = error.what();
        }
    }
    std::vector<SecondNumber> seconds;
    for (const MeasuredClaim& claim : first.measured)
        for (std::size_t index = 0; index < claim.numbers.size(); ++index) {
            if (first.logs.at(claim.claim.log).hardware.empty())
                continue;
            SecondNumber second{.claim = &claim, .index = index, .second = {}, .why = {}};
            if (!logs.contains(claim.claim.log)) {
                second.why = unreadable.at(claim.claim.log);
            } else {
                try {
                    const ClaimNumber& number = claim.claim.numbers[index];
                    second.second = measure(number, logs.at(claim.claim.log));
                    second.near = near(number, claim.numbers[index], *second.second);
                } catch (const RunError& error) {
                    second.why = error.what();
                }
            }
            seconds.push_back(std::move(second));
        }
    return seconds;
}

namespace
{

Json bound(const std::optional<Interval>& interval, double Interval::*which)
{
    return interval ? Json((*interval).*which) : Json();
}

Json second_json(const MeasuredNumber& first, const SecondNumber& again)
{
    Json json{{"text", Json()}, {"value", Json()}, {"within", Json()}, {"why", again.why}};
    if (again.second) {
        json["text"] = again.second->text;
        json["value"] = again.second->value;
        json["low"] = bound(again.second->interval, &Interval::low);
        json["high"] = bound(again.second->interval, &Interval::high);
        json["ratio"] = first.value != 0 ? Json(again.second->value / first.value) : Json();
        json["within"] = again.near;
    }
    return json;
}

} // namespace

std::string claims_json(const ClaimResults& results, const std::vector<SecondNumber>& second)
{
    Json list = Json::array();
    for (const MeasuredClaim& measured : results.measured) {
        const LogFacts& log = results.logs.at(measured.claim.log);
        Json claim{{"id", measured.claim.id}, {"claim", measured.sentence}, {"csv", measured.claim.log},
                   {"figure", log.figure},    {"command", log.command},     {"hardware", log.hardware},
                   {"minutes", log.minutes},  {"numbers", Json::array()}};
        for (std::size_t index = 0; index < measured.numbers.size(); ++index) {
            const ClaimNumber& number = measured.claim.numbers[index];
            const MeasuredNumber& found = measured.numbers[index];
            Json json{{"id", number.id},
                      {"text", found.text},
                      {"value", found.value},
                      {"low", bound(found.interval, &Interval::low)},
                      {"high", bound(found.interval, &Interval::high)},
                      {"unit", number.unit},
                      {"what", description_of(number)},
                      {"rows", found.lines.size()},
                      {"lines", found.lines},
                      {"tolerance", number.within}};
            const auto again = std::ranges::find_if(
                second, [&](const SecondNumber& one) { return one.claim == &measured && one.index == index; });
            if (again != second.end())
                json["second"] = second_json(found, *again);
            claim["numbers"].push_back(std::move(json));
        }
        list.push_back(std::move(claim));
    }
    return Json{{"claims", std::move(list)}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nestbed
