#include "cli/run_record.hpp"

#include "base/text_file.hpp"
#include "log/resume.hpp"
#include "model/session.hpp"

#include <algorithm>

namespace nestbed
{

void RunRecord::had(const ParsedLog& rows)
{
    earlier_.merge(runs_of(rows));
    if (rows.rows.empty())
        return;
    last_run_ = rows.origins[rows.last_origin].at("run_id");
    last_rows_ = 0;
    for (const RowOrigin& origin : rows.origins)
        last_rows_ += origin.at("run_id") == last_run_ ? origin.rows : 0;
}

void RunRecord::begin(const std::string& path, RunStart start, const Sessions& sessions, bool probed)
{
    if (probed)
        for (const auto& [backend, session] : sessions)
            start.probes[backend] = session->probe_depth(kProbedLevels);
    run_id_ = start.run_id;
    manifest_ = write_manifest(path, start);
}

void RunRecord::end(const std::string& path, const std::vector<CaseResult>& results, bool whole, std::size_t rows,
                    const std::vector<std::string>& surprises) const
{
    const bool begun = !run_id_.empty();
    const bool unnoted = !begun && !last_run_.empty() && std::ranges::all_of(results, &CaseResult::complete) &&
                         !has_finished(path, last_run_);
    if (begun || unnoted)
        end_manifest(path, begun ? run_id_ : last_run_,
                     {.whole = whole,
                      .rows = begun ? rows : last_rows_,
                      .log_rows = rows_of(results),
                      .surprises = surprises,
                      .incidents = incidents_},
                     begun ? manifest_ : read_text_file(manifest_path(path)));
}

} // namespace nestbed
