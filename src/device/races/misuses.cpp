// Wrong uses of barriers and of the functions of warps; and what is in order with no barrier: threads that have ended, and threads that
// have arrived and go on.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <algorithm>
#include <string_view>

namespace nestbed::races
{

namespace
{

bool is_same(const cpu::CallPlace& left, const cpu::CallPlace& right)
{
    return left.line == right.line && (left.file == right.file || (left.file != nullptr && right.file != nullptr &&
                                                                   std::string_view(left.file) == right.file));
}

} // namespace

void Detector::misused(void* handle, const cpu::Misuse& misuse)
{
    const Busy busy;
    const auto known = std::ranges::find_if(misuses_, [&](const FoundMisuse& each) {
        return each.misuse.kind == misuse.kind && is_same(each.misuse.place, misuse.place) &&
               is_same(each.misuse.other, misuse.other);
    });
    if (known != misuses_.end()) {
        ++known->count;
        known->misuse.is_warning = known->misuse.is_warning && misuse.is_warning;
        return;
    }
    const auto& thread = *static_cast<const WatchedThread*>(handle);
    const WatchedBlock& block = *thread.block;
    RaceAccess access{.places = {place_of_call(misuse.place.file, misuse.place.line)},
                      .depth = block.grid->depth,
                      .block = block.index,
                      .thread = thread.index};
    describe_grid(access, *block.grid);
    misuses_.push_back({misuse, misuse_text(misuse), std::move(access), 1});
}

std::vector<BadAccess> Detector::described_misuses(bool warnings) const
{
    std::vector<BadAccess> all;
    for (const FoundMisuse& each : misuses_)
        if (each.misuse.is_warning == warnings)
            all.push_back({.kind = BadAccess::Kind::synchronization,
                           .text = each.text,
                           .access = each.access,
                           .count = each.count});
    return all;
}

void Detector::thread_ends(void* handle)
{
    auto& thread = *static_cast<WatchedThread*>(handle);
    thread.ended_phase = thread.block->phase;
}

void Detector::arrived(void* handle)
{
    static_cast<WatchedThread*>(handle)->has_arrived = true;
}

} // namespace nestbed::races
