// Records a run in the manifest of its log: when it began, which workers were lost, how it ended.
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
    // The rows that the log had when it was opened.
    void had(const ParsedLog& rows);
    const std::set<std::string>& earlier_runs() const { return earlier_; }

    // Call this before the first row. `probed`: measures the nesting depth of the devices.
    void begin(const std::string& path, RunStart start, const Sessions& sessions, bool probed);
    void note(const std::string& incident) { incidents_.push_back(incident); }
    // Records the end of the run, or of an earlier run that ended after its last row but before it recorded its end.
    void end(const std::string& path, const std::vector<CaseResult>& results, bool whole, std::size_t rows,
             const std::vector<std::string>& surprises) const;

  private:
    std::string run_id_;            // empty before begin()
    std::string manifest_;          // its text at begin(); empty before
    std::set<std::string> earlier_; // runs with rows in the log when it was opened
    std::string last_run_;          // the last of these runs
    std::size_t last_rows_ = 0;     // number of its rows
    std::vector<std::string> incidents_;
};

} // namespace nestbed
