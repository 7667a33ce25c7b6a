// What the rewriter puts in place of malloc(), free(), new and delete in device code. On the host they are what they were.
#pragma once

#include "launch.hpp"

namespace nestbed::program
{

// For reports.
struct AllocatedMemory {
    std::size_t element_bytes;
    const char* name;
    Place place;
};

template <class T>
struct Allocated : AllocatedMemory {
    explicit Allocated(const char* of_report = "memory of a kernel", const char* file = __builtin_FILE(),
                       unsigned line = __builtin_LINE())
        : AllocatedMemory{kElementBytes<T>, of_report, {file, line}}
    {
    }
};

// nullptr: cudaLimitMallocHeapSize leaves no room.
void* kernel_malloc(std::size_t bytes, const AllocatedMemory& of);
// `place`: the address after the call; nullptr: that of this one.
void kernel_free(void* memory, const void* place = nullptr);
// The address after its call.
const void* code_here();
void* kernel_new(std::size_t bytes, std::size_t alignment, const AllocatedMemory& of) noexcept;

// `delete p` is `KernelDelete{code_here()} ->* p`, and `delete[] p` the same with an array: no other operator binds closer to what is on its right.
struct KernelDelete {
    const void* place;
};
struct KernelDeleteArray {
    const void* place;
};

template <class T>
void operator->*(KernelDelete at, T* object)
{
    if (!cpu::in_kernel())
        return delete object;
    if (object == nullptr)
        return;
    const void* begin = object;
    if constexpr (std::is_polymorphic<T>::value)
        begin = dynamic_cast<const void*>(object);
    if constexpr (!std::is_void<T>::value)
        object->~T();
    kernel_free(const_cast<void*>(begin), at.place);
}

// The count is before the objects, as g++ puts it there (Itanium C++ ABI, "Array Operator new Cookies").
template <class T>
void operator->*(KernelDeleteArray at, T* array)
{
    using Object = std::remove_all_extents_t<T>;
    if (!cpu::in_kernel())
        return delete[] array;
    if (array == nullptr)
        return;
    auto* const bytes =
        reinterpret_cast<char*>(const_cast<std::remove_cv_t<Object>*>(reinterpret_cast<Object*>(array)));
    if constexpr (std::is_trivially_destructible<Object>::value) {
        kernel_free(bytes, at.place);
    } else {
        std::size_t count = 0;
        std::memcpy(&count, bytes - sizeof count, sizeof count);
        while (count-- > 0)
            reinterpret_cast<Object*>(array)[count].~Object();
        kernel_free(bytes - (alignof(Object) > sizeof count ? alignof(Object) : sizeof count), at.place);
    }
}

} // namespace nestbed::program

// NOLINTBEGIN: operators of C++
inline void* operator new(std::size_t bytes, const nestbed::program::AllocatedMemory& of) noexcept
{
    return nestbed::program::kernel_new(bytes, 0, of);
}
inline void* operator new[](std::size_t bytes, const nestbed::program::AllocatedMemory& of) noexcept
{
    return nestbed::program::kernel_new(bytes, 0, of);
}
inline void* operator new(std::size_t bytes, std::align_val_t alignment,
                          const nestbed::program::AllocatedMemory& of) noexcept
{
    return nestbed::program::kernel_new(bytes, static_cast<std::size_t>(alignment), of);
}
inline void* operator new[](std::size_t bytes, std::align_val_t alignment,
                            const nestbed::program::AllocatedMemory& of) noexcept
{
    return nestbed::program::kernel_new(bytes, static_cast<std::size_t>(alignment), of);
}
// NOLINTEND
