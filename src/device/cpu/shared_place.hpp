// Where a shared variable of a block is: far from everything else, so that a wrong index neither destroys what the executor works with nor
// reaches another variable. What a kernel writes around it changes nothing that anybody reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace nestbed::cpu
{

// Bytes before and behind a variable that have no defined value, as itself, whatever was there before.
inline constexpr std::size_t kSharedPoisonBytes = 1024;

// Whether the address is among the places, or in the margins around them. Where no variable is, no memory is.
bool is_near_shared_places(std::uintptr_t address);

struct EndOfPlace {
    bool of_heap = false; // else of the pool
    void operator()(std::byte* place) const;
};

class SharedPlace
{
  public:
    // Of at most kMaxSharedBytes. The place is used again when it ends.
    explicit SharedPlace(std::size_t bytes);
    SharedPlace(const SharedPlace&) = delete;
    SharedPlace& operator=(const SharedPlace&) = delete;
    SharedPlace(SharedPlace&&) = default;
    SharedPlace& operator=(SharedPlace&&) = default;
    ~SharedPlace() = default;

    std::byte* memory() const { return memory_; }
    // Bytes before and behind the memory that are its own, too.
    std::size_t guard() const { return guard_; }
    std::size_t bytes() const { return bytes_; }
    // Also of its guards.
    bool has(const void* address) const
    {
        const std::byte* const begin = memory_ - guard_;
        return std::less_equal<>{}(begin, address) && std::less<>{}(address, begin + bytes_ + 2 * guard_);
    }

  private:
    std::unique_ptr<std::byte[], EndOfPlace> place_; // with all that is around it
    std::byte* memory_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t guard_ = 0;
};

} // namespace nestbed::cpu
