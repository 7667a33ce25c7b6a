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
    const auto name_place = [&] {
        std::uint32_t node = 0;
        for (std::size_t call = 1; call < host_calls_.size(); ++call) // the first one is not the program's: of main()
            node = sites_.at(node, host_calls_[call]);
        now.site = sites_.at(node, place);
    };
    const auto size = static_cast<std::ptrdiff_t>(region->bytes);
    const auto begin = static_cast<std::ptrdiff_t>(address - region->begin);
    const std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(bytes);
    if (begin < 0 || end > size) {
        name_place();
        found_bad(BadAccess::Kind::out_of_bounds, now, *region, begin < 0 ? begin : std::max(begin, size), bytes,
                  begin < 0 ? begin : end - size);
        return;
    }
    if (region->by_host == cpu::HostAccess::forbidden) {
        name_place();
        found_bad(BadAccess::Kind::by_host, now, *region, begin, bytes, 0);
        return;
    }
    if (write)
        shadow_.mark_written(address, bytes);
    counted_.clear();
    const std::size_t last = static_cast<std::size_t>(end - 1) / region->element;
    for (std::size_t number = static_cast<std::size_t>(begin) / region->element; number <= last; ++number) {
        const Cell* const cell = region->cells.find(number);
        if (cell == nullptr)
            continue;
        now.part = region->part(number, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
        const auto check_host = [&](const std::vector<Access>& accesses) {
            for (const Access& before : accesses)
                if (before.meets(now) && (write || writes(before.kind)) && !knows(host_, before)) {
                    name_place();
                    found(before, now, nullptr, *region, number, bytes);
                }
        };
        check_host(cell->writes);
        check_host(cell->atomics);
        if (write)
            check_host(cell->reads);
    }
}

} // namespace nestbed::races
