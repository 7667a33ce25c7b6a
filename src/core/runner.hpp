// Runs a plan: asks the sessions for samples in interleaved rounds and hands every row to the log.
#pragma once

#include "plan.hpp"
#include "record.hpp"
#include "row.hpp"
#include "session.hpp"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace nestbed
{

// All samples of a case.
struct CaseResult {
    Case point;
    std::size_t group = 0; // index of its group in the plan
    std::vector<Sample> samples;
};

struct Progress {
    std::size_t done = 0; // samples, warm-up not counted
    std::size_t all = 0;
    const Case* present = nullptr;
};

// The order of one round: a permutation of 0 to cases - 1, the same for the same seed, group and round.
std::vector<std::size_t> round_order(std::size_t cases, std::uint64_t seed, std::size_t group, unsigned round);

// Per group: warm-up runs of every case, then `repeat` rounds in which every case runs once, in an order
// drawn from the plan's seed, so that drift does not sit on one strategy. A case that the backend cannot run
// is one row. Rows are appended as they are measured; in an untimed run their times are left out. Throws RunError when
// the log cannot be written or a device is lost.
std::vector<CaseResult> run_plan(const Plan& plan, const std::map<BackendKind, std::unique_ptr<Session>>& sessions,
                                 const std::map<BackendKind, RunFacts>& runs, CsvLog& log,
                                 const std::function<void(const Progress&)>& report);

} // namespace nestbed
