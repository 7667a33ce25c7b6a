#include "device/cpu/shared_place.hpp"

#include "device/cpu/executor.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace nestbed::cpu
{

namespace
{

// Addresses that take memory where something is written alone: a place has many more than it needs. Its guards are as long as those of the
// device's memory. Places are beside each other, between margins without memory: whatever a wrong index of 32 bits reaches is no memory of
// anything else.
constexpr std::size_t kGuardBytes = 16UL * 1024 * 1024;
constexpr std::size_t kPlaceBytes = (kMaxSharedBytes + 4095) / 4096 * 4096 + 2 * kGuardBytes;
constexpr std::size_t kPlaces = 1UL << 15U; // about as many as there can be stacks, and so blocks
constexpr std::size_t kMarginBytes = std::size_t{1} << 34U;
constexpr std::size_t kAreaBytes = kPlaces * kPlaceBytes + 2 * kMarginBytes;

constinit std::atomic<std::uintptr_t> area_begin = 0; // 0: there is none

// Mapping takes as long as hundreds of accesses, so that places are kept.
class Pool
{
  public:
    // nullptr: there are no addresses for another one, as by `ulimit -v`.
    std::byte* take()
    {
        const std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            std::byte* const place = free_.back();
            free_.pop_back();
            return place;
        }
        if (area_begin == 0 && !map())
            return nullptr;
        if (next_ == end_ || mprotect(next_, kPlaceBytes, PROT_READ | PROT_WRITE) != 0)
            return nullptr;
        return std::exchange(next_, next_ + kPlaceBytes);
    }

    void put(std::byte* place)
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(place);
    }

  private:
    bool map()
    {
        void* const area = mmap(nullptr, kAreaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (area == MAP_FAILED)
            return false;
        madvise(area, kAreaBytes, MADV_NOHUGEPAGE); // a variable of 4 bytes would take 2 MB
        area_begin = reinterpret_cast<std::uintptr_t>(area);
        next_ = static_cast<std::byte*>(area) + kMarginBytes;
        end_ = next_ + kPlaces * kPlaceBytes;
        return true;
    }

    std::mutex mutex_;
    std::vector<std::byte*> free_;
    std::byte* next_ = nullptr; // the next place that nobody has had
    std::byte* end_ = nullptr;
};

Pool& pool()
{
    static Pool& of_process = *new Pool; // blocks may end after static objects
    return of_process;
}

} // namespace

bool is_near_shared_places(std::uintptr_t address)
{
    const std::uintptr_t begin = area_begin.load(std::memory_order_relaxed);
    return begin != 0 && address - begin < kAreaBytes;
}

void EndOfPlace::operator()(std::byte* place) const
{
    if (of_heap)
        std::default_delete<std::byte[]>()(place);
    else
        pool().put(place);
}

SharedPlace::SharedPlace(std::size_t bytes) : bytes_(bytes)
{
    if (std::byte* const place = pool().take()) {
        place_.reset(place);
        guard_ = kGuardBytes;
    } else {
        guard_ = kSharedPoisonBytes;
        place_ = {std::make_unique_for_overwrite<std::byte[]>(bytes + 2 * guard_).release(), EndOfPlace{true}};
    }
    memory_ = place_.get() + guard_;
    constexpr int kPoison = 0xFF; // NaN as a float
    std::memset(memory_ - kSharedPoisonBytes, kPoison, bytes + 2 * kSharedPoisonBytes);
}

} // namespace nestbed::cpu
