#include "device/cpu/guarded_pages.hpp"

#include <initializer_list>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace nestbed::cpu
{

namespace
{

// AddressSanitizer may still know these addresses as the stack of a fiber that has ended.
void forget_what_was_there([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

constexpr int kAccess = PROT_READ | PROT_WRITE;

} // namespace

GuardedPages GuardedPages::map(std::size_t bytes)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    GuardedPages made{.page_bytes = (bytes + page - 1) / page * page};
    const std::size_t whole_bytes = made.page_bytes + 2 * kMemoryGuardBytes;
    if (made.page_bytes < bytes || whole_bytes < bytes)
        throw std::bad_alloc();
    void* const whole = mmap(nullptr, whole_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED)
        throw std::bad_alloc();
    forget_what_was_there(whole, whole_bytes);
    made.pages = static_cast<unsigned char*>(whole) + kMemoryGuardBytes;
    if (made.page_bytes != 0 && !made.open()) {
        made.unmap();
        throw std::bad_alloc();
    }
    return made;
}

void GuardedPages::unmap() const
{
    munmap(guard_before(), page_bytes + 2 * kMemoryGuardBytes);
}

unsigned char* GuardedPages::last(std::size_t bytes, std::size_t alignment) const
{
    return pages + (page_bytes - bytes) / alignment * alignment;
}

bool GuardedPages::open_guard(const void* address) const
{
    return mprotect(address < pages ? guard_before() : guard_behind(), kMemoryGuardBytes, kAccess) == 0;
}

void GuardedPages::close_guards() const
{
    for (unsigned char* const guard : {guard_before(), guard_behind()}) {
        madvise(guard, kMemoryGuardBytes, MADV_DONTNEED);
        mprotect(guard, kMemoryGuardBytes, PROT_NONE);
    }
}

void GuardedPages::close() const
{
    madvise(guard_before(), page_bytes + 2 * kMemoryGuardBytes, MADV_DONTNEED);
    mprotect(guard_before(), page_bytes + 2 * kMemoryGuardBytes, PROT_NONE);
}

bool GuardedPages::open() const
{
    return mprotect(pages, page_bytes, kAccess) == 0;
}

} // namespace nestbed::cpu
