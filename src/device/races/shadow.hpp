// What the detector keeps of memory: who accessed it and when, element by element.
#pragma once

#include "device/cpu/observer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::races
{

enum AccessKind : std::uint8_t {
    read_access = 0,
    write_access = 1,
    atomic_read = 2,
    atomic_write = 3,
    volatile_read = 6, // atomic, too: relaxed
    volatile_write = 7
};
constexpr bool writes(AccessKind kind)
{
    return (kind & 1U) != 0;
}
constexpr bool is_atomic(AccessKind kind)
{
    return (kind & 2U) != 0;
}

struct Access {
    std::uint32_t grid;
    std::uint32_t block;
    std::uint32_t epoch; // the thread's releases before it
    std::uint32_t phase; // the block's barriers before it
    std::uint32_t site;  // see Sites
    std::uint16_t thread;
    AccessKind kind : 3;
    bool in_block : 1 = false; // an atomic operation whose scope is the block
    std::uint8_t size : 3 = 0; // of an atomic operation: the binary logarithm of its bytes
    bool repeats : 1 =
        false; // a plain write that left its bytes as the one before it in the list had written them, as far as is known
    std::uint8_t part = 0xFF; // which bytes of the element: see Region::part()

    bool same_thread(const Access& other) const
    {
        return grid == other.grid && block == other.block && thread == other.thread;
    }
    bool same_thread_and_kind(const Access& other) const
    {
        return same_thread(other) && kind == other.kind && in_block == other.in_block && size == other.size;
    }
    bool meets(const Access& other) const { return (part & other.part) != 0; }
    // All bytes of the other one.
    bool covers(const Access& other) const { return (other.part & ~part) == 0; }
};

// The accesses to an element that another one may race with: of each thread the last ones. FastTrack (Flanagan and Freund, PLDI 2009)
// keeps one where one does; what is kept here may have many, for most elements have few.
struct Cell {
    std::vector<Access> writes, reads, atomics;

    std::size_t bytes() const
    {
        return sizeof(Cell) + (writes.capacity() + reads.capacity() + atomics.capacity()) * sizeof(Access);
    }
};

// The cells of a region, in pages that are made with the first access: a program may allocate much more than it uses.
class Cells
{
  public:
    // Bytes that make() will take for the cells first to last of a region with `count` cells; 0: they are there.
    std::size_t bytes_to_make(std::size_t first, std::size_t last, std::size_t count) const;
    void make(std::size_t first, std::size_t last, std::size_t count);
    // Of a cell that was made.
    Cell& operator[](std::size_t number) { return (*pages_[number / kPage])[number % kPage]; }
    // The first one from the number on that is of a page that was made; `end`: there is none before it.
    std::size_t next_made(std::size_t number, std::size_t end) const
    {
        while (number < end && (number / kPage >= pages_.size() || pages_[number / kPage] == nullptr))
            number = number / kPage >= pages_.size() ? end : (number / kPage + 1) * kPage;
        return number < end ? number : end;
    }
    // nullptr: it was not made.
    const Cell* find(std::size_t number) const
    {
        const std::size_t page = number / kPage;
        return page < pages_.size() && pages_[page] != nullptr ? &(*pages_[page])[number % kPage] : nullptr;
    }

  private:
    static constexpr std::size_t kPage = 256;
    using Page = std::array<Cell, kPage>;

    std::vector<std::unique_ptr<Page>> pages_;
};

// What an operation of the host accesses in a region: rows of bytes.
struct RegionRows {
    std::size_t begin = 0; // from the begin of the region
    std::size_t width = 0;
    std::size_t height = 1;
    std::size_t pitch = 0;

    std::size_t end() const { return begin + (height - 1) * pitch + width; }
    bool meet(std::size_t first, std::size_t last_end) const;
    bool meet(const RegionRows& other) const;
    friend bool operator==(const RegionRows&, const RegionRows&) = default;
};
struct HostSpan {
    Access access{};
    RegionRows rows{};
};
inline constexpr std::uint32_t kNoGrid = 0xFFFFFFFF;

// Memory that threads can share.
struct Region {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::size_t element = 1;
    std::string name;
    std::string place;     // FILE:LINE of its allocation; empty: not known
    std::size_t guard = 0; // bytes before and behind it that belong to nothing
    cpu::HostAccess by_host = cpu::HostAccess::unchecked;
    bool uninitialized = false;          // `written` is kept
    std::optional<unsigned char> fill{}; // see cpu::Memory
    bool is_variable = false;
    bool is_constant = false;
    bool is_of_host = false;
    bool orders = true; // its atomics do
    bool is_freed = false;
    const void* freed_at = nullptr; // the address after the call
    const void* owner = nullptr;    // the block that alone may access it, or its cluster
    std::uint64_t cluster = 0;      // of the owner
    bool has_other_blocks = false;  // of the cluster have accessed it
    std::size_t atomic_bytes = 0;   // of its first atomic operation
    bool has_pairs = false;         // of its atomics some may race: of the scope of a block, or of different sizes
    Cells cells{};
    std::vector<HostSpan> spans{};             // that the host has not waited for
    std::uint32_t comes_after_spans = kNoGrid; // a grid that comes after all of them
    std::vector<std::uint64_t> written{};      // a bit for each byte; empty: nothing is
    std::size_t held = 0;                      // bytes of its cells

    std::size_t count() const { return (bytes + element - 1) / element; }
    // Which bytes of a cell an access has that begins and ends (behind its last byte) at these offsets: a bit for each byte of an element of
    // up to 8 bytes.
    std::uint8_t part(std::size_t cell, std::size_t first_byte, std::size_t end) const
    {
        constexpr std::size_t kBits = 8;
        const std::size_t of_cell = cell * element;
        if (first_byte <= of_cell && end >= of_cell + element)
            return 0xFF;
        const std::size_t bytes_of_bit = (element + kBits - 1) / kBits;
        const std::size_t from = first_byte <= of_cell ? 0 : (first_byte - of_cell) / bytes_of_bit;
        const std::size_t to = end >= of_cell + element ? kBits : (end - of_cell + bytes_of_bit - 1) / bytes_of_bit;
        return static_cast<std::uint8_t>((1U << to) - (1U << from));
    }
    // How many bytes nothing has written, of those from one offset to another.
    std::size_t unwritten(std::size_t first_byte, std::size_t end) const;
    // Whether such of them are still what they were filled with; true where they were not filled.
    bool is_filled(std::size_t first_byte, std::size_t end) const;
    bool has(std::uintptr_t address) const { return address - (begin - guard) < bytes + 2 * guard; }
    // "4000 bytes, allocated at my.cu:12"; empty: the place is not known.
    std::string allocation() const;
    // "in[37]"; of elements that are not distinguished "tile, byte 132"; without a name that of the program's variable. Before the
    // beginning: "in[-1]".
    std::string spelled(std::ptrdiff_t offset) const;
};

class Shadow
{
  public:
    Shadow();
    // In place of what was there.
    void add(const cpu::Memory& memory);
    // Returns its bytes; 0 if no memory begins there.
    std::size_t remove(const void* begin);
    // The same, but an access there is one to freed memory from now on.
    std::size_t free(const void* begin, const void* place);
    // Forgets all accesses, but not what has been written.
    void clear();
    // nullptr where no such memory is. An address in the guard of a region belongs to the region.
    Region* find(std::uintptr_t address)
    {
        for (const Span& span : found_)
            if (address - span.begin < span.bytes)
                return span.region;
        return looked_up(address);
    }
    // The memory, other than variables, that begins or ends nearest to an address that is in none; nullptr: there is none.
    const Region* nearest(std::uintptr_t address) const;
    // The memory that ends before an address that is in none; nullptr: there is none.
    const Region* before(std::uintptr_t address) const;
    // The variable of kernels that begins or ends nearest to an address that is in none; nullptr: there is none.
    const Region* nearest_variable(std::uintptr_t address) const;
    // Those that the program has listed.
    std::vector<Region*> variables_of_host();
    // That they have been written, if that is kept of their region.
    void mark_written(Region& region, std::size_t first_byte, std::size_t end);
    void mark_written(std::uintptr_t address, std::size_t bytes);

    // Bytes of all cells with their accesses. Who changes cells says by how much.
    std::size_t bytes() const { return bytes_; }
    void changed(Region& region, std::ptrdiff_t bytes)
    {
        region.held += static_cast<std::size_t>(bytes);
        bytes_ += static_cast<std::size_t>(bytes);
    }

  private:
    std::map<std::uintptr_t, Region>::iterator beginning_at(const void* begin);
    Region* looked_up(std::uintptr_t address);
    // What find() returns for these addresses.
    struct Span {
        std::uintptr_t begin = 0;
        std::size_t bytes = 0;
        Region* region = nullptr;
    };
    Span span_at(std::uintptr_t address);
    void empty(Region& region);
    // Those of the program and of the modules that are loaded now.
    void find_variables();

    std::map<std::uintptr_t, Region> regions_; // by the end of their guards
    std::deque<Region> variables_;             // of the program and its modules: where no other region is
    std::size_t bytes_ = 0;
    std::array<Span, 4> found_{}; // lately: a kernel goes from one array to another and back
    std::size_t next_found_ = 0;
};

// A list of accesses that grows without end is made shorter now and then.
bool is_long(const std::vector<Access>& accesses);
// Of a thread's accesses the last one is enough. The others stay in their order.
void shorten(std::vector<Access>& accesses);

} // namespace nestbed::races
