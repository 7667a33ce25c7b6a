// Algorithms of Thrust that choose elements or order them.
#pragma once

#include "run.hpp"

#include <numeric>
#include <vector>

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

namespace own
{
// ---- what stays, and where ----

template <bool kept> // those of which the predicate says so
struct CopyIf : BeforeLast {
    template <class Input, class Stencil, class Output, class Predicate>
    Offset operator()(Input first, Input last, Stencil stencil, Output to, Predicate is_in) const
    {
        Offset count = 0;
        for (Offset at = 0; at < last - first; ++at)
            if (bool(is_in(stencil[at])) == kept)
                to[count++] = first[at];
        return count;
    }
    template <class Input, class Output, class Predicate>
    Offset operator()(Input first, Input last, Output to, Predicate is_in) const
    {
        return (*this)(first, last, first, to, is_in);
    }
};
struct RemoveIf : AtFirst {
    template <class Input, class Predicate>
    Offset operator()(Input first, Input last, Predicate is_out) const
    {
        return CopyIf<false>()(first, last, first, first, is_out);
    }
    template <class Input, class Stencil, class Predicate>
    Offset operator()(Input first, Input last, Stencil stencil, Predicate is_out) const
    {
        return CopyIf<false>()(first, last, stencil, first, is_out);
    }
};
struct RemoveCopy : AtThird {
    template <class Input, class Output, class T>
    Offset operator()(Input first, Input last, Output to, const T& value) const
    {
        return CopyIf<false>()(first, last, to, [&](const auto& each) { return each == value; });
    }
};
struct Remove : AtFirst {
    template <class Input, class T>
    Offset operator()(Input first, Input last, const T& value) const
    {
        return RemoveCopy()(first, last, first, value);
    }
};
struct UniqueByKeyCopy : AtFourth {
    static constexpr int second(int) { return 4; }
    template <class Keys, class Values, class KeysOut, class ValuesOut, class Same = std::equal_to<>>
    std::pair<Offset, Offset> operator()(Keys first, Keys last, Values values, KeysOut keys_out, ValuesOut values_out,
                                         Same same = Same()) const
    {
        Offset count = 0;
        std::optional<ValueOf<Keys>> before; // the output may be the input
        for (Offset at = 0; at < last - first; ++at) {
            const ValueOf<Keys> key = first[at];
            if (!before || !same(*before, key)) {
                keys_out[count] = key;
                values_out[count++] = values[at];
            }
            before.emplace(key);
        }
        return {count, count};
    }
};
struct UniqueByKey : AtFirst {
    static constexpr int second(int) { return 2; }
    template <class Keys, class Values, class Same = std::equal_to<>>
    std::pair<Offset, Offset> operator()(Keys first, Keys last, Values values, Same same = Same()) const
    {
        return UniqueByKeyCopy()(first, last, values, first, values, same);
    }
};
struct UniqueCopy : AtThird {
    template <class Input, class Output, class Same = std::equal_to<>>
    Offset operator()(Input first, Input last, Output to, Same same = Same()) const
    {
        return UniqueByKeyCopy()(first, last, constant_iterator<int>(0), to, discard_iterator<>(), same).first;
    }
};
struct Unique : AtFirst {
    template <class Input, class Same = std::equal_to<>>
    Offset operator()(Input first, Input last, Same same = Same()) const
    {
        return UniqueCopy()(first, last, first, same);
    }
};
struct UniqueCount {
    template <class Input, class Same = std::equal_to<>>
    Offset operator()(Input first, Input last, Same same = Same()) const
    {
        return UniqueCopy()(first, last, discard_iterator<>(), same);
    }
};
struct PartitionCopy {
    static constexpr int output(int arguments) { return arguments - 3; }
    static constexpr int second(int arguments) { return arguments - 2; }
    template <class Input, class Stencil, class Output, class Others, class Predicate>
    std::pair<Offset, Offset> operator()(Input first, Input last, Stencil stencil, Output to, Others others,
                                         Predicate is_in) const
    {
        const Offset count = CopyIf<true>()(first, last, stencil, to, is_in);
        return {count, CopyIf<false>()(first, last, stencil, others, is_in)};
    }
    template <class Input, class Output, class Others, class Predicate>
    std::pair<Offset, Offset> operator()(Input first, Input last, Output to, Others others, Predicate is_in) const
    {
        return (*this)(first, last, first, to, others, is_in);
    }
};
template <class Input>
std::vector<ValueOf<Input>> values_of(Input first, Offset count)
{
    std::vector<ValueOf<Input>> values;
    values.reserve(static_cast<std::size_t>(count));
    for (Offset at = 0; at < count; ++at)
        values.push_back(first[at]);
    return values;
}
struct Partition : AtFirst {
    template <class Input, class Stencil, class Predicate>
    Offset operator()(Input first, Input last, Stencil stencil, Predicate is_in) const
    {
        const std::vector<ValueOf<Stencil>> flags = values_of(stencil, last - first);
        const std::vector<ValueOf<Input>> values = values_of(first, last - first);
        const auto from = values.begin();
        const Offset count = CopyIf<true>()(from, values.end(), flags.begin(), first, is_in);
        CopyIf<false>()(from, values.end(), flags.begin(), first + count, is_in);
        return count;
    }
    template <class Input, class Predicate>
    Offset operator()(Input first, Input last, Predicate is_in) const
    {
        return (*this)(first, last, first, is_in);
    }
};

// ---- sorted ----

struct SortByKey {
    template <class Keys, class Values, class Less = std::less<>>
    void operator()(Keys first, Keys last, Values values, Less less = Less()) const
    {
        const std::vector<ValueOf<Keys>> keys = values_of(first, last - first);
        const std::vector<ValueOf<Values>> before = values_of(values, last - first);
        std::vector<std::size_t> order(keys.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return bool(less(keys[a], keys[b])); });
        for (std::size_t at = 0; at < order.size(); ++at) {
            first[static_cast<Offset>(at)] = keys[order[at]];
            values[static_cast<Offset>(at)] = before[order[at]];
        }
    }
};
struct Sort {
    template <class Input, class Less = std::less<>>
    void operator()(Input first, Input last, Less less = Less()) const
    {
        std::vector<ValueOf<Input>> values = values_of(first, last - first);
        std::stable_sort(values.begin(), values.end(),
                         [&](const ValueOf<Input>& a, const ValueOf<Input>& b) { return bool(less(a, b)); });
        for (Offset at = 0; at < last - first; ++at)
            first[at] = values[static_cast<std::size_t>(at)];
    }
};
struct MergeByKey {
    static constexpr int output(int) { return 6; }
    static constexpr int second(int) { return 7; }
    template <class Left, class Right, class LeftValues, class RightValues, class Keys, class Values,
              class Less = std::less<>>
    std::pair<Offset, Offset> operator()(Left left, Left left_end, Right right, Right right_end,
                                         LeftValues left_values, RightValues right_values, Keys keys, Values values,
                                         Less less = Less()) const
    {
        Offset count = 0;
        while (left != left_end || right != right_end) {
            if (left == left_end || (right != right_end && less(*right, *left))) {
                keys[count] = *right++;
                values[count++] = *right_values++;
            } else {
                keys[count] = *left++;
                values[count++] = *left_values++;
            }
        }
        return {count, count};
    }
};
struct Merge : AtFifth {
    template <class Left, class Right, class Output, class Less = std::less<>>
    Offset operator()(Left left, Left left_end, Right right, Right right_end, Output to, Less less = Less()) const
    {
        const constant_iterator<int> none(0);
        return MergeByKey()(left, left_end, right, right_end, none, none, to, discard_iterator<>(), less).first;
    }
};
// Which elements of two sorted ranges are in the result.
template <bool only_left, bool only_right, bool both>
struct SetOperation : AtFifth {
    template <class Left, class Right, class Output, class Less = std::less<>>
    Offset operator()(Left left, Left left_end, Right right, Right right_end, Output to, Less less = Less()) const
    {
        Offset count = 0;
        while (left != left_end || right != right_end) {
            if (right == right_end || (left != left_end && less(*left, *right))) {
                if (only_left)
                    to[count++] = *left;
                ++left;
            } else if (left == left_end || less(*right, *left)) {
                if (only_right)
                    to[count++] = *right;
                ++right;
            } else {
                if (both)
                    to[count++] = *left;
                ++left;
                ++right;
            }
        }
        return count;
    }
};
} // namespace own

