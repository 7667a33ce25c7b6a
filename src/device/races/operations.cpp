// What the host puts into its streams beside kernels: copies, sets, memory of pools, functions. Each is a grid of its own, whose accesses
// are rows of bytes. A region keeps them until the host has waited for them: what comes later comes after them then.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <algorithm>
#include <utility>

namespace nestbed::races
{

Access Detector::access_by(const WatchedGrid& operation, bool write)
{
    constexpr std::uint32_t kOnlyEpoch = 1;
    return {.grid = operation.number,
            .block = 0,
            .epoch = kOnlyEpoch,
            .phase = 0,
            .site = operation.site,
            .thread = 0,
            .kind = write ? write_access : read_access};
}

std::uint32_t Detector::host_site(const void* place)
{
    std::uint32_t node = 0;
    for (std::size_t call = 1; this_host_ != nullptr && call < this_host_->calls.size();
         ++call) // the first one is not the program's: of main()
        node = sites_.at(node, this_host_->calls[call]);
    return sites_.at(node, place);
}

void* Detector::operation_begins(std::uint64_t stream, const char* name, const void* place)
{
    const Busy busy;
    settle();
    if (!watching_ || full_)
        return nullptr;
    make_room();
    WatchedGrid& grid = *grids_.emplace_back(std::make_unique<WatchedGrid>());
    grid.number = static_cast<std::uint32_t>(grids_.size() - 1);
    grid.stream = stream;
    grid.operation = name;
    grid.site = host_site(place);
    grid.base = stream == cpu::kNoStream ? released_by_host() : clocks_.merged(released_by_host(), streams_[stream]);
    grid.ended = grid.base;
    ++operations_;
    if (stream != cpu::kNoStream)
        last_in_stream_[stream] = &grid;
    has_room();
    return &grid;
}

void Detector::operation_runs_on_host(void* operation)
{
    if (this_host_ == nullptr)
        return; // its accesses are not watched
    has_functions_ = true;
    this_host_->function = static_cast<WatchedThread*>(thread_of(block_begins(operation, 0, 1, 0), 0));
    --threads_;
    const Busy busy;
    for (Region* const region : shadow_.variables_of_host()) {
        region->by_host = cpu::HostAccess::ordered;
        checked_variables_.add(region->begin, region->bytes);
    }
}

void Detector::operation_ends(void* operation)
{
    if (operation == nullptr)
        return;
    auto& grid = *static_cast<WatchedGrid*>(operation);
    if (this_host_ != nullptr && this_host_->function != nullptr && this_host_->function->block->grid == &grid)
        block_ends(std::exchange(this_host_->function, nullptr)->block);
    done(operation);
    const Busy busy;
    grid.to_next = grid.ended; // also of a programmatic launch, which has nothing that lets it begin earlier
    if (grid.stream == cpu::kNoStream) {
        host_clock() = clocks_.merged(host_clock(), grid.ended);
    } else {
        streams_[grid.stream] = clocks_.merged(streams_[grid.stream], grid.ended);
        last_unawaited_[grid.stream] = grid.number;
    }
}

bool Detector::knows_all(Clock clock)
{
    return std::ranges::all_of(last_unawaited_,
                               [clock](const auto& last) { return time_of(clock, grid_actor(last.second)) != 0; });
}

void Detector::operation_accesses(void* operation, const cpu::Rows& rows, bool write)
{
    const Busy busy;
    settle();
    if (operation == nullptr || full_)
        return;
    const auto& grid = *static_cast<const WatchedGrid*>(operation);
    const auto address = reinterpret_cast<std::uintptr_t>(rows.begin);
    Region* const region = shadow_.find(address);
    RegionRows of_region{.begin = address, .width = rows.width, .height = rows.height, .pitch = rows.pitch};
    if (of_region.width == of_region.pitch || of_region.height == 1)
        of_region = {.begin = address, .width = of_region.width * of_region.height};
    if (region == nullptr || region->is_of_host)
        copies_pageable(grid, of_region, write);
    if (region == nullptr || region->is_freed ||
        (region->is_of_host && region->by_host == cpu::HostAccess::unchecked))
        return;
    of_region.begin -= region->begin;
    if (of_region.begin >= region->bytes || of_region.end() > region->bytes)
        return; // which is an error of its own
    const Access now = access_by(grid, write);
    check_host_access(*region, now, of_region, grid.base);
    if (region->is_of_host)
        return;
    add_span(*region, now, of_region);
}

void Detector::check_host_access(Region& region, Access now, const RegionRows& rows, Clock clock, const void* place)
{
    const bool write = writes(now.kind);
    counted_.clear();
    const auto races_with = [&](const Access& before, std::size_t number) {
        if (now.site == 0)
            now.site = host_site(place);
        found(before, now, nullptr, region, number, rows.width * rows.height);
    };
    std::erase_if(region.spans, [&](const HostSpan& span) {
        if (span.access.grid == now.grid)
            return false;
        if (is_several_ ? all_hosts_know(span.access) : knows(host_clock(), span.access))
            return true;
        if ((write || writes(span.access.kind)) && span.rows.meet(rows) && !knows(clock, span.access))
            races_with(span.access, std::max(span.rows.begin, rows.begin) / region.element);
        return false;
    });
    if (now.grid != kHost && !is_several_ && knows_all(clock))
        return;
    std::uint32_t known = kHost; // a grid whose end is known
    const auto check = [&](const std::vector<Access>& accesses, std::size_t number) {
        for (const Access& before : accesses) {
            if (before.grid == known || !before.meets(now) || (!write && !writes(before.kind)))
                continue;
            if (time_of(clock, grid_actor(before.grid)) != 0)
                known = before.grid;
            else if (!knows(clock, before))
                races_with(before, number);
        }
    };
    for (std::size_t row = 0; row < rows.height; ++row) {
        const std::size_t begin = rows.begin + row * rows.pitch;
        const std::size_t end = begin + rows.width;
        const std::size_t past = (end - 1) / region.element + 1;
        for (std::size_t number = region.cells.next_made(begin / region.element, past); number < past;
             number = region.cells.next_made(number + 1, past)) {
            const Cell& cell = region.cells[number];
            now.part = region.part(number, begin, end);
            check(cell.writes, number);
            check(cell.atomics, number);
            if (write)
                check(cell.reads, number);
        }
    }
}

void Detector::check_spans(Region& region, const Access& now, const WatchedThread& thread, std::size_t first,
                           std::size_t end, std::size_t bytes)
{
    bool comes_after_all = true;
    for (const HostSpan& span : region.spans) {
        if (knows(thread.block->grid->base, span.access))
            continue;
        comes_after_all = false;
        if (span.access.grid != now.grid && (writes(now.kind) || writes(span.access.kind)) &&
            span.rows.meet(first, end) && !ordered(span.access, thread) &&
            !concerns_host_alone(region, span.access, now))
            found(span.access, now, &thread, region, first / region.element, bytes);
    }
    if (comes_after_all)
        region.comes_after_spans = now.grid;
}

void Detector::add_span(Region& region, const Access& access, const RegionRows& rows)
{
    const Clock clock = grids_[access.grid]->base;
    std::erase_if(region.spans, [&](const HostSpan& span) {
        return span.rows == rows && (writes(access.kind) || !writes(span.access.kind)) && knows(clock, span.access);
    });
    make_room_for_span(region);
    region.spans.push_back({.access = access, .rows = rows});
    region.comes_after_spans = kNoGrid;
}

} // namespace nestbed::races
