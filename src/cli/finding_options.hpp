// --sarif and --baseline of `nestbed races`: where the findings of a program go, and which of them are known.
#pragma once

#include "base/json.hpp"
#include "base/new_file.hpp"
#include "cli/commands.hpp"
#include "program/report/findings.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

Options finding_options();
inline constexpr std::string_view kReportUsage =
    "--report runs nothing; allowed: nestbed races --report FILE [--sarif FILE [--overwrite]] [--baseline FILE]";

class FindingOptions
{
  public:
    // Throws UsageError, before anything runs.
    explicit FindingOptions(const Given& given);

    // Writes the file, and prints what is new. `found`: the report of the program, or null. `problem`: why the report is
    // incomplete or missing; empty: the program came to its end. Returns the exit code: `code`, if no baseline changes it.
    int report(const Json& found, const std::string& problem, int code, std::ostream& err) const;

  private:
    std::string baseline_; // the file; empty: none
    std::vector<program::Finding> known_;
    std::optional<OutputFile> sarif_;
};

// --report: the findings of a program that has run. Throws UsageError.
int report_findings(const Given& given, std::ostream& err);

} // namespace nestbed
