#include "cli/log_files.hpp"

#include "base/error.hpp"
#include "base/text_source.hpp"
#include "log/csv_log.hpp"
#include "log/logged_cases.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace nestbed
{

ParsedLog read_log(const std::string& path, std::ostream& err)
{
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
        throw UsageError(fmt::format("{}: it is a folder; allowed: logs of nestbed run", path));
    if (path.ends_with(".csv.json"))
        throw UsageError(fmt::format("{}: it is a manifest; its log is {}", path,
                                     path.substr(0, path.size() - std::string_view(".json").size())));
    TextSource text = TextSource::of_file(path);
    const std::size_t whole = bytes_of_whole_rows(text);
    if (whole != text.size())
        err << fmt::format("nestbed: {}: the last row is not complete and is left out\n", path);
    text.cut(whole);
    return parse_log(path, std::move(text));
}

std::map<std::string, RunIdentity> runs_of_manifest(const ParsedLog& log)
{
    if (!log.has("run_id"))
        return {};
    const std::set<std::string> runs = runs_of(log);
    std::set<std::string> recorded;
    try {
        recorded = run_ids_in_manifest(log.path);
        if (std::ranges::includes(recorded, runs))
            return runs_in_manifest(log.path, runs);
    } catch (const UsageError&) { // not a manifest, or one of an earlier version
        return {};
    }
    for (const std::string& run : runs)
        if (!recorded.contains(run) &&
            std::ranges::any_of(runs, [&](const std::string& other) { return recorded.contains(other); }))
            throw RunError(fmt::format("{}: it has no run {}, to which rows of {} belong; allowed: the manifest that "
                                       "belongs to the log",
                                       manifest_path(log.path), run, log.path));
    return {};
}

void expect_to_be_resumable(const std::string& path, const std::vector<std::string>& reasons)
{
    if (!reasons.empty())
        throw UsageError(fmt::format(
            "--output {}: this run cannot resume it: {}; allowed: a log of the same experiment, version, modules and "
            "machine (or, with --resume, one with the same kind of device, and more repetitions), another file, or "
            "--overwrite, which moves this one aside",
            path, fmt::join(reasons, "; ")));
}

std::vector<CaseResult> cases_to_overwrite(const std::string& path)
{
    try {
        return logged_cases(parse_log(path, TextSource::of_file(path)), {}).results;
    } catch (const std::runtime_error&) { // nothing else needs this log
        return {};
    }
}

Option reference_option()
{
    return {.name = "reference",
            .value = "LOG.csv",
            .help = "show the times of the same cases in this log, e.g. of a GPU, beside those of the table"};
}

std::optional<ReferenceTimes> reference_log(const Given& given, std::ostream& err)
{
    const std::string path = only_value(given, "reference", "", "a log of nestbed run");
    if (path.empty())
        return std::nullopt;
    const ParsedLog log = read_log(path, err);
    return ReferenceTimes(log.path, logged_cases(log, runs_of_manifest(log)));
}

} // namespace nestbed
