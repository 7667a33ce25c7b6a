#include "run/flat_times.hpp"

#include "base/statistics.hpp"
#include "model/axis_table.hpp"
#include "run/case_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nestbed
{

namespace
{

const StrategyInfo& info_of(const CaseResult& result)
{
    return Registry::find_anywhere(result.point.strategy)->info();
}

// Two or three significant digits, if the ratio is not too small: 0.001, 0.32, 1.00, 41.2, 400.
std::string ratio_text(double ratio)
{
    const int decimals = ratio < 0.0995 ? 3 : ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f}", ratio, decimals);
}

} // namespace

std::string work_of(const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    std::string text(info.workload->name);
    for (const Axis& axis : plain_axes())
        if (is_problem(axis, info))
            text += "|" + cell_of(axis, point);
    return text;
}

bool is_held(const CaseResult& result)
{
    return std::ranges::all_of(result.samples,
                               [](const KeptSample& sample) { return sample.held || !sample.gpu_us; });
}

FlatTimes::FlatTimes(const std::vector<CaseResult>& results)
{
    for (const CaseResult& result : results) {
        const StrategyInfo& info = info_of(result);
        if (result.point.backend != BackendKind::cuda || info.on_host ||
            from_device(mechanism_of(info, result.point)))
            continue;
        if (const std::vector<double> times = times_of(result); !times.empty()) {
            const Key key{work_of(result.point), clock_of(result), result.point.l2, is_held(result)};
            const auto [least, is_new] = min_us_.emplace(key, median(times));
            least->second = std::min(least->second, median(times));
        }
    }
}

std::string FlatTimes::ratio_of(const CaseResult& result, double us) const
{
    if (!info_of(result).workload->has_ratio || result.point.backend != BackendKind::cuda)
        return "";
    const bool held = is_held(result);
    for (const bool like : {true, false})
        if (const auto flat = min_us_.find({work_of(result.point), clock_of(result), result.point.l2, like == held});
            flat != min_us_.end())
            return ratio_text(us / flat->second).append(like ? "" : kUnlike);
    return "";
}

} // namespace nestbed
