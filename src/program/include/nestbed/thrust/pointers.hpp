// Pointers and references of Thrust to memory of the device. On the host each access is a copy, as with Thrust.
#pragma once

#include "functional.hpp"

#include <iostream>
#include <new>
#include <stdexcept>

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

class system_error : public std::runtime_error
{
  public:
    system_error(cudaError_t error, const std::string& what)
        : std::runtime_error(what + ": " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error)), error_(error)
    {
    }
    cudaError_t code() const { return error_; }

  private:
    cudaError_t error_;
};
namespace system
{
using thrust::system_error;
} // namespace system

namespace own
{
inline void check(cudaError_t error, const char* what)
{
    if (error != cudaSuccess)
        throw system_error(error, what);
}
} // namespace own

template <class T>
class device_ptr;

template <class T>
class device_reference
{
  public:
    using value_type = std::remove_cv_t<T>;
    using pointer = device_ptr<T>;

    explicit device_reference(T* at) : at_(at) {}
    device_reference(const device_reference&) = default;
    operator value_type() const
    {
        if (nestbed::cpu::in_kernel())
            return *at_;
        alignas(T) unsigned char bytes[sizeof(T)];
        own::check(cudaMemcpy(bytes, at_, sizeof(T), cudaMemcpyDeviceToHost), "thrust::device_reference");
        return *reinterpret_cast<const value_type*>(bytes);
    }
    // As of a reference: what it refers to changes.
    const device_reference& operator=(const value_type& value) const
    {
        if (nestbed::cpu::in_kernel())
            *at_ = value;
        else
            own::check(cudaMemcpy(at_, std::addressof(value), sizeof(T), cudaMemcpyHostToDevice),
                       "thrust::device_reference");
        return *this;
    }
    const device_reference& operator=(const device_reference& other) const { return *this = value_type(other); }
    template <class Other>
    const device_reference& operator=(const device_reference<Other>& other) const
    {
        return *this = static_cast<value_type>(typename device_reference<Other>::value_type(other));
    }
    pointer operator&() const { return pointer(at_); }
#define NESTBED_ASSIGNING(symbol)                                                                                    \
    template <class Other>                                                                                           \
    const device_reference& operator symbol##=(const Other& by) const                                                \
    {                                                                                                                \
        value_type value = *this;                                                                                    \
        value symbol## = by;                                                                                         \
        return *this = value;                                                                                        \
    }
    NESTBED_ASSIGNING(+)
    NESTBED_ASSIGNING(-)
    NESTBED_ASSIGNING(*)
    NESTBED_ASSIGNING(/)
    NESTBED_ASSIGNING(%)
    NESTBED_ASSIGNING(&)
    NESTBED_ASSIGNING(|)
    NESTBED_ASSIGNING(^)
    NESTBED_ASSIGNING(<<)
    NESTBED_ASSIGNING(>>)
#undef NESTBED_ASSIGNING
    const device_reference& operator++() const
    {
        return *this += 1;
    }
    const device_reference& operator--() const
    {
        return *this -= 1;
    }
    value_type operator++(int) const
    {
        const value_type before = *this;
        *this += 1;
        return before;
    }
    value_type operator--(int) const
    {
        const value_type before = *this;
        *this -= 1;
        return before;
    }
    friend void swap(device_reference left, device_reference right)
    {
        const value_type value = left;
        left = right;
        right = value;
    }
    template <class Stream, class = decltype(std::declval<Stream&>().rdbuf())>
    friend Stream& operator<<(Stream& stream, const device_reference& of)
    {
        stream << static_cast<value_type>(of);
        return stream;
    }

  private:
    T* at_;
};

template <class T>
class device_ptr
{
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = device_ptr;
    using reference = device_reference<T>;
    using raw_pointer = T*;

