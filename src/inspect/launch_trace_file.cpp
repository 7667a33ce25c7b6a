#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"
#include "inspect/launch_trace.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::string_view kTraceColumns =
    "id,parent,depth,device,kernel,place,grid,block,stream,called_ns,begun_ns,ended_ns,error";

template <class T>
T number(std::string_view text, const std::string& where, std::string_view column)
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw RunError(fmt::format("{}: {}: '{}' is not a whole number of at most {}", where, column, text,
                                   std::numeric_limits<T>::max()));
    return value;
}

template <class T>
std::optional<T> number_or_none(std::string_view text, const std::string& where, std::string_view column)
{
    return text.empty() ? std::optional<T>() : number<T>(text, where, column);
}

// The product of a shape such as 8x2.
std::uint32_t product(std::string_view shape, const std::string& where)
{
    std::uint64_t product = shape.empty() ? 0 : 1;
    while (!shape.empty()) {
        const std::size_t end = std::min(shape.find('x'), shape.size());
        product *= number<std::uint32_t>(shape.substr(0, end), where, "grid or block");
        shape.remove_prefix(std::min(end + 1, shape.size()));
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(product, UINT32_MAX));
}

// Of a number of fields, the last is the rest.
std::vector<std::string_view> fields(std::string_view line, std::size_t count)
{
    std::vector<std::string_view> fields;
    while (fields.size() + 1 < count && line.find(',') != std::string_view::npos) {
        fields.push_back(line.substr(0, line.find(',')));
        line.remove_prefix(line.find(',') + 1);
    }
    fields.push_back(line);
    return fields;
}

TracedDevice read_device(std::string_view line, const std::string& where)
{
    const std::vector<std::string_view> cells = fields(line, 8);
    if (cells.size() != 8)
        throw RunError(fmt::format("{}: a device has 8 fields, not {}", where, cells.size()));
    const auto within = number<std::int64_t>(cells[3], where, "clock");
    TracedDevice device{.number = number<std::uint32_t>(cells[1], where, "device"),
                        .name = std::string(cells[7]),
                        .timer_step_ns = number<std::uint64_t>(cells[2], where, "timer step"),
                        .lost = number<std::uint64_t>(cells[4], where, "lost"),
                        .lost_of_host = number<std::uint64_t>(cells[5], where, "lost"),
                        .capacity = number<std::uint64_t>(cells[6], where, "capacity")};
    if (within >= 0)
        device.within_ns = static_cast<std::uint64_t>(within);
    return device;
}

// A parent must be there before its children: all else is computed from that.
void check_parent(const TracedGrid& grid, std::size_t index, const std::string& where)
{
    if (grid.parent != kNoGrid && grid.parent >= index)
        throw RunError(
            fmt::format("{}: the parent of grid {} is {}; allowed: a grid before it", where, index, grid.parent));
    if (grid.begun_ns && grid.ended_ns && *grid.ended_ns < *grid.begun_ns)
        throw RunError(fmt::format("{}: grid {} ends before it begins", where, index));
}

LaunchTrace read_csv(std::string_view text, const std::string& path)
{
    LaunchTrace trace;
    std::size_t line = 1;
    for (; text.starts_with('#'); ++line) {
        const std::string_view one = text.substr(0, text.find('\n'));
        if (one.starts_with("#device,"))
            trace.devices.push_back(read_device(one, fmt::format("{}:{}", path, line)));
        text.remove_prefix(std::min(one.size() + 1, text.size()));
    }
    CsvReader reader(text);
    CsvRow row;
    std::string header;
    if (reader.next(row))
        header = fmt::format("{}", fmt::join(row.cells, ","));
    if (header != kTraceColumns)
        throw RunError(
            fmt::format("{}:{}: it is not a trace; allowed are the columns {}", path, line, kTraceColumns));
    while (reader.next(row)) {
        const std::string where = fmt::format("{}:{}", path, row.line + line - 1);
        const std::vector<std::string>& cells = row.cells;
        if (cells.size() != 13)
            throw RunError(fmt::format("{}: a row has 13 cells, not {}", where, cells.size()));
        const std::size_t index = trace.grids.size();
        if (number<std::uint64_t>(cells[0], where, "id") != index)
            throw RunError(fmt::format("{}: id {} is not the number of the row, {}", where, cells[0], index));
        TracedGrid grid{.parent = number_or_none<std::uint32_t>(cells[1], where, "parent").value_or(kNoGrid),
                        .depth = number<std::uint32_t>(cells[2], where, "depth"),
                        .blocks = product(cells[6], where),
                        .threads = product(cells[7], where),
                        .called_ns = number_or_none<std::uint64_t>(cells[9], where, "called_ns"),
                        .begun_ns = number_or_none<std::uint64_t>(cells[10], where, "begun_ns"),
                        .ended_ns = number_or_none<std::uint64_t>(cells[11], where, "ended_ns"),
                        .error = cells[12].empty() ? 0 : 1,
                        .error_name = cells[12],
                        .kernel = cells[4],
                        .place = cells[5],
                        .stream = cells[8],
                        .grid_shape = cells[6],
                        .block_shape = cells[7],
                        .device = number<std::uint32_t>(cells[3], where, "device")};
        if (!grid.begun_ns)
            grid.ended_ns.reset();
        check_parent(grid, index, where);
        trace.grids.push_back(std::move(grid));
    }
    return trace;
}

