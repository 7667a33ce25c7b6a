#include "program/runtime/program_trace.hpp"

#include "program/runtime/error_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

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

// Of a launch; those of the host do not say in which of its streams they are.
std::string stream_of(const GridRecord& grid)
{
    return grid.mechanism == Mechanism::null_stream ? "null" : std::string(name_of(grid.mechanism));
}

} // namespace

LaunchTrace launch_trace(const Ledger& ledger)
{
    LaunchTrace trace{.devices = {{.name = kExecutorDevice,
                                   .timer_step_ns = 1,
                                   .within_ns = 0,
                                   .lost = ledger.lost(),
                                   .capacity = Ledger::kMaxGrids}}};
    // By level: a child that runs at its launch is in the ledger before its parent.
    std::vector<std::shared_ptr<GridRecord>> grids = ledger.grids();
    std::ranges::stable_sort(grids, {}, &GridRecord::level);
    std::unordered_map<const GridRecord*, std::uint32_t> index;
    for (const auto& grid : grids) {
        index.emplace(grid.get(), static_cast<std::uint32_t>(index.size()));
        TracedGrid traced{.depth = grid->level,
                          .blocks = static_cast<std::uint32_t>(product(grid->grid)),
                          .threads = static_cast<std::uint32_t>(product(grid->block)),
                          .called_ns = grid->called_ns,
                          .error = grid->error,
                          .kernel = grid->kernel,
                          .place = grid->place,
                          .stream = stream_of(*grid),
                          .grid_shape = spelled(grid->grid),
                          .block_shape = spelled(grid->block)};
        if (const auto parent = index.find(grid->parent.get()); parent != index.end())
            traced.parent = parent->second; // otherwise the host's, or one that did not fit
        if (grid->begun_ns != 0)
            traced.begun_ns = grid->begun_ns;
        if (grid->ended_ns != 0)
            traced.ended_ns = grid->ended_ns;
        if (grid->error != 0)
            traced.error_name = short_error_name(grid->error);
        trace.grids.push_back(std::move(traced));
    }
    return trace;
}

} // namespace nestbed::program
