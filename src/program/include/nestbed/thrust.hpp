// The part of Thrust with which programs prepare their data: vectors, random numbers, tuples and a few algorithms, all
// of which run on the host, in order. Other headers of Thrust are errors.
#pragma once

#include "program.hpp"
#include "thrust_random.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <numeric>
#include <tuple>
#include <vector>

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

template <class... T>
using tuple = std::tuple<T...>;
template <class... T>
tuple<T...> make_tuple(T... values)
{
    return tuple<T...>(values...);
}
using std::get;
using std::tie;
template <class First, class Second>
using pair = std::pair<First, Second>;
using std::make_pair;

// A pointer to memory of the device. The host may follow it here, too.
template <class T>
class device_ptr
{
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    device_ptr() = default;
    explicit device_ptr(T* pointer) : pointer_(pointer) {}
    T* get() const { return pointer_; }
    T& operator*() const { return *pointer_; }
    T* operator->() const { return pointer_; }
    T& operator[](std::ptrdiff_t at) const { return pointer_[at]; }
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
    friend device_ptr operator-(device_ptr of, std::ptrdiff_t by) { return of -= by; }
    friend std::ptrdiff_t operator-(device_ptr left, device_ptr right) { return left.pointer_ - right.pointer_; }
    friend bool operator==(device_ptr left, device_ptr right) { return left.pointer_ == right.pointer_; }
    friend bool operator!=(device_ptr left, device_ptr right) { return left.pointer_ != right.pointer_; }
    friend bool operator<(device_ptr left, device_ptr right) { return left.pointer_ < right.pointer_; }
    friend bool operator>(device_ptr left, device_ptr right) { return right < left; }
    friend bool operator<=(device_ptr left, device_ptr right) { return !(right < left); }
    friend bool operator>=(device_ptr left, device_ptr right) { return !(left < right); }

