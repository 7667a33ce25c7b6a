// Reductions and scans of Thrust.
#pragma once

#include "run.hpp"

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

namespace own
{
// ---- reductions ----

// Behind an initial value Thrust keeps sums in what the operation returns on the device, in the type of that value on the host. Scans keep
// them in that type on both.
template <class Operation, class T, class Input>
using Accumulated = std::decay_t<std::invoke_result_t<Operation&, T, ValueOf<Input>>>;

struct Reduce {
    template <class Input, class T, class Operation = std::plus<T>>
    T operator()(Input first, Input last, T initial, Operation operation = Operation()) const
    {
        if (nestbed::cpu::in_kernel())
            return static_cast<T>(
                all(first, last, static_cast<Accumulated<Operation, T, Input>>(initial), operation));
        return all(first, last, initial, operation);
    }
    template <class Input>
    ValueOf<Input> operator()(Input first, Input last) const
    {
        return (*this)(first, last, ValueOf<Input>());
    }

  private:
    template <class Input, class Sum, class Operation>
    static Sum all(Input first, Input last, Sum sum, Operation operation)
    {
        for (; first != last; ++first)
            sum = operation(sum, *first);
        return sum;
    }
};
struct TransformReduce {
    template <class Input, class Function, class T, class Operation>
    T operator()(Input first, Input last, Function function, T sum, Operation operation) const
    {
        return Reduce()(thrust::make_transform_iterator(first, function),
                        thrust::make_transform_iterator(last, function), sum, operation);
    }
};
struct InnerProduct {
    template <class Left, class Right, class T, class Sum = std::plus<>, class Product = std::multiplies<>>
    T operator()(Left first, Left last, Right second, T sum, Sum add = Sum(), Product multiply = Product()) const
    {
        for (; first != last; ++first, ++second)
            sum = add(sum, multiply(*first, *second));
        return sum;
    }
};
struct Count {
    template <class Input, class T>
    Offset operator()(Input first, Input last, const T& value) const
    {
        Offset count = 0;
        for (; first != last; ++first)
            count += *first == value ? 1 : 0;
        return count;
    }
};
struct CountIf {
    template <class Input, class Predicate>
    Offset operator()(Input first, Input last, Predicate is_in) const
    {
        Offset count = 0;
        for (; first != last; ++first)
            count += is_in(*first) ? 1 : 0;
        return count;
    }
};
template <bool expected, bool at_end> // the first that is as expected decides
struct Quantifier {
    template <class Input, class Predicate>
    bool operator()(Input first, Input last, Predicate is_in) const
    {
        for (; first != last; ++first)
            if (bool(is_in(*first)) == expected)
                return !at_end;
        return at_end;
    }
};
// The first of the least, or of the greatest.
template <bool greatest>
struct Extreme : AtFirst {
    template <class Input, class Less = std::less<>>
    Offset operator()(Input first, Input last, Less less = Less()) const
    {
        Offset found = 0;
        for (Offset at = 1; at < last - first; ++at)
            if (greatest ? less(first[found], first[at]) : less(first[at], first[found]))
                found = at;
        return found;
    }
};
struct Extremes : AtFirst {
    static constexpr int second(int) { return 0; }
    template <class Input, class Less = std::less<>>
    std::pair<Offset, Offset> operator()(Input first, Input last, Less less = Less()) const
    {
        return {Extreme<false>()(first, last, less), Extreme<true>()(first, last, less)};
    }
};
struct ReduceByKey : AtFourth {
    static constexpr int second(int) { return 4; }
    template <class Keys, class Values, class KeysOut, class ValuesOut, class Same = std::equal_to<>,
              class Operation = std::plus<>>
    std::pair<Offset, Offset> operator()(Keys first, Keys last, Values values, KeysOut keys_out, ValuesOut values_out,
                                         Same same = Same(), Operation operation = Operation()) const
    {
        Offset runs = 0;
        for (Offset at = 0; at < last - first; ++runs) {
            ValueOf<Keys> key = first[at];
            ValueOf<Values> sum = values[at];
            keys_out[runs] = key;
            for (++at; at < last - first && same(key, first[at]); ++at) {
                key = first[at];
                sum = operation(sum, values[at]);
            }
            values_out[runs] = sum;
        }
        return {runs, runs};
    }
};

// ---- scans ----

template <bool inclusive>
struct Scan : Whole<AtThird> {
    template <class Input, class Output, class T, class Operation>
    static Offset scan(Input first, Input last, Output to, bool has_before, T before, Operation operation)
    {
        for (Offset at = 0; at < last - first; ++at) {
            const ValueOf<Input> input = first[at];
            const T after = has_before ? static_cast<T>(operation(before, input)) : static_cast<T>(input);
            to[at] = inclusive ? after : before;
            before = after;
            has_before = true;
        }
        return last - first;
    }
    template <class Input, class Output>
    Offset operator()(Input first, Input last, Output to) const
    {
        if constexpr (inclusive)
            return scan(first, last, to, false, ValueOf<Input>(), std::plus<>());
        else
            return (*this)(first, last, to, ValueOf<Input>());
    }
    // An operation behind an inclusive one, what comes first behind an exclusive one.
    template <class Input, class Output, class T>
    Offset operator()(Input first, Input last, Output to, T given) const
    {
        if constexpr (inclusive)
            return scan(first, last, to, false, ValueOf<Input>(), given);
        else
            return (*this)(first, last, to, given, std::plus<>());
    }
    template <class Input, class Output, class T, class Operation>
    Offset operator()(Input first, Input last, Output to, T initial, Operation operation) const
    {
        return scan(first, last, to, true, initial, operation);
    }
};
template <bool inclusive>
struct TransformScan : Whole<AtThird> {
    template <class Input, class Output, class Function, class Operation>
    Offset operator()(Input first, Input last, Output to, Function function, Operation operation) const
    {
        return Scan<inclusive>()(thrust::make_transform_iterator(first, function),
                                 thrust::make_transform_iterator(last, function), to, operation);
    }
    template <class Input, class Output, class Function, class T, class Operation>
    Offset operator()(Input first, Input last, Output to, Function function, T initial, Operation operation) const
    {
        return Scan<inclusive>()(thrust::make_transform_iterator(first, function),
                                 thrust::make_transform_iterator(last, function), to, initial, operation);
    }
};
template <bool inclusive>
struct ScanByKey : Whole<AtFourth> {
    template <class Keys, class Values, class Output, class T, class Same, class Operation>
    static Offset scan(Keys first, Keys last, Values values, Output to, T initial, Same same, Operation operation)
    {
        T before = initial;
        for (Offset at = 0; at < last - first; ++at) {
            const ValueOf<Values> input = values[at];
            const bool begins = at == 0 || !same(first[at - 1], first[at]);
            if (begins)
                before = initial;
            const T after = inclusive && begins ? static_cast<T>(input) : static_cast<T>(operation(before, input));
            to[at] = inclusive ? after : before;
            before = after;
        }
        return last - first;
    }
    template <class Keys, class Values, class Output>
    Offset operator()(Keys first, Keys last, Values values, Output to) const
    {
        return scan(first, last, values, to, ValueOf<Values>(), std::equal_to<>(), std::plus<>());
    }
    template <class Keys, class Values, class Output, class T, class Same = std::equal_to<>,
              class Operation = std::plus<>>
    Offset operator()(Keys first, Keys last, Values values, Output to, T given, Same same = Same(),
                      Operation operation = Operation()) const
    {
        if constexpr (!inclusive)
            return scan(first, last, values, to, given, same, operation);
        else if constexpr (std::is_same<Same, std::equal_to<>>::value) // which keys are the same
            return scan(first, last, values, to, ValueOf<Values>(), given, operation);
        else
            return scan(first, last, values, to, ValueOf<Values>(), given, same);
    }
};
struct AdjacentDifference : Whole<AtThird> { // the output may be the input
    template <class Input, class Output, class Operation = std::minus<>>
    Offset operator()(Input first, Input last, Output to, Operation operation = Operation()) const
    {
        ValueOf<Input> before{};
        for (Offset at = 0; at < last - first; ++at) {
            const ValueOf<Input> value = first[at];
            if (at == 0)
                to[at] = value;
            else
                to[at] = operation(value, before);
            before = value;
        }
        return last - first;
    }
};
} // namespace own

