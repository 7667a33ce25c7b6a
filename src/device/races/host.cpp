// What the detector does at an access by the host to memory that it knows.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <algorithm>

namespace nestbed::races
{

void Detector::host_acquires(std::uintptr_t address)
{
    if (const auto found = atomics_.find(address); found != atomics_.end() && !full_)
        host_ = clocks_.merged(host_, found->second.clock);
}

void Detector::host_locks()
{
    if (function_ == nullptr)
        host_ = clocks_.merged(host_, functions_);
}

void Detector::host_accesses(std::uintptr_t address, std::size_t bytes, bool write, const void* place)
{
    Region* const region = watching_ && !full_ ? shadow_.find(address) : nullptr;
    if (region == nullptr || region->by_host == cpu::HostAccess::unchecked || region->is_freed)
        return;
    Access now{.grid = kHost,
               .block = 0,
               .epoch = 0,
               .phase = 0,
               .site = 0,
               .thread = 0,
               .kind = write ? write_access : read_access};
    const auto size = static_cast<std::ptrdiff_t>(region->bytes);
    const auto begin = static_cast<std::ptrdiff_t>(address - region->begin);
    const std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(bytes);
    if (begin < 0 || end > size) {
        if (region->is_of_host)
            return;
        now.site = host_site(place);
        found_bad(BadAccess::Kind::out_of_bounds, now, *region, begin < 0 ? begin : std::max(begin, size), bytes,
                  begin < 0 ? begin : end - size);
        return;
    }
    if (region->by_host == cpu::HostAccess::forbidden) {
        now.site = host_site(place);
        found_bad(BadAccess::Kind::by_host, now, *region, begin, bytes, 0);
        return;
    }
    if (write)
        shadow_.mark_written(address, bytes);
    if (function_ == nullptr)
        check_host_access(*region, now, {.begin = static_cast<std::size_t>(begin), .width = bytes}, host_, place);
    else
        function_accesses(*region, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), now.kind, place);
}

// As a thread of a kernel: what the host does later may race with it.
void Detector::function_accesses(Region& region, std::size_t begin, std::size_t end, AccessKind kind,
                                 const void* place)
{
    const std::size_t first = begin / region.element;
    const std::size_t last = (end - 1) / region.element;
    if (const std::size_t more = region.cells.bytes_to_make(first, last, region.count()); more != 0) {
        if (!has_room(more))
            return;
        region.cells.make(first, last, region.count());
        shadow_.changed(region, static_cast<std::ptrdiff_t>(more));
    }
    Access now = made_by(*function_, kind, place, false);
    now.site = host_site(place);
    counted_.clear();
    check_spans(region, now, *function_, begin, end, end - begin);
    rewrite_.bytes = 0; // no values are compared
    for (std::size_t number = first; number <= last; ++number) {
        now.part = region.part(number, begin, end);
        access_cell(region.cells[number], now, *function_, region, number, end - begin);
    }
}

} // namespace nestbed::races
