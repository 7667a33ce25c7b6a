// For the headers of libraries. A function that the executor does not have may be declared, but not called.
#pragma once

#include "program.hpp"

#define NESTBED_UNSUPPORTED_LIBRARY(library) __attribute__((error("nestbed's executor does not support " library)))

namespace nestbed
{

// A function of a library for programs, which call it or take its address. `function` gets the place of the call first.
template <auto function>
struct LibraryFunction;
template <class Result, class... Parameters, Result (*function)(program::Place, Parameters...)>
struct LibraryFunction<function> {
    using Pointer = Result (*)(Parameters...);
    Result operator()(Parameters... given, const char* file = __builtin_FILE(),
                      unsigned line = __builtin_LINE()) const
    {
        return function({file, line}, given...);
    }
    constexpr operator Pointer() const { return by_pointer; }
    constexpr Pointer operator&() const { return by_pointer; }
    constexpr Pointer operator*() const { return by_pointer; }
    static Result by_pointer(Parameters... given) { return function({"", 0}, given...); } // the place is not known
};

} // namespace nestbed
