#include "predict/measured_case.hpp"

#include "base/error.hpp"
#include "predict/roofline.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace nestbed
{

void throw_missing(const std::string& cases)
{
    throw RunError(fmt::format("the logs have no {} (with at least {} GPU times); allowed: logs of "
                               "experiments/launch.cfg, trees.cfg, library.cfg and transpose.cfg together",
                               cases, kFewestSamples));
}

bool determines_parameters(const MeasuredCase& one, const DeviceFacts& facts)
{
    if (!why_not_described(one.demand, facts).empty())
        return false;
    if (!one.workload->keeps_timestamps)
        return false;
    if (!one.workload->siblings)
        return one.demand.point.graphs <= 1 && (one.demand.point.grid == 1 || from_device(one.demand.mechanism));
    return one.demand.mechanism != Mechanism::grid_sync;
}

std::vector<MeasuredCase> measured_in(std::span<const LoggedCases> logs, const DeviceFacts& facts)
{
    std::vector<MeasuredCase> all;
    for (const LoggedCases& log : logs)
        for (const CaseResult& result : log.results) {
            const Strategy& strategy = *Registry::find_anywhere(result.point.strategy);
            MeasuredCase one{.demand = {}, .workload = strategy.info().workload, .us = gpu_times_of(result)};
            if (result.point.backend != BackendKind::cuda || one.us.size() < kFewestSamples ||
                strategy.info().on_host || strategy.info().irregular())
                continue;
            one.log_us = std::log(median(one.us));
            one.demand = demand_of(strategy, result.point, facts);
            if (!is_fitted(one.demand.mechanism))
                continue;
            all.push_back(std::move(one));
        }
    return all;
}

} // namespace nestbed
