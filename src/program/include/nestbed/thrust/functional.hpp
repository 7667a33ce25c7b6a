// Thrust's tuples, pairs and function objects: those of the standard library, and what that does not have.
#pragma once

#include "complex.hpp"
#include "nestbed/program.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

extern const bool
    nestbed_thrust; // tells the plugin of the compiler that kernels may assign tuples and pairs (sides_plugin.cc)

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

template <class... T>
using tuple = std::tuple<T...>;
using std::get;
using std::ignore;
using std::make_tuple;
using std::tie;
using std::tuple_cat;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
template <class First, class Second>
using pair = std::pair<First, Second>;
using std::advance;
using std::distance;
using std::make_pair;
using std::max;
using std::min;
using std::next;
using std::prev;
// Of two types, so that a call that finds std::swap too means that.
template <class First, class Second>
constexpr void swap(First& left, Second& right)
{
    First first = left;
    left = right;
    right = first;
}
template <class T>
using iterator_traits = std::iterator_traits<T>;
template <class T>
using iterator_value = std::iterator_traits<T>;
template <class T>
using iterator_value_t = typename std::iterator_traits<T>::value_type;
template <class T>
using iterator_reference_t = typename std::iterator_traits<T>::reference;
template <class T>
using iterator_difference_t = typename std::iterator_traits<T>::difference_type;

#define NESTBED_AS_STD(name)                                                                                         \
    template <class T = void>                                                                                        \
    using name = std::name<T>;
NESTBED_AS_STD(plus)
NESTBED_AS_STD(minus)
NESTBED_AS_STD(multiplies)
NESTBED_AS_STD(divides)
NESTBED_AS_STD(modulus)
NESTBED_AS_STD(negate)
NESTBED_AS_STD(equal_to)
NESTBED_AS_STD(not_equal_to)
NESTBED_AS_STD(less)
NESTBED_AS_STD(less_equal)
NESTBED_AS_STD(greater)
NESTBED_AS_STD(greater_equal)
NESTBED_AS_STD(logical_and)
NESTBED_AS_STD(logical_or)
NESTBED_AS_STD(logical_not)
NESTBED_AS_STD(bit_and)
NESTBED_AS_STD(bit_or)
NESTBED_AS_STD(bit_xor)
#undef NESTBED_AS_STD
template <class Function>
auto not_fn(Function function)
{
    return [function](const auto&... arguments) { return !function(arguments...); };
}

template <class T = void>
struct maximum {
    constexpr T operator()(const T& left, const T& right) const { return left < right ? right : left; }
};
template <>
struct maximum<void> {
    template <class T>
    constexpr T operator()(const T& left, const T& right) const
    {
        return left < right ? right : left;
    }
};
template <class T = void>
struct minimum {
    constexpr T operator()(const T& left, const T& right) const { return right < left ? right : left; }
};
template <>
struct minimum<void> {
    template <class T>
    constexpr T operator()(const T& left, const T& right) const
    {
        return right < left ? right : left;
    }
};
template <class T = void>
struct square {
    constexpr T operator()(const T& value) const { return value * value; }
};
template <>
struct square<void> {
    template <class T>
    constexpr T operator()(const T& value) const
    {
        return value * value;
    }
};
template <class T = void>
struct identity {
    constexpr const T& operator()(const T& value) const { return value; }
};
template <>
struct identity<void> {
    template <class T>
    constexpr T&& operator()(T&& value) const
    {
        return std::forward<T>(value);
    }
};
template <class First = void, class Second = void>
struct project1st {
    template <class Left, class Right>
    constexpr Left operator()(const Left& first, const Right&) const
    {
        return first;
    }
};
template <class First = void, class Second = void>
struct project2nd {
    template <class Left, class Right>
    constexpr Right operator()(const Left&, const Right& second) const
    {
        return second;
    }
};
template <class Argument, class Result>
struct unary_function {
    using argument_type = Argument;
    using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
    using first_argument_type = First;
    using second_argument_type = Second;
    using result_type = Result;
};
// Of a tuple: the function of its elements.
template <class Function>
struct zip_function {
    Function function;
    template <class Tuple>
    decltype(auto) operator()(Tuple&& values) const
    {
        return std::apply(function, std::forward<Tuple>(values));
    }
};
template <class Function>
zip_function<Function> make_zip_function(Function function)
{
    return {function};
}

// thrust::placeholders::_1 * 2 is a function of its arguments.
namespace own
{
template <class Function>
struct Expression {
    Function function;
    template <class... Arguments>
    constexpr auto operator()(const Arguments&... arguments) const
    {
        return function(std::tie(arguments...));
    }
};
template <class Function>
constexpr Expression<Function> expression(Function function)
{
    return {function};
}
template <class T, class Arguments>
constexpr decltype(auto) evaluated(const T& value, const Arguments&)
{
    return (value);
}
template <class Function, class Arguments>
constexpr auto evaluated(const Expression<Function>& of, const Arguments& arguments)
{
    return of.function(arguments);
}
template <class T>
inline constexpr bool is_expression = false;
template <class Function>
inline constexpr bool is_expression<Expression<Function>> = true;
template <std::size_t index>
struct Argument {
    template <class Arguments>
    constexpr auto operator()(const Arguments& arguments) const
    {
        return std::get<index>(arguments);
    }
};
#define NESTBED_OPERATOR(symbol)                                                                                     \
    template <class Left, class Right, class = std::enable_if_t<is_expression<Left> || is_expression<Right>>>        \
    constexpr auto operator symbol(const Left& left, const Right& right)                                             \
    {                                                                                                                \
        return expression(                                                                                           \
            [=](const auto& arguments) { return evaluated(left, arguments) symbol evaluated(right, arguments); });   \
    }
NESTBED_OPERATOR(+)
NESTBED_OPERATOR(-)
NESTBED_OPERATOR(*)
NESTBED_OPERATOR(/)
NESTBED_OPERATOR(%)
NESTBED_OPERATOR(==)
NESTBED_OPERATOR(!=)
NESTBED_OPERATOR(<)
NESTBED_OPERATOR(<=)
NESTBED_OPERATOR(>)
NESTBED_OPERATOR(>=)
NESTBED_OPERATOR(&&)
NESTBED_OPERATOR(||)
NESTBED_OPERATOR(&)
NESTBED_OPERATOR(|)
NESTBED_OPERATOR(^)
#undef NESTBED_OPERATOR
template <class Function>
constexpr auto operator-(const Expression<Function>& of)
{
    return expression([=](const auto& arguments) { return -evaluated(of, arguments); });
}
template <class Function>
constexpr auto operator!(const Expression<Function>& of)
{
    return expression([=](const auto& arguments) { return !evaluated(of, arguments); });
}
} // namespace own
namespace placeholders
{
inline constexpr own::Expression<own::Argument<0>> _1{};
inline constexpr own::Expression<own::Argument<1>> _2{};
inline constexpr own::Expression<own::Argument<2>> _3{};
} // namespace placeholders

} // namespace thrust
// NOLINTEND
