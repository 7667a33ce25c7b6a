#include "run/expectation.hpp"

#include "model/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nestbed
{

namespace
{

// The case is one in which the expected is known to happen.
bool prone_to(Status expect, const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    switch (expect) {
    case Status::wrong:
        return info.racy;
    case Status::launch_failed:
        return from_device(mechanism_of(info, point)) && point.pending_limit.has_value();
    case Status::unsupported:
        return from_device(mechanism_of(info, point)) && (point.wave.has_value() || point.streams.has_value());
    default:
        return false;
    }
}

} // namespace

std::vector<std::string> surprises_in(Status expect, const std::vector<CaseResult>& results, bool part)
{
    std::size_t bad = 0;
    std::map<std::string, std::size_t> shown; // by strategy that is prone to it
    for (const CaseResult& result : results) {
        const auto count = [&](Status status) {
            return static_cast<std::size_t>(std::ranges::count(result.samples, status, &Sample::status));
        };
        bad += result.samples.size() - count(Status::ok);
        if (prone_to(expect, result.point)) {
            shown[result.point.strategy] += count(expect);
            bad -= count(expect);
        }
    }
    std::vector<std::string> surprises;
    if (bad != 0)
        surprises.push_back(fmt::format("{} rows are not {}; their status and detail say why", bad,
                                        expect == Status::ok ? "ok" : "as expected"));
    if (part)
        return surprises;
    for (const auto& [strategy, times] : shown)
        if (times == 0)
            surprises.push_back(fmt::format("expect = {}: no row of {} has this status", name_of(expect), strategy));
    if (expect != Status::ok && shown.empty())
        surprises.push_back(fmt::format("expect = {}: no case here is prone to it", name_of(expect)));
    return surprises;
}

bool is_finding(Status expect, const Case& point, Status status)
{
    return status == Status::ok || status == Status::unsupported || (status == expect && prone_to(expect, point));
}

} // namespace nestbed
