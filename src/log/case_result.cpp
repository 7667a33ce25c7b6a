#include "log/case_result.hpp"

#include "base/text.hpp"
#include "model/case_text.hpp"

#include <algorithm>
#include <iterator>

namespace nestbed
{

bool ends_case(Status status)
{
    return status == Status::unsupported || status == Status::timeout || status == Status::crashed;
}

bool CaseResult::lost() const
{
    return std::ranges::any_of(samples, [](const KeptSample& sample) {
        return sample.status == Status::timeout || sample.status == Status::crashed;
    });
}

void CaseResult::keep(const Sample& sample)
{
    if (sample.status != Status::ok && !bad) {
        bad = sample.status;
        reason = sample.detail;
    }
    if (sample.status == Status::ok)
        latencies_us.insert(latencies_us.end(), sample.latencies_us.begin(), sample.latencies_us.end());
    if (sample.launches && !launches)
        launches = sample.launches->attempted;
    if (sample.gpu_state.throttled())
        std::ranges::move(split(sample.gpu_state.throttle, ' '),
                          std::inserter(throttle_reasons, throttle_reasons.end()));
    samples.push_back({.status = sample.status,
                       .gpu_us = sample.gpu_us,
                       .wall_us = sample.wall_us,
                       .wall_of_runs = sample.runs ? std::optional(sample.runs->wall) : std::nullopt,
                       .held = sample.held,
                       .throttled = sample.gpu_state.throttled()});
}

void CaseResult::add(unsigned repetition, const Sample& sample, const Repeats& repeats)
{
    repetitions.insert(repetition);
    keep(sample);
    for (std::optional<double>* us : {&samples.back().gpu_us, &samples.back().wall_us})
        if (*us)
            *us = as_logged(**us);
    if (std::optional<Spread>& of_runs = samples.back().wall_of_runs)
        for (double Spread::*const us : {&Spread::median, &Spread::p99, &Spread::p999, &Spread::worst})
            (*of_runs).*us = as_logged((*of_runs).*us);
    const bool ends = ends_case(sample.status);
    const auto there = static_cast<unsigned>(repetitions.size());
    const bool gap = *repetitions.rbegin() >= there; // a failed row was removed and will be measured again
    complete = complete || ends || (there >= planned && !gap && repeats.enough(there, times_of(*this)));
    if (!complete && there >= planned)
        planned = repeats.next_look(there);
}

std::vector<double> times_of(const CaseResult& result)
{
    std::vector<double> times;
    for (const KeptSample& sample : result.samples)
        if (sample.status == Status::ok && sample.wall_us)
            times.push_back(sample.gpu_us ? *sample.gpu_us : *sample.wall_us);
    return times;
}

std::vector<double> gpu_times_of(const CaseResult& result)
{
    std::vector<double> times;
    for (const KeptSample& sample : result.samples)
        if (sample.status == Status::ok && sample.gpu_us)
            times.push_back(*sample.gpu_us);
    return times;
}

std::size_t samples_planned(const std::vector<CaseResult>& results)
{
    std::size_t samples = 0;
    for (const CaseResult& result : results)
        samples += result.planned;
    return samples;
}

std::size_t samples_done(const std::vector<CaseResult>& results)
{
    std::size_t samples = 0;
    for (const CaseResult& result : results)
        samples += result.done();
    return samples;
}

std::size_t rows_of(const std::vector<CaseResult>& results)
{
    std::size_t rows = 0;
    for (const CaseResult& result : results)
        rows += result.samples.size();
    return rows;
}

std::vector<CaseResult> cases_of(const Plan& plan, const std::map<BackendKind, RunFacts>& runs)
{
    std::vector<CaseResult> results;
    for (std::size_t group = 0; group < plan.groups.size(); ++group)
        for (const Case& point : plan.groups[group].cases)
            results.push_back({.point = point,
                               .group = group,
                               .samples = {},
                               .key = key_of(point, runs.at(point.backend).schedule),
                               .planned = plan.repeat.at(point.backend).least});
    return results;
}

} // namespace nestbed
