#include "inspect/launch_trace.hpp"

#include "base/json.hpp"
#include "inspect/trace_events.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace nestbed
{

namespace
{

std::string quoted(const std::string& text)
{
    std::string cell = "\"";
    for (const char one : text)
        cell += one == '"' ? "\"\"" : std::string(1, one);
    return cell + "\"";
}

std::string number_or_empty(const std::optional<std::uint64_t>& number)
{
    return number ? std::to_string(*number) : "";
}

} // namespace

std::string launch_trace_csv(const LaunchTrace& trace)
{
    std::string text = "#nestbed-trace,1\n";
    for (const TracedDevice& device : trace.devices)
        text += fmt::format("#device,{},{},{},{},{},{},{}\n", device.number, device.timer_step_ns,
                            device.within_ns ? std::to_string(*device.within_ns) : "-1", device.lost,
                            device.lost_of_host, device.capacity, device.name);
    text += "id,parent,depth,device,kernel,place,grid,block,stream,called_ns,begun_ns,ended_ns,error\n";
    for (std::size_t index = 0; index < trace.grids.size(); ++index) {
        const TracedGrid& grid = trace.grids[index];
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", index,
                       grid.parent == kNoGrid ? "" : std::to_string(grid.parent), grid.depth, grid.device,
                       quoted(grid.kernel), quoted(grid.place), grid.grid_shape, grid.block_shape, grid.stream,
                       number_or_empty(grid.called_ns), number_or_empty(grid.begun_ns),
                       number_or_empty(grid.ended_ns), grid.error_name);
    }
    return text;
}

std::string launch_trace_json(const LaunchTrace& trace)
{
    Json devices = Json::array();
    for (const TracedDevice& device : trace.devices) {
        Json one{{"device", device.number},
                 {"name", device.name},
                 {"timer_step_ns", device.timer_step_ns},
                 {"grids_lost", device.lost},
                 {"grids_of_host_lost", device.lost_of_host},
                 {"grids_at_most", device.capacity}};
        if (device.within_ns)
            one["clock_within_ns"] = *device.within_ns;
        devices.push_back(std::move(one));
    }
    const Json metadata{{"nestbed_trace", 1},
                        {"grids", trace.grids.size()},
                        {"first_ns", first_time_ns(trace.grids)},
                        {"devices", std::move(devices)}};
    return fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":{}}}\n", json_text(metadata),
                       trace_events(trace.grids));
}

} // namespace nestbed
