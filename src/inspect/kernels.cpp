#include "inspect/kernels.hpp"

#include "base/table.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"

#include <algorithm>
#include <numeric>

namespace nestbed
{

KernelCalls calls_of(const Trace& trace)
{
    KernelCalls calls{.point = trace.point};
    for (const TracedGrid& grid : trace.grids) {
        if (grid.error != 0)
            continue;
        ++(grid.parent == kNoGrid ? calls.from_host : calls.from_device);
        if (grid.begun_ns && grid.ended_ns)
            calls.times_us.push_back(static_cast<double>(*grid.ended_ns - *grid.begun_ns) / 1000.0);
    }
    return calls;
}

KernelCalls calls_of(const Case& point, const Sample& sample)
{
    KernelCalls calls{.point = point, .from_host = sample.host_launches.value_or(0)};
    if (const std::optional<double> us = sample.gpu_us ? sample.gpu_us : sample.wall_us; us && calls.from_host > 0)
        calls.times_us.assign(calls.from_host, *us / static_cast<double>(calls.from_host));
    return calls;
}

std::string kernels_text(const std::vector<KernelCalls>& cases)
{
    constexpr bool kLeft = true;
    constexpr bool kAxis = true;
    std::vector<Column> columns{{"strategy", kLeft}, {"mechanism", kLeft, kAxis}};
    for (const Axis* axis : plain_axes_in_tables())
        columns.push_back({std::string(axis->name), axis->words(), kAxis});
    columns.insert(columns.end(), {{"from host"}, {"from device"}, {"average"}, {"min"}, {"max"}});
    for (const KernelCalls& one : cases) {
        const Mechanism mechanism = mechanism_of(Registry::find_anywhere(one.point.strategy)->info(), one.point);
        std::vector<std::string> cells{one.point.strategy,
                                       mechanism == Mechanism::none ? "" : std::string(name_of(mechanism))};
        for (const Axis* axis : plain_axes_in_tables())
            cells.push_back(cell_of(*axis, one.point));
        const std::vector<double>& times = one.times_us;
        const auto timed = [&](const auto& us) { return times.empty() ? std::string() : format_us(us()); };
        cells.insert(cells.end(), {std::to_string(one.from_host), std::to_string(one.from_device), timed([&] {
                                       return std::accumulate(times.begin(), times.end(), 0.0) /
                                              static_cast<double>(times.size());
                                   }),
                                   timed([&] { return std::ranges::min(times); }),
                                   timed([&] { return std::ranges::max(times); })});
        add_row(columns, std::move(cells));
    }
    return table_text(std::move(columns));
}

} // namespace nestbed
