#include "log/case_result.hpp"

#include "model/case_text.hpp"

#include <algorithm>

namespace nestbed
{

bool ends_case(Status status)
{
    return status == Status::unsupported || status == Status::timeout || status == Status::crashed;
}

bool CaseResult::lost() const
{
    return std::ranges::any_of(samples, [](const Sample& sample) {
        return sample.status == Status::timeout || sample.status == Status::crashed;
    });
}

bool CaseResult::complete(unsigned repeat) const
{
    return repetitions.size() >= repeat || std::ranges::any_of(samples, ends_case, &Sample::status);
}

std::size_t CaseResult::done(unsigned repeat) const
{
    return complete(repeat) ? repeat : repetitions.size();
}

std::size_t samples_done(const Plan& plan, const std::vector<CaseResult>& results)
{
    std::size_t samples = 0;
    for (const CaseResult& result : results)
        samples += result.done(plan.repeat.at(result.point.backend));
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
                               .key = key_of(point, runs.at(point.backend).schedule)});
    return results;
}

} // namespace nestbed
