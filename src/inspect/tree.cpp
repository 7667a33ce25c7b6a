#include "inspect/tree.hpp"

#include "base/statistics.hpp"
#include "base/table.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::size_t kMaxLines = 40;

enum class Folding : std::uint8_t { by_parent, by_shape, by_depth };

// Grids that share a line.
struct Alike {
    std::uint32_t depth = 0;
    std::uint32_t last_depth = 0; // deepest of the levels that share it
    std::size_t indent = 0;
    bool root = false;       // no launcher, or one that is not in the trace
    std::string kernel;      // of a user's program
    std::uint64_t grids = 0; // per level
    std::uint64_t refused = 0;
    std::optional<std::uint32_t> blocks; // per grid; empty: they differ
    std::optional<std::uint32_t> threads;
    std::vector<double> latencies_us;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs; // begin and end, ns
    std::vector<std::size_t> children;                         // indices of lines

    void add(const TracedGrid& grid)
    {
        if (grids == 0) {
            blocks = grid.blocks;
            threads = grid.threads;
        }
        if (blocks != grid.blocks)
            blocks.reset();
        if (threads != grid.threads)
            threads.reset();
        ++grids;
        refused += grid.error != 0 ? 1 : 0;
        if (!grid.ended_ns)
            return;
        runs.emplace_back(*grid.begun_ns, *grid.ended_ns);
        if (grid.called_ns)
            latencies_us.push_back(static_cast<double>(*grid.begun_ns - *grid.called_ns) / 1000.0);
    }

    // Time in which at least one of the grids ran.
    double busy_us() const
    {
        auto sorted = runs;
        std::ranges::sort(sorted);
        std::uint64_t busy_ns = 0;
        std::uint64_t covered = 0; // time is counted up to here, in ns
        for (const auto& [begun, ended] : sorted) {
            const std::uint64_t from = std::max(begun, covered);
            if (ended > from) {
                busy_ns += ended - from;
                covered = ended;
            }
        }
        return static_cast<double>(busy_ns) / 1000.0;
    }
};

// Returns the lines, parents before children. Root grids are not children of a line.
std::vector<Alike> lines_of(const Trace& trace, Folding folding)
{
    using Key = std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint32_t, std::string>;
    std::vector<Alike> lines;
    std::vector<std::size_t> line_of_grid;
    std::map<Key, std::size_t> line_of_key;
    for (const TracedGrid& grid : trace.grids) {
        const bool root = grid.parent == kNoGrid;
        const std::size_t parent = root ? SIZE_MAX : line_of_grid[grid.parent];
        const bool shaped = folding != Folding::by_depth;
        const Key key{folding == Folding::by_parent || root ? parent : 0, grid.depth, shaped ? grid.blocks : 0,
                      shaped ? grid.threads : 0, grid.kernel};
        const auto [found, is_new] = line_of_key.emplace(key, lines.size());
        if (is_new) {
            lines.push_back({.depth = grid.depth, .last_depth = grid.depth, .root = root, .kernel = grid.kernel});
            if (!root)
                lines[parent].children.push_back(found->second);
        }
        line_of_grid.push_back(found->second);
        lines[found->second].add(grid);
    }
    return lines;
}

bool continues(const Alike& line, const Alike& child)
{
    return child.grids == line.grids && child.blocks == line.blocks && child.threads == line.threads &&
           child.refused == line.refused && child.kernel == line.kernel && line.blocks && line.depth > 0;
}

// Depth first. Consecutive levels that are alike become one line.
void write_out(std::vector<Alike>& lines, std::size_t index, std::size_t indent, std::vector<Alike>& out)
{
    Alike line = std::move(lines[index]);
    line.indent = indent;
    while (line.children.size() == 1 && continues(line, lines[line.children.front()])) {
        Alike& child = lines[line.children.front()];
        line.last_depth = child.last_depth;
        line.latencies_us.insert(line.latencies_us.end(), child.latencies_us.begin(), child.latencies_us.end());
        line.runs.insert(line.runs.end(), child.runs.begin(), child.runs.end());
        line.children = std::move(child.children);
    }
    const std::vector<std::size_t> children = line.children;
    out.push_back(std::move(line));
    for (const std::size_t child : children)
        write_out(lines, child, indent + 1, out);
}

std::vector<Alike> folded_lines(const Trace& trace, Folding folding)
{
    std::vector<Alike> lines = lines_of(trace, folding);
    std::vector<Alike> out;
    for (std::size_t index = 0; index < lines.size(); ++index)
        if (lines[index].root)
            write_out(lines, index, 0, out);
    return out;
}

std::string number_or_various(const std::optional<std::uint32_t>& number)
{
    return number ? std::to_string(*number) : "various";
}

} // namespace

std::string tree_text(const Trace& trace)
{
    Folding folding = Folding::by_parent;
    std::vector<Alike> lines = folded_lines(trace, folding);
    for (const Folding next : {Folding::by_shape, Folding::by_depth})
        if (lines.size() > kMaxLines) {
            folding = next;
            lines = folded_lines(trace, folding);
        }

    std::vector<Column> columns{{.name = "depth", .left = true},
                                {.name = "kernel", .left = true},
                                {.name = "grids"},
                                {.name = "blocks", .dispensable = 3},
                                {.name = "threads", .dispensable = 2},
                                {.name = "refused"},
                                {.name = "latency"},
                                {.name = "at most", .dispensable = 1},
                                {.name = "busy"}};
    constexpr std::size_t kMaxIndent = 12;
    for (const Alike& line : lines) {
        const std::uint64_t levels = line.last_depth - line.depth + 1;
        const bool waited = !line.latencies_us.empty();
        add_row(columns,
                {std::string(std::min(line.indent, kMaxIndent), ' ') +
                     (levels == 1 ? std::to_string(line.depth) : fmt::format("{}-{}", line.depth, line.last_depth)),
                 line.kernel, levels == 1 ? std::to_string(line.grids) : fmt::format("{} x {}", levels, line.grids),
                 number_or_various(line.blocks), number_or_various(line.threads), count_or_empty(line.refused),
                 waited ? format_us(median(line.latencies_us)) : "",
                 waited ? format_us(std::ranges::max(line.latencies_us)) : "",
                 line.runs.empty() ? "" : format_us(line.busy_us())});
    }
    std::erase_if(columns, [](const Column& column) {
        return (column.name == "refused" || column.name == "kernel") && column.value().empty();
    });
    std::string text = table_text(std::move(columns));
    if (folding != Folding::by_parent)
        text += fmt::format("(more than {} kinds of grids: folded by depth{})\n", kMaxLines,
                            folding == Folding::by_shape ? " and shape" : "");
    return text;
}

std::string tree_text(const LaunchTrace& launches)
{
    Trace trace{.grids = launches.grids};
    for (TracedGrid& grid : trace.grids)
        if (grid.parent == kNoGrid)
            grid.called_ns.reset(); // the times are those from calls in kernels
    std::string text = tree_text(trace);
    for (const TracedDevice& device : launches.devices)
        if (device.lost + device.lost_of_host > 0)
            text += fmt::format("({} more launches are not in the tree: it has at most {})\n",
                                device.lost + device.lost_of_host, device.capacity);
    return text;
}

} // namespace nestbed
