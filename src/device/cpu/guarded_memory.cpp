#include "device/cpu/guarded_memory.hpp"

#include "device/cpu/executor.hpp"
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
#include <new>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace nestbed::cpu
{

namespace
{

constexpr std::size_t kLeastAlignment = 16;
constexpr unsigned char kGapByte = 0xFB; // between a guard and the memory, where there must be some bytes

struct Allocation {
    unsigned char* begin = nullptr;
    std::size_t bytes = 0;
    std::string name;
    unsigned char* pages = nullptr; // from here to the guard behind it
    std::size_t page_bytes = 0;
    bool opened = false; // a guard has memory now

    unsigned char* guard_behind() const { return pages + page_bytes; }
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

// AddressSanitizer may still know these addresses as the stack of a fiber that has ended.
void forget_what_was_there([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

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
        Allocation made{.bytes = bytes, .name = std::string(name)};
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        made.page_bytes = (bytes + page - 1) / page * page;
        if (made.page_bytes < bytes)
            throw std::bad_alloc();
        void* const whole =
            mmap(nullptr, made.page_bytes + 2 * kMemoryGuardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (whole == MAP_FAILED)
            throw std::bad_alloc();
        forget_what_was_there(whole, made.page_bytes + 2 * kMemoryGuardBytes);
        made.pages = static_cast<unsigned char*>(whole) + kMemoryGuardBytes;
        if (made.page_bytes != 0 && mprotect(made.pages, made.page_bytes, PROT_READ | PROT_WRITE) != 0) {
            munmap(whole, made.page_bytes + 2 * kMemoryGuardBytes);
            throw std::bad_alloc();
        }
        const std::size_t before =
            (made.page_bytes - bytes) / std::max(alignment, kLeastAlignment) * std::max(alignment, kLeastAlignment);
        made.begin = made.pages + before;
        std::memset(made.pages, kGapByte, before);
        std::memset(made.begin + bytes, kGapByte, made.page_bytes - before - bytes);
        void* const begin = made.begin;
        const std::lock_guard lock(lock_);
        allocations_.emplace(made.pages - kMemoryGuardBytes, std::move(made));
        return begin;
    }

    void release(unsigned char* memory)
    {
        const std::lock_guard lock(lock_);
        const auto found = std::prev(allocations_.upper_bound(memory));
        if (stray_ && stray_->allocation == &found->second) // nobody has asked
            stray_.reset();
        munmap(found->first, found->second.page_bytes + 2 * kMemoryGuardBytes);
        allocations_.erase(found);
    }

    // In a signal handler. Returns false of an address that is in no guard.
    bool open(unsigned char* address)
    {
        const std::lock_guard lock(lock_);
        auto found = allocations_.upper_bound(address);
        if (found == allocations_.begin())
            return false;
        Allocation& allocation = std::prev(found)->second;
        const bool is_before = address < allocation.pages;
        if (!is_before &&
            (address < allocation.guard_behind() || address >= allocation.guard_behind() + kMemoryGuardBytes))
            return false;
        if (mprotect(is_before ? allocation.pages - kMemoryGuardBytes : allocation.guard_behind(), kMemoryGuardBytes,
                     PROT_READ | PROT_WRITE) != 0)
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
                for (unsigned char* guard : {allocation.pages - kMemoryGuardBytes, allocation.guard_behind()}) {
                    madvise(guard, kMemoryGuardBytes, MADV_DONTNEED);
                    mprotect(guard, kMemoryGuardBytes, PROT_NONE);
                }
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
        unsigned char* const before = of.begin - std::min<std::size_t>(kMaxChecked, of.begin - of.pages);
        unsigned char* const end = of.begin + of.bytes;
        std::string text;
        if (std::any_of(before, of.begin, is_written))
            text = fmt::format("a kernel or the host wrote just before {}", of.text());
        if (std::any_of(end, of.guard_behind(), is_written))
            text = fmt::format("a kernel or the host wrote just behind {}", of.text());
        if (!text.empty()) {
            std::fill(before, of.begin, kGapByte);
            std::fill(end, of.guard_behind(), kGapByte);
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
    if (!guards().open(static_cast<unsigned char*>(info->si_addr)))
        sigaction(signal, &handled_before, nullptr);
}

void handle_bad_accesses()
{
    static const bool installed = [] {
        struct sigaction action {
        };
        action.sa_sigaction = on_bad_access;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        return sigaction(SIGSEGV, &action, &handled_before) == 0;
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

void expect_accesses_inside()
{
    if (const std::string stray = guards().taken_stray(); !stray.empty())
        throw Fault(fmt::format("{}: an index is out of bounds; `nestbed races` of this case says where", stray));
}

} // namespace nestbed::cpu
