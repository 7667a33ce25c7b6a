#include "run/time_left.hpp"

#include <map>
#include <string>
#include <utility>

namespace nestbed
{

namespace
{

// The time of a logged sample, with the untimed work around it.
double whole_us(const KeptSample& sample)
{
    return sample.wall_us.value_or(0) + kSampleOverheadUs;
}

} // namespace

TimeLeft::TimeLeft(const Plan& plan, std::span<const CaseResult> results, const CaseTimes& estimates,
                   std::span<const CaseResult> earlier)
    : plan_(plan), results_(results)
{
    std::map<std::string, const CaseResult*> by_key;
    for (const CaseResult& one : earlier)
        by_key.emplace(one.key, &one);
    std::map<std::pair<BackendKind, std::string>, std::size_t> strategies;
    for (const Group& group : plan.groups)
        groups_.push_back({.estimated_us = estimates.input_us(group.cases.front())});
    for (const CaseResult& result : results) {
        const BackendKind backend = result.point.backend;
        const auto [strategy, is_new] = strategies.try_emplace({backend, result.point.strategy}, strategies.size());
        if (is_new) {
            strategies_.emplace_back();
            backend_of_.push_back(backend);
        }
        One one{
            .estimated_us = estimates.sample_us(result.point), .strategy = strategy->second, .group = result.group};
        for (const KeptSample& sample : result.samples)
            compare(one, whole_us(sample));
        if (const auto found = by_key.find(result.key); found != by_key.end())
            for (const KeptSample& sample : found->second->samples)
                compare(one, whole_us(sample));
        cases_.push_back(one);
    }
}

void TimeLeft::compare(One& one, double measured_us)
{
    for (Compared* const compared :
         {&one.compared, &strategies_[one.strategy], &backends_[backend_of_[one.strategy]]}) {
        compared->measured_us += measured_us;
        compared->estimated_us += one.estimated_us;
    }
}

void TimeLeft::took(std::size_t index, double us)
{
    One& one = cases_[index];
    Input& input = groups_[one.group];
    if (!input.made && input.estimated_us > 0) { // divided as estimated
        const double of_input = us * input.estimated_us / (input.estimated_us + one.estimated_us);
        Compared& inputs = inputs_[backend_of_[one.strategy]];
        inputs.measured_us += of_input;
        inputs.estimated_us += input.estimated_us;
        us -= of_input;
    }
    input.made = true;
    one.begun = true;
    compare(one, us);
}

double TimeLeft::sample_us(const One& one) const
{
    const auto backend = backends_.find(backend_of_[one.strategy]);
    for (const Compared* const compared :
         {&one.compared, &strategies_[one.strategy], backend == backends_.end() ? nullptr : &backend->second})
        if (compared != nullptr && compared->estimated_us > 0)
            return one.estimated_us * compared->measured_us / compared->estimated_us;
    return one.estimated_us;
}

double TimeLeft::us() const
{
    double us = 0;
    std::vector<bool> with_input(groups_.size());
    for (std::size_t index = 0; index < cases_.size(); ++index) {
        const CaseResult& result = results_[index];
        if (result.complete)
            continue;
        const One& one = cases_[index];
        const BackendKind backend = backend_of_[one.strategy];
        const std::size_t warmups = one.begun ? 0 : plan_.warmup.at(backend);
        us += static_cast<double>(result.planned - result.done() + warmups) * sample_us(one);
        const Input& input = groups_[one.group];
        if (input.made || with_input[one.group])
            continue;
        with_input[one.group] = true;
        const auto inputs = inputs_.find(backend);
        us += input.estimated_us *
              (inputs == inputs_.end() ? 1 : inputs->second.measured_us / inputs->second.estimated_us);
    }
    return us;
}

} // namespace nestbed
