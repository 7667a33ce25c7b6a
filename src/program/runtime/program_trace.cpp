#include "program/runtime/program_trace.hpp"

#include "base/json.hpp"
#include "inspect/tree.hpp"
#include "program/runtime/error_texts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace nestbed::program
{

namespace
{

std::uint64_t product(dim3 dim)
{
    return std::uint64_t{dim.x} * dim.y * dim.z;
}

std::string spelled(dim3 dim)
{
    return dim.y == 1 && dim.z == 1 ? std::to_string(dim.x)
           : dim.z == 1             ? fmt::format("{}x{}", dim.x, dim.y)
                                    : fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
}

double us(std::uint64_t ns)
{
    return static_cast<double>(ns) / 1000.0;
}

} // namespace

std::string launch_tree_text(const Ledger& ledger)
{
    Trace trace;
    for (const auto& grid : ledger.grids()) {
        TracedGrid traced;
        if (grid->parent != nullptr) {
            traced.parent = static_cast<std::uint32_t>(grid->parent->number);
            traced.called_ns = grid->called_ns;
        }
        traced.depth = grid->level;
        traced.blocks = static_cast<std::uint32_t>(product(grid->grid));
        traced.threads = static_cast<std::uint32_t>(product(grid->block));
        if (grid->ended_ns != 0) {
            traced.begun_ns = grid->begun_ns;
            traced.ended_ns = grid->ended_ns;
        }
        traced.error = grid->error;
        if (grid->error != 0)
            traced.error_name = short_error_name(grid->error);
        trace.grids.push_back(traced);
    }
    std::string text = tree_text(trace);
    if (ledger.lost() > 0)
        text += fmt::format("({} more launches are not in the tree: it has at most {})\n", ledger.lost(),
                            Ledger::kMaxGrids);
    return text;
}

std::string timeline_json(const Ledger& ledger)
{
    std::string events;
    const auto add = [&](const Json& event) {
        events += events.empty() ? "\n" : ",\n";
        events += json_text(event);
    };
    std::uint64_t zero_ns = UINT64_MAX;
    std::set<unsigned> levels;
    for (const auto& grid : ledger.grids()) {
        zero_ns = std::min(zero_ns, grid->called_ns);
        levels.insert(grid->level);
    }
    // Viewers treat process 0 as no process.
    for (const unsigned level : levels)
        add({{"ph", "M"},
             {"name", "process_name"},
             {"pid", level + 1},
             {"tid", 0},
             {"args", {{"name", level == 0 ? "launched by the host" : fmt::format("level {}", level)}}}});
    for (const auto& grid : ledger.grids()) {
        Json arguments{{"grid", grid->number},
                       {"blocks", spelled(grid->grid)},
                       {"threads", spelled(grid->block)},
                       {"shared_bytes", grid->shared_bytes},
                       {"mechanism", name_of(grid->mechanism)},
                       {"launched_at", grid->place}};
        if (grid->parent != nullptr)
            arguments["parent"] = grid->parent->number;
        const std::string name = fmt::format("{} {} x {}", grid->kernel, spelled(grid->grid), spelled(grid->block));
        if (grid->error != 0) {
            add({{"ph", "i"},
                 {"name", fmt::format("refused: {} ({})", name, short_error_name(grid->error))},
                 {"pid", grid->level + 1},
                 {"tid", 0},
                 {"ts", us(grid->called_ns - zero_ns)},
                 {"s", "p"},
                 {"args", arguments}});
            continue;
        }
        if (grid->ended_ns == 0)
            continue;
        arguments["wait_us"] = us(grid->begun_ns - grid->called_ns);
        // Asynchronous slices may overlap: the viewer gives them lanes.
        Json begin{{"ph", "b"},
                   {"cat", "grid"},
                   {"id", grid->number},
                   {"name", name},
                   {"pid", grid->level + 1},
                   {"tid", 0},
                   {"ts", us(grid->begun_ns - zero_ns)},
                   {"args", arguments}};
        Json end = begin;
        end["ph"] = "e";
        end["ts"] = us(grid->ended_ns - zero_ns);
        end.erase("args");
        add(begin);
        add(end);
    }
    return fmt::format("{{\"displayTimeUnit\": \"ns\", \"otherData\": {{\"lost\": {}}}, \"traceEvents\": [{}\n]}}\n",
                       ledger.lost(), events);
}

} // namespace nestbed::program