NESTBED_ALGORITHM(copy_if, own::at<own::CopyIf<true>>)
NESTBED_ALGORITHM(remove_copy_if, own::at<own::CopyIf<false>>)
NESTBED_ALGORITHM(remove_copy, own::at<own::RemoveCopy>)
NESTBED_ALGORITHM(remove_if, own::at<own::RemoveIf>)
NESTBED_ALGORITHM(remove, own::at<own::Remove>)
NESTBED_ALGORITHM(unique, own::at<own::Unique>)
NESTBED_ALGORITHM(unique_copy, own::at<own::UniqueCopy>)
NESTBED_ALGORITHM(unique_count, own::value<own::UniqueCount>)
NESTBED_ALGORITHM(unique_by_key, own::at_two<own::UniqueByKey>)
NESTBED_ALGORITHM(unique_by_key_copy, own::at_two<own::UniqueByKeyCopy>)
NESTBED_ALGORITHM(partition, own::at<own::Partition>)
NESTBED_ALGORITHM(stable_partition, own::at<own::Partition>)
NESTBED_ALGORITHM(partition_copy, own::at_two<own::PartitionCopy>)
NESTBED_ALGORITHM(stable_partition_copy, own::at_two<own::PartitionCopy>)
NESTBED_ALGORITHM(sort, own::value<own::Sort>)
NESTBED_ALGORITHM(stable_sort, own::value<own::Sort>)
NESTBED_ALGORITHM(sort_by_key, own::value<own::SortByKey>)
NESTBED_ALGORITHM(stable_sort_by_key, own::value<own::SortByKey>)
NESTBED_ALGORITHM(merge, own::at<own::Merge>)
NESTBED_ALGORITHM(merge_by_key, own::at_two<own::MergeByKey>)
NESTBED_ALGORITHM(set_union, own::at<own::SetOperation<true, true, true>>)
NESTBED_ALGORITHM(set_intersection, own::at<own::SetOperation<false, false, true>>)
NESTBED_ALGORITHM(set_difference, own::at<own::SetOperation<true, false, false>>)
NESTBED_ALGORITHM(set_symmetric_difference, own::at<own::SetOperation<true, true, false>>)

} // namespace thrust
// NOLINTEND
