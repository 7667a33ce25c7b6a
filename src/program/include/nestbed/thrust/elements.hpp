// Algorithms of Thrust that do the same for each element.
#pragma once

#include "run.hpp"

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

namespace own
{
// Between the first two arguments, or as many as the second one says. What a function of the program does, or where it says that something
// goes, is a matter of a thread each.
struct Range {
    static constexpr bool kInThreads = true;
    static constexpr int output(int) { return 0; }
    template <class Input, class... Others>
    static Offset count(Input first, Input last, const Others&...)
    {
        return last - first;
    }
};
struct Number {
    static constexpr bool kInThreads = true;
    static constexpr int output(int) { return 0; }
    template <class Input, class Count, class... Others>
    static Offset count(Input, Count count, const Others&...)
    {
        return static_cast<Offset>(count);
    }
};

// In one thread, which nothing of the program can tell.
template <class Counted>
struct Plain : Counted {
    static constexpr bool kInThreads = false;
};

template <class Counted>
struct Apply : Counted {
    template <class Input, class End, class Function>
    static void at(Offset i, Input first, End, Function& function)
    {
        function(first[i]);
    }
};
template <class Counted>
struct Fill : Plain<Counted> {
    template <class Output, class End, class T>
    static void at(Offset i, Output first, End, const T& value)
    {
        first[i] = value;
    }
};
template <class Counted>
struct Generate : Counted {
    template <class Output, class End, class Function>
    static void at(Offset i, Output first, End, Function& function)
    {
        first[i] = function();
    }
};
struct Tabulate : Range {
    template <class Output, class Function>
    static void at(Offset i, Output first, Output, Function& function)
    {
        first[i] = function(i);
    }
};
struct Sequence : Plain<Range> {
    template <class Output>
    static void at(Offset i, Output first, Output)
    {
        first[i] = static_cast<typename std::iterator_traits<Output>::value_type>(i);
    }
    template <class Output, class T>
    static void at(Offset i, Output first, Output, const T& begin)
    {
        first[i] = begin + static_cast<T>(i);
    }
    template <class Output, class T>
    static void at(Offset i, Output first, Output, const T& begin, const T& step)
    {
        first[i] = begin + static_cast<T>(i) * step;
    }
};
struct Transform : Range {
    static constexpr int output(int arguments) { return arguments - 2; }
    template <class Input, class Output, class Function>
    static void at(Offset i, Input first, Input, Output to, Function& function)
    {
        to[i] = function(first[i]);
    }
    template <class Input, class Second, class Output, class Function>
    static void at(Offset i, Input first, Input, Second second, Output to, Function& function)
    {
        to[i] = function(first[i], second[i]);
    }
};
struct TransformIf : Range {
    static constexpr int output(int arguments) { return arguments - 3; }
    template <class Input, class Output, class Function, class Predicate>
    static void at(Offset i, Input first, Input, Output to, Function& function, Predicate& is_in)
    {
        if (is_in(first[i]))
            to[i] = function(first[i]);
    }
    template <class Input, class Stencil, class Output, class Function, class Predicate>
    static void at(Offset i, Input first, Input, Stencil stencil, Output to, Function& function, Predicate& is_in)
    {
        if (is_in(stencil[i]))
            to[i] = function(first[i]);
    }
    template <class Input, class Second, class Stencil, class Output, class Function, class Predicate>
    static void at(Offset i, Input first, Input, Second second, Stencil stencil, Output to, Function& function,
                   Predicate& is_in)
    {
        if (is_in(stencil[i]))
            to[i] = function(first[i], second[i]);
    }
};
template <class Counted>
struct Copy : Plain<Counted> {
    static constexpr int output(int) { return 2; }
    template <class Input, class End, class Output>
    static void at(Offset i, Input first, End, Output to)
    {
        to[i] = first[i];
    }
};
struct Gather : Range {
    static constexpr int output(int) { return 3; }
    template <class Map, class Input, class Output>
    static void at(Offset i, Map first, Map, Input from, Output to)
    {
        to[i] = from[static_cast<Offset>(first[i])];
    }
};
struct GatherIf : Range {
    static constexpr int output(int) { return 4; }
    template <class Map, class Stencil, class Input, class Output, class Predicate>
    static void at(Offset i, Map first, Map, Stencil stencil, Input from, Output to, Predicate& is_in)
    {
        if (is_in(stencil[i]))
            to[i] = from[static_cast<Offset>(first[i])];
    }
    template <class Map, class Stencil, class Input, class Output>
    static void at(Offset i, Map first, Map last, Stencil stencil, Input from, Output to)
    {
        identity<> is_in;
        at(i, first, last, stencil, from, to, is_in);
    }
};
struct Scatter : Range {
    template <class Input, class Map, class Output>
    static void at(Offset i, Input first, Input, Map map, Output to)
    {
        to[static_cast<Offset>(map[i])] = first[i];
    }
};
struct ScatterIf : Range {
    template <class Input, class Map, class Stencil, class Output, class Predicate>
    static void at(Offset i, Input first, Input, Map map, Stencil stencil, Output to, Predicate& is_in)
    {
        if (is_in(stencil[i]))
            to[static_cast<Offset>(map[i])] = first[i];
    }
    template <class Input, class Map, class Stencil, class Output>
    static void at(Offset i, Input first, Input last, Map map, Stencil stencil, Output to)
    {
        identity<> is_in;
        at(i, first, last, map, stencil, to, is_in);
    }
};
struct Replace : Plain<Range> {
    template <class Input, class T>
    static void at(Offset i, Input first, Input, const T& old, const T& value)
    {
        if (first[i] == old)
            first[i] = value;
    }
};
struct ReplaceIf : Range {
    template <class Input, class Predicate, class T>
    static void at(Offset i, Input first, Input, Predicate& is_in, const T& value)
    {
        if (is_in(first[i]))
            first[i] = value;
    }
    template <class Input, class Stencil, class Predicate, class T>
    static void at(Offset i, Input first, Input, Stencil stencil, Predicate& is_in, const T& value)
    {
        if (is_in(stencil[i]))
            first[i] = value;
    }
};
struct ReplaceCopy : Plain<Range> {
    static constexpr int output(int) { return 2; }
    template <class Input, class Output, class T>
    static void at(Offset i, Input first, Input, Output to, const T& old, const T& value)
    {
        to[i] = first[i] == old ? value : first[i];
    }
};
struct ReplaceCopyIf : Range {
    static constexpr int output(int) { return 2; }
    template <class Input, class Output, class Predicate, class T>
    static void at(Offset i, Input first, Input, Output to, Predicate& is_in, const T& value)
    {
        to[i] = is_in(first[i]) ? value : static_cast<T>(first[i]);
    }
};
struct Reverse : Plain<Range> {
    template <class Input>
    static Offset count(Input first, Input last)
    {
        return (last - first) / 2;
    }
    template <class Input>
    static void at(Offset i, Input first, Input last)
    {
        const typename std::iterator_traits<Input>::value_type value = first[i];
        first[i] = last[-1 - i];
        last[-1 - i] = value;
    }
};
struct ReverseCopy : Plain<Range> {
    static constexpr int output(int) { return 2; }
    template <class Input, class Output>
    static void at(Offset i, Input first, Input last, Output to)
    {
        to[i] = last[-1 - i];
    }
};
struct Swap : Plain<Range> {
    static constexpr int output(int) { return 2; }
    template <class Left, class Right>
    static void at(Offset i, Left first, Left, Right second)
    {
        const typename std::iterator_traits<Left>::value_type value = first[i];
        first[i] = second[i];
        second[i] = value;
    }
};
} // namespace own

