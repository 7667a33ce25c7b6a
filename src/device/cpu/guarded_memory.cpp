#include "device/cpu/guarded_memory.hpp"

#include "device/cpu/executor.hpp"
#include "device/cpu/observer.hpp"
#include "device/cpu/thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace nestbed::cpu
{

namespace
{

constexpr std::size_t kMinAlignment = 16;
constexpr unsigned char kGapByte = 0xFB; // between a guard and the memory, where there must be some bytes

struct Allocation {
    unsigned char* begin = nullptr;
    std::size_t bytes = 0;
    std::string name;
    GuardedPages pages;
    bool opened = false; // a guard has memory now

    std::string text() const
    {
        return name == "memory" ? fmt::format("an allocation of {} bytes", bytes)
                                : fmt::format("'{}', which has {} bytes", name, bytes);
    }
};

// An access to a guard: of what, and by which thread of a kernel.
struct Stray {
    const Allocation* allocation = nullptr;
    const unsigned char* address = nullptr;
    std::optional<std::array<dim3, 2>> thread; // its block and its index; empty: the host
};

// A signal handler takes this lock. The thread that it interrupts does not hold it: the functions that do use no memory of kernels.
class SpinLock
{
  public:
    void lock()
    {
        while (taken_.test_and_set(std::memory_order_acquire)) {
        }
    }
    void unlock() { taken_.clear(std::memory_order_release); }

  private:
    std::atomic_flag taken_;
};

class Guards
{
  public:
    void* allocate(std::size_t bytes, std::size_t alignment, std::string_view name)
    {
        Allocation made{.bytes = bytes, .name = std::string(name), .pages = GuardedPages::map(bytes)};
        made.begin = made.pages.last(bytes, std::max(alignment, kMinAlignment));
        std::memset(made.pages.pages, kGapByte, made.begin - made.pages.pages);
        std::memset(made.begin + bytes, kGapByte, made.pages.guard_behind() - made.begin - bytes);
        void* const begin = made.begin;
        const std::lock_guard lock(lock_);
        allocations_.emplace(made.pages.guard_before(), std::move(made));
        return begin;
    }

    void release(unsigned char* memory)
    {
        const std::lock_guard lock(lock_);
        const auto found = std::prev(allocations_.upper_bound(memory));
        if (stray_ && stray_->allocation == &found->second) // nobody has asked
            stray_.reset();
        found->second.pages.unmap();
        allocations_.erase(found);
    }

    // In a signal handler. Returns false of an address that is in no guard.
    bool open(const unsigned char* address)
    {
        const std::lock_guard lock(lock_);
        auto found = allocations_.upper_bound(const_cast<unsigned char*>(address)); // NOLINT(*-const-cast): a key
        if (found == allocations_.begin())
            return false;
        Allocation& allocation = std::prev(found)->second;
        if (!allocation.pages.is_guard(address) || !allocation.pages.open_guard(address))
            return false;
        allocation.opened = true;
        if (stray_)
            return true;
        stray_ = {.allocation = &allocation, .address = address};
        if (current_thread != nullptr)
            stray_->thread = {current_thread->block_index, current_thread->thread_index};
        return true;
    }

    // What was accessed outside of memory; empty: nothing. Closes the guards again.
    std::string taken_stray()
    {
        const std::lock_guard lock(lock_);
        std::string text;
        if (stray_)
            text = text_of(*stray_);
        stray_.reset();
        for (auto& [place, allocation] : allocations_) {
            if (const std::string written = written_gap(allocation); text.empty())
                text = written;
            if (allocation.opened)
                allocation.pages.close_guards();
            allocation.opened = false;
        }
        return text;
    }

  private:
    static std::string text_of(const Stray& stray)
    {
        const Allocation& of = *stray.allocation;
        const std::string who =
            stray.thread
                ? fmt::format("thread ({},{},{}) of block ({},{},{})", (*stray.thread)[1].x, (*stray.thread)[1].y,
                              (*stray.thread)[1].z, (*stray.thread)[0].x, (*stray.thread)[0].y, (*stray.thread)[0].z)
                : "the host";
        return fmt::format("{} accessed byte {} of {}", who, stray.address - of.begin, of.text());
    }

    // Writes what was overwritten again.
    static std::string written_gap(const Allocation& of)
    {
        constexpr std::size_t kMaxChecked = 64; // before it; the guard is up to a page away
        const auto is_written = [](unsigned char byte) { return byte != kGapByte; };
        unsigned char* const before = of.begin - std::min<std::size_t>(kMaxChecked, of.begin - of.pages.pages);
        unsigned char* const end = of.begin + of.bytes;
        std::string text;
        if (std::any_of(before, of.begin, is_written))
            text = fmt::format("a kernel or the host wrote just before {}", of.text());
        if (std::any_of(end, of.pages.guard_behind(), is_written))
            text = fmt::format("a kernel or the host wrote just behind {}", of.text());
        if (!text.empty()) {
            std::fill(before, of.begin, kGapByte);
            std::fill(end, of.pages.guard_behind(), kGapByte);
        }
        return text;
    }

    SpinLock lock_;
    std::map<unsigned char*, Allocation> allocations_; // by the begin of the guard before it
    std::optional<Stray> stray_;                       // the first one
};

Guards& guards()
{
    static Guards& of_process = *new Guards; // buffers may end after static objects
    return of_process;
}

struct sigaction handled_before {
}; // SIGSEGV

// The access that failed is done again when this returns.
void on_bad_access(int signal, siginfo_t* info, void* /*context*/)
{
    if (!opens_guard(info->si_addr))
        sigaction(signal, &handled_before, nullptr);
}

void handle_bad_accesses()
{
    static const int installed = [] {
        struct sigaction action {
        };
        action.sa_sigaction = on_bad_access;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        return sigaction(SIGSEGV, &action, &handled_before);
    }();
    static_cast<void>(installed);
}

} // namespace

void* allocate_guarded(std::size_t bytes, std::size_t alignment, std::string_view name)
{
    handle_bad_accesses();
    return guards().allocate(bytes, alignment, name);
}

void release_guarded(void* memory) noexcept
{
    guards().release(static_cast<unsigned char*>(memory));
}

bool opens_guard(const void* address)
{
    return guards().open(static_cast<const unsigned char*>(address));
}

void expect_accesses_inside()
{
    if (const std::string stray = guards().taken_stray(); !stray.empty())
        throw Fault(fmt::format("{}: an index is out of bounds{}", stray,
                                observer != nullptr ? "" : "; `nestbed races` of this case says where"));
}

} // namespace nestbed::cpu
