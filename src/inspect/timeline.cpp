#include "inspect/timeline.hpp"

#include "base/json.hpp"
#include "base/version.hpp"
#include "model/case_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

std::uint64_t start_of(const TracedGrid& grid)
{
    return grid.called_ns.value_or(*grid.begun_ns);
}

// The lanes of one depth. The `start` of each call must not be before that of the previous call.
class Lanes
{
  public:
    // Takes the first lane that is free from `start` on.
    std::uint32_t take(std::uint64_t start, std::uint64_t end)
    {
        while (!taken_.empty() && taken_.top().first <= start) {
            free_.insert(taken_.top().second);
            taken_.pop();
        }
        if (free_.empty())
            free_.insert(count_++);
        const std::uint32_t lane = *free_.begin();
        free_.erase(free_.begin());
        taken_.emplace(end, lane);
        return lane;
    }

  private:
    using Taken = std::pair<std::uint64_t, std::uint32_t>; // end time and lane
    std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken_;
    std::set<std::uint32_t> free_;
    std::uint32_t count_ = 0;
};

} // namespace

std::vector<std::uint32_t> lanes_of(const std::vector<TracedGrid>& grids)
{
    std::vector<std::size_t> order;
    for (std::size_t index = 0; index < grids.size(); ++index)
        if (grids[index].ended_ns)
            order.push_back(index);
    std::ranges::stable_sort(
        order, {}, [&](std::size_t index) { return std::pair(start_of(grids[index]), *grids[index].ended_ns); });
    std::vector<std::uint32_t> lanes(grids.size(), kNoGrid);
    std::map<std::uint32_t, Lanes> depths;
    for (const std::size_t index : order)
        lanes[index] = depths[grids[index].depth].take(start_of(grids[index]), *grids[index].ended_ns);
    return lanes;
}

namespace
{

class Events
{
  public:
    explicit Events(const Trace& trace) : trace_(trace), lanes_(lanes_of(trace.grids))
    {
        zero_ns_ = UINT64_MAX;
        for (const TracedGrid& grid : trace.grids)
            if (grid.begun_ns)
                zero_ns_ = std::min(zero_ns_, start_of(grid));
        name_lanes();
        for (std::size_t index = 0; index < trace.grids.size(); ++index)
            add(index, trace.grids[index]);
    }

    // A JSON array, built event by event: all events as one JSON object would take several times the memory.
    std::string array() const { return fmt::format("[{}]", text_); }

  private:
    double us(std::uint64_t ns) const { return static_cast<double>(ns - zero_ns_) / 1000.0; }
    static std::uint32_t process(const TracedGrid& grid) { return grid.depth + 1; } // viewers treat 0 as no process

    Json event(const char* kind, const std::string& name, std::size_t index, std::uint64_t at_ns) const
    {
        return {{"ph", kind},           {"name", name},   {"cat", "grid"}, {"pid", process(trace_.grids[index])},
                {"tid", lanes_[index]}, {"ts", us(at_ns)}};
    }

    void push(const Json& event)
    {
        text_ += text_.empty() ? "" : ",";
        text_ += json_text(event);
    }

    void name_lanes()
    {
        std::map<std::uint32_t, std::pair<std::uint32_t, std::uint64_t>> depths; // numbers of lanes and grids
        for (std::size_t index = 0; index < trace_.grids.size(); ++index) {
            if (lanes_[index] == kNoGrid)
                continue;
            auto& [lanes, grids] = depths[trace_.grids[index].depth];
            lanes = std::max(lanes, lanes_[index] + 1);
            ++grids;
        }
        const auto meta = [&](const char* what, std::uint32_t depth, std::uint32_t lane, const Json& arguments) {
            push({{"ph", "M"}, {"name", what}, {"pid", depth + 1}, {"tid", lane}, {"args", arguments}});
        };
        for (const auto& [depth, size] : depths) {
            const std::string grids = size.second == 1 ? "1 grid" : fmt::format("{} grids", size.second);
            meta("process_name", depth, 0, {{"name", fmt::format("depth {}: {}", depth, grids)}});
            meta("process_sort_index", depth, 0, {{"sort_index", depth}});
            for (std::uint32_t lane = 0; lane < size.first; ++lane)
                meta("thread_name", depth, lane, {{"name", fmt::format("lane {}", lane)}});
        }
    }

    void add(std::size_t index, const TracedGrid& grid)
    {
        if (grid.error != 0)
            return add_refusal(grid);
        if (!grid.ended_ns)
            return;
        Json arguments{{"grid", index},
                       {"depth", grid.depth},
                       {"blocks", grid.blocks},
                       {"threads_a_block", grid.threads},
                       {"multiprocessor", grid.multiprocessor},
                       {"multiprocessors", grid.multiprocessors}};
        if (grid.parent != kNoGrid)
            arguments["parent"] = grid.parent;
        if (grid.called_ns) {
            Json wait = event("X", "wait", index, *grid.called_ns);
            wait["dur"] = static_cast<double>(*grid.begun_ns - *grid.called_ns) / 1000.0;
            wait["args"] = {{"grid", index}};
            push(wait);
            arguments["wait_us"] = static_cast<double>(*grid.begun_ns - *grid.called_ns) / 1000.0;
        }
        Json run = event("X", fmt::format("{} x {}", grid.blocks, grid.threads), index, *grid.begun_ns);
        run["dur"] = static_cast<double>(*grid.ended_ns - *grid.begun_ns) / 1000.0;
        run["args"] = std::move(arguments);
        push(run);
        if (grid.parent != kNoGrid && lanes_[grid.parent] != kNoGrid && grid.called_ns)
            add_arrow(index, grid);
    }

    void add_arrow(std::size_t index, const TracedGrid& grid)
    {
        Json from = event("s", "launch", grid.parent, *grid.called_ns);
        from["id"] = index;
        push(from);
        // One nanosecond after the begin of the run: at the begin itself, viewers find the wait that ends there.
        Json to = event("f", "launch", index, std::min(*grid.begun_ns + 1, *grid.ended_ns));
        to["id"] = index;
        to["bp"] = "e"; // binds to the enclosing slice
        push(to);
    }

    // Drawn on the lane of the grid that made the launch call.
    void add_refusal(const TracedGrid& grid)
    {
        if (grid.parent == kNoGrid || lanes_[grid.parent] == kNoGrid || !grid.called_ns)
            return;
        Json refusal = event("i", "refused: " + grid.error_name, grid.parent, *grid.called_ns);
        refusal["s"] = "t";
        push(refusal);
    }

    const Trace& trace_;
    std::vector<std::uint32_t> lanes_;
    std::uint64_t zero_ns_ = 0;
    std::string text_;
};

} // namespace

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
                       Events(trace).array());
}

} // namespace nestbed
