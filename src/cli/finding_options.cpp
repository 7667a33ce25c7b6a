#include "cli/finding_options.hpp"

#include "base/error.hpp"
#include "program/report/sarif.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string_view>

namespace nestbed
{

namespace
{

bool is_error(const program::Finding& finding)
{
    return finding.level == program::Finding::Level::error;
}

std::vector<program::Finding> findings_in(const Json& found)
{
    return found.is_null() || !found.contains("races") ? std::vector<program::Finding>{}
                                                       : program::findings_of(found);
}

} // namespace

Options finding_options()
{
    return {
        {.name = "sarif", .value = "FILE", .help = "of a program, also write the report as SARIF 2.1.0"},
        overwrite_option(),
        {.name = "baseline",
         .value = "FILE",
         .help = "of a program: findings of this earlier report (--json) are known; the exit code is 3 only if "
                 "something is new, or the run is incomplete"},
        {.name = "report",
         .value = "FILE",
         .help = "run nothing: for --sarif and --baseline, the report (NESTBED_REPORT) of a program that has run"}};
}

FindingOptions::FindingOptions(const Given& given)
{
    if (given.contains("baseline")) {
        baseline_ = only_value(given, "baseline", "", "a file's name");
        known_ = program::findings_of(program::read_report(baseline_, "--baseline"));
    }
    if (given.contains("sarif"))
        sarif_.emplace(only_value(given, "sarif", "", "a file's name"), given.contains("overwrite"), "--sarif");
    else if (given.contains("overwrite"))
        throw UsageError("--overwrite: there is no file to write; allowed: with --sarif FILE");
}

int FindingOptions::report(const Json& found, const std::string& problem, int code, std::ostream& err) const
{
    const std::vector<program::Finding> findings = findings_in(found);
    const std::vector<bool> are_new = program::are_new(findings, known_);
    if (sarif_) {
        program::SarifRun run{.findings = findings, .folder = std::filesystem::current_path().string()};
        if (!baseline_.empty())
            run.are_new = are_new;
        if (!problem.empty())
            run.problems.push_back(problem);
        sarif_->write(program::sarif_text(run), "the report");
    }
    if (baseline_.empty() || found.is_null() || !found.contains("races"))
        return code;
    std::string text;
    std::size_t count = 0;
    for (std::size_t index = 0; index < findings.size(); ++index)
        if (is_error(findings[index]) && are_new[index]) {
            text += program::new_text(findings[index]);
            ++count;
        }
    const auto all = static_cast<std::size_t>(std::ranges::count_if(findings, is_error));
    err << fmt::format("nestbed: {} known ({}), {} new\n{}", all - count, baseline_, count, text);
    if (count != 0 || !problem.empty())
        return exit_rows_bad;
    return all != 0 && found.at("grids") != 0 ? found.at("exit_code").get<int>() : code; // the program's own
}

int report_findings(const Given& given, std::ostream& err)
{
    constexpr std::array<std::string_view, 4> kWithReport{"report", "sarif", "baseline", "overwrite"};
    for (const auto& [name, values] : given)
        if (std::ranges::find(kWithReport, name) == kWithReport.end() && !(name == "argument" && values.empty()))
            throw UsageError(std::string(kReportUsage));
    if (!given.contains("sarif") && !given.contains("baseline"))
        throw UsageError("--report: allowed: with --sarif FILE, --baseline FILE or both");
    const FindingOptions options(given);
    const Json report = program::read_report(only_value(given, "report", "", "a file's name"), "--report");
    const bool is_good = std::ranges::none_of(program::findings_of(report), is_error) && report.at("grids") != 0;
    return options.report(report, "", is_good ? report.at("exit_code").get<int>() : exit_rows_bad, err);
}

} // namespace nestbed
