// Pages of memory between guards: addresses without memory.
#pragma once

#include <cstddef>

namespace nestbed::cpu
{

// Of each guard, before and behind the pages.
inline constexpr std::size_t kMemoryGuardBytes = 16UL * 1024 * 1024;

struct GuardedPages {
    unsigned char* pages = nullptr; // from here to the guard behind them
    std::size_t page_bytes = 0;

    // Throws std::bad_alloc.
    static GuardedPages map(std::size_t bytes);
    void unmap() const;

    unsigned char* guard_before() const { return pages - kMemoryGuardBytes; }
    unsigned char* guard_behind() const { return pages + page_bytes; }
    unsigned char* end() const { return guard_behind() + kMemoryGuardBytes; }
    bool has(const void* address) const { return address >= guard_before() && address < end(); }
    bool is_guard(const void* address) const
    {
        return has(address) && (address < pages || address >= guard_behind());
    }

    // The last place for so many bytes.
    unsigned char* last(std::size_t bytes, std::size_t alignment) const;

    // Gives the guard of an address memory. Returns false where that is not possible. For handlers of signals too.
    bool open_guard(const void* address) const;
    // Takes the memory of both guards back.
    void close_guards() const;
    // Takes the pages' memory back: all of it is addresses without memory then. The reverse, for handlers of signals too, gives zeros.
    void close() const;
    bool open() const;
};

} // namespace nestbed::cpu
