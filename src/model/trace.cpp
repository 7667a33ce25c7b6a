#include "model/trace.hpp"

#include "base/statistics.hpp"

#include <map>

namespace nestbed
{

double TraceOverhead::median_untraced_us() const
{
    return median(untraced_us);
}

double TraceOverhead::median_traced_us() const
{
    return median(traced_us);
}

double TraceOverhead::share() const
{
    return median_traced_us() / median_untraced_us() - 1;
}

std::vector<double> latencies_by_depth(const Trace& trace)
{
    std::map<std::uint32_t, std::vector<double>> by_depth;
    for (const TracedGrid& grid : trace.grids)
        if (grid.called_ns && grid.begun_ns)
            by_depth[grid.depth].push_back(static_cast<double>(*grid.begun_ns - *grid.called_ns) / 1000.0);
    std::vector<double> medians;
    for (const auto& [depth, latencies] : by_depth)
        if (depth == medians.size() + 1)
            medians.push_back(median(latencies));
    return medians;
}

} // namespace nestbed
