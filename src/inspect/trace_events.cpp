#include "inspect/trace_events.hpp"

#include "base/json.hpp"

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

// A depth of a device.
using Track = std::pair<std::uint32_t, std::uint32_t>;
Track track_of(const TracedGrid& grid)
{
    return {grid.device, std::min(grid.depth, kDeepestTrack)};
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
    std::map<Track, Lanes> tracks;
    for (const std::size_t index : order)
        lanes[index] = tracks[track_of(grids[index])].take(start_of(grids[index]), *grids[index].ended_ns);
    return lanes;
}

namespace
{

std::vector<TracedGrid> with_all_ends(std::vector<TracedGrid> grids)
{
    std::uint64_t last = 0;
    for (const TracedGrid& grid : grids)
        last = std::max({last, grid.begun_ns.value_or(0), grid.ended_ns.value_or(0)});
    for (TracedGrid& grid : grids)
        if (grid.begun_ns && !grid.ended_ns)
            grid.ended_ns = last;
    return grids;
}

class Events
{
  public:
    explicit Events(const std::vector<TracedGrid>& grids)
        : grids_(grids), drawn_(with_all_ends(grids)), lanes_(lanes_of(drawn_)), zero_ns_(first_time_ns(grids))
    {
        name_lanes();
        for (std::size_t index = 0; index < drawn_.size(); ++index)
            add(index, drawn_[index]);
    }

    // A JSON array, built event by event: all events as one JSON object would take several times the memory.
    std::string array() const { return fmt::format("[{}]", text_); }

  private:
    double us(std::uint64_t ns) const
    {
        return static_cast<double>(static_cast<std::int64_t>(ns - zero_ns_)) / 1000.0;
    }
    // Viewers treat process 0 as no process.
    static std::uint32_t process(const Track& track) { return track.first * (kDeepestTrack + 1) + track.second + 1; }

    Json event(const char* kind, const std::string& name, std::size_t index, std::uint64_t at_ns) const
    {
        return {{"ph", kind},           {"name", name},   {"cat", "grid"}, {"pid", process(track_of(drawn_[index]))},
                {"tid", lanes_[index]}, {"ts", us(at_ns)}};
    }

    void push(const Json& event)
    {
        text_ += text_.empty() ? "" : ",";
        text_ += json_text(event);
    }

    void name_lanes()
    {
        std::map<Track, std::pair<std::uint32_t, std::uint64_t>> tracks; // numbers of lanes and grids
        for (std::size_t index = 0; index < drawn_.size(); ++index) {
            if (lanes_[index] == kNoGrid)
                continue;
            auto& [lanes, grids] = tracks[track_of(drawn_[index])];
            lanes = std::max(lanes, lanes_[index] + 1);
            ++grids;
        }
        const auto meta = [&](const char* what, const Track& track, std::uint32_t lane, const Json& arguments) {
            push({{"ph", "M"}, {"name", what}, {"pid", process(track)}, {"tid", lane}, {"args", arguments}});
        };
        const bool several = !tracks.empty() && tracks.rbegin()->first.first != tracks.begin()->first.first;
        for (const auto& [track, size] : tracks) {
            const std::string grids = size.second == 1 ? "1 grid" : fmt::format("{} grids", size.second);
            const std::string device = several ? fmt::format("device {}, ", track.first) : "";
            const char* const deeper = track.second == kDeepestTrack ? " and deeper" : "";
            meta("process_name", track, 0,
                 {{"name", fmt::format("{}depth {}{}: {}", device, track.second, deeper, grids)}});
            meta("process_sort_index", track, 0, {{"sort_index", process(track) - 1}});
            for (std::uint32_t lane = 0; lane < size.first; ++lane)
                meta("thread_name", track, lane, {{"name", fmt::format("lane {}", lane)}});
        }
    }

    static Json arguments_of(std::size_t index, const TracedGrid& grid)
    {
        Json arguments{{"grid", index}, {"depth", grid.depth}};
        if (grid.stream.empty()) {
            arguments["blocks"] = grid.blocks;
            arguments["threads_a_block"] = grid.threads;
            arguments["multiprocessor"] = grid.multiprocessor;
            arguments["multiprocessors"] = grid.multiprocessors;
        } else {
            arguments["kernel"] = grid.kernel;
            arguments["launched_at"] = grid.place;
            arguments["blocks"] = grid.grid_shape;
            arguments["threads"] = grid.block_shape;
            arguments["stream"] = grid.stream;
            arguments["device"] = grid.device;
        }
        if (grid.parent != kNoGrid)
            arguments["parent"] = grid.parent;
        return arguments;
    }

    static std::string name_of(const TracedGrid& grid)
    {
        if (grid.stream.empty())
            return fmt::format("{} x {}", grid.blocks, grid.threads);
        return grid.grid_shape.empty() ? grid.kernel
                                       : fmt::format("{} {} x {}", grid.kernel, grid.grid_shape, grid.block_shape);
    }

    void add(std::size_t index, const TracedGrid& grid)
    {
        if (grid.error != 0 || !grid.error_name.empty())
            return add_instant(index, grid, "refused: " + grid.error_name);
        if (!grid.ended_ns)
            return grid.stream.empty() ? void() : add_instant(index, grid, "no begin: " + name_of(grid));
        Json arguments = arguments_of(index, grid);
        if (!grids_[index].ended_ns)
            arguments["without_end"] = true;
        if (grid.called_ns) {
            Json wait = event("X", "wait", index, *grid.called_ns);
            wait["dur"] = static_cast<double>(static_cast<std::int64_t>(*grid.begun_ns - *grid.called_ns)) / 1000.0;
            wait["args"] = {{"grid", index}};
            if (*grid.begun_ns >= *grid.called_ns) // the clock of the host is known within a microsecond or so
                push(wait);
            arguments["wait_us"] = wait["dur"];
        }
        Json run = event("X", name_of(grid) + (grids_[index].ended_ns ? "" : " (no end)"), index, *grid.begun_ns);
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

    // Drawn on the lane of the grid that made the launch call; of the host's, on the first lane.
    void add_instant(std::size_t index, const TracedGrid& grid, const std::string& text)
    {
        const bool by_host = grid.parent == kNoGrid && !grid.stream.empty();
        if (!grid.called_ns || (!by_host && (grid.parent == kNoGrid || lanes_[grid.parent] == kNoGrid)))
            return;
        Json instant = event("i", text, by_host ? index : grid.parent, *grid.called_ns);
        if (by_host)
            instant["tid"] = 0;
        instant["s"] = "t";
        if (!grid.stream.empty()) {
            instant["args"] = arguments_of(index, grid);
            if (!grid.error_name.empty())
                instant["args"]["error"] = grid.error_name;
        }
        push(instant);
    }

    const std::vector<TracedGrid>& grids_;
    std::vector<TracedGrid> drawn_; // all that began have an end
    std::vector<std::uint32_t> lanes_;
    std::uint64_t zero_ns_;
    std::string text_;
};

} // namespace

std::uint64_t first_time_ns(const std::vector<TracedGrid>& grids)
{
    std::uint64_t first = UINT64_MAX;
    for (const TracedGrid& grid : grids)
        if (grid.begun_ns || grid.called_ns)
            first = std::min({first, grid.begun_ns.value_or(UINT64_MAX), grid.called_ns.value_or(UINT64_MAX)});
    return first == UINT64_MAX ? 0 : first;
}

std::string trace_events(const std::vector<TracedGrid>& grids)
{
    return Events(grids).array();
}

} // namespace nestbed
