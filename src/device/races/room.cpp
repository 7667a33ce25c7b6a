// The memory that the detector itself takes: how much it is, and what it does without.
#include "device/races/detector.hpp"

#include <algorithm>

namespace nestbed::races
{

namespace
{

template <class Map>
std::size_t bytes_of(const Map& map)
{
    constexpr std::size_t kLinks = 4 * sizeof(void*); // of a node
    return map.size() * (sizeof(typename Map::value_type) + kLinks);
}

} // namespace

std::size_t Detector::bytes() const
{
    return clocks_.bytes() + shadow_.bytes() + sites_.bytes() + block_bytes_ + grids_.size() * sizeof(WatchedGrid) +
           captured_.capacity() * (sizeof(Captured) + 4 * sizeof(void*)) + bytes_of(streams_) + bytes_of(awaited_) +
           bytes_of(made_) + bytes_of(graphs_) + bytes_of(last_in_stream_) + bytes_of(atomics_) +
           bytes_of(barriers_) + bytes_of(releases_) + bytes_of(found_) + bytes_of(locks_) + bytes_of(found_bad_);
}

bool Detector::has_room(std::size_t more)
{
    constexpr std::size_t kMaxBytes = 2ULL << 30U; // kNoRoom says this number
    max_bytes_ = std::max(max_bytes_, bytes() + more);
    full_ = full_ || max_bytes_ > kMaxBytes;
    return !full_;
}

void Detector::make_room()
{
    if (!clocks_.should_collect())
        return;
    const auto keep = [this](Clock clock) { clocks_.keep(clock); };
    for (const auto& host : hosts_)
        host->block.for_each_clock(keep);
    for (const auto& [lock, clock] : locks_)
        keep(clock);
    for (const auto* const of_streams : {&streams_, &awaited_})
        for (const auto& [stream, clock] : *of_streams)
            keep(clock);
    for (const std::weak_ptr<Captured>& captured : captured_)
        if (const std::shared_ptr<Captured> of = captured.lock(); of != nullptr)
            keep(of->clock);
    for (const auto& grid : grids_)
        grid->for_each_clock(keep);
    for (const auto& [block, watched] : blocks_)
        watched->for_each_clock(keep);
    for (const auto& [address, released] : atomics_)
        released.for_each_clock(keep);
    for (const auto& [address, group] : barriers_)
        group.for_each_clock(keep);
    keep(fenced_for_proxy_);
    for (const auto& [key, clock] : releases_)
        keep(clock);
    clocks_.free_others();
}

} // namespace nestbed::races
