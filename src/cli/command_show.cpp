// `nestbed show`: the table of an existing log.
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "log/csv_log.hpp"
#include "log/logged_cases.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"
#include "run/case_summary.hpp"
#include "run/summary.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <ostream>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

// Leaves out a partial last row, which a run is still writing or could not complete.
ParsedLog read_log(const std::string& path, std::ostream& err)
{
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
        throw UsageError(fmt::format("{}: it is a folder; allowed: logs of nestbed run", path));
    const std::string text = read_text_file(path);
    const std::size_t whole = bytes_of_whole_rows(text);
    if (whole != text.size())
        err << fmt::format("nestbed: {}: the last row is not complete and is left out\n", path);
    return parse_log(path, std::string_view(text).substr(0, whole));
}

// Without a manifest, or with that of another log, only the rows are used.
std::map<std::string, RunIdentity> runs_of_manifest(const ParsedLog& log)
{
    if (!log.has("run_id"))
        return {};
    try {
        return runs_in_manifest(log.path, runs_of(log));
    } catch (const UsageError&) {
        return {};
    }
}

int show(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    const std::vector<std::string>& paths = given.at("argument");
    if (paths.empty())
        throw UsageError("show: no log was given; allowed: nestbed show FILE.csv...");
    if (given.contains("csv") + given.contains("json") + given.contains("markdown") > 1)
        throw UsageError("show: --csv, --json and --markdown exclude each other; allowed: one of them");
    std::vector<CaseResult> all; // of all logs, for output as one list
    std::map<BackendKind, RunFacts> runs;
    std::string_view before; // what to print before a table: a blank line, except for the first
    for (const std::string& path : paths) {
        const ParsedLog log = read_log(path, err);
        LoggedCases logged = logged_cases(log, runs_of_manifest(log));
        if (given.contains("csv") || given.contains("json")) {
            runs.insert(logged.runs.begin(), logged.runs.end());
            std::ranges::move(logged.results, std::back_inserter(all));
            continue;
        }
        out << std::exchange(before, "\n");
        if (logged.results.empty())
            out << fmt::format("{}: it has no rows\n", path);
        else if (given.contains("markdown"))
            out << summary_markdown(logged.title, logged.results, logged.runs);
        else
            out << summary_table(logged.title, logged.results, logged.runs, bars_of_terminal(),
                                 terminal_of(STDOUT_FILENO));
    }
    if (given.contains("csv"))
        out << summary_csv(all, runs);
    if (given.contains("json"))
        out << summary_json(all, runs);
    return exit_ok;
}

} // namespace

Command show_command()
{
    return {.name = "show",
            .arguments = "FILE.csv... [--markdown | --json | --csv]",
            .summary = "print the table of an existing log",
            .text = "Prints the table that `nestbed run` prints, of each log.\n",
            .files = "csv",
            .operands = SIZE_MAX,
            .options = {{.name = "markdown", .value = "", .help = "print Markdown tables"},
                        {.name = "json", .value = "", .help = "print a JSON list, one object per case"},
                        {.name = "csv", .value = "", .help = "print a CSV, one row per case"}},
            .call = show};
}

} // namespace nestbed
