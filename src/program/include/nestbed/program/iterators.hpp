// The base of iterators whose values are computed: Self has `value(at)`, of an offset.
#pragma once

#include <cstddef>
#include <iterator>

namespace nestbed::program
{

template <class Self, class Value, class Reference = Value>
struct Iterator {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = const Value*;
    using reference = Reference;
    std::ptrdiff_t at = 0;
    Reference operator*() const { return self().value(at); }
    Reference operator[](std::ptrdiff_t by) const { return self().value(at + by); }
    Self& operator+=(std::ptrdiff_t by)
    {
        at += by;
        return static_cast<Self&>(*this);
    }
    Self& operator-=(std::ptrdiff_t by) { return *this += -by; }
    Self operator+(std::ptrdiff_t by) const
    {
        Self moved = self();
        moved.at += by;
        return moved;
    }
    friend Self operator+(std::ptrdiff_t by, const Self& from) { return from + by; }
    Self operator-(std::ptrdiff_t by) const { return *this + -by; }
    Self& operator++() { return *this += 1; }
    Self& operator--() { return *this += -1; }
    Self operator++(int)
    {
        const Self before = self();
        at += 1;
        return before;
    }
    Self operator--(int)
    {
        const Self before = self();
        at -= 1;
        return before;
    }
    std::ptrdiff_t operator-(const Self& other) const { return self().minus(other); }
    bool operator==(const Self& other) const { return *this - other == 0; }
    bool operator!=(const Self& other) const { return *this - other != 0; }
    bool operator<(const Self& other) const { return *this - other < 0; }
    bool operator>(const Self& other) const { return *this - other > 0; }
    bool operator<=(const Self& other) const { return *this - other <= 0; }
    bool operator>=(const Self& other) const { return *this - other >= 0; }
    // Of iterators that can begin at different places Self has its own.
    std::ptrdiff_t minus(const Self& other) const { return at - other.at; }

  private:
    const Self& self() const { return static_cast<const Self&>(*this); }
};

} // namespace nestbed::program