    device_ptr() = default;
    device_ptr(std::nullptr_t) {}
    explicit device_ptr(T* pointer) : pointer_(pointer) {}
    template <class Other, class = std::enable_if_t<std::is_convertible<Other*, T*>::value>>
    device_ptr(const device_ptr<Other>& other) : pointer_(other.get())
    {
    }
    T* get() const { return pointer_; }
    reference operator*() const { return reference(pointer_); }
    reference operator[](std::ptrdiff_t at) const { return reference(pointer_ + at); }
    explicit operator bool() const { return pointer_ != nullptr; }
    device_ptr& operator++() { return *this += 1; }
    device_ptr& operator--() { return *this += -1; }
    device_ptr operator++(int)
    {
        ++pointer_;
        return device_ptr(pointer_ - 1);
    }
    device_ptr operator--(int)
    {
        --pointer_;
        return device_ptr(pointer_ + 1);
    }
    device_ptr& operator+=(std::ptrdiff_t by)
    {
        pointer_ += by;
        return *this;
    }
    device_ptr& operator-=(std::ptrdiff_t by) { return *this += -by; }
    friend device_ptr operator+(device_ptr of, std::ptrdiff_t by) { return of += by; }
    friend device_ptr operator+(std::ptrdiff_t by, device_ptr of) { return of += by; }
    friend device_ptr operator-(device_ptr of, std::ptrdiff_t by) { return of -= by; }

  private:
    T* pointer_ = nullptr;
};
#define NESTBED_COMPARISON(type, symbol)                                                                             \
    template <class Left, class Right>                                                                               \
    type operator symbol(device_ptr<Left> left, device_ptr<Right> right)                                             \
    {                                                                                                                \
        return left.get() symbol right.get();                                                                        \
    }
NESTBED_COMPARISON(std::ptrdiff_t, -)
NESTBED_COMPARISON(bool, ==)
NESTBED_COMPARISON(bool, !=)
NESTBED_COMPARISON(bool, <)
NESTBED_COMPARISON(bool, >)
NESTBED_COMPARISON(bool, <=)
NESTBED_COMPARISON(bool, >=)
#undef NESTBED_COMPARISON

template <class T>
device_ptr<T> device_pointer_cast(T* pointer)
{
    return device_ptr<T>(pointer);
}
template <class T>
device_ptr<T> device_pointer_cast(device_ptr<T> pointer)
{
    return pointer;
}
template <class T>
T* raw_pointer_cast(T* pointer)
{
    return pointer;
}
template <class T>
T* raw_pointer_cast(device_ptr<T> pointer)
{
    return pointer.get();
}
template <class T>
T& raw_reference_cast(device_reference<T> of)
{
    return *(&of).get();
}
template <class T>
T& raw_reference_cast(T& of)
{
    return of;
}

template <class T>
device_ptr<T> device_malloc(std::size_t count, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    void* memory = nullptr;
    if (nestbed::program::allocate(&memory, count * sizeof(T), nestbed::program::kElementBytes<T>,
                                   "thrust::device_malloc", {file, line},
                                   nestbed::program::MemoryKind::device) != cudaSuccess)
        throw std::bad_alloc();
    return device_ptr<T>(static_cast<T*>(memory));
}
// Of bytes.
inline device_ptr<void> device_malloc(std::size_t bytes, const char* file = __builtin_FILE(),
                                      unsigned line = __builtin_LINE())
{
    return device_ptr<void>(device_malloc<unsigned char>(bytes, file, line).get());
}
template <class T>
void device_free(device_ptr<T> memory)
{
    own::check(cudaFree(const_cast<std::remove_cv_t<T>*>(memory.get())), "thrust::device_free");
}
template <class T>
device_ptr<T> device_new(std::size_t count = 1, const T& value = T())
{
    const device_ptr<T> memory = device_malloc<T>(count);
    for (std::size_t at = 0; at < count; ++at)
        memory[static_cast<std::ptrdiff_t>(at)] = value;
    return memory;
}
template <class T>
void device_delete(device_ptr<T> memory, std::size_t = 1)
{
    device_free(memory);
}

} // namespace thrust
// NOLINTEND
