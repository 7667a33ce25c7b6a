#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/text.hpp"
#include "base/text_source.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/log_files.hpp"
#include "inspect/compare.hpp"
#include "inspect/compare_csv.hpp"
#include "inspect/compare_sides_text.hpp"
#include "inspect/compare_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <future>
#include <ostream>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::string_view kPercents = "a number of percent from 0 to 1000";

constexpr std::string_view kCompareHelp =
    R"(Two logs: prints for each case the ratio of the medians, B (after) / A (before),
its 95 % bootstrap interval, and a verdict. A ratio above 1 means that B is
slower. One log with --of and --with: see below.

  slower, faster  the interval does not contain 1
  same            the interval contains 1: no measurable difference
  too few         fewer than 5 samples are ok in A or in B: not tested, but a
                  regression if slower than the tolerance allows
  fails           right in all rows of A, not in all of B; or wrong in some of
                  both, and B is right less often (Fisher's exact test)
  fixed           the reverse: B is right where A was not
  untimed         right in both logs, but one log, or some rows, have no time
  no times        wrong or unsupported in A or B, or both are untimed; no
                  change of the answers

Expect up to 5 % false positives: the interval covers differences within a run,
the tolerance those from run to run. Rows are matched by `key` where both logs
have it, otherwise by their settings. gpu_us is compared where every row that is
ok has one, otherwise wall_us.

A duplicate row, or a row that contradicts itself or the manifest, is an error.
Duplicates cannot be found in a log without a column `repetition`.

One log, two sides: --of 'quick_*' --with 'sort_*' compares on each input the
fastest configuration of the strategies of --of (A) with that of the strategies
of --with (B), and prints A / B: below 1, A is faster. All that a strategy can
choose, such as its mechanism, threshold or grain, is part of a configuration.
Of a log of programs: --of ./before --with ./after.
The interval does not cover that the fastest were chosen. The exit code is 0.

Exit: 0 no regression; 3 a case is slower than the tolerance allows (also with
too few samples), fails, is untimed, or is missing in B; 1 a file cannot be
read, or has an impossible row; 2 a bad option, or no case in common.
)";

double tolerance_of(const Given& given)
{
    const std::string text = only_value(given, "tolerance", "5", kPercents);
    double percent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (error != std::errc{} || end != text.data() + text.size() || !(percent >= 0 && percent <= 1000))
        throw UsageError(fmt::format("--tolerance {}; allowed: {}", text, kPercents));
    return percent / 100;
}

constexpr std::string_view kTwoSides = "compare LOG.csv --of 'quick_*' --with 'sort_*'";

// Names and patterns, of all times that the option was given.
SideAsked side_of(const Given& given, const std::string& name)
{
    const auto found = given.find(name);
    if (found == given.end())
        throw UsageError(fmt::format("compare: no --{}; allowed: {}", name, kTwoSides));
    return {.option = "--" + name, .patterns = fmt::format("{}", fmt::join(found->second, ","))};
}

// Throws UsageError if the log has cases of several GPUs, which are never compared.
void expect_one_gpu(const ParsedLog& log)
{
    std::set<std::string> gpus;
    for (const RowOrigin& origin : log.origins)
        if (origin.at("backend") == "cuda")
            gpus.insert(origin.at("gpu"));
    if (gpus.size() > 1)
        throw UsageError(fmt::format("{}: it has rows of {} GPUs: {}; allowed: a log of one", log.path, gpus.size(),
                                     fmt::join(gpus, ", ")));
}

// The text for standard output, and the CSV if there is a file for it.
using Written = std::pair<std::string, std::string>;

Written compared_sides(const Given& given, const std::vector<std::string>& files, std::ostream& err)
{
    const SideAsked a = side_of(given, "of");
    const SideAsked b = side_of(given, "with");
    if (files.size() != 1)
        throw UsageError(fmt::format("compare --of {} --with {}: {} files; allowed: {}", a.patterns, b.patterns,
                                     files.size(), kTwoSides));
    if (given.contains("tolerance"))
        throw UsageError(fmt::format("--tolerance is for two logs; allowed: {}", kTwoSides));
    const ParsedLog log = read_log(files.front(), err);
    expect_one_gpu(log);
    const LoggedCases cases = logged_cases(log, runs_of_manifest(log));
    const SidesComparison comparison = compare_sides(log.path, cases, a, b);
    return {sides_text(comparison, log.path, cases), sides_csv(comparison)};
}

int compare(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    const std::vector<std::string>& files = given.at("argument");
    const std::string csv = only_value(given, "csv", "");
    if (!csv.empty() && csv != "-")
        check_new_file(csv, "--csv");
    const auto write = [&](const Written& written) {
        if (!csv.empty() && csv != "-")
            write_new_file(csv, written.second, "the CSV", "--csv");
        if (!(out << (csv == "-" ? written.second : printable(written.first)) << std::flush))
            throw RunError("standard output: it could not be written to");
    };
    if (given.contains("of") || given.contains("with")) {
        write(compared_sides(given, files, err));
        return exit_ok;
    }
    if (files.size() != 2)
        throw UsageError(fmt::format("compare {}: {} files; allowed: compare A.csv B.csv, or {}",
                                     fmt::join(files, " "), files.size(), kTwoSides));
    const double tolerance = tolerance_of(given);
    const auto parse = [](const std::string& file) { return parse_log(file, TextSource::of_file(file)); };
    std::future<ParsedLog> parsing = std::async(std::launch::async, parse, files[1]);
    const ParsedLog before = parse(files[0]);
    const ParsedLog after = parsing.get();
    const Comparison comparison = compare_logs(before, after);
    write({compare_text(comparison, before, after, tolerance), compare_csv(comparison, tolerance)});
    const std::string regressions = regressions_text(comparison, tolerance);
    if (regressions.empty())
        return exit_ok;
    err << fmt::format("nestbed: {}\n", printable(regressions));
    return exit_rows_bad;
}

} // namespace

Command compare_command()
{
    return {.name = "compare",
            .arguments = "A.csv B.csv [--tolerance PERCENT] | LOG.csv --of PATTERN --with PATTERN [--csv FILE]",
            .summary = "show what changed from one log to another, or compare strategies",
            .text = kCompareHelp,
            .files = "csv",
            .operands = SIZE_MAX,
            .options = {{.name = "of",
                         .value = "PATTERN",
                         .help = "side A of one log: strategies or programs, comma-separated, such as 'quick_*'"},
                        {.name = "with", .value = "PATTERN", .help = "side B: what A is compared with"},
                        {.name = "tolerance",
                         .value = "PERCENT",
                         .help = "a case that is measurably slower by more than this is a regression; 0 to 1000",
                         .default_text = "5"},
                        {.name = "csv",
                         .value = "FILE",
                         .help = "write one row per case, with all columns, to a new file; - for standard output, "
                                 "without the table"}},
            .call = compare};
}

} // namespace nestbed