  private:
    T* pointer_ = nullptr;
};
template <class T>
device_ptr<T> device_pointer_cast(T* pointer)
{
    return device_ptr<T>(pointer);
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
using host_vector = std::vector<T>;

// Memory of cudaMalloc(). The host reads and writes it directly.
template <class T>
class device_vector
{
  public:
    using value_type = T;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;
    using pointer = device_ptr<T>;
    using reference = T&;

    device_vector() = default;
    explicit device_vector(std::size_t count, const T& value = T())
    {
        allocate(count);
        std::fill(begin(), end(), value);
        written();
    }
    template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    device_vector(Iterator first, Iterator last)
    {
        assign(first, last);
    }
    device_vector(const device_vector& other) { assign(other.begin(), other.end()); }
    device_vector(const std::vector<T>& other) { assign(other.begin(), other.end()); }
    device_vector(device_vector&& other) noexcept { swap(other); }
    device_vector& operator=(const device_vector& other)
    {
        if (this != &other)
            assign(other.begin(), other.end());
        return *this;
    }
    device_vector& operator=(const std::vector<T>& other)
    {
        assign(other.begin(), other.end());
        return *this;
    }
    device_vector& operator=(device_vector&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~device_vector() { cudaFree(data_); }

    operator std::vector<T>() const { return std::vector<T>(begin(), end()); }
    iterator begin() { return iterator(data_); }
    iterator end() { return begin() + static_cast<std::ptrdiff_t>(size_); }
    const_iterator begin() const { return const_iterator(data_); }
    const_iterator end() const { return begin() + static_cast<std::ptrdiff_t>(size_); }
    iterator data() { return begin(); }
    const_iterator data() const { return begin(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t at) { return data_[at]; }
    const T& operator[](std::size_t at) const { return data_[at]; }
    T& front() { return data_[0]; }
    T& back() { return data_[size_ - 1]; }
    void resize(std::size_t count, const T& value = T())
    {
        device_vector larger(count, value);
        std::copy(begin(), begin() + static_cast<std::ptrdiff_t>(std::min(size_, count)), larger.begin());
        swap(larger);
    }
    void clear() { resize(0); }
    void swap(device_vector& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }
    template <class Iterator>
    void assign(Iterator first, Iterator last)
    {
        device_vector copied;
        copied.allocate(static_cast<std::size_t>(std::distance(first, last)));
        std::copy(first, last, copied.begin());
        copied.written();
        swap(copied);
    }

  private:
    void allocate(std::size_t count)
    {
        size_ = count;
        if (count > 0 && nestbed::program::allocate((void**)&data_, count * sizeof(T),
                                                    nestbed::program::kElementBytes<T>, "thrust::device_vector",
                                                    {"", 0}, nestbed::program::MemoryKind::container) != cudaSuccess)
            throw std::bad_alloc();
    }
    // Tells the race detector that the memory has values.
    void written()
    {
        if (size_ > 0)
            cudaMemcpy(data_, data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <class... Iterators>
class zip_iterator
{
  public:
    using iterator_category = std::random_access_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using reference = std::tuple<typename std::iterator_traits<Iterators>::reference...>;
    using value_type = std::tuple<typename std::iterator_traits<Iterators>::value_type...>;
    using pointer = void;

    explicit zip_iterator(std::tuple<Iterators...> iterators) : iterators_(iterators) {}
    reference operator*() const
    {
        return std::apply([](const Iterators&... each) { return reference(*each...); }, iterators_);
    }
    reference operator[](std::ptrdiff_t at) const { return *(*this + at); }
    zip_iterator& operator++() { return *this += 1; }
    zip_iterator& operator+=(std::ptrdiff_t by)
    {
        std::apply([by](Iterators&... each) { ((each += by), ...); }, iterators_);
        return *this;
    }
    friend zip_iterator operator+(zip_iterator of, std::ptrdiff_t by) { return of += by; }
    friend std::ptrdiff_t operator-(const zip_iterator& left, const zip_iterator& right)
    {
        return std::get<0>(left.iterators_) - std::get<0>(right.iterators_);
    }
    friend bool operator==(const zip_iterator& left, const zip_iterator& right)
    {
        return left.iterators_ == right.iterators_;
    }
    friend bool operator!=(const zip_iterator& left, const zip_iterator& right) { return !(left == right); }

  private:
    std::tuple<Iterators...> iterators_;
};
template <class... Iterators>
zip_iterator<Iterators...> make_zip_iterator(std::tuple<Iterators...> iterators)
{
    return zip_iterator<Iterators...>(iterators);
}

template <class Iterator>
inline constexpr bool is_of_device = false;
template <class T>
inline constexpr bool is_of_device<device_ptr<T>> = true;
template <class... Iterators>
inline constexpr bool is_of_device<zip_iterator<Iterators...>> = (is_of_device<Iterators> && ...);

// Memory of the device is filled by a kernel, as by Thrust: generators use the number of their thread.
template <class Iterator, class Generator>
void generate(Iterator first, Iterator last, Generator generator)
{
    if constexpr (is_of_device<Iterator>) {
        const std::ptrdiff_t count = last - first;
        if (count <= 0)
            return;
        auto body = [=] {
            const nestbed::cpu::ThreadContext& thread = *nestbed::cpu::current_thread;
            const std::ptrdiff_t at =
                static_cast<std::ptrdiff_t>(thread.block_index.x) * thread.block_dim.x + thread.thread_index.x;
            Generator own = generator;
            if (at < count)
                first[at] = own();
        };
        using Body = decltype(body);
        nestbed::program::run_library_kernel(
            "thrust::generate", static_cast<std::size_t>(count), &body,
            {[](const void* from) -> void* { return new Body(*static_cast<const Body*>(from)); },
             [](const void* from) { (*static_cast<const Body*>(from))(); },
             [](void* copy) { delete static_cast<Body*>(copy); }});
        cudaDeviceSynchronize();
        return;
    }
    for (; first != last; ++first)
        *first = generator();
}
template <class Input, class Output>
Output copy(Input first, Input last, Output to)
{
    return std::copy(first, last, to);
}
template <class Iterator, class T>
void fill(Iterator first, Iterator last, const T& value)
{
    std::fill(first, last, value);
}
template <class Iterator>
void sequence(Iterator first, Iterator last)
{
    std::iota(first, last, 0);
}
template <class Iterator, class T>
void sequence(Iterator first, Iterator last, T begin)
{
    std::iota(first, last, begin);
}
template <class Iterator>
void sort(Iterator first, Iterator last)
{
    std::sort(first, last);
}
template <class Iterator, class Compare>
void sort(Iterator first, Iterator last, Compare compare)
{
    std::sort(first, last, compare);
}
template <class Iterator>
auto reduce(Iterator first, Iterator last)
{
    return std::accumulate(first, last, typename std::iterator_traits<Iterator>::value_type());
}
template <class Iterator, class T>
T reduce(Iterator first, Iterator last, T begin)
{
    return std::accumulate(first, last, begin);
}
template <class Iterator, class T, class Combine>
T reduce(Iterator first, Iterator last, T begin, Combine combine)
{
    return std::accumulate(first, last, begin, combine);
}

template <class T>
using plus = std::plus<T>;
template <class T>
using less = std::less<T>;
template <class T>
using greater = std::greater<T>;

} // namespace thrust
// NOLINTEND
