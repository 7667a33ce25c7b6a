// What a log has, or a run has measured, of each case of a plan. Pure.
#pragma once

#include "log/row.hpp"
#include "model/case.hpp"
#include "model/sample.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

// All samples of a case: those of this run, and those that the log had before it.
struct CaseResult {
    Case point;
    std::size_t group = 0; // index of its group in the plan
    std::vector<Sample> samples;
    std::set<unsigned> repetitions{}; // that these are
    std::string key{};                // key_of()

    // It has taken a worker down.
    bool lost() const;
    // No more is to be measured.
    bool complete = false;
    // How many samples it is to have, as far as that is known: more where these turn out to be not precise enough.
    unsigned planned = 1;

    // Of the planned samples, those that are there or will not be taken.
    std::size_t done() const { return complete ? planned : repetitions.size(); }
    // The sample's times are rounded as the log has them, so that a run that goes on with the log finds the same to be enough.
    void add(unsigned repetition, Sample sample, const Repeats& repeats);
};

// In us, of the samples that are ok: the GPU's, or where it has none the host's.
std::vector<double> times_of(const CaseResult& result);

// After such a sample a case is not measured again: it would only say the same, and may take another worker down.
bool ends_case(Status status);

// CaseResult::planned and done() of all.
std::size_t samples_planned(const std::vector<CaseResult>& results);
std::size_t samples_done(const std::vector<CaseResult>& results);
// Those that are there.
std::size_t rows_of(const std::vector<CaseResult>& results);

// The plan's cases, in its order, without samples.
std::vector<CaseResult> cases_of(const Plan& plan, const std::map<BackendKind, RunFacts>& runs);

} // namespace nestbed
