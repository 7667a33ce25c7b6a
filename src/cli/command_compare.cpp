#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "inspect/compare.hpp"
#include "inspect/compare_csv.hpp"
#include "inspect/compare_text.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <charconv>
#include <ostream>

namespace nestbed
{

namespace
{

namespace po = boost::program_options;

constexpr std::string_view kPercents = "a number of percent from 0 to 1000";

po::options_description compare_options()
{
    po::options_description options("Options", 80);
    options.add_options()(
        "tolerance", po::value<std::vector<std::string>>()->value_name("PERCENT"),
        "slower by more than this is a regression, if it is told apart from no change; 0 to 1000 (5)");
    options.add_options()("csv", po::value<std::vector<std::string>>()->value_name("FILE"),
                          "a row a case, all columns; a new file; - for standard output, without the table");
    options.add_options()("help,h", po::bool_switch(), "print this");
    return options;
}

constexpr std::string_view kCompareHelp = R"(nestbed compare A.csv B.csv [--tolerance PERCENT] [--csv FILE]

Case by case: the median of B (after) over that of A (before), above 1 where B
is slower, its 95 % bootstrap interval, and a verdict.

  slower, faster  the interval leaves out 1
  same            it does not: not told apart
  too few         fewer than 5 samples that are ok in A or in B: not tested;
                  if slower past the tolerance it does not pass
  fails           right in all rows of A, not in all of B; or wrong in some of
                  both, and right less often than by chance (Fisher's test)
  mended          the other way
  untimed         right in both; times in one log alone, or in some rows
  no times        wrong or unsupported in A or B, or both are untimed; no
                  change of the answers

Chance tells apart up to 5 % of cases that have not changed; the interval is of
what differs within a run, the tolerance for what differs from run to run.
Rows belong to a case by `key`, where both logs have it, otherwise by what else
says which case it is. gpu_us is compared where every row that is ok has one,
otherwise wall_us.

A row that stands twice, or whose cells contradict each other, is an error. A
log without a column repetition cannot be checked for the former.

Exit: 0 no regression; 3 a case is slower past the tolerance (too few samples
or not), fails, is untimed, or is missing in B; 1 a file cannot be read, or has
a row that cannot be; 2 a bad option, or no case in common.

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

} // namespace

int compare(const Arguments& arguments, std::ostream& out, std::ostream& err)
{
    const po::options_description options = compare_options();
    const Given given = parse_arguments(arguments, options, SIZE_MAX);
    if (given.contains("help")) {
        out << kCompareHelp << options;
        return exit_ok;
    }
    const std::vector<std::string>& files = given.at("argument");
    if (files.size() != 2)
        throw UsageError(
            fmt::format("compare {}: {} files; allowed: compare A.csv B.csv", fmt::join(files, " "), files.size()));
    const double tolerance = tolerance_of(given);
    const std::string csv = only_value(given, "csv", "");
    if (!csv.empty() && csv != "-")
        check_new_file(csv, "--csv");

    const ParsedLog before = parse_log(files[0], read_text_file(files[0]));
    const ParsedLog after = parse_log(files[1], read_text_file(files[1]));
    const Comparison comparison = compare_logs(before, after);
    if (!csv.empty() && csv != "-")
        write_new_file(csv, compare_csv(comparison, tolerance), "the CSV", "--csv");
    if (!(out << (csv == "-" ? compare_csv(comparison, tolerance)
                             : printable(compare_text(comparison, before, after, tolerance)))
              << std::flush))
        throw RunError("standard output: it could not be written to");
    const std::string regressions = regressions_text(comparison, tolerance);
    if (regressions.empty())
        return exit_ok;
    err << fmt::format("nestbed: {}\n", printable(regressions));
    return exit_rows_bad;
}

} // namespace nestbed
