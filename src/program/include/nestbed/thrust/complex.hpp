// Thrust's complex numbers: sums and products of both sides, also of two types. Functions are those of the standard library.
#pragma once

#include <complex>
#include <istream>
#include <ostream>
#include <type_traits>

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

template <class T>
struct complex {
    using value_type = T;
    complex() = default;
    constexpr complex(const T& real, const T& imag = T()) : real_(real), imag_(imag) {}
    template <class Other>
    constexpr complex(const complex<Other>& of) : real_(static_cast<T>(of.real())), imag_(static_cast<T>(of.imag()))
    {
    }
    template <class Other>
    constexpr complex(const std::complex<Other>& of)
        : real_(static_cast<T>(of.real())), imag_(static_cast<T>(of.imag()))
    {
    }
    constexpr operator std::complex<T>() const { return {real_, imag_}; }
    constexpr T real() const { return real_; }
    constexpr T imag() const { return imag_; }
    constexpr T real() const volatile { return real_; }
    constexpr T imag() const volatile { return imag_; }
    constexpr void real(T value) { real_ = value; }
    constexpr void imag(T value) { imag_ = value; }
    template <class Other>
    constexpr complex& operator+=(const Other& by)
    {
        return *this = *this + by;
    }
    template <class Other>
    constexpr complex& operator-=(const Other& by)
    {
        return *this = *this - by;
    }
    template <class Other>
    constexpr complex& operator*=(const Other& by)
    {
        return *this = *this * by;
    }
    template <class Other>
    constexpr complex& operator/=(const Other& by)
    {
        return *this = *this / by;
    }

  private:
    T real_, imag_;
};

namespace own
{
// Of numbers made small, as Thrust does it: no product overflows.
template <class T>
constexpr complex<T> quotient(const complex<T>& x, const complex<T>& y)
{
    const T by = T(1) / ((y.real() < 0 ? -y.real() : y.real()) + (y.imag() < 0 ? -y.imag() : y.imag()));
    const complex<T> over = x * by, under = y * by;
    const T rest = T(1) / (under.real() * under.real() + under.imag() * under.imag());
    return {(over.real() * under.real() + over.imag() * under.imag()) * rest,
            (over.imag() * under.real() - over.real() * under.imag()) * rest};
}
} // namespace own

// The three forms of an operator: of two complex numbers, and of one and a number. `T` is the type of both.
#define NESTBED_OPERATOR(symbol, Result, of_both, of_left, of_right)                                                 \
    template <class First, class Second, class T = std::common_type_t<First, Second>>                                \
    constexpr Result operator symbol(const complex<First>& x, const complex<Second>& y)                              \
    {                                                                                                                \
        return of_both;                                                                                              \
    }                                                                                                                \
    template <class First, class Second, class T = std::common_type_t<First, Second>>                                \
    constexpr Result operator symbol(const complex<First>& x, const Second& y)                                       \
    {                                                                                                                \
        return of_left;                                                                                              \
    }                                                                                                                \
    template <class First, class Second, class T = std::common_type_t<First, Second>>                                \
    constexpr Result operator symbol(const First& x, const complex<Second>& y)                                       \
    {                                                                                                                \
        return of_right;                                                                                             \
    }
NESTBED_OPERATOR(+, complex<T>, complex<T>(x.real() + y.real(), x.imag() + y.imag()),
                 complex<T>(x.real() + y, x.imag()), complex<T>(x + y.real(), y.imag()))
NESTBED_OPERATOR(-, complex<T>, complex<T>(x.real() - y.real(), x.imag() - y.imag()),
                 complex<T>(x.real() - y, x.imag()), complex<T>(x - y.real(), -y.imag()))
NESTBED_OPERATOR(*, complex<T>,
                 complex<T>(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()),
                 complex<T>(x.real() * y, x.imag() * y), complex<T>(x* y.real(), x* y.imag()))
NESTBED_OPERATOR(/, complex<T>, own::quotient(complex<T>(x), complex<T>(y)), complex<T>(x.real() / y, x.imag() / y),
                 own::quotient(complex<T>(static_cast<T>(x)), complex<T>(y)))
NESTBED_OPERATOR(==, bool, x.real() == y.real() && x.imag() == y.imag(), x.real() == y && x.imag() == First(),
                 x == y.real() && y.imag() == Second())
NESTBED_OPERATOR(!=, bool, !(x == y), !(x == y), !(x == y))
#undef NESTBED_OPERATOR
template <class T>
constexpr complex<T> operator+(const complex<T>& x)
{
    return x;
}
template <class T>
constexpr complex<T> operator-(const complex<T>& x)
{
    return {-x.real(), -x.imag()};
}

template <class T>
constexpr T norm(const complex<T>& x)
{
    return x.real() * x.real() + x.imag() * x.imag();
}
template <class T>
constexpr complex<T> conj(const complex<T>& x)
{
    return {x.real(), -x.imag()};
}
template <class T>
complex<T> polar(const T& length, const T& angle = T())
{
    return {length * std::cos(angle), length * std::sin(angle)};
}
#define NESTBED_AS_STD(name, Result)                                                                                 \
    template <class T>                                                                                               \
    Result name(const complex<T>& x)                                                                                 \
    {                                                                                                                \
        return std::name(std::complex<T>(x));                                                                        \
    }
NESTBED_AS_STD(abs, T)
NESTBED_AS_STD(arg, T)
NESTBED_AS_STD(proj, complex<T>)
NESTBED_AS_STD(exp, complex<T>)
NESTBED_AS_STD(log, complex<T>)
NESTBED_AS_STD(log10, complex<T>)
NESTBED_AS_STD(sqrt, complex<T>)
NESTBED_AS_STD(sin, complex<T>)
NESTBED_AS_STD(cos, complex<T>)
NESTBED_AS_STD(tan, complex<T>)
NESTBED_AS_STD(sinh, complex<T>)
NESTBED_AS_STD(cosh, complex<T>)
NESTBED_AS_STD(tanh, complex<T>)
NESTBED_AS_STD(asin, complex<T>)
NESTBED_AS_STD(acos, complex<T>)
NESTBED_AS_STD(atan, complex<T>)
NESTBED_AS_STD(asinh, complex<T>)
NESTBED_AS_STD(acosh, complex<T>)
NESTBED_AS_STD(atanh, complex<T>)
#undef NESTBED_AS_STD
template <class First, class Second, class T = std::common_type_t<First, Second>>
complex<T> pow(const complex<First>& x, const complex<Second>& y)
{
    return std::pow(std::complex<T>(complex<T>(x)), std::complex<T>(complex<T>(y)));
}
template <class First, class Second, class T = std::common_type_t<First, Second>>
complex<T> pow(const complex<First>& x, const Second& y)
{
    return std::pow(std::complex<T>(complex<T>(x)), static_cast<T>(y));
}
template <class First, class Second, class T = std::common_type_t<First, Second>>
complex<T> pow(const First& x, const complex<Second>& y)
{
    return std::pow(static_cast<T>(x), std::complex<T>(complex<T>(y)));
}
template <class T>
std::ostream& operator<<(std::ostream& to, const complex<T>& x)
{
    return to << std::complex<T>(x);
}
template <class T>
std::istream& operator>>(std::istream& from, complex<T>& x)
{
    std::complex<T> value;
    if (from >> value)
        x = value;
    return from;
}

} // namespace thrust
// NOLINTEND
