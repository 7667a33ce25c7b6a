#include "run/expectation.hpp"

#include "model/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nestbed
{

namespace
{

// Whether the expected status is known to occur in this case.
bool prone_to(Status expect, const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    if (info.workload->of_user)
        return expect != Status::ok; // anything may happen in it
    switch (expect) {
    case Status::wrong:
        return info.racy;
    case Status::timeout:
        return info.hangs && point.pending_limit.has_value();
    case Status::launch_failed:
        return from_device(mechanism_of(info, point)) &&
               (point.pending_limit.has_value() || point.overflow == Overflow::fail);
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
    std::map<std::string, std::size_t> shown; // by strategy in which the status is known to occur
    for (const CaseResult& result : results) {
        const auto count = [&](Status status) {
            return static_cast<std::size_t>(std::ranges::count(result.samples, status, &KeptSample::status));
        };
        bad += result.samples.size() - count(Status::ok);
        if (prone_to(expect, result.point)) {
            shown[result.point.strategy] += count(expect);
            bad -= count(expect);
        }
        if (expect == Status::timeout && prone_to(Status::launch_failed, result.point))
            bad -= count(Status::launch_failed);
    }
    std::vector<std::string> surprises;
    if (bad != 0)
        surprises.push_back(fmt::format("{} rows are not {}; their status and detail say why", bad,
                                        expect == Status::ok ? "ok" : "as expected"));
    if (part)
        return surprises;
    for (const auto& [strategy, times] : shown)
        if (times == 0 && !Registry::find_anywhere(strategy)->info().nondeterministic_answer())
            surprises.push_back(fmt::format("expect = {}: no row of {} has this status", name_of(expect), strategy));
    if (expect != Status::ok && shown.empty())
        surprises.push_back(fmt::format("expect = {}: no case here is prone to it", name_of(expect)));
    return surprises;
}

bool is_finding(Status expect, const Case& point, Status status)
{
    return status == Status::ok || status == Status::unsupported || (status == expect && prone_to(expect, point)) ||
           (expect == Status::timeout && status == Status::launch_failed && prone_to(status, point));
}

} // namespace nestbed
