// What the detector keeps of memory: who accessed it and when, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::races
{

enum AccessKind : std::uint8_t { read_access = 0, write_access = 1, atomic_read = 2, atomic_write = 3 };
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
    AccessKind kind;

    bool same_thread(const Access& other) const
    {
        return grid == other.grid && block == other.block && thread == other.thread;
    }
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

// Memory that threads can share.
struct Region {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::size_t element = 1;
    std::string name;
    std::vector<Cell> cells{}; // made with the first access
    bool orders = true;        // its atomics do
    std::size_t held = 0;      // bytes of its cells

    // "in[37]"; of elements that cannot be told apart "tile, byte 132"; without a name that of the program's variable.
    std::string spelled(std::size_t cell) const;
};

class Shadow
{
  public:
    Shadow();
    // In place of what was there.
    void add(const void* begin, std::size_t bytes, std::size_t element, std::string_view name);
    // Returns its bytes; 0 if no memory begins there.
    std::size_t remove(const void* begin);
    // Forgets all accesses.
    void clear();
    // nullptr where no such memory is.
    Region* find(std::uintptr_t address);

    // Bytes of all cells with their accesses. Who changes cells says by how much.
    std::size_t bytes() const { return bytes_; }
    void changed(Region& region, std::ptrdiff_t bytes)
    {
        region.held += static_cast<std::size_t>(bytes);
        bytes_ += static_cast<std::size_t>(bytes);
    }

  private:
    void empty(Region& region);

    std::map<std::uintptr_t, Region> regions_; // by their end
    Region variables_;                         // of the program: where no other region is
    std::size_t bytes_ = 0;
    Region* last_ = nullptr; // that was found
};

// A list of accesses that grows without end is made shorter now and then: of a thread's accesses the last one is enough.
void shorten(std::vector<Access>& accesses);

} // namespace nestbed::races