// Of an event of a grid, such as the slice of its run. Those of waits, arrows and names have no kernel.
void read_event(const Json& event, std::uint64_t first_ns, std::vector<TracedGrid>& grids, const std::string& path)
{
    if (!event.contains("args") || !event.at("args").contains("kernel"))
        return;
    const Json& given = event.at("args");
    const std::size_t index = given.at("grid");
    if (index >= grids.size())
        throw RunError(fmt::format("{}: there is a grid {} of {}", path, index, grids.size()));
    const auto ns = [&](double us) { return first_ns + static_cast<std::uint64_t>(std::llround(us * 1000)); };
    TracedGrid& grid = grids[index];
    grid.parent = given.value("parent", kNoGrid);
    grid.depth = given.at("depth");
    grid.kernel = given.at("kernel");
    grid.place = given.at("launched_at");
    grid.grid_shape = given.at("blocks");
    grid.block_shape = given.at("threads");
    grid.blocks = product(grid.grid_shape, path);
    grid.threads = product(grid.block_shape, path);
    grid.stream = given.at("stream");
    grid.device = given.at("device");
    grid.error_name = given.value("error", "");
    grid.error = grid.error_name.empty() ? 0 : 1;
    const double ts = event.at("ts");
    if (event.at("ph") == "i") {
        grid.called_ns = ns(ts);
        return;
    }
    grid.begun_ns = ns(ts);
    if (!given.value("without_end", false))
        grid.ended_ns = ns(ts + event.at("dur").get<double>());
    if (given.contains("wait_us"))
        grid.called_ns = ns(ts - given.at("wait_us").get<double>());
}

LaunchTrace read_json(const std::string& text, const std::string& path)
{
    try {
        const Json file = parse_json(text);
        if (!file.contains("otherData") || !file.at("otherData").contains("nestbed_trace"))
            throw RunError(fmt::format("{}: it is not the trace of a user's program; allowed: a file that a program "
                                       "built by `nestbed trace`, "
                                       "or one of the executor, has written",
                                       path));
        const Json& data = file.at("otherData");
        LaunchTrace trace;
        for (const Json& one : data.at("devices")) {
            TracedDevice device{.number = one.at("device"),
                                .name = one.at("name"),
                                .timer_step_ns = one.at("timer_step_ns"),
                                .lost = one.at("grids_lost"),
                                .lost_of_host = one.at("grids_of_host_lost"),
                                .capacity = one.at("grids_at_most")};
            if (one.contains("clock_within_ns"))
                device.within_ns = one.at("clock_within_ns").get<std::uint64_t>();
            trace.devices.push_back(std::move(device));
        }
        const Json& events = file.at("traceEvents");
        const std::size_t grids = data.at("grids");
        if (grids > events.size())
            throw RunError(fmt::format("{}: it has {} events for {} grids", path, events.size(), grids));
        trace.grids.resize(grids);
        const std::uint64_t first_ns = data.at("first_ns");
        for (const Json& event : events)
            read_event(event, first_ns, trace.grids, path);
        for (std::size_t index = 0; index < trace.grids.size(); ++index)
            check_parent(trace.grids[index], index, path);
        return trace;
    } catch (const Json::exception& error) {
        throw RunError(fmt::format("{}: {}", path, error.what()));
    }
}

} // namespace

LaunchTrace read_launch_trace(const std::string& path)
{
    const std::string text = read_text_file(path);
    try {
        return text.starts_with('{') ? read_json(text, path) : read_csv(text, path);
    } catch (const CsvError& error) {
        throw RunError(fmt::format("{}: it is not a trace: {}", path, error.what()));
    }
}

} // namespace nestbed
