// Whether writes that race have written the same value.
#include "device/races/detector.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace nestbed::races
{

// Between two runs of kernels the host may write what the detector does not see.
bool Detector::are_of_one_run(const Access& first, const Access& second) const
{
    const auto root = [this](const Access& access) {
        const WatchedGrid* grid = grids_[access.grid].get();
        while (grid->parent != nullptr)
            grid = grid->parent;
        return grid;
    };
    return first.grid == second.grid || root(first) == root(second);
}

void Detector::compare(Found& pairs, const Access& now, Region& region, bool knows_last)
{
    if (!pairs.same.holds)
        return;
    if (!knows_last || rewrite_.bytes == 0 || rewrite_.bytes > SameValue::kMaxBytes) {
        pairs.same.holds = false;
        return;
    }
    if (rewrite_.region == nullptr) {
        rewrite_.region = &region;
        rewrite_.access = now;
        std::memcpy(rewrite_.before.data(),
                    reinterpret_cast<const void*>(rewrite_.address), // NOLINT(performance-no-int-to-ptr)
                    rewrite_.bytes);
    }
    if (rewrite_.found.empty() || rewrite_.found.back() != &pairs)
        rewrite_.found.push_back(&pairs);
}

void Detector::finish_rewrite()
{
    Region& region = *std::exchange(rewrite_.region, nullptr);
    std::array<unsigned char, SameValue::kMaxBytes> now{};
    std::memcpy(now.data(), reinterpret_cast<const void*>(rewrite_.address), // NOLINT(performance-no-int-to-ptr)
                rewrite_.bytes);
    const bool is_same = std::memcmp(now.data(), rewrite_.before.data(), rewrite_.bytes) == 0;
    for (Found* const pairs : rewrite_.found) {
        SameValue& same = pairs->same;
        same.holds = same.holds && is_same;
        same.is_one = same.is_one && (same.bytes == 0 || (same.bytes == rewrite_.bytes && same.value == now));
        if (same.bytes == 0)
            same.value = now;
        same.bytes = rewrite_.bytes;
    }
    rewrite_.found.clear();
    if (!is_same)
        return;
    const std::size_t begin = rewrite_.address - region.begin;
    for (std::size_t number = begin / region.element; number <= (begin + rewrite_.bytes - 1) / region.element;
         ++number) {
        Cell& cell = region.cells[number];
        if (!cell.writes.empty() && cell.writes.back().same_thread(rewrite_.access) &&
            cell.writes.back().part == region.part(number, begin, begin + rewrite_.bytes))
            cell.writes.back().repeats = true;
    }
}

} // namespace nestbed::races
