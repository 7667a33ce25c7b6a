// cuda::std: names of std, and what it has in CUDA before C++ has it (C++17 here): span, bits, constants. And the small functions of
// cuda/cmath and cuda/functional.
#pragma once

#include "program.hpp"

#include <array>
#include <cstddef>
#if __cplusplus >= 202002L
#include <bit>
#include <numbers>
#include <span>
#endif

extern const bool
    nestbed_cuda_std; // tells the plugin of the compiler that functions of std may be those of cuda::std (sides_plugin.cc)

// NOLINTBEGIN: these names are CUDA's.
#define _CUDA_VSTD ::cuda::std // which programs write, too
namespace cuda
{
namespace std
{
using namespace ::std;

#if __cplusplus < 202002L
struct identity {
    template <class T>
    constexpr T&& operator()(T&& value) const noexcept
    {
        return static_cast<T&&>(value);
    }
};

inline constexpr size_t dynamic_extent = static_cast<size_t>(-1);

template <class T, size_t Extent = dynamic_extent>
class span
{
  public:
    using element_type = T;
    using value_type = remove_cv_t<T>;
    using size_type = size_t;
    using pointer = T*;
    using reference = T&;
    using iterator = T*;
    static constexpr size_t extent = Extent;

    constexpr span() = default;
    constexpr span(T* first, size_t count) : data_(first), size_(count) {}
    constexpr span(T* first, T* last) : data_(first), size_(static_cast<size_t>(last - first)) {}
    template <size_t count>
    constexpr span(T (&of)[count]) : data_(of), size_(count)
    {
    }
    template <class Range, class = decltype(::std::declval<Range&>().data() + ::std::declval<Range&>().size())>
    constexpr span(Range&& of) : data_(of.data()), size_(of.size())
    {
    }
    constexpr T* begin() const { return data_; }
    constexpr T* end() const { return data_ + size_; }
    constexpr T* data() const { return data_; }
    constexpr size_t size() const { return size_; }
    constexpr size_t size_bytes() const { return size_ * sizeof(T); }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T& operator[](size_t at) const { return data_[at]; }
    constexpr T& front() const { return data_[0]; }
    constexpr T& back() const { return data_[size_ - 1]; }
    constexpr span<T> first(size_t count) const { return {data_, count}; }
    constexpr span<T> last(size_t count) const { return {data_ + (size_ - count), count}; }
    constexpr span<T> subspan(size_t offset, size_t count = dynamic_extent) const
    {
        return {data_ + offset, count == dynamic_extent ? size_ - offset : count};
    }

  private:
    T* data_ = nullptr;
    size_t size_ = Extent == dynamic_extent ? 0 : Extent;
};
template <class T, size_t count>
span(T (&)[count]) -> span<T, count>;
template <class T, size_t count>
span(::std::array<T, count>&) -> span<T, count>;
template <class T, class Count>
span(T*, Count) -> span<T>;
template <class Range>
span(Range&&) -> span<remove_reference_t<decltype(*::std::declval<Range&>().data())>>;

template <class To, class From>
To bit_cast(const From& from)
{
    return nestbed::program::bits_as<To>(from);
}
// Of unsigned types.
template <class T>
constexpr int countl_zero(T value)
{
    return value == 0 ? static_cast<int>(sizeof(T) * 8)
                      : __builtin_clzll(value) - static_cast<int>((sizeof(unsigned long long) - sizeof(T)) * 8);
}
template <class T>
constexpr int countr_zero(T value)
{
    return value == 0 ? static_cast<int>(sizeof(T) * 8) : __builtin_ctzll(value);
}
template <class T>
constexpr int countl_one(T value)
{
    return countl_zero(static_cast<T>(~value));
}
template <class T>
constexpr int countr_one(T value)
{
    return countr_zero(static_cast<T>(~value));
}
template <class T>
constexpr int popcount(T value)
{
    return __builtin_popcountll(value);
}
template <class T>
constexpr bool has_single_bit(T value)
{
    return popcount(value) == 1;
}
template <class T>
constexpr int bit_width(T value)
{
    return static_cast<int>(sizeof(T) * 8) - countl_zero(value);
}
template <class T>
constexpr T bit_floor(T value)
{
    return value == 0 ? T(0) : static_cast<T>(T(1) << (bit_width(value) - 1));
}
template <class T>
constexpr T bit_ceil(T value)
{
    return value <= 1 ? T(1) : static_cast<T>(T(1) << bit_width(static_cast<T>(value - 1)));
}
template <class T>
constexpr T rotl(T value, int by)
{
    constexpr int bits = static_cast<int>(sizeof(T) * 8);
    const int left = (by % bits + bits) % bits;
    return left == 0 ? value : static_cast<T>(value << left | value >> (bits - left));
}
template <class T>
constexpr T rotr(T value, int by)
{
    return rotl(value, -by);
}
namespace numbers
{
template <class T>
inline constexpr T pi_v = static_cast<T>(3.141592653589793238462643383279502884L);
template <class T>
inline constexpr T e_v = static_cast<T>(2.718281828459045235360287471352662498L);
template <class T>
inline constexpr T sqrt2_v = static_cast<T>(1.414213562373095048801688724209698079L);
template <class T>
inline constexpr T ln2_v = static_cast<T>(0.693147180559945309417232121458176568L);
inline constexpr double pi = pi_v<double>, e = e_v<double>, sqrt2 = sqrt2_v<double>, ln2 = ln2_v<double>;
} // namespace numbers
#endif
} // namespace std

template <class T, class U>
constexpr ::std::common_type_t<T, U> ceil_div(T value, U by)
{
    using Result = ::std::common_type_t<T, U>;
    return static_cast<Result>(value) / static_cast<Result>(by) +
           (static_cast<Result>(value) % static_cast<Result>(by) != 0 ? 1 : 0);
}
template <class T, class U>
constexpr ::std::common_type_t<T, U> round_up(T value, U to)
{
    return ceil_div(value, to) * to;
}
template <class T, class U>
constexpr ::std::common_type_t<T, U> round_down(T value, U to)
{
    return value / to * to;
}
template <class T = void>
struct maximum {
    constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void>
struct minimum {
    constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <>
struct maximum<void> {
    template <class T, class U>
    constexpr ::std::common_type_t<T, U> operator()(const T& a, const U& b) const
    {
        return a < b ? b : a;
    }
};
template <>
struct minimum<void> {
    template <class T, class U>
    constexpr ::std::common_type_t<T, U> operator()(const T& a, const U& b) const
    {
        return b < a ? b : a;
    }
};
template <class Result, class Function>
auto proclaim_return_type(Function function)
{
    return function;
}
} // namespace cuda
// NOLINTEND
