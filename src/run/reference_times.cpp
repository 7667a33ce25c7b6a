#include "run/reference_times.hpp"

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace nestbed
{

namespace
{

constexpr std::string_view kMaker = "NVIDIA ";

// What identifies the case on this backend: without the axes that do not apply there.
std::string settings_on(BackendKind backend, Case point)
{
    point.mechanism = mechanism_of(Registry::find_anywhere(point.strategy)->info(), point);
    point.backend = backend;
    reset_meaningless(point);
    return settings_text(point);
}

} // namespace

ReferenceTimes::ReferenceTimes(const std::string& path, LoggedCases log) : log_(std::move(log)), flat_(log_.results)
{
    device_ = log_.runs.empty() ? "" : printable(log_.runs.begin()->second.device.name);
    if (device_.starts_with(kMaker))
        device_.erase(0, kMaker.size());
    note_ = fmt::format("{}: times from {}", device_, path);
    for (std::size_t index = 0; index < log_.results.size(); ++index)
        for (const BackendKind backend : {BackendKind::cuda, BackendKind::cpu})
            cases_.try_emplace(settings_on(backend, log_.results[index].point), index);
}

ReferenceTimes::Cells ReferenceTimes::of(const Case& point) const
{
    const auto found = cases_.find(settings_on(point.backend, point));
    if (found == cases_.end())
        return {};
    const CaseResult& result = log_.results[found->second];
    const std::vector<double> times = times_of(result);
    if (times.empty())
        return {};
    return {.median = format_us(median(times)), .ratio = flat_.ratio_of(result, median(times))};
}

} // namespace nestbed
