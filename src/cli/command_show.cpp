// `nestbed show`: the table of an existing log.
#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/log_files.hpp"
#include "log/logged_cases.hpp"
#include "run/case_summary.hpp"
#include "run/summary.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <ostream>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

int show_logs(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    const std::vector<std::string>& paths = given.at("argument");
    if (paths.empty())
        throw UsageError("show: no log was given; allowed: nestbed show FILE.csv...");
    if (given.contains("csv") + given.contains("json") + given.contains("markdown") > 1)
        throw UsageError("show: --csv, --json and --markdown exclude each other; allowed: one of them");
    const std::optional<ReferenceTimes> reference = reference_log(given, err);
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
            out << fmt::format("{}: it has no rows\n", log.path);
        else if (given.contains("markdown"))
            out << summary_markdown(logged.title, logged.results, logged.runs, reference);
        else
            out << summary_table(logged.title, logged.results, logged.runs, bars_of_terminal(),
                                 terminal_of(STDOUT_FILENO), reference);
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
            .arguments = "FILE.csv... [--reference LOG.csv] [--markdown | --json | --csv]",
            .summary = "print the table of an existing log",
            .text = "Prints the table that `nestbed run` prints, of each log. A damaged row is an\n"
                    "error that names the file, the line, the column, the cell, and what is allowed.\n",
            .files = "csv",
            .operands = SIZE_MAX,
            .options = {reference_option(),
                        {.name = "markdown", .value = "", .help = "print Markdown tables"},
                        {.name = "json", .value = "", .help = "print a JSON list, one object per case"},
                        {.name = "csv", .value = "", .help = "print a CSV, one row per case"}},
            .call = show_logs};
}

} // namespace nestbed
