#include "device/races/shadow.hpp"

#include "device/races/sites.hpp"
#include "model/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

// Where the program's variables begin and end: the linker's names.
extern "C" char __data_start, _end; // NOLINT

namespace nestbed::races
{

Shadow::Shadow()
{
    variables_.begin = reinterpret_cast<std::uintptr_t>(&__data_start);
    variables_.bytes = static_cast<std::size_t>(&_end - &__data_start);
}

std::string Region::spelled(std::size_t cell) const
{
    if (name.empty())
        return variable_at(begin + cell);
    if (element == 1)
        return fmt::format("{}, byte {}", name, cell);
    return bytes == element ? name : fmt::format("{}[{}]", name, cell);
}

void Shadow::add(const void* begin, std::size_t bytes, std::size_t element, std::string_view name)
{
    if (bytes == 0)
        return;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    last_ = nullptr;
    for (auto next = regions_.upper_bound(address); next != regions_.end() && next->second.begin < address + bytes;) {
        empty(next->second);
        next = regions_.erase(next);
    }
    regions_.emplace(address + bytes, Region{.begin = address,
                                             .bytes = bytes,
                                             .element = element,
                                             .name = std::string(name),
                                             .orders = name != kOwnRecords});
}

std::size_t Shadow::remove(const void* begin)
{
    const auto found = regions_.upper_bound(reinterpret_cast<std::uintptr_t>(begin));
    last_ = nullptr;
    if (found == regions_.end() || found->second.begin != reinterpret_cast<std::uintptr_t>(begin))
        return 0;
    const std::size_t bytes = found->second.bytes;
    empty(found->second);
    regions_.erase(found);
    return bytes;
}

void Shadow::clear()
{
    for (auto& [end, region] : regions_)
        empty(region);
    empty(variables_);
}

void Shadow::empty(Region& region)
{
    region.cells = {};
    bytes_ -= std::exchange(region.held, 0);
}

Region* Shadow::find(std::uintptr_t address)
{
    if (last_ != nullptr && address - last_->begin < last_->bytes)
        return last_;
    const auto found = regions_.upper_bound(address);
    if (found == regions_.end() || address < found->second.begin)
        return address - variables_.begin < variables_.bytes ? &variables_ : nullptr;
    return last_ = &found->second;
}

void shorten(std::vector<Access>& accesses)
{
    constexpr std::size_t kLong = 64;
    if (accesses.size() < kLong || !std::has_single_bit(accesses.size()))
        return;
    // A later access of a thread is of a later phase and epoch.
    const auto by_thread = [](const Access& access) {
        return std::tuple(access.grid, access.block, access.thread, access.kind, ~access.phase, ~access.epoch);
    };
    std::ranges::stable_sort(accesses, {}, by_thread);
    const auto same = [](const Access& left, const Access& right) {
        return left.same_thread(right) && left.kind == right.kind;
    };
    accesses.erase(std::unique(accesses.begin(), accesses.end(), same), accesses.end());
}

} // namespace nestbed::races
