// Runs a plan: asks for samples in interleaved rounds and appends every row to the log.
#pragma once

#include "log/case_result.hpp"
#include "log/csv_log.hpp"
#include "log/row.hpp"
#include "plan/cost.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace nestbed
{

struct Progress {
    std::size_t done = 0;              // samples, without warm-up
    std::size_t all = 0;               // as far as known: the number grows while a precision is not reached
    std::function<double()> left_us{}; // time left; empty: unknown
    std::size_t bad = 0;               // rows of this run that are not ok
    const Case* present = nullptr;
};

// Whether one more run of the case is traced, for its latencies.
bool takes_latencies(const Plan& plan, const Case& point);

// The calls that a run makes while it measures.
struct RunHooks {
    std::function<void(const Progress&)> report;          // before every sample
    std::function<void(const std::string&)> note;         // with a text when a worker was lost
    std::function<bool()> stopped = [] { return false; }; // true: take no more samples
    // Rough times, before anything was measured.
    CaseTimes times{.sample_us = [](const Case& /*point*/) { return 1.0; },
                    .input_us = [](const Case& /*point*/) { return 0.0; }};
    // Cases of another log of the same experiment: their times are better than an estimate.
    std::span<const CaseResult> earlier{};
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

struct RunOutcome {
    bool interrupted = false;
    std::size_t rows = 0; // written by this run
};

// The order of one round: a permutation of 0 to cases - 1. It is the same for the same seed, group and round.
std::vector<std::size_t> round_order(std::size_t cases, std::uint64_t seed, std::size_t group, unsigned round);

// For each group: warm-up runs of every case, then `repeat` rounds. In a round every case runs once, in an order
// drawn from the plan's seed, so that drift does not affect a single strategy. With a precision, only cases that need
// more samples run in a round, up to the maximum number. Repetitions that already exist are skipped. A case that the
// backend cannot run gets one row that says so, and so does a case that makes its worker fail more often than the
// plan's `retries`. After a worker was lost, all cases of the group that are not complete are warmed up again. Rows
// are appended as they are measured; the rows of an untimed run have no times. Throws RunError if the log cannot be
// written, or if a device is lost for good; `results` then contains what was measured before.
RunOutcome run_plan(const Plan& plan, const Samplers& samplers, const std::map<BackendKind, RunFacts>& runs,
                    CsvLog& log, std::vector<CaseResult>& results, const RunHooks& hooks);

} // namespace nestbed