NESTBED_ALGORITHM(reduce, own::value<own::Reduce>)
NESTBED_ALGORITHM(transform_reduce, own::value<own::TransformReduce>)
NESTBED_ALGORITHM(inner_product, own::value<own::InnerProduct>)
NESTBED_ALGORITHM(count, own::value<own::Count>)
NESTBED_ALGORITHM(count_if, own::value<own::CountIf>)
NESTBED_ALGORITHM(all_of, own::value<own::Quantifier<false, true>>)
NESTBED_ALGORITHM(any_of, own::value<own::Quantifier<true, false>>)
NESTBED_ALGORITHM(none_of, own::value<own::Quantifier<true, true>>)
NESTBED_ALGORITHM(min_element, own::at<own::Extreme<false>>)
NESTBED_ALGORITHM(max_element, own::at<own::Extreme<true>>)
NESTBED_ALGORITHM(minmax_element, own::at_two<own::Extremes>)
NESTBED_ALGORITHM(reduce_by_key, own::at_two<own::ReduceByKey>)
NESTBED_ALGORITHM(inclusive_scan, own::at<own::Scan<true>>)
NESTBED_ALGORITHM(exclusive_scan, own::at<own::Scan<false>>)
NESTBED_ALGORITHM(transform_inclusive_scan, own::at<own::TransformScan<true>>)
NESTBED_ALGORITHM(transform_exclusive_scan, own::at<own::TransformScan<false>>)
NESTBED_ALGORITHM(inclusive_scan_by_key, own::at<own::ScanByKey<true>>)
NESTBED_ALGORITHM(exclusive_scan_by_key, own::at<own::ScanByKey<false>>)
NESTBED_ALGORITHM(adjacent_difference, own::at<own::AdjacentDifference>)

} // namespace thrust
// NOLINTEND
