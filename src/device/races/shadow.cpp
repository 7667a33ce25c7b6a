#include "device/races/shadow.hpp"

#include "device/races/sites.hpp"
#include "model/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <link.h>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

// Where the program's variables begin and end: the linker's names.
extern "C" char __data_start, _end; // NOLINT

namespace nestbed::races
{

namespace
{
// Adds the writable segments of a module of watched kernels to the list.
int add_module(dl_phdr_info* object, std::size_t /*size*/, void* list)
{
    const std::string_view path = object->dlpi_name;
    if (!path.ends_with(".so") || !path.substr(path.rfind('/') + 1).starts_with("races"))
        return 0;
    for (std::size_t part = 0; part < object->dlpi_phnum; ++part)
        if (const auto& segment = object->dlpi_phdr[part]; segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0)
            static_cast<std::vector<std::pair<std::uintptr_t, std::size_t>>*>(list)->emplace_back(
                object->dlpi_addr + segment.p_vaddr, segment.p_memsz);
    return 0;
}
} // namespace

Shadow::Shadow()
{
    find_variables();
}

void Shadow::find_variables()
{
    std::vector<std::pair<std::uintptr_t, std::size_t>> found{
        {reinterpret_cast<std::uintptr_t>(&__data_start), static_cast<std::size_t>(&_end - &__data_start)}};
    dl_iterate_phdr(add_module, &found);
    found_ = {};
    for (const auto& [begin, bytes] : found)
        if (std::ranges::find(variables_, begin, &Region::begin) == variables_.end()) {
            Region& region = variables_.emplace_back();
            region.begin = begin;
            region.bytes = bytes;
        }
}

std::size_t Cells::bytes_to_make(std::size_t first, std::size_t last, std::size_t count) const
{
    std::size_t pages = 0;
    for (std::size_t page = first / kPage; page <= last / kPage; ++page)
        pages += page < pages_.size() && pages_[page] != nullptr ? 0 : 1;
    const std::size_t list = pages_.empty() ? (count / kPage + 1) * sizeof(pages_.front()) : 0;
    return pages * sizeof(Page) + list;
}

void Cells::make(std::size_t first, std::size_t last, std::size_t count)
{
    if (pages_.empty())
        pages_.resize(count / kPage + 1);
    for (std::size_t page = first / kPage; page <= last / kPage; ++page)
        if (pages_[page] == nullptr)
            pages_[page] = std::make_unique<Page>();
}

bool RegionRows::meet(std::size_t first, std::size_t last_end) const
{
    if (first >= end() || last_end <= begin)
        return false;
    if (height == 1 || first < begin)
        return true;
    const std::size_t column = (first - begin) % pitch;
    return column < width || column + (last_end - first) > pitch;
}

bool RegionRows::meet(const RegionRows& other) const
{
    const RegionRows& few = height <= other.height ? *this : other;
    const RegionRows& many = height <= other.height ? other : *this;
    for (std::size_t row = 0; row < few.height; ++row) {
        const std::size_t first = few.begin + row * few.pitch;
        if (many.meet(first, first + few.width))
            return true;
    }
    return false;
}

std::string Region::spelled(std::ptrdiff_t offset) const
{
    if (name.empty())
        return variable_at(begin + static_cast<std::size_t>(offset));
    if (element == 1 && (is_variable || is_of_host) && offset == 0)
        return name;
    if (element == 1)
        return fmt::format("{}, byte {}", name, offset);
    const auto size = static_cast<std::ptrdiff_t>(element);
    const std::ptrdiff_t number = offset < 0 ? (offset - size + 1) / size : offset / size;
    return bytes == element && number == 0 ? name : fmt::format("{}[{}]", name, number);
}

std::string Region::allocation() const
{
    return place.empty() ? "" : fmt::format("{} bytes, allocated at {}", bytes, place);
}

namespace
{
constexpr std::size_t kBits = 64;

// Calls `visit` with the number of each word of a bitmap that has bits of a range, which is not empty, and with these bits.
template <class Visit>
void for_each_word(std::size_t first, std::size_t end, const Visit& visit)
{
    const std::size_t last_word = (end - 1) / kBits;
    for (std::size_t word = first / kBits; word <= last_word; ++word) {
        std::uint64_t bits = ~std::uint64_t{0};
        if (word == first / kBits)
            bits <<= first % kBits;
        if (word == last_word)
            bits &= ~std::uint64_t{0} >> (kBits - 1 - (end - 1) % kBits);
        visit(word, bits);
    }
}
} // namespace

std::size_t Region::unwritten(std::size_t first_byte, std::size_t end) const
{
    if (!uninitialized)
        return 0;
    if (written.empty())
        return end - first_byte;
    std::size_t count = 0;
    for_each_word(first_byte, end, [&](std::size_t word, std::uint64_t bits) {
        count += static_cast<std::size_t>(std::popcount(bits & ~written[word]));
    });
    return count;
}

bool Region::is_filled(std::size_t first_byte, std::size_t end) const
{
    if (!fill)
        return true;
    const auto* const at = reinterpret_cast<const unsigned char*>(begin); // NOLINT(performance-no-int-to-ptr)
    for (std::size_t byte = first_byte; byte < end; ++byte)
        if (unwritten(byte, byte + 1) != 0 && at[byte] != *fill)
            return false;
    return true;
}

void Shadow::add(const cpu::Memory& memory)
{
    if (memory.bytes == 0 && memory.guard_bytes == 0)
        return;
    const auto address = reinterpret_cast<std::uintptr_t>(memory.begin);
    const std::uintptr_t begin = address - memory.guard_bytes;
    const std::uintptr_t end = address + memory.bytes + memory.guard_bytes;
    found_ = {};
    for (auto next = regions_.upper_bound(begin);
         next != regions_.end() && next->second.begin - next->second.guard < end;) {
        empty(next->second);
        next = regions_.erase(next);
    }
    regions_.emplace(end, Region{.begin = address,
                                 .bytes = memory.bytes,
                                 .element = memory.element,
                                 .name = std::string(memory.name),
                                 .place = std::string(memory.place),
                                 .guard = memory.guard_bytes,
                                 .by_host = memory.by_host,
                                 .uninitialized = memory.uninitialized,
                                 .fill = memory.fill,
                                 .is_variable = memory.is_variable,
                                 .is_constant = memory.is_constant,
                                 .is_of_host = memory.is_of_host,
                                 .orders = memory.name != kOwnRecords});
}

std::size_t Shadow::remove(const void* begin)
{
    const auto found = beginning_at(begin);
    found_ = {};
    if (found == regions_.end())
        return 0;
    const std::size_t bytes = found->second.bytes;
    empty(found->second);
    regions_.erase(found);
    return bytes;
}

std::size_t Shadow::free(const void* begin, const void* place)
{
    const auto found = beginning_at(begin);
    if (found == regions_.end())
        return 0;
    Region& region = found->second;
    empty(region);
    region.written = {};
    region.is_freed = true;
    region.freed_at = place;
    return region.bytes;
}

std::map<std::uintptr_t, Region>::iterator Shadow::beginning_at(const void* begin)
{
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const auto found = regions_.upper_bound(address);
    return found == regions_.end() || found->second.begin != address ? regions_.end() : found;
}

void Shadow::clear()
{
    for (auto& [end, region] : regions_)
        empty(region);
    for (Region& region : variables_)
        empty(region);
    find_variables();
}

void Shadow::empty(Region& region)
{
    region.cells = {};
    region.spans.clear();
    bytes_ -= std::exchange(region.held, 0);
}

Region* Shadow::looked_up(std::uintptr_t address)
{
    Span& span = found_[next_found_++ % found_.size()];
    span = span_at(address);
    return span.region;
}

Shadow::Span Shadow::span_at(std::uintptr_t address)
{
    const auto after = regions_.upper_bound(address);
    if (after != regions_.end() && after->second.has(address)) {
        const std::uintptr_t begin = after->second.begin - after->second.guard;
        return {begin, after->first - begin, &after->second};
    }
    // Between two regions.
    std::uintptr_t begin = after == regions_.begin() ? 0 : std::prev(after)->first;
    std::uintptr_t end = after == regions_.end() ? ~std::uintptr_t{0} : after->second.begin - after->second.guard;
    Region* variables = nullptr;
    for (Region& each : variables_) {
        const std::uintptr_t each_end = each.begin + each.bytes;
        if (each.has(address))
            variables = &each;
        if (address >= each_end) {
            begin = std::max(begin, each_end);
        } else if (address < each.begin) {
            end = std::min(end, each.begin);
        } else {
            begin = std::max(begin, each.begin);
            end = std::min(end, each_end);
        }
    }
    return {begin, end - begin, variables};
}

namespace
{
const Region* nearest_of(const std::map<std::uintptr_t, Region>& regions, std::uintptr_t address, bool is_variable)
{
    const Region* nearest = nullptr;
    std::uintptr_t least = ~std::uintptr_t{0};
    for (const auto& [end, region] : regions) {
        const std::uintptr_t distance =
            address < region.begin ? region.begin - address : address - region.begin - region.bytes;
        if (distance < least && region.name != kOwnRecords && region.is_variable == is_variable &&
            !region.is_of_host) {
            least = distance;
            nearest = &region;
        }
    }
    return nearest;
}
} // namespace

const Region* Shadow::nearest(std::uintptr_t address) const
{
    return nearest_of(regions_, address, false);
}

const Region* Shadow::before(std::uintptr_t address) const
{
    const auto after = regions_.upper_bound(address);
    return after == regions_.begin() ? nullptr : &std::prev(after)->second;
}

const Region* Shadow::nearest_variable(std::uintptr_t address) const
{
    return nearest_of(regions_, address, true);
}

std::vector<Region*> Shadow::variables_of_host()
{
    std::vector<Region*> found;
    for (auto& [end, region] : regions_)
        if (region.is_of_host && region.is_variable)
            found.push_back(&region);
    return found;
}

void Shadow::mark_written(Region& region, std::size_t first_byte, std::size_t end)
{
    if (!region.uninitialized)
        return;
    if (first_byte == 0 && end == region.bytes) {
        region.uninitialized = false; // nothing of it is from now on
        region.written = {};
        return;
    }
    if (region.written.empty())
        region.written.resize(region.bytes / kBits + 1);
    for_each_word(first_byte, end, [&](std::size_t word, std::uint64_t bits) { region.written[word] |= bits; });
}

void Shadow::mark_written(std::uintptr_t address, std::size_t bytes)
{
    for (auto next = regions_.upper_bound(address); next != regions_.end() && bytes != 0; ++next) {
        Region& region = next->second;
        if (region.begin >= address + bytes)
            break;
        const std::uintptr_t first = std::max(address, region.begin);
        const std::uintptr_t end = std::min(address + bytes, region.begin + region.bytes);
        if (first < end)
            mark_written(region, first - region.begin, end - region.begin);
    }
}

bool is_long(const std::vector<Access>& accesses)
{
    constexpr std::size_t kLong = 64;
    return accesses.size() >= kLong && std::has_single_bit(accesses.size());
}

void shorten(std::vector<Access>& accesses)
{
    // A later access of a thread is of a later phase and epoch.
    const auto by_thread = [&](std::size_t number) {
        const Access& access = accesses[number];
        return std::tuple(access.grid, access.block, access.thread, unsigned{access.kind}, bool{access.in_block},
                          unsigned{access.size}, access.part, ~access.phase, ~access.epoch);
    };
    std::vector<std::size_t> order(accesses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, by_thread);
    std::vector<bool> is_last(accesses.size(), true);
    for (std::size_t at = 1; at < order.size(); ++at) {
        const Access& left = accesses[order[at - 1]];
        const Access& right = accesses[order[at]];
        is_last[order[at]] = !left.same_thread_and_kind(right) || left.part != right.part;
    }
    std::size_t kept = 0;
    bool repeats = true; // those that were taken out before
    for (std::size_t number = 0; number < accesses.size(); ++number) {
        repeats = repeats && accesses[number].repeats;
        if (!is_last[number])
            continue;
        accesses[kept] = accesses[number];
        accesses[kept++].repeats = std::exchange(repeats, true);
    }
    accesses.resize(kept);
}

} // namespace nestbed::races
