#include "inspect/launch_summary.hpp"

#include "base/statistics.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace nestbed
{

namespace
{

bool has_run(const TracedGrid& grid)
{
    return grid.error_name.empty() && grid.begun_ns && grid.ended_ns;
}

// An end, and the grid that it is of.
struct End {
    std::uint64_t at_ns = 0;
    std::uint32_t grid = kNoGrid;
};
End later(const End& a, const End& b)
{
    return a.at_ns >= b.at_ns ? a : b;
}

class Causes
{
  public:
    explicit Causes(const std::vector<TracedGrid>& grids)
        : grids_(grids), complete_(grids.size()), before_tails_(grids.size()), rank_(grids.size()),
          causes_(grids.size())
    {
        rank();
        complete();
        for (std::uint32_t grid = 0; grid < grids.size(); ++grid)
            if (has_run(grids[grid]))
                take_call(grid);
        follow_tails();
        follow_streams();
    }

    std::vector<std::optional<Cause>> take() { return std::move(causes_); }
    // The grids in the order of their begins, so that a cause is before what it causes.
    const std::vector<std::uint32_t>& order() const { return order_; }

  private:
    void rank()
    {
        for (std::uint32_t grid = 0; grid < grids_.size(); ++grid)
            if (has_run(grids_[grid]))
                order_.push_back(grid);
        std::ranges::stable_sort(order_, {}, [&](std::uint32_t grid) { return *grids_[grid].begun_ns; });
        for (std::size_t place = 0; place < order_.size(); ++place)
            rank_[order_[place]] = place;
    }

    // A grid is complete when all its descendants are. Children have larger numbers than their parents.
    void complete()
    {
        for (std::size_t at = grids_.size(); at-- > 0;) {
            const TracedGrid& grid = grids_[at];
            const End own{has_run(grid) ? *grid.ended_ns : 0, static_cast<std::uint32_t>(at)};
            before_tails_[at] = later(own, before_tails_[at]);
            complete_[at] = later(before_tails_[at], complete_[at]);
            if (grid.parent == kNoGrid)
                continue;
            End& of_parent = grid.stream == "tail" ? complete_[grid.parent] : before_tails_[grid.parent];
            of_parent = later(complete_[at], of_parent);
        }
    }

    void take_call(std::uint32_t number)
    {
        const TracedGrid& grid = grids_[number];
        Cause cause{.before = grid.parent, .at_ns = grid.called_ns.value_or(*grid.begun_ns)};
        if (cause.before != kNoGrid && (!has_run(grids_[cause.before]) || rank_[cause.before] >= rank_[number]))
            cause.before = kNoGrid;
        causes_[number] = cause;
    }

    // An end is a cause if it was before the begin, and later than what is known.
    void offer(std::uint32_t number, const End& end)
    {
        if (!causes_[number] || end.grid == kNoGrid || end.grid == number || !has_run(grids_[end.grid]))
            return;
        if (end.at_ns > *grids_[number].begun_ns || end.at_ns <= causes_[number]->at_ns ||
            rank_[end.grid] >= rank_[number])
            return;
        causes_[number] = Cause{.before = end.grid, .at_ns = end.at_ns};
    }

    // Tail launches of a grid run one after another, when all its other work is complete.
    void follow_tails()
    {
        std::map<std::uint32_t, End> before; // by parent
        for (const std::uint32_t number : order_) {
            const TracedGrid& grid = grids_[number];
            if (grid.parent == kNoGrid || grid.stream != "tail")
                continue;
            const auto [last, is_first] = before.emplace(grid.parent, before_tails_[grid.parent]);
            offer(number, last->second);
            last->second = later(complete_[number], last->second);
        }
    }

    void follow_streams()
    {
        std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> of_host;
        std::map<std::uint32_t, std::uint32_t> of_parent;
        std::vector<std::uint32_t> called(grids_.size());
        std::iota(called.begin(), called.end(), 0U);
        std::ranges::stable_sort(called, {}, [&](std::uint32_t grid) { return grids_[grid].called_ns.value_or(0); });
        for (const std::uint32_t number : called) {
            const TracedGrid& grid = grids_[number];
            if (!has_run(grid))
                continue;
            if (grid.parent == kNoGrid && grid.stream.starts_with("host:")) {
                const auto [last, is_first] = of_host.emplace(std::pair(grid.device, grid.stream), number);
                offer(number, is_first ? End{} : complete_[last->second]);
                last->second = number;
            } else if (grid.parent != kNoGrid && grid.stream == "null" && grids_[grid.parent].blocks == 1) {
                const auto [last, is_first] = of_parent.emplace(grid.parent, number);
                offer(number, is_first ? End{} : complete_[last->second]);
                last->second = number;
            }
        }
    }

    const std::vector<TracedGrid>& grids_;
    std::vector<End> complete_;     // the last end of a grid and its descendants
    std::vector<End> before_tails_; // the same without its tail launches
    std::vector<std::size_t> rank_;
    std::vector<std::uint32_t> order_;
    std::vector<std::optional<Cause>> causes_;
};

std::map<std::size_t, std::uint64_t> time_by_running(const std::vector<TracedGrid>& grids, std::uint64_t begin_ns,
                                                     std::uint64_t end_ns)
{
    std::vector<std::pair<std::uint64_t, int>> changes;
    for (const TracedGrid& grid : grids)
        if (has_run(grid)) {
            changes.emplace_back(*grid.begun_ns, 1);
            changes.emplace_back(*grid.ended_ns, -1);
        }
    std::ranges::sort(changes);
    std::map<std::size_t, std::uint64_t> time;
    std::uint64_t from = begin_ns;
    std::ptrdiff_t running = 0;
    for (const auto& [at, change] : changes) {
        const std::uint64_t to = std::max(at, from);
        if (to > from)
            time[static_cast<std::size_t>(std::max<std::ptrdiff_t>(running, 0))] += to - from;
        from = to;
        running += change;
    }
    if (end_ns > from)
        time[0] += end_ns - from;
    return time;
}

std::string share_of(std::uint64_t part, std::uint64_t whole)
{
    return fmt::format("{:>3.0f} %", whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string text_of(std::uint64_t ns)
{
    return format_us(static_cast<double>(ns) / 1000);
}

// 1 grid, 2 to 3, 4 to 7, …: the powers of two keep it short.
std::string running_text(const LaunchSummary& summary)
{
    std::map<std::size_t, std::uint64_t> groups; // by the smallest number
    for (const auto& [running, ns] : summary.running_ns)
        groups[std::bit_floor(running)] += ns;
    const std::uint64_t span = summary.end_ns - summary.begin_ns;
    std::string text;
    for (const auto& [least, ns] : groups) {
        const std::size_t most = std::min(2 * least - 1, summary.running_ns.rbegin()->first);
        const std::string name = least == 0      ? "no grid ran"
                                 : least == 1    ? "1 grid ran"
                                 : least == most ? fmt::format("{} grids ran", least)
                                                 : fmt::format("{} to {} ran", least, most);
        text += fmt::format("  {:<19}{:>8}  {}\n", name, text_of(ns), share_of(ns, span));
    }
    return text;
}

std::string line_of(std::string_view name, const std::string& text)
{
    const std::string lines = folded(text, 21);
    return fmt::format("  {:<19}{}", name, lines.substr(21));
}

} // namespace

std::vector<std::optional<Cause>> causes_of(const std::vector<TracedGrid>& grids)
{
    return Causes(grids).take();
}

LaunchChain longest_chain(const std::vector<TracedGrid>& grids)
{
    Causes reader(grids);
    const std::vector<std::uint32_t> order = reader.order();
    const std::vector<std::optional<Cause>> causes = reader.take();
    std::vector<std::uint64_t> begins(grids.size()); // of the chain up to a grid
    // Before the first begin the first launch mostly loads the program's code, which no other way to launch would change.
    std::uint64_t first = UINT64_MAX;
    for (const TracedGrid& grid : grids)
        if (grid.error_name.empty() && grid.begun_ns)
            first = std::min(first, *grid.begun_ns);
    const auto from = [&](std::uint32_t grid) {
        return std::max(first, std::min(causes[grid]->at_ns, *grids[grid].begun_ns));
    };
    LaunchChain longest;
    std::uint32_t last = kNoGrid;
    for (const std::uint32_t grid : order) {
        const Cause& cause = *causes[grid];
        begins[grid] = cause.before == kNoGrid ? from(grid) : begins[cause.before];
        if (last == kNoGrid || *grids[grid].ended_ns - begins[grid] > longest.end_ns - longest.begin_ns) {
            last = grid;
            longest.begin_ns = begins[grid];
            longest.end_ns = *grids[grid].ended_ns;
        }
    }
    for (; last != kNoGrid; last = causes[last]->before) {
        longest.grids.push_back(last);
        longest.between_ns += *grids[last].begun_ns - from(last);
    }
    std::ranges::reverse(longest.grids);
    return longest;
}

LaunchSummary summary_of(const LaunchTrace& trace)
{
    LaunchSummary summary{.called_ns = UINT64_MAX, .begin_ns = UINT64_MAX};
    std::uint64_t worst_ns = 0;
    for (std::uint32_t number = 0; number < trace.grids.size(); ++number) {
        const TracedGrid& grid = trace.grids[number];
        summary.from_kernels += grid.parent != kNoGrid || grid.depth > 0;
        if (grid.called_ns)
            summary.called_ns = std::min(summary.called_ns, *grid.called_ns);
        if (!grid.error_name.empty()) {
            ++summary.refused;
            continue;
        }
        summary.without_begin += !grid.begun_ns;
        summary.without_end += grid.begun_ns && !grid.ended_ns;
        if (!grid.begun_ns)
            continue;
        summary.begin_ns = std::min(summary.begin_ns, *grid.begun_ns);
        summary.end_ns = std::max({summary.end_ns, *grid.begun_ns, grid.ended_ns.value_or(0)});
        if (grid.parent == kNoGrid || !grid.called_ns)
            continue;
        const std::uint64_t waited_ns = *grid.begun_ns - std::min(*grid.called_ns, *grid.begun_ns);
        summary.latencies_us.push_back(static_cast<double>(waited_ns) / 1000);
        if (summary.worst == kNoGrid || waited_ns > worst_ns) {
            summary.worst = number;
            worst_ns = waited_ns;
        }
    }
    summary.begin_ns = std::min(summary.begin_ns, summary.end_ns);
    summary.called_ns = std::min(summary.called_ns, summary.begin_ns);
    summary.running_ns = time_by_running(trace.grids, summary.begin_ns, summary.end_ns);
    summary.chain = longest_chain(trace.grids);
    return summary;
}

std::string summary_text(const LaunchSummary& summary, const LaunchTrace& trace)
{
    const auto grids = [](std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "grid" : "grids"); };
    const std::uint64_t span = summary.end_ns - summary.begin_ns;
    std::string text = fmt::format("timeline: {} from the first begin to the last end, {} from kernels\n",
                                   text_of(span), grids(summary.from_kernels));
    if (summary.called_ns < summary.begin_ns)
        text += fmt::format("  {:<19}{:>8}  from the first call to the first begin\n", "before it",
                            text_of(summary.begin_ns - summary.called_ns));
    text += running_text(summary);
    if (!summary.latencies_us.empty()) {
        const Spread spread = spread_of(summary.latencies_us);
        text += line_of("from call to start", fmt::format("median {}, 99 % {}, worst {} at {}",
                                                          format_us(spread.median), format_us(spread.p99),
                                                          format_us(spread.worst), trace.grids[summary.worst].place));
    }
    const LaunchChain& chain = summary.chain;
    if (!chain.grids.empty())
        text += line_of("longest chain",
                        fmt::format("{}, {} of {}: {} of it between grids, last {} of {}", grids(chain.grids.size()),
                                    text_of(chain.end_ns - chain.begin_ns), text_of(span), text_of(chain.between_ns),
                                    trace.grids[chain.grids.back()].kernel, trace.grids[chain.grids.back()].place));
    if (summary.without_end > 0)
        text += line_of("without an end", fmt::format("{}: a trap, asm(\"exit;\"), or the program ended first",
                                                      grids(summary.without_end)));
    if (summary.without_begin > 0)
        text +=
            line_of("without a begin", fmt::format("{}: the program or the device ended first, or the kernel is not "
                                                   "of a traced file",
                                                   grids(summary.without_begin)));
    for (const TracedDevice& device : trace.devices) {
        if (device.name == kExecutorDevice)
            text += "  (the times are those of nestbed's executor, not of a GPU)\n";
        else
            text += folded(fmt::format("({}: its timer has steps of {} ns; {})", device.name, device.timer_step_ns,
                                       device.within_ns ? fmt::format("the host's calls are known within {}",
                                                                      text_of(*device.within_ns))
                                                        : "its clock was not compared with the host's"),
                           2);
        if (device.lost + device.lost_of_host > 0)
            text += folded(
                fmt::format("({} more grids from kernels and {} from the host were not recorded: there is room "
                            "for {} of each; to set it: NESTBED_TRACE_GRIDS)",
                            device.lost, device.lost_of_host, device.capacity),
                2);
    }
    return text;
}

} // namespace nestbed
