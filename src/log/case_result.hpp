// The samples of each case of a plan: those in a log and those that a run has measured. Pure.
#pragma once

#include "log/row.hpp"
#include "model/case.hpp"
#include "model/sample.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

// What is kept of each sample. A log may have millions.
struct KeptSample {
    Status status = Status::ok;
    std::optional<double> gpu_us;
    std::optional<double> wall_us;
    std::optional<Spread> wall_of_runs; // of a sample of many runs
    bool held = false;
    bool throttled = false;
};

// All samples of a case: those of this run, and those that were already in the log.
struct CaseResult {
    Case point;
    std::size_t group = 0; // index of its group in the plan
    std::vector<KeptSample> samples{};
    std::set<unsigned> repetitions{};        // the repetitions of these samples
    std::string key{};                       // key_of()
    std::optional<Status> bad{};             // of the first sample that is not ok
    std::string reason{};                    // the detail of that sample
    std::optional<std::uint64_t> launches{}; // attempted by the first sample that counted them
    std::vector<double> latencies_us{};      // of all samples that are ok
    std::set<std::string> throttle_reasons{};

    // Adds a sample without its repetition.
    void keep(const Sample& sample);

    // Whether it made a worker crash or hang.
    bool lost() const;
    // Nothing is left to measure.
    bool complete = false;
    // How many samples it will have, as far as known: the number grows if the samples are not precise enough.
    unsigned planned = 1;

    // The number of planned samples that exist or will not be taken.
    std::size_t done() const { return complete ? planned : repetitions.size(); }
    // Rounds the times of the sample as the log does, so that a resumed run makes the same decision about precision.
    void add(unsigned repetition, const Sample& sample, const Repeats& repeats);
};

// In us, for the samples that are ok: the GPU time, or the host time if there is no GPU time.
std::vector<double> times_of(const CaseResult& result);
// The GPU times of the samples that are ok and have one, in us.
std::vector<double> gpu_times_of(const CaseResult& result);

// Whether a sample with this status ends its case: another sample would give the same result, and could crash another
// worker.
bool ends_case(Status status);

// The sums of CaseResult::planned and done() over all cases.
std::size_t samples_planned(const std::vector<CaseResult>& results);
std::size_t samples_done(const std::vector<CaseResult>& results);
// The number of samples that exist.
std::size_t rows_of(const std::vector<CaseResult>& results);

// The cases of the plan, in its order, without samples.
std::vector<CaseResult> cases_of(const Plan& plan, const std::map<BackendKind, RunFacts>& runs);

} // namespace nestbed
