// Thrust's iterators of values that are computed, and of places that other iterators give.
#pragma once

#include "nestbed/program/iterators.hpp"
#include "pointers.hpp"

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

template <class T, class System = void, class Traversal = void, class Difference = std::ptrdiff_t>
class counting_iterator : public nestbed::program::Iterator<counting_iterator<T, System, Traversal, Difference>, T>
{
  public:
    counting_iterator() = default;
    explicit counting_iterator(T first) : first_(first) {}
    T value(std::ptrdiff_t at) const { return static_cast<T>(first_ + static_cast<T>(at)); }
    std::ptrdiff_t minus(const counting_iterator& other) const
    {
        return static_cast<std::ptrdiff_t>(first_) - static_cast<std::ptrdiff_t>(other.first_) + this->at - other.at;
    }
    T base() const { return value(this->at); }

  private:
    T first_{};
};
template <class T>
counting_iterator<T> make_counting_iterator(T first)
{
    return counting_iterator<T>(first);
}

template <class T, class Incrementable = void, class System = void>
class constant_iterator : public nestbed::program::Iterator<constant_iterator<T, Incrementable, System>, T>
{
  public:
    constant_iterator() = default;
    explicit constant_iterator(T value, std::ptrdiff_t begin = 0) : value_(value) { this->at = begin; }
    T value(std::ptrdiff_t) const { return value_; }

  private:
    T value_{};
};
template <class T>
constant_iterator<T> make_constant_iterator(T value, std::ptrdiff_t begin = 0)
{
    return constant_iterator<T>(value, begin);
}

namespace own
{
struct Anything {
    template <class T>
    const Anything& operator=(const T&) const
    {
        return *this;
    }
};
} // namespace own
template <class System = void>
class discard_iterator : public nestbed::program::Iterator<discard_iterator<System>, void, own::Anything>
{
  public:
    explicit discard_iterator(std::ptrdiff_t begin = 0) { this->at = begin; }
    own::Anything value(std::ptrdiff_t) const { return {}; }
};
inline discard_iterator<> make_discard_iterator(std::ptrdiff_t begin = 0)
{
    return discard_iterator<>(begin);
}

// Of one or more others, at the same offset of each.
#define NESTBED_OF_BASE(Name)                                                                                        \
    std::ptrdiff_t minus(const Name& other) const                                                                    \
    {                                                                                                                \
        return (base_ + this->at) - (other.base_ + other.at);                                                        \
    }

template <class Function, class Base, class Reference = void, class Value = void>
class transform_iterator
    : public nestbed::program::Iterator<
          transform_iterator<Function, Base, Reference, Value>,
          std::decay_t<std::invoke_result_t<const Function&, typename std::iterator_traits<Base>::reference>>>
{
  public:
    transform_iterator() = default;
    explicit transform_iterator(Base base) : base_(base) {}
    transform_iterator(Base base, Function function) : base_(base), function_(function) {}
    std::decay_t<std::invoke_result_t<const Function&, typename std::iterator_traits<Base>::reference>>
    value(std::ptrdiff_t at) const
    {
        return function_(base_[at]);
    }
    NESTBED_OF_BASE(transform_iterator)
    Base base() const { return base_ + this->at; }
    Function functor() const { return function_; }

  private:
    Base base_{};
    Function function_{};
};
template <class Function, class Base>
transform_iterator<Function, Base> make_transform_iterator(Base base, Function function)
{
    return transform_iterator<Function, Base>(base, function);
}

template <class Elements, class Indices>
class permutation_iterator : public nestbed::program::Iterator<permutation_iterator<Elements, Indices>,
                                                               typename std::iterator_traits<Elements>::value_type,
                                                               typename std::iterator_traits<Elements>::reference>
{
  public:
    permutation_iterator() = default;
    permutation_iterator(Elements elements, Indices indices) : elements_(elements), base_(indices) {}
    typename std::iterator_traits<Elements>::reference value(std::ptrdiff_t at) const
    {
        return elements_[static_cast<std::ptrdiff_t>(base_[at])];
    }
    NESTBED_OF_BASE(permutation_iterator)
    Elements elements() const { return elements_; }
    Indices base() const { return base_ + this->at; }

  private:
    Elements elements_{};
    Indices base_{};
};
template <class Elements, class Indices>
permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements, Indices indices)
{
    return permutation_iterator<Elements, Indices>(elements, indices);
}

template <class Base>
class reverse_iterator
    : public nestbed::program::Iterator<reverse_iterator<Base>, typename std::iterator_traits<Base>::value_type,
                                        typename std::iterator_traits<Base>::reference>
{
  public:
    reverse_iterator() = default;
    explicit reverse_iterator(Base base) : base_(base) {}
    typename std::iterator_traits<Base>::reference value(std::ptrdiff_t at) const { return base_[-1 - at]; }
    std::ptrdiff_t minus(const reverse_iterator& other) const
    {
        return (other.base_ - other.at) - (base_ - this->at);
    }
    Base base() const { return base_ - this->at; }

  private:
    Base base_{};
};
template <class Base>
reverse_iterator<Base> make_reverse_iterator(Base base)
{
    return reverse_iterator<Base>(base);
}

