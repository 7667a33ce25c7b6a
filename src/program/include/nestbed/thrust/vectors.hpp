// Thrust's vectors, and copies between them.
#pragma once

#include "elements.hpp"

#include <initializer_list>
#include <vector>

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

// ---- copies ----

namespace own
{
template <class Input, class Output>
Output copy(const char* name, Place place, const Policy& policy, Input first, Input last, Output to)
{
    if constexpr (is_of_device<Input> && !is_of_device<Output>) {
        std::vector<typename std::iterator_traits<Input>::value_type> values(
            static_cast<std::size_t>(last - first)); // vector<bool> has no elements of its own
        call_each<Copy<Range>>(name, place, device.on(policy.stream), raw(first), raw(last), values.begin());
        wait(name, policy);
        return std::copy(values.begin(), values.end(), to);
    } else if constexpr (!is_of_device<Input> && is_of_device<Output>) {
        if (policy.on_device) { // raw pointers
            each<Copy<Range>>(name, place, policy, first, last, to);
            return to + (last - first);
        }
        const std::vector<typename std::iterator_traits<Input>::value_type> values(first, last);
        call_each<Copy<Range>>(name, place, device.on(policy.stream), values.begin(), values.end(), raw(to));
        wait(name, policy);
        return to + static_cast<std::ptrdiff_t>(values.size());
    } else if constexpr (is_of_device<Input>) {
        return each<Copy<Range>>(name, place, policy, first, last, to);
    } else {
        if (!policy.on_device || nestbed::cpu::in_kernel())
            return std::copy(first, last, to);
        if constexpr (std::is_convertible<typename std::iterator_traits<Output>::iterator_category,
                                          std::random_access_iterator_tag>::value)
            return each<Copy<Range>>(name, place, policy, first, last, to);
        else
            throw system_error(cudaErrorInvalidValue, name);
    }
}
} // namespace own

#define NESTBED_COPY(name)                                                                                           \
    template <class Input, class Output>                                                                             \
    Output name(Input first, Input last, Output to, const char* file = __builtin_FILE(),                             \
                unsigned line = __builtin_LINE())                                                                    \
    {                                                                                                                \
        constexpr own::Policy policy = own::is_of_device<Input> && own::is_of_device<Output> ? device : host;        \
        return own::copy("thrust::" #name, {file, line}, policy, first, last, to);                                   \
    }                                                                                                                \
    template <class Input, class Output>                                                                             \
    Output name(const own::Policy& policy, Input first, Input last, Output to, const char* file = __builtin_FILE(),  \
                unsigned line = __builtin_LINE())                                                                    \
    {                                                                                                                \
        return own::copy("thrust::" #name, {file, line}, policy, first, last, to);                                   \
    }                                                                                                                \
    template <class Input, class Count, class Output>                                                                \
    Output name##_n(Input first, Count count, Output to, const char* file = __builtin_FILE(),                        \
                    unsigned line = __builtin_LINE())                                                                \
    {                                                                                                                \
        return thrust::name(first, std::next(first, static_cast<std::ptrdiff_t>(count)), to, file, line);            \
    }                                                                                                                \
    template <class Input, class Count, class Output>                                                                \
    Output name##_n(const own::Policy& policy, Input first, Count count, Output to,                                  \
                    const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())                           \
    {                                                                                                                \
        return thrust::name(policy, first, std::next(first, static_cast<std::ptrdiff_t>(count)), to, file, line);    \
    }
NESTBED_COPY(copy)
NESTBED_COPY(uninitialized_copy)
#undef NESTBED_COPY

// ---- vectors ----

template <class T>
class device_allocator
{
  public:
    using value_type = T;
};
template <class T>
using device_malloc_allocator = device_allocator<T>;

struct default_init_t {
};
inline constexpr default_init_t default_init{};
struct no_init_t {
};
inline constexpr no_init_t no_init{};

// Memory of cudaMalloc().
template <class T, class Allocator = device_allocator<T>>
class device_vector
{
  public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;
    using pointer = device_ptr<T>;
    using const_pointer = device_ptr<const T>;
    using reference = device_reference<T>;
    using const_reference = device_reference<const T>;
    using reverse_iterator = thrust::reverse_iterator<iterator>;
    using const_reverse_iterator = thrust::reverse_iterator<const_iterator>;

