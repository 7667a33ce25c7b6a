// Comparisons and searches of Thrust.
#pragma once

#include "run.hpp"

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

namespace own
{
// ---- comparisons and searches ----

struct Equal {
    template <class Left, class Right, class Same = std::equal_to<>>
    bool operator()(Left first, Left last, Right second, Same same = Same()) const
    {
        for (; first != last; ++first, ++second)
            if (!same(*first, *second))
                return false;
        return true;
    }
};
struct Mismatch : AtFirst {
    static constexpr int second(int) { return 2; }
    template <class Left, class Right, class Same = std::equal_to<>>
    std::pair<Offset, Offset> operator()(Left first, Left last, Right second, Same same = Same()) const
    {
        Offset at = 0;
        while (at < last - first && same(first[at], second[at]))
            ++at;
        return {at, at};
    }
};
template <bool expected>
struct FindIf : AtFirst {
    template <class Input, class Predicate>
    Offset operator()(Input first, Input last, Predicate is_it) const
    {
        Offset at = 0;
        while (at < last - first && bool(is_it(first[at])) != expected)
            ++at;
        return at;
    }
};
struct Find : AtFirst {
    template <class Input, class T>
    Offset operator()(Input first, Input last, const T& value) const
    {
        return FindIf<true>()(first, last, [&](const auto& each) { return each == value; });
    }
};
struct AdjacentFind : AtFirst {
    template <class Input, class Same = std::equal_to<>>
    Offset operator()(Input first, Input last, Same same = Same()) const
    {
        for (Offset at = 1; at < last - first; ++at)
            if (same(first[at - 1], first[at]))
                return at - 1;
        return last - first;
    }
};
struct SortedUntil : AtFirst {
    template <class Input, class Less = std::less<>>
    Offset operator()(Input first, Input last, Less less = Less()) const
    {
        for (Offset at = 1; at < last - first; ++at)
            if (less(first[at], first[at - 1]))
                return at;
        return last - first;
    }
};
struct IsSorted {
    template <class Input, class Less = std::less<>>
    bool operator()(Input first, Input last, Less less = Less()) const
    {
        return SortedUntil()(first, last, less) == last - first;
    }
};
struct PartitionPoint : AtFirst {
    template <class Input, class Predicate>
    Offset operator()(Input first, Input last, Predicate is_in) const
    {
        return FindIf<false>()(first, last, is_in);
    }
};
struct IsPartitioned {
    template <class Input, class Predicate>
    bool operator()(Input first, Input last, Predicate is_in) const
    {
        const Input rest = first + FindIf<false>()(first, last, is_in);
        return FindIf<true>()(rest, last, is_in) == last - rest;
    }
};
// The begin of what is not less than the value, or the end of what the value is not less than.
template <bool upper>
struct Bound : AtFirst {
    static constexpr bool kIsPlace = true;
    template <class Input, class T, class Less = std::less<>>
    Offset operator()(Input first, Input last, const T& value, Less less = Less()) const
    {
        Offset begin = 0;
        for (Offset end = last - first; begin < end;) {
            const Offset middle = begin + (end - begin) / 2;
            if (upper ? !less(value, first[middle]) : less(first[middle], value))
                begin = middle + 1;
            else
                end = middle;
        }
        return begin;
    }
};
struct BinarySearch {
    static constexpr bool kIsPlace = false;
    template <class Input, class T, class Less = std::less<>>
    bool operator()(Input first, Input last, const T& value, Less less = Less()) const
    {
        const Offset at = Bound<false>()(first, last, value, less);
        return at < last - first && !less(value, first[at]);
    }
};
struct EqualRange : AtFirst {
    static constexpr int second(int) { return 0; }
    template <class Input, class T, class Less = std::less<>>
    std::pair<Offset, Offset> operator()(Input first, Input last, const T& value, Less less = Less()) const
    {
        return {Bound<false>()(first, last, value, less), Bound<true>()(first, last, value, less)};
    }
};
// The same for many values.
template <class Search>
struct EachOf : AtFifth {
    template <class Input, class Values, class Output, class Less = std::less<>>
    Offset operator()(Input first, Input last, Values values, Values values_end, Output to, Less less = Less()) const
    {
        for (Offset at = 0; at < values_end - values; ++at)
            to[at] = Search()(first, last, ValueOf<Values>(values[at]), less);
        return values_end - values;
    }
};

template <class Search, class... Arguments>
auto search(const char* name, Place place, const Policy& policy, const Arguments&... arguments)
{
    if constexpr (sizeof...(arguments) > 4)
        return at<EachOf<Search>>(name, place, policy, arguments...);
    else if constexpr (Search::kIsPlace)
        return at<Search>(name, place, policy, arguments...);
    else
        return value<Search>(name, place, policy, arguments...);
}
NESTBED_WITHOUT_POLICY(search)
} // namespace own

NESTBED_ALGORITHM(equal, own::value<own::Equal>)
NESTBED_ALGORITHM(mismatch, own::at_two<own::Mismatch>)
NESTBED_ALGORITHM(find, own::at<own::Find>)
NESTBED_ALGORITHM(find_if, own::at<own::FindIf<true>>)
NESTBED_ALGORITHM(find_if_not, own::at<own::FindIf<false>>)
NESTBED_ALGORITHM(adjacent_find, own::at<own::AdjacentFind>)
NESTBED_ALGORITHM(is_sorted, own::value<own::IsSorted>)
NESTBED_ALGORITHM(is_sorted_until, own::at<own::SortedUntil>)
NESTBED_ALGORITHM(is_partitioned, own::value<own::IsPartitioned>)
NESTBED_ALGORITHM(partition_point, own::at<own::PartitionPoint>)
NESTBED_ALGORITHM(lower_bound, own::search<own::Bound<false>>)
NESTBED_ALGORITHM(upper_bound, own::search<own::Bound<true>>)
NESTBED_ALGORITHM(binary_search, own::search<own::BinarySearch>)
NESTBED_ALGORITHM(equal_range, own::at_two<own::EqualRange>)

} // namespace thrust
// NOLINTEND