namespace own
{
template <class Function, class Reference>
struct Transformed {
    Function function;
    Reference to;
    template <class T>
    const Transformed& operator=(const T& value) const
    {
        Reference own = to;
        own = function(value);
        return *this;
    }
};
} // namespace own
template <class Function, class Base>
class transform_output_iterator
    : public nestbed::program::Iterator<transform_output_iterator<Function, Base>, void,
                                        own::Transformed<Function, typename std::iterator_traits<Base>::reference>>
{
  public:
    transform_output_iterator(Base base, Function function) : base_(base), function_(function) {}
    own::Transformed<Function, typename std::iterator_traits<Base>::reference> value(std::ptrdiff_t at) const
    {
        return {function_, base_[at]};
    }
    NESTBED_OF_BASE(transform_output_iterator)
    Base base() const { return base_ + this->at; }
    Function functor() const { return function_; }

  private:
    Base base_;
    Function function_;
};
template <class Function, class Base>
transform_output_iterator<Function, Base> make_transform_output_iterator(Base base, Function function)
{
    return transform_output_iterator<Function, Base>(base, function);
}
#undef NESTBED_OF_BASE

template <class Tuple>
class zip_iterator;
template <class... Bases>
class zip_iterator<std::tuple<Bases...>>
    : public nestbed::program::Iterator<zip_iterator<std::tuple<Bases...>>,
                                        std::tuple<typename std::iterator_traits<Bases>::value_type...>,
                                        std::tuple<typename std::iterator_traits<Bases>::reference...>>
{
  public:
    zip_iterator() = default;
    explicit zip_iterator(std::tuple<Bases...> bases) : bases_(bases) {}
    std::tuple<typename std::iterator_traits<Bases>::reference...> value(std::ptrdiff_t at) const
    {
        return std::apply(
            [at](const Bases&... each) {
                return std::tuple<typename std::iterator_traits<Bases>::reference...>(each[at]...);
            },
            bases_);
    }
    std::ptrdiff_t minus(const zip_iterator& other) const
    {
        return (std::get<0>(bases_) + this->at) - (std::get<0>(other.bases_) + other.at);
    }
    std::tuple<Bases...> get_iterator_tuple() const
    {
        return std::apply([this](const Bases&... each) { return std::tuple<Bases...>((each + this->at)...); },
                          bases_);
    }

  private:
    std::tuple<Bases...> bases_;
};
template <class... Bases>
zip_iterator<std::tuple<Bases...>> make_zip_iterator(std::tuple<Bases...> bases)
{
    return zip_iterator<std::tuple<Bases...>>(bases);
}
template <class... Bases>
zip_iterator<std::tuple<Bases...>> make_zip_iterator(Bases... bases)
{
    return zip_iterator<std::tuple<Bases...>>(std::tuple<Bases...>(bases...));
}

// ---- what a kernel has in place of an iterator ----

namespace own
{
template <class T>
struct Raw {
    static constexpr bool is_of_device = false;
    static T of(const T& other) { return other; }
};
// Of an argument.
template <class T>
auto raw(const T& of)
{
    return Raw<std::decay_t<T>>::of(of);
}
template <class T>
inline constexpr bool is_of_device = Raw<std::decay_t<T>>::is_of_device;

template <class T>
struct Raw<device_ptr<T>> {
    static constexpr bool is_of_device = true;
    static T* of(const device_ptr<T>& pointer) { return pointer.get(); }
};
template <class T>
struct Raw<device_reference<T>> {
    static constexpr bool is_of_device = false; // it is a value
    static std::remove_cv_t<T> of(const device_reference<T>& value) { return value; }
};
template <class Function, class Base, class Reference, class Value>
struct Raw<transform_iterator<Function, Base, Reference, Value>> {
    static constexpr bool is_of_device = own::is_of_device<Base>;
    static auto of(const transform_iterator<Function, Base, Reference, Value>& iterator)
    {
        return thrust::make_transform_iterator(raw(iterator.base()), iterator.functor());
    }
};
template <class Function, class Base>
struct Raw<transform_output_iterator<Function, Base>> {
    static constexpr bool is_of_device = own::is_of_device<Base>;
    static auto of(const transform_output_iterator<Function, Base>& iterator)
    {
        return thrust::make_transform_output_iterator(raw(iterator.base()), iterator.functor());
    }
};
template <class Elements, class Indices>
struct Raw<permutation_iterator<Elements, Indices>> {
    static constexpr bool is_of_device = own::is_of_device<Elements> || own::is_of_device<Indices>;
    static auto of(const permutation_iterator<Elements, Indices>& iterator)
    {
        return thrust::make_permutation_iterator(raw(iterator.elements()), raw(iterator.base()));
    }
};
template <class Base>
struct Raw<reverse_iterator<Base>> {
    static constexpr bool is_of_device = own::is_of_device<Base>;
    static auto of(const reverse_iterator<Base>& iterator)
    {
        return thrust::make_reverse_iterator(raw(iterator.base()));
    }
};
template <class... Bases>
struct Raw<zip_iterator<std::tuple<Bases...>>> {
    static constexpr bool is_of_device = (own::is_of_device<Bases> || ...);
    static auto of(const zip_iterator<std::tuple<Bases...>>& iterator)
    {
        return std::apply([](const auto&... each) { return thrust::make_zip_iterator(raw(each)...); },
                          iterator.get_iterator_tuple());
    }
};
} // namespace own

} // namespace thrust
// NOLINTEND
