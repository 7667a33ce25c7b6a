// Runs a plan: asks the sessions for samples in interleaved rounds and hands every row to the log.
#pragma once

#include "log/case_result.hpp"
#include "log/csv_log.hpp"
#include "log/row.hpp"
#include "model/session.hpp"
#include "plan/plan.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

struct Progress {
    std::size_t done = 0;   // samples, warm-up not counted
    std::size_t before = 0; // of these, what the log had when the run began
    std::size_t all = 0;    // as far as it is known: more are added where a precision is not reached
    double done_us =
        0; // the same by what they are likely to cost (cost.hpp), for cases differ by a thousand times; 0: not known
    double before_us = 0;
    double all_us = 0;
    std::size_t bad = 0; // rows of this run that are not ok
    const Case* present = nullptr;
};

// What a run tells while it goes on, and asks.
struct RunHooks {
    std::function<void(const Progress&)> report;          // before every sample
    std::function<void(const std::string&)> note;         // a worker was lost, in words
    std::function<bool()> stopped = [] { return false; }; // no more samples are to be taken
};

struct RunOutcome {
    bool interrupted = false;
    std::size_t rows = 0; // written by this run
};

// The order of one round: a permutation of 0 to cases - 1, the same for the same seed, group and round.
std::vector<std::size_t> round_order(std::size_t cases, std::uint64_t seed, std::size_t group, unsigned round);

// Per group: warm-up runs of every case, then `repeat` rounds in which every case runs once, in an order
// drawn from the plan's seed (where a precision is asked for: in which every case runs that has not enough yet, up to the most), so that drift does not sit on one strategy. Repetitions that are there already are left out. A case that the
// backend cannot run, or that takes its worker down once more than the plan's `retries`, is one row more. After a lost worker all that is
// still to be measured in the group is warmed up again. Rows are appended as they are measured; in an untimed run their times are left out.
// Throws RunError when the log cannot be written, or a device is lost for good; `results` has what was measured then, too.
RunOutcome run_plan(const Plan& plan, const std::map<BackendKind, std::unique_ptr<Session>>& sessions,
                    const std::map<BackendKind, RunFacts>& runs, CsvLog& log, std::vector<CaseResult>& results,
                    const RunHooks& hooks);

} // namespace nestbed
