#include "inspect/timeline.hpp"

#include "base/json.hpp"
#include "base/version.hpp"
#include "inspect/trace_events.hpp"
#include "model/case_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestbed
{

std::string trace_json(const Trace& trace, const std::vector<std::string>& command)
{
    Json settings;
    for (const auto& [key, value] : settings_of(trace.point))
        settings[key] = value;
    const auto refused = std::ranges::count_if(trace.grids, [](const TracedGrid& grid) { return grid.error != 0; });
    Json metadata{{"nestbed", kVersion},
                  {"git", kGit},
                  {"command", command},
                  {"case", settings},
                  {"status", name_of(trace.sample.status)},
                  {"detail", trace.sample.detail},
                  {"device", trace.device.name},
                  {"driver", trace.device.driver},
                  {"cuda_runtime", trace.device.runtime},
                  {"schedule", trace.schedule},
                  {"timer_step_ns", trace.timer_step_ns},
                  {"root_grids", trace.sample.waves},
                  {"streams", trace.sample.streams},
                  {"pending_limit", trace.sample.pending_limit},
                  {"grids", trace.grids.size()},
                  {"grids_refused", refused},
                  {"grids_lost", trace.lost},
                  {"grids_without_times", trace.unmarked},
                  {"grids_at_most", trace.capacity}};
    if (trace.run_us)
        metadata["run_us"] = *trace.run_us;
    if (!trace.overhead.untraced_us.empty() && !trace.overhead.traced_us.empty())
        metadata["tracing"] = {{"untraced_us", trace.overhead.untraced_us},
                               {"traced_us", trace.overhead.traced_us},
                               {"median_untraced_us", trace.overhead.median_untraced_us()},
                               {"median_traced_us", trace.overhead.median_traced_us()},
                               {"overhead_share", trace.overhead.share()}};
    return fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":{}}}\n", json_text(metadata),
                       trace_events(trace.grids));
}

} // namespace nestbed