    device_vector() = default;
    explicit device_vector(std::size_t count, const T& value = T()) { insert(end(), count, value); }
    device_vector(std::size_t count, default_init_t) { resize_uninitialized(count); }
    device_vector(std::size_t count, no_init_t) { resize_uninitialized(count); }
    template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    device_vector(Iterator first, Iterator last)
    {
        insert(end(), first, last);
    }
    device_vector(std::initializer_list<T> values) : device_vector(values.begin(), values.end()) {}
    device_vector(const device_vector& other) : device_vector(other.begin(), other.end()) {}
    device_vector(device_vector&& other) noexcept { swap(other); }
    template <class Other, class OtherAllocator>
    device_vector(const std::vector<Other, OtherAllocator>& other) : device_vector(other.begin(), other.end())
    {
    }
    template <class Other, class OtherAllocator>
    explicit device_vector(const device_vector<Other, OtherAllocator>& other)
        : device_vector(other.begin(), other.end())
    {
    }
    device_vector& operator=(const device_vector& other)
    {
        if (this != &other)
            assign(other.begin(), other.end());
        return *this;
    }
    device_vector& operator=(device_vector&& other) noexcept
    {
        swap(other);
        return *this;
    }
    template <class Other, class OtherAllocator>
    device_vector& operator=(const std::vector<Other, OtherAllocator>& other)
    {
        assign(other.begin(), other.end());
        return *this;
    }
    device_vector& operator=(std::initializer_list<T> values)
    {
        assign(values.begin(), values.end());
        return *this;
    }
    ~device_vector() { cudaFree(data_); }

