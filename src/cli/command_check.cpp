// `nestbed check`: whether the rows of a log are as a run writes them.
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/log_files.hpp"
#include "log/row_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace nestbed
{

namespace
{

constexpr std::size_t kRowsNamed = 10; // rows that are named

// Names the first rows of a log that contradict themselves, other rows or the manifest. Returns how many do.
std::size_t check_rows(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs, std::ostream& err)
{
    std::size_t refused = 0;
    RowCheck check;
    check.begin(log, runs);
    for (const LogRow& row : log.rows) {
        try {
            check.check_once(row);
        } catch (const RunError& error) {
            if (++refused <= kRowsNamed)
                err << fmt::format("nestbed: {}\n", printable(shortened(error.what())));
        }
    }
    if (refused > kRowsNamed)
        err << fmt::format("nestbed: {}: {} more rows\n", printable(log.path), refused - kRowsNamed);
    return refused;
}

int check(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    const std::vector<std::string>& paths = given.at("argument");
    if (given.contains("rules"))
        for (const RuleText& rule : all_row_rules())
            out << fmt::format("{}: {}\n", rule.columns, rule.must);
    else if (paths.empty())
        throw UsageError("check: no log was given; allowed: nestbed check FILE.csv...");
    std::size_t refused = 0;
    for (const std::string& path : paths) {
        const ParsedLog log = read_log(path, err);
        static_cast<void>(log.column("status"));
        const std::map<std::string, RunIdentity> runs = runs_of_manifest(log);
        const std::size_t here = check_rows(log, runs, err);
        refused += here;
        out << printable(fmt::format("{}: {} of {} rows are as a run writes them\n", log.path, log.rows.size() - here,
                                     log.rows.size()));
        if (runs.empty())
            out << "  not compared with a manifest: it has none of this version\n";
    }
    return refused == 0 ? exit_ok : exit_could_not;
}

} // namespace

Command check_command()
{
    return {.name = "check",
            .arguments = "FILE.csv... [--rules]",
            .summary = "check the rows of a log against each other and its manifest",
            .text = "Checks what `run`, `merge`, `show` and `compare` check, too: each cell has its\n"
                    "form, and agrees with the other cells of its row, with its case, and with the\n"
                    "run in the manifest. Names the file, the line, the column, the cell, and what\n"
                    "is allowed.\n\n"
                    "Exit: 0 all rows are as a run writes them; 1 some are not, or a file cannot be\n"
                    "read.\n",
            .files = "csv",
            .operands = SIZE_MAX,
            .options = {{.name = "rules", .value = "", .help = "print the rules: the columns, and what must hold"}},
            .call = check};
}

} // namespace nestbed