NESTBED_ALGORITHM(for_each, own::each<own::Apply<own::Range>>)
NESTBED_ALGORITHM(for_each_n, own::each<own::Apply<own::Number>>)
NESTBED_ALGORITHM(fill, own::each<own::Fill<own::Range>>)
NESTBED_ALGORITHM(fill_n, own::each<own::Fill<own::Number>>)
NESTBED_ALGORITHM(uninitialized_fill, own::each<own::Fill<own::Range>>)
NESTBED_ALGORITHM(uninitialized_fill_n, own::each<own::Fill<own::Number>>)
NESTBED_ALGORITHM(generate, own::each<own::Generate<own::Range>>)
NESTBED_ALGORITHM(generate_n, own::each<own::Generate<own::Number>>)
NESTBED_ALGORITHM(tabulate, own::each<own::Tabulate>)
NESTBED_ALGORITHM(sequence, own::each<own::Sequence>)
NESTBED_ALGORITHM(transform, own::each<own::Transform>)
NESTBED_ALGORITHM(transform_if, own::each<own::TransformIf>)
NESTBED_ALGORITHM(gather, own::each<own::Gather>)
NESTBED_ALGORITHM(gather_if, own::each<own::GatherIf>)
NESTBED_ALGORITHM(scatter, own::each<own::Scatter>)
NESTBED_ALGORITHM(scatter_if, own::each<own::ScatterIf>)
NESTBED_ALGORITHM(replace, own::each<own::Replace>)
NESTBED_ALGORITHM(replace_if, own::each<own::ReplaceIf>)
NESTBED_ALGORITHM(replace_copy, own::each<own::ReplaceCopy>)
NESTBED_ALGORITHM(replace_copy_if, own::each<own::ReplaceCopyIf>)
NESTBED_ALGORITHM(reverse, own::each<own::Reverse>)
NESTBED_ALGORITHM(reverse_copy, own::each<own::ReverseCopy>)
NESTBED_ALGORITHM(swap_ranges, own::each<own::Swap>)

} // namespace thrust
// NOLINTEND