    operator std::vector<T>() const
    {
        std::vector<T> values(size_);
        thrust::copy(begin(), end(), values.begin());
        return values;
    }
    iterator begin() { return iterator(data_); }
    iterator end() { return begin() + static_cast<std::ptrdiff_t>(size_); }
    const_iterator begin() const { return const_iterator(data_); }
    const_iterator end() const { return begin() + static_cast<std::ptrdiff_t>(size_); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
    pointer data() { return pointer(data_); }
    const_pointer data() const { return const_pointer(data_); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    reference operator[](std::size_t at) { return reference(data_ + at); }
    const_reference operator[](std::size_t at) const { return const_reference(data_ + at); }
    reference front() { return reference(data_); }
    const_reference front() const { return const_reference(data_); }
    reference back() { return reference(data_ + size_ - 1); }
    const_reference back() const { return const_reference(data_ + size_ - 1); }

    void reserve(std::size_t count)
    {
        if (count > capacity_)
            move_to(count);
    }
    void shrink_to_fit() { move_to(size_); }
    void resize(std::size_t count, const T& value = T())
    {
        if (count > size_)
            insert(end(), count - size_, value);
        size_ = count;
    }
    void resize(std::size_t count, default_init_t) { resize_uninitialized(count); }
    void resize(std::size_t count, no_init_t) { resize_uninitialized(count); }
    void clear() { size_ = 0; }
    void push_back(const T& value) { insert(end(), 1, value); }
    template <class... Arguments>
    void emplace_back(Arguments&&... arguments)
    {
        push_back(T(std::forward<Arguments>(arguments)...));
    }
    void pop_back() { --size_; }
    iterator erase(iterator at) { return erase(at, at + 1); }
    iterator erase(iterator first, iterator last)
    {
        const std::vector<T> behind = values(last, end());
        thrust::copy(behind.begin(), behind.end(), first);
        size_ = static_cast<std::size_t>(first - begin()) + behind.size();
        return first;
    }
    iterator insert(iterator at, const T& value) { return insert(at, 1, value); }
    iterator insert(iterator at, std::size_t count, const T& value)
    {
        const iterator to = make_room(at, count);
        thrust::fill_n(to, count, value);
        return to;
    }
    template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    iterator insert(iterator at, Iterator first, Iterator last)
    {
        const iterator to = make_room(at, static_cast<std::size_t>(std::distance(first, last)));
        thrust::copy(first, last, to);
        return to;
    }
    void assign(std::size_t count, const T& value)
    {
        clear();
        insert(end(), count, value);
    }
    template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    void assign(Iterator first, Iterator last)
    {
        device_vector other;
        other.insert(other.end(), first, last); // which may be of this vector
        if (other.size_ > capacity_)
            return swap(other);
        size_ = other.size_;
        thrust::copy(other.begin(), other.end(), begin());
    }
    void swap(device_vector& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    friend void swap(device_vector& left, device_vector& right) { left.swap(right); }

  private:
    static std::vector<T> values(const_iterator first, const_iterator last)
    {
        std::vector<T> copied(static_cast<std::size_t>(last - first));
        thrust::copy(first, last, copied.begin());
        return copied;
    }
    void move_to(std::size_t count)
    {
        device_vector other;
        other.allocate(count);
        thrust::copy(begin(), end(), other.begin());
        other.size_ = size_;
        swap(other);
    }
    void allocate(std::size_t count)
    {
        capacity_ = count;
        if (count > 0 && nestbed::program::allocate((void**)&data_, count * sizeof(T),
                                                    nestbed::program::kElementBytes<T>, "thrust::device_vector",
                                                    {"", 0}, nestbed::program::MemoryKind::device) != cudaSuccess)
            throw std::bad_alloc();
    }
    void resize_uninitialized(std::size_t count)
    {
        reserve(count);
        size_ = count;
    }
    iterator make_room(iterator at, std::size_t count)
    {
        const std::ptrdiff_t place = at - begin();
        const std::vector<T> behind = values(at, end());
        if (size_ + count > capacity_)
            move_to(size_ == 0 ? count : std::max(size_ + count, 2 * capacity_));
        size_ += count;
        thrust::copy(behind.begin(), behind.end(), begin() + place + static_cast<std::ptrdiff_t>(count));
        return begin() + place;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

template <class T, class Allocator = std::allocator<T>>
class host_vector : public std::vector<T, Allocator>
{
  public:
    using std::vector<T, Allocator>::vector;
    using std::vector<T, Allocator>::operator=;
    host_vector() = default;
    template <class Other, class OtherAllocator>
    host_vector(const device_vector<Other, OtherAllocator>& other) : std::vector<T, Allocator>(other.size())
    {
        thrust::copy(other.begin(), other.end(), this->begin());
    }
    template <class Pointed>
    host_vector(device_ptr<Pointed> first, device_ptr<Pointed> last)
        : std::vector<T, Allocator>(static_cast<std::size_t>(last - first))
    {
        thrust::copy(first, last, this->begin());
    }
    template <class Other, class OtherAllocator>
    host_vector(const std::vector<Other, OtherAllocator>& other)
        : std::vector<T, Allocator>(other.begin(), other.end())
    {
    }
    template <class Other, class OtherAllocator>
    host_vector& operator=(const device_vector<Other, OtherAllocator>& other)
    {
        this->resize(other.size());
        thrust::copy(other.begin(), other.end(), this->begin());
        return *this;
    }
};
template <class Left, class Right>
bool operator==(const device_vector<Left>& left, const device_vector<Right>& right)
{
    return std::vector<Left>(left) == std::vector<Right>(right);
}
template <class Left, class Right>
bool operator!=(const device_vector<Left>& left, const device_vector<Right>& right)
{
    return !(left == right);
}
template <class Left, class Right, class Allocator>
bool operator==(const std::vector<Left, Allocator>& left, const device_vector<Right>& right)
{
    return left == std::vector<Left, Allocator>(host_vector<Right>(right));
}
template <class Left, class Right, class Allocator>
bool operator==(const device_vector<Left>& left, const std::vector<Right, Allocator>& right)
{
    return right == left;
}

// Memory of cudaMallocManaged() and cudaMallocHost(), for vectors of the host.
template <class T, bool is_managed>
class host_memory_allocator
{
  public:
    using value_type = T;
    host_memory_allocator() = default;
    template <class Other>
    host_memory_allocator(const host_memory_allocator<Other, is_managed>&)
    {
    }
    template <class Other>
    struct rebind {
        using other = host_memory_allocator<Other, is_managed>;
    };
    T* allocate(std::size_t count)
    {
        void* memory = nullptr;
        if ((is_managed ? cudaMallocManaged(&memory, count * sizeof(T))
                        : cudaMallocHost(&memory, count * sizeof(T))) != cudaSuccess)
            throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { is_managed ? cudaFree(memory) : cudaFreeHost(memory); }
    bool operator==(const host_memory_allocator&) const { return true; }
    bool operator!=(const host_memory_allocator&) const { return false; }
};
template <class T>
using universal_vector = host_vector<T, host_memory_allocator<T, true>>;
template <class T>
using universal_host_pinned_vector = host_vector<T, host_memory_allocator<T, false>>;
namespace system::cuda::experimental
{
template <class T>
using pinned_allocator = host_memory_allocator<T, false>;
} // namespace system::cuda::experimental
namespace cuda::experimental
{
template <class T>
using pinned_allocator = host_memory_allocator<T, false>;
} // namespace cuda::experimental

namespace own
{
// Algorithms of managed memory run on the device.
template <class T>
struct Raw<__gnu_cxx::__normal_iterator<
    T*, std::vector<std::remove_const_t<T>, host_memory_allocator<std::remove_const_t<T>, true>>>> {
    using Iterator = __gnu_cxx::__normal_iterator<
        T*, std::vector<std::remove_const_t<T>, host_memory_allocator<std::remove_const_t<T>, true>>>;
    static constexpr bool is_of_device = true;
    static T* of(const Iterator& iterator) { return iterator.base(); }
};
} // namespace own

} // namespace thrust
// NOLINTEND
