// What the manifest of a log is told of a run: when it began, what was lost on the way, how it ended.
#pragma once

#include "log/case_result.hpp"
#include "log/manifest.hpp"
#include "log/parsed_log.hpp"
#include "run/sessions.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

class RunRecord
{
  public:
    // The log had these rows when it was opened.
    void had(const ParsedLog& rows);
    const std::set<std::string>& earlier_runs() const { return earlier_; }
    const std::string& manifest() const { return manifest_; } // its text; empty before begin()

    // Before the first row. Measures the depth of the devices where `probed`.
    void begin(const std::string& path, RunStart start, const Sessions& sessions, bool probed);
    void note(const std::string& incident) { incidents_.push_back(incident); }
    // Throws RunError.
    void keep(const std::string& path) const;
    // Also of a run that had no time left to note it after its last row.
    void end(const std::string& path, const std::vector<CaseResult>& results, bool whole, std::size_t rows,
             const std::vector<std::string>& surprises) const;

  private:
    std::string run_id_;            // empty before begin()
    std::string manifest_;          // its text then
    std::set<std::string> earlier_; // runs that the log has rows of, when it was opened
    std::string last_run_;          // the last of them
    std::size_t last_rows_ = 0;     // its rows
    std::vector<std::string> incidents_;
};

} // namespace nestbed
